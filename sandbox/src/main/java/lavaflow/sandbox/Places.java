package lavaflow.sandbox;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Locale;

import lavaflow.linux.Mounts;
import lavaflow.linux.UserNamespace;

/**
 * Where everything of one cluster is.
 *
 * @param directory what must outlive a restart of the machine: records, exits, written layers
 * @param run what must not: state of the runtime, sockets. Short, because paths of sockets end after 107 bytes
 * @param cluster in the names of all that is found outside these directories
 */
record Places(Path directory, Path run, String cluster) {
    /** The longest path that leaves room for the names of sockets. */
    private static final int MAX_RUN = 70;

    static Places of(Path directory, String cluster) throws IOException {
        Path absolute = directory.toAbsolutePath().normalize();
        if (UserNamespace.own().isInitial()) {
            return in(new Places(absolute, run(cluster), cluster));
        }
        // Nothing below /run is ours; a file system that ends with our namespace of mounts is as good.
        Path run = absolute.resolve("run");
        Files.createDirectories(run);
        if (!Mounts.isMounted(run)) {
            Mounts.mount("lavaflow", run, "tmpfs", Mounts.NO_DEVICES | Mounts.NO_SUID, "mode=711");
        }
        return in(new Places(absolute, run, cluster));
    }

    /** Whether the sockets of containers would have paths that are too long. */
    static boolean isTooDeep(Path directory) {
        return directory.toAbsolutePath().normalize().resolve("run").toString().length() > MAX_RUN;
    }

    static Path run(String cluster) {
        return Path.of("/run/lavaflow", cluster);
    }

    /** Makes what is missing. */
    static Places in(Places places) throws IOException {
        for (Path part : new Path[] {
            places.directory,
            places.containers(),
            places.sandboxes(),
            places.exits(),
            places.departures(),
            places.run,
            places.sockets()
        }) {
            Files.createDirectories(part);
        }
        for (Path part : new Path[] {places.directory, places.run}) {
            Files.setPosixFilePermissions(part, PosixFilePermissions.fromString("rwx--x--x"));
        }
        return places;
    }

    Path containers() {
        return directory.resolve("containers");
    }

    Path container(String id) {
        return containers().resolve(id);
    }

    Path sandboxes() {
        return directory.resolve("sandboxes");
    }

    Path sandbox(String id) {
        return sandboxes().resolve(id);
    }

    /** One file for each container that ended, named after it: one watch is enough. */
    Path exits() {
        return directory.resolve("exits");
    }

    /**
     * Where a container's supervisor writes the exit code first: in memory, where there is room although the disk is full. What is
     * among the exits counts; this is for those whose code could not be written there.
     */
    Path spareExit(String id) {
        return run.resolve("ends").resolve(id);
    }

    /** Ends of containers that were taken away with the whole node. */
    Path departures() {
        return directory.resolve("departed");
    }

    Path runtimeState() {
        return runtimeState(run);
    }

    static Path runtimeState(Path run) {
        return run.resolve("runc");
    }

    Path sockets() {
        return run.resolve("s");
    }

    /** Where a container's sockets are found: by its id, or where that would be too long for sockets, by a part of its digest. */
    Path socket(String id) {
        return sockets().resolve(socketName(id));
    }

    String socketName(String id) {
        int room = 107 - sockets().toString().length() - "//attach".length();
        if (id.length() <= room) {
            return id;
        }
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(id.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest, 0, 12);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The control group of everything. */
    String topGroup() {
        return topGroup(cluster);
    }

    static String topGroup(String cluster) {
        return "lava-" + cluster;
    }

    String group(SandboxSpec sandbox) {
        String quality = switch (sandbox.quality()) {
            case GUARANTEED -> "";
            case BURSTABLE -> "/burstable";
            case BEST_EFFORT -> "/besteffort";
        };
        return topGroup() + quality + "/pod" + sandbox.id();
    }

    /** Names become names of files, groups and sockets. */
    static String checked(String id) throws SandboxException {
        if (!id.matches("[A-Za-z0-9][A-Za-z0-9_.-]{0,99}")) {
            throw new SandboxException(
                    SandboxException.Cause.CONFIGURATION, String.format(Locale.ROOT, "invalid id \"%s\"", id));
        }
        return id;
    }

    /** Writes a file so that it is there whole or not at all. */
    static void write(Path file, String content) throws IOException {
        Path next = file.resolveSibling(file.getFileName() + ".next");
        Files.writeString(next, content, StandardCharsets.UTF_8);
        Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }
}
