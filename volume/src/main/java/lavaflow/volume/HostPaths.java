package lavaflow.volume;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;

/** Files and directories of the machine. */
final class HostPaths {
    private record Wanted(int type, String name) {}

    private static final Map<String, Wanted> WANTED = Map.of(
            "Directory", new Wanted(FileFacts.DIRECTORY, "a directory"),
            "DirectoryOrCreate", new Wanted(FileFacts.DIRECTORY, "a directory"),
            "File", new Wanted(FileFacts.REGULAR, "a file"),
            "FileOrCreate", new Wanted(FileFacts.REGULAR, "a file"),
            "Socket", new Wanted(FileFacts.SOCKET, "a socket file"),
            "CharDevice", new Wanted(FileFacts.CHARACTER, "a character device"),
            "BlockDevice", new Wanted(FileFacts.BLOCK, "a block device"));

    private HostPaths() {}

    /** The path, of the type that is asked for; made where that says so. */
    static Path check(JsonNode source) throws IOException, VolumeException {
        Path path = Path.of(Json.textAt(source, "path"));
        if (!path.isAbsolute()) {
            throw new VolumeException("hostPath must be absolute: " + path);
        }
        String type = Json.textAt(source, "type");
        if (!Files.exists(path)) {
            switch (type) {
                // Container runtimes make what is missing, where nobody says what it should be.
                case "", "DirectoryOrCreate" -> makeDirectories(path);
                case "FileOrCreate" -> makeFile(path);
                default -> {}
            }
        }
        if (type.isEmpty()) {
            return path;
        }
        Wanted wanted = WANTED.get(type);
        if (wanted == null) {
            throw new VolumeException("hostPath type check failed: unknown type " + type);
        }
        if (!Files.exists(path) || FileFacts.of(path).type() != wanted.type()) {
            throw new VolumeException("hostPath type check failed: " + path + " is not " + wanted.name());
        }
        return path;
    }

    private static void makeDirectories(Path path) throws IOException {
        Path parent = path.getParent();
        if (parent != null && !Files.exists(parent)) {
            makeDirectories(parent);
        }
        if (!Files.isDirectory(path)) {
            Files.createDirectory(path);
            FileFacts.setPermissions(path, 0755);
        }
    }

    private static void makeFile(Path path) throws IOException, VolumeException {
        Path parent = path.getParent();
        if (parent == null || !Files.isDirectory(parent)) {
            throw new VolumeException(
                    "hostPath type check failed: " + path + " cannot be made, because its directory does not exist");
        }
        Files.createFile(path);
        FileFacts.setPermissions(path, 0644);
    }
}
