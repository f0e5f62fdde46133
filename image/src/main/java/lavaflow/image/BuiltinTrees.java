package lavaflow.image;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Small images that are made of what this machine has: busybox with its many names, and a program that waits. */
final class BuiltinTrees {
    static final String BUSYBOX = "busybox";
    static final String PAUSE = "pause";

    private static final List<Path> PLACES = List.of(
            Path.of("/usr/bin/busybox"),
            Path.of("/bin/busybox"),
            Path.of("/usr/local/bin/busybox"),
            Path.of("/sbin/busybox"));
    private static final int SEGMENT_INTERPRETER = 3;
    private static final String[] DIRECTORIES = {
        "bin",
        "dev",
        "etc",
        "home",
        "proc",
        "root",
        "sbin",
        "sys",
        "tmp",
        "usr/bin",
        "usr/sbin",
        "var/spool",
        "var/tmp",
        "var/run"
    };

    private final Warehouse warehouse;

    BuiltinTrees(Warehouse warehouse) {
        this.warehouse = warehouse;
    }

    /** Whether this machine has what an image is made of. */
    static boolean canMake(String name) {
        return switch (name) {
            case PAUSE -> PauseProgram.isFor(Platform.own()) || busybox().isPresent();
            case BUSYBOX -> busybox().isPresent();
            default -> false;
        };
    }

    private static Optional<Path> busybox() {
        return PLACES.stream().filter(Files::isExecutable).findFirst();
    }

    /** What an image would be made of now. */
    static String fingerprint(String name) {
        Optional<Path> program = busybox();
        try {
            return name
                    + (program.isEmpty()
                            ? ""
                            : " " + Files.size(program.get()) + " "
                                    + Files.getLastModifiedTime(program.get()).toMillis());
        } catch (IOException e) {
            return name;
        }
    }

    StoredImage make(String name, String reference, String origin) throws IOException, ImageException {
        if (name.equals(PAUSE) && PauseProgram.isFor(Platform.own())) {
            ImageConfig config = new ImageConfig(
                    List.of("/pause"),
                    List.of(),
                    List.of("PATH=" + HostDefaults.PATH),
                    "65535:65535",
                    "/",
                    List.of(),
                    null);
            return publish(PAUSE, PauseProgram.file(), config, reference, origin, this::pause);
        }
        if (!name.equals(PAUSE) && !name.equals(BUSYBOX)) {
            throw new ImageException(ImageException.Kind.NOT_FOUND, "there is no built-in image " + name);
        }
        Path program = busybox()
                .orElseThrow(() -> new ImageException(
                        ImageException.Kind.NOT_FOUND,
                        "busybox is not installed here; get it with: apt-get install busybox-static"));
        byte[] bytes = Files.readAllBytes(program);
        if (!isStatic(bytes)) {
            throw new ImageException(
                    ImageException.Kind.NOT_FOUND,
                    program + " needs libraries; an image can be made of: apt-get install busybox-static");
        }
        List<String> command = name.equals(BUSYBOX)
                ? List.of("sh")
                : List.of("sh", "-c", "trap 'exit 0' TERM INT; while :; do sleep 1d & wait $!; done");
        ImageConfig config =
                new ImageConfig(List.of(), command, List.of("PATH=" + HostDefaults.PATH), "", "", List.of(), null);
        return publish(name, bytes, config, reference, origin, (root, content) -> busybox(root, content, program));
    }

    private interface Maker {
        void make(Path root, byte[] program) throws IOException, ImageException;
    }

    private StoredImage publish(
            String name, byte[] program, ImageConfig config, String reference, String origin, Maker maker)
            throws IOException, ImageException {
        String tree = name + "-" + Warehouse.shortened(Digest.of(program));
        return warehouse.makeTree(tree, root -> maker.make(root, program), size -> {
            StoredImage image = new StoredImage(
                    Digest.of((name + " " + Digest.of(program)).getBytes(StandardCharsets.US_ASCII)),
                    origin,
                    List.of(),
                    config,
                    List.of(),
                    false,
                    Map.of("/", tree + "/tree"),
                    size,
                    Instant.now().toString());
            return warehouse.publish(image, reference, null);
        });
    }

    private void pause(Path root, byte[] program) throws IOException {
        write(root.resolve("pause"), program, "rwxr-xr-x");
        for (String directory : List.of("dev", "etc", "proc", "sys", "tmp")) {
            directory(root.resolve(directory), "rwxr-xr-x");
        }
    }

    private static void busybox(Path root, byte[] bytes, Path program) throws IOException, ImageException {
        for (String directory : DIRECTORIES) {
            directory(root.resolve(directory), directory.endsWith("tmp") ? "rwxrwxrwx" : "rwxr-xr-x");
        }
        write(root.resolve("bin/busybox"), bytes, "rwxr-xr-x");
        for (String path : applets(program)) {
            Path link = root.resolve(path).normalize();
            Path plain = root.resolve("bin").resolve(link.getFileName());
            for (Path place : List.of(link, plain)) {
                if (place.startsWith(root) && !Files.exists(place, LinkOption.NOFOLLOW_LINKS)) {
                    Files.createDirectories(place.getParent());
                    Files.createSymbolicLink(place, Path.of("/bin/busybox"));
                }
            }
        }
        text(root, "etc/passwd", """
                root:x:0:0:root:/root:/bin/sh
                daemon:x:1:1:daemon:/usr/sbin:/bin/false
                www-data:x:33:33:www-data:/var/www:/bin/false
                nobody:x:65534:65534:nobody:/home:/bin/false
                """);
        text(root, "etc/group", """
                root:x:0:
                daemon:x:1:
                tty:x:5:
                www-data:x:33:
                users:x:100:
                nogroup:x:65534:
                """);
        text(root, "etc/nsswitch.conf", "hosts: files dns\n");
    }

    private static List<String> applets(Path program) throws IOException, ImageException {
        Process process = new ProcessBuilder(program.toString(), "--list-full")
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        process.getOutputStream().close();
        try (InputStream in = process.getInputStream()) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(path -> !path.isBlank())
                    .toList();
        }
    }

    /** Programs that need libraries name the one that loads them. */
    static boolean isStatic(byte[] program) {
        if (program.length < 64 || program[0] != 0x7f || program[4] != 2) {
            return false;
        }
        ByteBuffer file =
                ByteBuffer.wrap(program).order(program[5] == 1 ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN);
        long table = file.getLong(32);
        int size = file.getShort(54);
        int count = file.getShort(56);
        for (int i = 0; i < count; i++) {
            long at = table + (long) i * size;
            if (at < 0 || at > program.length - 4 || file.getInt((int) at) == SEGMENT_INTERPRETER) {
                return false;
            }
        }
        return true;
    }

    private static void directory(Path path, String permissions) throws IOException {
        Files.createDirectories(path);
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(permissions));
    }

    private static void text(Path root, String path, String text) throws IOException {
        write(root.resolve(path), text.getBytes(StandardCharsets.UTF_8), "rw-r--r--");
    }

    private static void write(Path path, byte[] bytes, String permissions) throws IOException {
        Files.write(path, bytes);
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(permissions));
    }
}
