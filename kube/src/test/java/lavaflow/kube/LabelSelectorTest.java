package lavaflow.kube;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class LabelSelectorTest {
    private static final JsonNode LABELS =
            Json.parse("{\"app\":\"web\",\"tier\":\"front\",\"rank\":\"7\",\"empty\":\"\"}");

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "app=web | app=web | true",
                "app==web | app==web | true",
                "app!=web | app!=web | false",
                "missing!=x | missing!=x | true",
                "app | app | true",
                "!app | !app | false",
                "! missing | !missing | true",
                "tier in (front,back) | tier in (back,front) | true",
                "tier notin (front) | tier notin (front) | false",
                "missing notin (a) | missing notin (a) | true",
                "rank>6 | rank>6 | true",
                "rank<7 | rank<7 | false",
                "app>6 | app>6 | false",
                "missing<6 | missing<6 | false",
                "tier=front,app=web | app=web,tier=front | true",
                "empty= | empty= | true",
                "app=,tier | app=,tier | false",
                "empty in () | empty in () | true",
                "tier in (,front) | tier in (,front) | true",
                "tier in (a,,b) | tier in (,a,b) | false",
                "app in (in,notin) | app in (in,notin) | false",
                "in in (in) | in in (in) | false",
                "'  app  =  web  ' | app=web | true",
                "'' | '' | true",
            })
    void parsesPrintsAndMatches(String text, String canonical, boolean matches) {
        LabelSelector selector = LabelSelector.parse(text == null ? "" : text);
        assertThat(selector).hasToString(canonical == null ? "" : canonical);
        assertThat(selector.matches(LABELS)).isEqualTo(matches);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "',' | found ',', expected: !, identifier, or 'end of string'",
                "'a=,=' | found '=', expected: identifier after ','",
                "'a=b,,c' | found ',', expected: identifier after ','",
                "'a=b,' | found '', expected: identifier after ','",
                "'!' | unable to parse requirement: found '', expected: identifier",
                "'!a=b' | found '=', expected: ',' or 'end of string'",
                "'a=b c' | found 'c', expected: ',' or 'end of string'",
                "'a in b' | unable to parse requirement: found 'b' expected: '('",
                "'a in (b' | unable to parse requirement: found '', expected: ',' or ')'",
                "'x in (,' | unable to parse requirement: found '', expected: ',', or identifier",
                "'x in (=)' | unable to parse requirement: found '=', expected: ',', ')' or identifier",
                "'a b' | unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt",
                "'a==!' | unable to parse requirement: found '!', expected: identifier",
                "'a>x' | unable to parse requirement: values[0]: Invalid value: \"x\": for 'Gt', 'Lt' operators, the value must be an integer",
                "'-x' | unable to parse requirement: <nil>: Invalid value: \"-x\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
                "'a=-x' | unable to parse requirement: values[0][a]: Invalid value: \"-x\": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
            })
    void complainsInUpstreamsWords(String text, String message) {
        assertThatThrownBy(() -> LabelSelector.parse(text))
                .isInstanceOf(MalformedException.class)
                .hasMessage(message);
    }

    private static LabelSelector of(String json) {
        return LabelSelector.fromJson(Json.parse(json));
    }

    @Test
    void readsSelectorObjects() {
        LabelSelector selector = of("""
                {"matchLabels":{"tier":"front","app":"web"},"matchExpressions":[
                  {"key":"rank","operator":"In","values":["9","7"]},{"key":"x","operator":"DoesNotExist"},
                  {"key":"y","operator":"NotIn","values":["1"]},{"key":"empty","operator":"Exists"}]}""");
        assertThat(selector).hasToString("app=web,empty,rank in (7,9),tier=front,!x,y notin (1)");
        assertThat(selector.matches(LABELS)).isTrue();
    }

    @Test
    void noObjectSelectsNothingAndAnEmptyOneEverything() {
        assertThat(LabelSelector.fromJson(null).matches(LABELS)).isFalse();
        assertThat(of("{}").matches(LABELS)).isTrue();
        assertThat(of("{}").matches(null)).isTrue();
        assertThat(of("{}").isEverything()).isTrue();
        assertThat(LabelSelector.NOTHING.isEverything()).isFalse();
        assertThat(LabelSelector.describe(Json.object())).isEqualTo("<none>");
        assertThat(LabelSelector.describe(null)).isEqualTo("<none>");
    }

    @Test
    void refusesSelectorObjectsThatMakeNoSense() {
        assertThatThrownBy(() -> of("{\"matchExpressions\":[{\"key\":\"a\",\"operator\":\"Near\"}]}"))
                .hasMessage("\"Near\" is not a valid label selector operator");
        assertThatThrownBy(() -> of("{\"matchExpressions\":[{\"key\":\"a\",\"operator\":\"In\"}]}"))
                .hasMessage("values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty");
        assertThatThrownBy(
                        () -> of("{\"matchExpressions\":[{\"key\":\"a\",\"operator\":\"Exists\",\"values\":[\"b\"]}]}"))
                .hasMessage("values: Invalid value: [\"b\"]: values set must be empty for exists and does not exist");
        assertThat(LabelSelector.describe(Json.parse("{\"matchExpressions\":[{\"key\":\"a\",\"operator\":\"Near\"}]}")))
                .isEqualTo("<error>");
    }

    @Test
    void selectsByPlainLabels() {
        assertThat(LabelSelector.ofLabels(Json.parse("{\"tier\":\"front\",\"app\":\"web\"}")))
                .hasToString("app=web,tier=front");
        assertThat(LabelSelector.ofLabels(null).isEverything()).isTrue();
    }

    @Test
    void nulEndsAWordAsItEndsGoStringsThere() {
        assertThatThrownBy(() -> LabelSelector.parse("a\0b")).hasMessageContaining("found 'b', expected: in, notin");
        assertThat(LabelSelector.parse("a=b\0")).hasToString("a=b");
    }
}
