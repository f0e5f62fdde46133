package lavaflow.sandbox;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

import lavaflow.kube.Json;
import lavaflow.linux.Child;
import lavaflow.linux.Signals;

import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A program that runs as an ordinary process, under a shell that waits for it and writes its exit code down even when nobody
 * of us is there. Its processes are known by a variable of their environment.
 */
final class PlainContainer {
    private static final Logger LOG = LoggerFactory.getLogger(PlainContainer.class);
    static final String MARK = "LAVAFLOW_CONTAINER=";
    private static final int NEVER_RAN = 128;
    private static final int LOST = 137;
    private static final int PATIENCE_MILLIS = 60_000;

    /**
     * Arguments: directory, file for the exit code, where input comes from, where to run, then the command. It starts no program
     * of its own, which would be taken for one of the container's and killed with them: what has no end of line is not written yet.
     */
    private static final String SUPERVISOR = """
            d=$1; e=$2; i=$3; w=$4; p=$PATH; shift 4
            PATH=/usr/local/bin:/usr/bin:/bin
            trap '' HUP INT TERM QUIT
            : > "$d/begun"
            [ "$i" = /dev/null ] || [ -e "$d/once" ] || exec 9<>"$i"
            (trap - HUP INT TERM QUIT; exec 9<&-; PATH=$p; cd "$w" && exec "$@" <"$i" >>"$d/stdout" 2>>"$d/stderr") &
            echo $! > "$d/pid"
            wait $!
            echo $? > "$e"
            """;

    private final Places places;
    private final Records.Made made;
    private final Path directory;
    private final PlainLog log;
    private final ReentrantLock lock = new ReentrantLock();
    private volatile @Nullable Instant startedAt;
    private volatile @Nullable ContainerExit exit;
    private boolean removed;

    PlainContainer(Places places, Records.Made made) {
        this.places = places;
        this.made = made;
        directory = places.container(made.id());
        log = new PlainLog(directory, Path.of(made.log()));
    }

    Records.Made made() {
        return made;
    }

    Path directory() {
        return directory;
    }

    PlainLog log() {
        return log;
    }

    ContainerState state() {
        return ContainerState.of(made, exit, startedAt, this::pid);
    }

    private long pid() {
        return ControlGroups.readLong(directory.resolve("pid"));
    }

    long supervisorPid() {
        return ControlGroups.readLong(directory.resolve("supervisor"));
    }

    private boolean isSupervised() {
        return ProcessTable.mentions(supervisorPid(), directory.toString())
                || ProcessHandle.allProcesses()
                        .anyMatch(process -> ProcessTable.mentions(process.pid(), directory.toString()));
    }

    void start() throws SandboxException {
        lock.lock();
        try {
            if (startedAt != null || exit != null) {
                return;
            }
            JsonNode wish = Json.parse(Files.readString(directory.resolve("config.json")));
            List<String> command = strings(wish.path("arguments"));
            List<String> environment = strings(wish.path("environment"));
            String program = locate(
                    command.getFirst(), environment, wish.path("directory").asText());
            Files.write(directory.resolve("stdout"), new byte[0]);
            Files.write(directory.resolve("stderr"), new byte[0]);
            Instant now = Instant.now();
            Places.write(directory.resolve("started"), now.toString());
            List<String> arguments = new ArrayList<>(List.of(
                    "/bin/sh",
                    "-c",
                    SUPERVISOR,
                    "sh",
                    directory.toString(),
                    places.exits().resolve(made.id()).toString(),
                    made.stdin() ? directory.resolve("stdin").toString() : "/dev/null",
                    wish.path("directory").asText()));
            arguments.add(program);
            arguments.addAll(command.subList(1, command.size()));
            Child child = Child.start(arguments, environment, Arrays.asList(null, null, null));
            Places.write(directory.resolve("supervisor"), Long.toString(child.pid()));
            child.whenEnded(code -> LOG.trace("{} ended", made.id()));
            startedAt = now;
        } catch (IOException e) {
            throw failed(new SandboxException(SandboxException.Cause.START, e.getMessage() + "", e));
        } catch (SandboxException e) {
            throw failed(e);
        } finally {
            lock.unlock();
        }
    }

    private static List<String> strings(JsonNode array) {
        List<String> values = new ArrayList<>();
        array.forEach(value -> values.add(value.asText()));
        return values;
    }

