package lavaflow;

import java.nio.file.Path;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The option that names the data directory, shared by every command about a local cluster. */
final class HomeOption {
    @Option(names = "--data-dir", paramLabel = "DIR", description = "Data directory (default: $LAVA_HOME or ~/.lava).")
    private @Nullable Path directory;

    Home home() {
        return Home.of(directory);
    }
}
