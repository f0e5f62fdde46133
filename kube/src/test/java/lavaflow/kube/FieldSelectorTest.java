package lavaflow.kube;

import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class FieldSelectorTest {
    private static final Map<String, String> FIELDS = Map.of("a", "1", "b", "x,y=z\\", "empty", "");

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "a=1 | a=1 | true",
                "a==1 | a=1 | true",
                "a!=1 | a!=1 | false",
                "b!=q,a=1 | a=1,b!=q | true",
                ",a=1, | a=1 | true",
                "empty= | empty= | true",
                "b=x\\,y\\=z\\\\ | b=x\\,y\\=z\\\\ | true",
                "=1 | =1 | false",
                "!=1 | !=1 | true",
            })
    void parsesPrintsAndMatches(String text, String canonical, boolean matches) {
        FieldSelector selector = FieldSelector.parse(text);
        assertThat(selector).hasToString(canonical);
        assertThat(selector.matches(field -> FIELDS.getOrDefault(field, ""))).isEqualTo(matches);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "a | invalid selector: 'a'; can't understand 'a'",
                "a=1,b | invalid selector: 'a=1,b'; can't understand 'b'",
                "a=x\\y | invalid field selector: invalid escape sequence: \\y",
                "a=x\\ | invalid field selector: invalid escape sequence: \\",
                "a=b=c | invalid field selector: unescaped character in value: 61",
            })
    void complainsInUpstreamsWords(String text, String message) {
        assertThatThrownBy(() -> FieldSelector.parse(text))
                .isInstanceOf(MalformedException.class)
                .hasMessage(message);
    }

    @Test
    void knowsWhichValueAFieldMustHave() {
        FieldSelector selector = FieldSelector.parse("metadata.name=x,a!=1");
        assertThat(selector.exactly("metadata.name")).contains("x");
        assertThat(selector.exactly("a")).isEmpty();
        assertThat(FieldSelector.parse("").isEverything()).isTrue();
        assertThat(selector.renamed(name -> "new." + name)).hasToString("new.a!=1,new.metadata.name=x");
    }
}
