package lavaflow.sandbox;

import java.io.IOException;
import java.nio.file.Path;

import lavaflow.linux.Mounts;

/** What containers leave on a machine when the directory of their records is deleted, or moved, under them. */
public final class Ruins {
    private Ruins() {}

    /**
     * Ends and takes away everything that carries the name of a cluster, knowing nothing else of it.
     *
     * @param directory where its records were; what is still mounted there goes, files stay
     */
    public static void clear(String cluster, Path directory) throws IOException {
        Path run = Places.run(cluster);
        // Supervisors first: they would only complain that they cannot write down the ends of their containers.
        ProcessTable.killMentioning(Places.runtimeState(run).toString());
        try {
            Sandboxes.removeGroup(ControlGroups.detect(run.resolve("groups")), Places.topGroup(cluster));
        } catch (SandboxException e) {
            throw new IOException(e.getMessage(), e);
        }
        Mounts.unmountBelow(directory);
        Mounts.unmountBelow(run);
        Roots.delete(run);
    }
}
