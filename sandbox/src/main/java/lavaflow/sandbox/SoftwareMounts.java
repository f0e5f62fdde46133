package lavaflow.sandbox;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

import lavaflow.kube.Json;
import lavaflow.linux.Mounts;

import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * Programs of the machine that live on file systems of their own: an overlay of / does not have what is mounted below it.
 * Looked for once a second at most, because the kernel is slow to tell all its mounts, of which every pod has some.
 */
final class SoftwareMounts {
    private static final List<Path> PLACES = List.of(
            Path.of("/usr"), Path.of("/opt"), Path.of("/lib"), Path.of("/lib64"), Path.of("/bin"), Path.of("/sbin"));
    private static final Set<String> VIRTUAL = Set.of("tmpfs", "proc", "sysfs", "overlay", "nsfs", "autofs", "fuse");
    private static final long LASTS_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final String NOTE = "lavaflow.io/software";

    private record Seen(List<Path> mounts, long atNanos) {}

    private static volatile Seen last = new Seen(List.of(), System.nanoTime() - 2 * LASTS_NANOS);

    private SoftwareMounts() {}

    static List<Path> current() throws IOException {
        Seen seen = last;
        if (System.nanoTime() - seen.atNanos > LASTS_NANOS) {
            seen = new Seen(among(Mounts.below(PLACES)), System.nanoTime());
            last = seen;
        }
        // One that has gone meanwhile must not keep containers from starting.
        return seen.mounts.stream().filter(Files::exists).toList();
    }

    /** Looks again when asked next; for those who have just mounted something. */
    static void forget() {
        last = new Seen(List.of(), System.nanoTime() - 2 * LASTS_NANOS);
    }

    /**
     * Takes those out of what a runtime is told that have gone since, with what was to hide parts of them. They are known by
     * a note there: what a pod asked for by itself must not be left out. False if none has gone.
     */
    static boolean leaveOutVanished(Path file) throws IOException {
        ObjectNode config = Json.parseObject(Files.readAllBytes(file));
        Set<Path> vanished = new HashSet<>();
        for (String each : Json.textAt(config, "annotations", NOTE).split("\n", -1)) {
            if (!each.isEmpty() && Files.notExists(Path.of(each))) {
                vanished.add(Path.of(each));
            }
        }
        boolean[] found = {false};
        config.withArray("mounts").removeIf(mount -> {
            Path target = Path.of(Json.textAt(mount, "destination"));
            String type = Json.textAt(mount, "type");
            boolean gone = vanished.contains(target)
                    || (type.equals("tmpfs") && vanished.stream().anyMatch(target::startsWith));
            found[0] |= gone;
            return gone;
        });
        if (found[0]) {
            Places.write(file, Json.string(config));
        }
        return found[0];
    }

    static void note(ObjectNode config, List<Path> software) {
        if (!software.isEmpty()) {
            String lines = software.stream().map(Path::toString).collect(Collectors.joining("\n"));
            config.putObject("annotations").put(NOTE, lines);
        }
    }

    static List<Path> among(List<Mounts.Entry> table) {
        List<Path> found = new ArrayList<>();
        for (Mounts.Entry entry : table) {
            Path target = entry.target();
            boolean software = PLACES.stream().anyMatch(target::startsWith);
            if (software && !VIRTUAL.contains(entry.type()) && !found.contains(target)) {
                found.add(target);
            }
        }
        return found;
    }
}
