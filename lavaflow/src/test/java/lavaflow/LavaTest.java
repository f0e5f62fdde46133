package lavaflow;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

class LavaTest {
    @Test
    void whatFailedIsSaidInWords(@TempDir Path directory) {
        Path missing = directory.resolve("none.yaml");
        IOException failure = catchThrowableOfType(IOException.class, () -> Files.readString(missing));
        assertThat(Lava.words(failure)).isEqualTo("there is no file " + missing);
        assertThat(Lava.words(new IOException("the disk is full"))).isEqualTo("the disk is full");
        assertThat(Lava.words(new IllegalStateException())).isEqualTo("IllegalStateException");
    }
}
