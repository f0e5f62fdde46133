package lavaflow.kubelet;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class EnvironmentFileTest {
    private static final String FILE = """
            # what the first container found out
            A='one'

              B='two  words' # and why
            TEXT='first
            second # not a comment
            '
            EMPTY=''
            SPACED= 'x'
            LAST='$HOME\\n'
            """;

    @Test
    void valuesStandBetweenTheirQuotesAsTheyAre() throws Exception {
        assertThat(EnvironmentFile.value(FILE, "A")).hasValue("one");
        assertThat(EnvironmentFile.value(FILE, "B")).hasValue("two  words");
        assertThat(EnvironmentFile.value(FILE, "TEXT")).hasValue("first\nsecond # not a comment\n");
        assertThat(EnvironmentFile.value(FILE, "LAST")).hasValue("$HOME\\n");
    }

    @Test
    void whatIsNotThereOrSetToNothingHasNoValue() throws Exception {
        assertThat(EnvironmentFile.value(FILE, "C")).isEmpty();
        assertThat(EnvironmentFile.value(FILE, "EMPTY")).isEmpty();
        assertThat(EnvironmentFile.value(FILE, "SPACED")).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "A|at line 1: missing '='",
                "='x'|at line 1: empty variable name",
                "A ='x'|at line 1: whitespace before '=' is not allowed",
                "A=x|at line 1: value must be enclosed in single quotes",
                "A='x|starting at line 1: unclosed single quote",
                "A='x'y|at line 1: unexpected content after closing quote",
            })
    void otherLinesAreRefused(String file, String problem) {
        assertThatThrownBy(() -> EnvironmentFile.value(file, "Z"))
                .isInstanceOf(ConfigurationException.class)
                .hasMessage("invalid environment variable format " + problem);
    }

    @Test
    void whatComesAfterTheVariableDoesNotMatter() throws Exception {
        assertThat(EnvironmentFile.value("A='x'\nnonsense", "A")).hasValue("x");
    }
}
