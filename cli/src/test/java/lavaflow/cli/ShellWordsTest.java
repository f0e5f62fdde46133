package lavaflow.cli;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class ShellWordsTest {
    @Test
    void wordsAreWhatIsBetweenSpaces() {
        assertThat(ShellWords.of("  sleep\t10  ")).containsExactly("sleep", "10");
        assertThat(ShellWords.of("")).isEmpty();
    }

    @Test
    void quotesKeepWordsTogether() {
        assertThat(ShellWords.of("sh -c 'echo \"a b\"' \"it's\" ''"))
                .containsExactly("sh", "-c", "echo \"a b\"", "it's", "");
        assertThat(ShellWords.of("pre\"fix ed\"")).containsExactly("prefix ed");
    }

    @Test
    void aBackslashTakesTheMeaningOfWhatFollows() {
        assertThat(ShellWords.of("a\\ b \"c\\\"d\" 'e\\f' \"g\\h\"")).containsExactly("a b", "c\"d", "e\\f", "g\\h");
    }

    @Test
    void whatFollowsAHashIsAComment() {
        assertThat(ShellWords.of("run a#b # and the rest")).containsExactly("run", "a#b");
    }

    @Test
    void openEndsAreRefused() {
        assertThatThrownBy(() -> ShellWords.of("'x")).hasMessage("EOF found when expecting closing quote");
        assertThatThrownBy(() -> ShellWords.of("x\\")).hasMessage("EOF found after escape character");
    }
}
