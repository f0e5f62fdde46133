package lavaflow.sandbox;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

/** Chooses what runs containers on this machine. */
public final class Runtimes {
    /** The OCI runtimes that can be asked for, the best first. */
    public static List<String> known() {
        return OciRuntime.KNOWN;
    }

    private Runtimes() {}

    /**
     * Opens the best runtime that this machine allows; its notices say what it does not isolate.
     *
     * @param hidden places of the machine that no container over its files sees, beside the usual ones
     * @param wanted the OCI runtime that was asked for; null for the best there is
     * @param handlers further programs that make containers, by the names that RuntimeClasses have for them
     */
    public static ContainerRuntime open(
            Path directory, String clusterName, List<Path> hidden, @Nullable String wanted, Map<String, Path> handlers)
            throws IOException {
        Optional<String> obstacle = RuncRuntime.obstacle(wanted);
        if (obstacle.isEmpty()) {
            return RuncRuntime.open(directory, clusterName, hidden, wanted, handlers);
        }
        String why = "Pods run without isolation. " + obstacle.get();
        return PlainRuntime.open(directory, clusterName, why);
    }
}
