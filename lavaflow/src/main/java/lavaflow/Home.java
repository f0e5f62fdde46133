package lavaflow;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** The data directory of one local cluster and the names of what lies in it. */
record Home(Path directory) {
    private static final Set<PosixFilePermission> PRIVATE_FILE = PosixFilePermissions.fromString("rw-------");
    private static final Set<PosixFilePermission> PRIVATE_DIRECTORY = PosixFilePermissions.fromString("rwx------");

    /**
     * A running server, as it described itself.
     *
     * @param endingPods how many pods it waits for before it ends; -1 as long as it does not want to
     */
    record Running(long pid, String url, String startedAt, int endingPods) {
        static final int NOT_ENDING = -1;

        /** More than clocks drift apart, less than it takes to use up all process numbers. */
        private static final Duration DRIFT = Duration.ofMinutes(1);

        Running(long pid, String url, String startedAt) {
            this(pid, url, startedAt, NOT_ENDING);
        }

        Running ending(int pods) {
            return new Running(pid, url, startedAt, pods);
        }

        boolean isEnding() {
            return endingPods != NOT_ENDING;
        }

        boolean isAlive() {
            return ProcessHandle.of(pid)
                    .filter(ProcessHandle::isAlive)
                    .map(process -> process.info().startInstant())
                    .map(began -> began.isEmpty() || isOurs(began.get()))
                    .orElse(false);
        }

        /** A process that began after the server said it runs only inherited its number. */
        private boolean isOurs(Instant began) {
            try {
                return !began.isAfter(Instant.parse(startedAt).plus(DRIFT));
            } catch (DateTimeParseException e) {
                return true;
            }
        }
    }

    static Home of(@org.jspecify.annotations.Nullable Path given) {
        return of(given, System.getenv());
    }

    /** As given, else as the environment says; Java's own idea of a home directory ignores HOME. */
    static Home of(@org.jspecify.annotations.Nullable Path given, Map<String, String> environment) {
        if (given != null) {
            return new Home(given.toAbsolutePath().normalize());
        }
        String configured = environment.getOrDefault("LAVA_HOME", "");
        if (!configured.isEmpty()) {
            return new Home(Path.of(configured).toAbsolutePath().normalize());
        }
        String home = environment.getOrDefault("HOME", "");
        return new Home(Path.of(home.isEmpty() ? System.getProperty("user.home") : home, ".lava"));
    }

    /** What to say to whoever wants something of a cluster that was never started. */
    CommandFailure missing() {
        return new CommandFailure(
                Lava.UNREACHABLE, "there is no cluster in " + directory + " yet. Start it with: lava up --detach");
    }

    Path kubeconfig() {
        return directory.resolve("kubeconfig");
    }

    Path store() {
        return directory.resolve("store");
    }

    /** Directories of persistent volumes. */
    Path volumes() {
        return directory.resolve("volumes");
    }

    /** What the node on this machine keeps. */
    Path node() {
        return directory.resolve("node");
    }

    /** Layers and other images that were fetched or built. */
    Path images() {
        return directory.resolve("images");
    }

    /** What threads did when nothing went on. */
    Path stalls() {
        return directory.resolve("stalls");
    }

    Path pki() {
        return directory.resolve("pki");
    }

    private Path state() {
        return directory.resolve("lava.json");
    }

    void create() throws IOException {
        boolean fresh = !Files.exists(directory);
        Files.createDirectories(directory);
        if (fresh) {
            Files.setPosixFilePermissions(directory, PRIVATE_DIRECTORY);
        }
    }

    /** Writes a file nobody else may read, all of it or nothing. */
    void writePrivate(Path file, String text) throws IOException {
        Files.createDirectories(file.getParent());
        Path temporary = file.resolveSibling(file.getFileName() + ".new");
        Files.deleteIfExists(temporary);
        Files.createFile(temporary, PosixFilePermissions.asFileAttribute(PRIVATE_FILE));
        Files.writeString(temporary, text);
        Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    void announce(Running running) throws IOException {
        ObjectNode state = Json.object();
        state.put("pid", running.pid()).put("url", running.url()).put("startedAt", running.startedAt());
        if (running.isEnding()) {
            state.put("endingPods", running.endingPods());
        }
        writePrivate(state(), Json.pretty(state) + "\n");
    }

    void withdraw() throws IOException {
        Files.deleteIfExists(state());
    }

    /** Whether a server said that it runs and has not taken it back, which it does as the first step of a proper end. */
    boolean isAnnounced() {
        return Files.exists(state());
    }

    /** The server of this directory, if one runs. */
    Optional<Running> running() throws IOException {
        if (!Files.exists(state())) {
            return Optional.empty();
        }
        ObjectNode state = Json.parseObject(Files.readAllBytes(state()));
        Running running = new Running(
                Json.longAt(state, -1, "pid"), Json.textAt(state, "url"), Json.textAt(state, "startedAt"), (int)
                        Json.longAt(state, Running.NOT_ENDING, "endingPods"));
        return running.isAlive() ? Optional.of(running) : Optional.empty();
    }
}
