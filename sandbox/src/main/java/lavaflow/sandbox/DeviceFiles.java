package lavaflow.sandbox;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** Device files of the machine. */
final class DeviceFiles {
    /** Those every container has of its own. */
    private static final Set<String> OWN = Set.of("pts", "shm", "mqueue", "console", "fd", "ptmx", "core");

    private static final int KIND = 0170000;
    private static final int CHARACTERS = 0020000;
    private static final int BLOCKS = 0060000;

    private DeviceFiles() {}

    static List<Path> ofMachine() throws IOException {
        List<Path> found = new ArrayList<>();
        collect(Path.of("/dev"), found, 0);
        return found;
    }

    private static void collect(Path directory, List<Path> found, int depth) throws IOException {
        List<Path> entries = new ArrayList<>();
        try (var stream = Files.newDirectoryStream(directory)) {
            stream.forEach(entries::add);
        }
        entries.sort(null);
        for (Path path : entries) {
            if (depth == 0 && OWN.contains(path.getFileName().toString())) {
                continue;
            }
            BasicFileAttributes attributes =
                    Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            if (attributes.isDirectory() && depth < 3) {
                collect(path, found, depth + 1);
            } else if (attributes.isOther()) {
                found.add(path);
            }
        }
    }

    /** A device as the runtime wants it; empty if it is none. */
    static Optional<ObjectNode> describe(Path path, String target) throws IOException {
        if (Files.notExists(path)) {
            return Optional.empty();
        }
        long mode = number(path, "mode");
        long kind = mode & KIND;
        if (kind != CHARACTERS && kind != BLOCKS) {
            return Optional.empty();
        }
        long device = number(path, "rdev");
        ObjectNode node = Json.object();
        node.put("path", target);
        node.put("type", kind == CHARACTERS ? "c" : "b");
        node.put("major", ((device >>> 8) & 0xfff) | ((device >>> 32) & ~0xfffL));
        node.put("minor", (device & 0xff) | ((device >>> 12) & ~0xffL));
        node.put("fileMode", mode & 0777);
        node.put("uid", number(path, "uid"));
        node.put("gid", number(path, "gid"));
        return Optional.of(node);
    }

    private static long number(Path path, String attribute) throws IOException {
        return Files.getAttribute(path, "unix:" + attribute) instanceof Number number ? number.longValue() : 0;
    }
}
