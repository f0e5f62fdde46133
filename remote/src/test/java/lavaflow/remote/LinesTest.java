package lavaflow.remote;

import java.nio.charset.StandardCharsets;
import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class LinesTest {
    private final Lines lines = new Lines();

    private List<String> add(String chunk) {
        return lines.add(chunk.getBytes(StandardCharsets.UTF_8)).stream()
                .map(line -> new String(line, StandardCharsets.UTF_8))
                .toList();
    }

    @Test
    void linesEndWhereTheyEndWhateverTheChunks() {
        assertThat(add("a\nb")).containsExactly("a");
        assertThat(add("c")).isEmpty();
        assertThat(add("\n\nd\n")).containsExactly("bc", "d");
    }

    @Test
    void aLineThatDoesNotEndIsRefused() {
        byte[] much = new byte[Lines.LONGEST / 2 + 1];
        lines.add(much);

        assertThatThrownBy(() -> lines.add(much)).isInstanceOf(IllegalStateException.class);
    }
}
