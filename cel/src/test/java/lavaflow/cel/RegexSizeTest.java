package lavaflow.cel;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class RegexSizeTest {
    @Test
    void patternsThatWouldGrowWithoutEndAreRefusedAsGoDoes() {
        assertThatThrownBy(() -> Regex.compile("((a{1000}){1000}){1000}"))
                .isInstanceOf(CelException.class)
                .hasMessage("error parsing regexp: invalid repeat count: `{1000}`");
        assertThat(Regex.isValid("(a{100}){100}")).isFalse();
        assertThat(Regex.isValid("^(a{10}){10}$")).isTrue();
    }
}