    /** As container engines look for it, and in their words. */
    static String locate(String name, List<String> environment, String directory) throws SandboxException {
        if (name.contains("/")) {
            Path path = Path.of(directory).resolve(name);
            if (Files.notExists(path)) {
                throw new SandboxException(
                        SandboxException.Cause.START,
                        "exec: \"" + name + "\": stat " + name + ": no such file or directory");
            }
            if (!Files.isExecutable(path) || Files.isDirectory(path)) {
                throw new SandboxException(SandboxException.Cause.START, "exec: \"" + name + "\": permission denied");
            }
            return path.toString();
        }
        String search = environment.stream()
                .filter(variable -> variable.startsWith("PATH="))
                .findFirst()
                .orElse(Bundle.USUAL_PATH)
                .substring(5);
        for (String place : search.split(":", -1)) {
            Path path = Path.of(place.isEmpty() ? directory : place).resolve(name);
            if (Files.isExecutable(path) && !Files.isDirectory(path)) {
                return path.toString();
            }
        }
        throw new SandboxException(
                SandboxException.Cause.START, "exec: \"" + name + "\": executable file not found in $PATH");
    }

    private SandboxException failed(SandboxException why) {
        try {
            Places.write(directory.resolve("failed"), why.getMessage() + "");
        } catch (IOException e) {
            LOG.warn("cannot note that {} failed", made.id(), e);
        }
        startedAt = null;
        exit = new ContainerExit(made.id(), NEVER_RAN, false, Instant.now(), why.getMessage());
        return why;
    }

    /** Finds out how far it came before; false when it was never completely made. */
    boolean adopt() throws IOException {
        lock.lock();
        try {
            if (Files.notExists(directory.resolve("config.json"))) {
                return false;
            }
            Path failed = directory.resolve("failed");
            if (Files.exists(failed)) {
                Instant at = Files.getLastModifiedTime(failed).toInstant();
                exit = new ContainerExit(made.id(), NEVER_RAN, false, at, Files.readString(failed));
                return true;
            }
            Path started = directory.resolve("started");
            if (Files.notExists(started)) {
                return true;
            }
            startedAt = Instant.parse(Files.readString(started));
            if (!readExit() && !isSupervised() && !readExit()) {
                if (Files.exists(directory.resolve("begun"))) {
                    lost();
                } else {
                    Files.delete(started);
                    startedAt = null;
                }
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    private void lost() throws IOException {
        killAll();
        exit = new ContainerExit(
                made.id(), LOST, false, Instant.now(), "The supervisor of the container ended before it.");
        log.copy(true);
    }

    /** Looks for the end; true when it is news. */
    boolean noticeExit(boolean supervisorGone) {
        lock.lock();
        try {
            if (exit != null || startedAt == null || removed) {
                return false;
            }
            if (readExit()) {
                return true;
            }
            if (supervisorGone) {
                lost();
            }
            return supervisorGone;
        } catch (IOException e) {
            LOG.error("cannot read how {} ended", made.id(), e);
            return false;
        } finally {
            lock.unlock();
        }
    }

    private boolean readExit() throws IOException {
        Path file = places.exits().resolve(made.id());
        if (Files.notExists(file) || !Files.readString(file).endsWith("\n")) {
            return false;
        }
        killAll();
        log.copy(true);
        exit = new ContainerExit(
                made.id(),
                (int) ControlGroups.readLong(file),
                false,
                Files.getLastModifiedTime(file).toInstant());
        return true;
    }

    void requireRunning() throws SandboxException {
        if (startedAt == null || exit != null) {
            throw SandboxException.notRunning(made.id());
        }
    }

    /** A process whose number is not written yet is about to be. */
    void signal(int number) throws SandboxException {
        requireRunning();
        try {
            for (int i = 0; pid() == 0 && exit == null && i < PATIENCE_MILLIS; i++) {
                Thread.sleep(1);
            }
            if (processes().contains(pid())) {
                Signals.send(pid(), number);
            }
        } catch (IOException e) {
            throw new SandboxException(SandboxException.Cause.OTHER, e.getMessage() + "", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    String mark() {
        return MARK + places.cluster() + "/" + made.id();
    }

    /** All processes that carry the mark, but for the supervisor, whose work is not done. */
    List<Long> processes() {
        long supervisor = supervisorPid();
        List<Long> found = new ArrayList<>();
        for (ProcessHandle process : ProcessHandle.allProcesses().toList()) {
            if (process.pid() != supervisor && ProcessTable.hasVariable(process.pid(), mark())) {
                found.add(process.pid());
            }
        }
        return found;
    }

    void killAll() throws IOException {
        for (int round = 0; round < 50; round++) {
            boolean any = false;
            for (long pid : processes()) {
                any |= !ProcessTable.isZombie(pid) && Signals.send(pid, Signals.KILL);
            }
            if (!any) {
                return;
            }
        }
    }

    void destroy() throws IOException {
        lock.lock();
        try {
            removed = true;
            killAll();
            ProcessTable.killMentioning(directory.toString());
            Files.deleteIfExists(places.exits().resolve(made.id()));
            Roots.delete(directory);
        } finally {
            lock.unlock();
        }
    }
}
