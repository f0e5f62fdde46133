package lavaflow.kube;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class PatternSizeTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "a{1000}",
                "(a{30}){30}",
                "[{}]{1000}",
                "a{,5}",
                "a{x}",
                "\\{1001\\}",
                "(?:a|b){2,999}c+",
                "a{",
                ")a"
            })
    void ordinaryPatternsFit(String pattern) {
        assertThat(PatternSize.problem(pattern)).isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"a{1001}", "(a{1000}){2}", "((a{10}){10}){11}", "(a{100}|b){11}", "a{2}{501}"})
    void repetitionsAreLimitedAlsoWhenNested(String pattern) {
        assertThat(PatternSize.problem(pattern)).startsWith("invalid repeat count: `{");
    }

    @Test
    void manyRepetitionsBesideEachOtherAreTooLarge() {
        assertThat(PatternSize.problem("a{1000}".repeat(1001))).startsWith("expression too large");
    }
}
