package lavaflow;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.UUID;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * What a node notes in its own directory to recognise it again: where that was, and during which run of the machine.
 *
 * @param id of no other directory
 * @param home where the data directory was
 * @param boot what the kernel called its run
 */
record Incarnation(String id, Path home, String boot) {
    private static final Path BOOT = Path.of("/proc/sys/kernel/random/boot_id");

    static Incarnation fresh(Path home) throws IOException {
        return new Incarnation(UUID.randomUUID().toString(), home, currentBoot());
    }

    static Optional<Incarnation> find(Path home) throws IOException {
        try {
            ObjectNode node = Json.parseObject(Files.readAllBytes(file(home)));
            return Optional.of(new Incarnation(
                    Json.textAt(node, "id"), Path.of(Json.textAt(node, "directory")), Json.textAt(node, "boot")));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    /** Whether processes, mounts and interfaces it left may still be there under its name. */
    boolean isOf(Path directory) throws IOException {
        return home.equals(directory) && boot.equals(currentBoot());
    }

    Incarnation at(Path directory) throws IOException {
        return new Incarnation(id, directory, currentBoot());
    }

    void write() throws IOException {
        ObjectNode node = Json.object();
        node.put("id", id).put("directory", home.toString()).put("boot", boot);
        new Home(home).writePrivate(file(home), Json.pretty(node) + "\n");
    }

    private static Path file(Path home) {
        return home.resolve("node").resolve("incarnation.json");
    }

    private static String currentBoot() throws IOException {
        return Files.exists(BOOT) ? Files.readString(BOOT).strip() : "";
    }
}
