package lavaflow.sandbox;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import lavaflow.kube.Json;
import lavaflow.linux.Child;
import lavaflow.linux.OpenFile;

import com.fasterxml.jackson.databind.JsonNode;

/**
 * Makes containers by way of conmon, a small program that stays with each of them: it writes the log and the exit code even
 * when nobody of us is there.
 */
final class Supervisor {
    /** crun says everything twice: for machines, and in colour with the time for people. */
    private static final Pattern PAINT_AND_TIME =
            Pattern.compile("\u001b\\[[0-9;]*m|(?<=^|m)[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z: ");

    private static final Pattern LOGGED = Pattern.compile("msg=\"((?:[^\"\\\\]|\\\\.)*)\"");

    /** Making a container keeps a processor busy: many at once only wait for each other. First come, first served. */
    private final Semaphore turns =
            new Semaphore(Math.max(4, 2 * Runtime.getRuntime().availableProcessors()), true);

    private final Path conmon;
    private final OciRuntime runtime;
    private final Places places;
    private final ControlGroups groups;

    Supervisor(Path conmon, OciRuntime runtime, Places places, ControlGroups groups) {
        this.groups = groups;
        this.conmon = conmon;
        this.runtime = runtime;
        this.places = places;
    }

    /** Makes the process of a container, which then waits to be started, and tells its number. */
    long create(Records.Made made) throws IOException, SandboxException {
        turns.acquireUninterruptibly();
        try {
            return createNow(made);
        } finally {
            turns.release();
        }
    }

    private long createNow(Records.Made made) throws IOException, SandboxException {
        Path directory = places.container(made.id());
        Path complaints = directory.resolve("conmon.err");
        Files.write(complaints, new byte[0]);
        Files.createDirectories(places.spareExit(made.id()));
        OpenFile[] sync = OpenFile.pipe();
        Child child;
        try (OpenFile errors = OpenFile.write(complaints);
                OpenFile write = sync[1]) {
            child = spawn(directory, arguments(made, directory), errors, write);
        } catch (IOException | RuntimeException e) {
            sync[0].close();
            throw e;
        }
        String said;
        try (BufferedReader reader =
                new BufferedReader(new InputStreamReader(sync[0].intoInput(), StandardCharsets.UTF_8))) {
            said = reader.readLine();
        }
        child.await();
        if (said == null) {
            throw new SandboxException(
                    SandboxException.Cause.CREATE,
                    "conmon ended early: " + Files.readString(complaints).strip());
        }
        JsonNode answer = Json.parse(said);
        long pid = answer.path("data").asLong(-1);
        if (pid <= 0) {
            String message = answer.path("message").asText();
            throw new SandboxException(
                    SandboxException.Cause.START,
                    message.isEmpty() ? "the runtime ended with code " + -pid : cleaned(message));
        }
        return pid;
    }

    /**
     * It waits for a word before it goes into the background, so that it can be put where our own end does not reach it. Where it stands it leaves
     * a file if the container runs out of memory.
     */
    private Child spawn(Path directory, List<String> arguments, OpenFile errors, OpenFile sync) throws IOException {
        OpenFile[] go = OpenFile.pipe();
        try (OpenFile read = go[0];
                OpenFile write = go[1]) {
            Child child = Child.startIn(
                    directory,
                    arguments,
                    List.of(Bundle.USUAL_PATH, "_OCI_SYNCPIPE=3", "_OCI_STARTPIPE=4"),
                    Arrays.asList(null, null, errors, sync, read));
            groups.place(places.topGroup() + "/supervisors", child.pid());
            write.send(new byte[] {0});
            return child;
        }
    }

    private List<String> arguments(Records.Made made, Path directory) {
        List<String> arguments = new ArrayList<>(List.of(
                conmon.toString(),
                "--api-version",
                "1",
                "-c",
                made.id(),
                "-u",
                places.socketName(made.id()),
                "-n",
                made.id(),
                "-b",
                directory.toString(),
                "-r",
                made.runtime().isEmpty() ? runtime.program().toString() : made.runtime(),
                "-p",
                directory.resolve("pid").toString(),
                "-P",
                directory.resolve("conmon.pid").toString(),
                "-l",
                "k8s-file:" + made.log(),
                "--persist-dir",
                places.spareExit(made.id()).toString(),
                "--exit-dir",
                places.exits().toString(),
                "--socket-dir-path",
                places.sockets().toString(),
                "--no-sync-log",
                "--runtime-arg",
                "--root",
                "--runtime-arg",
                places.runtimeState().toString()));
        if (made.tty()) {
            arguments.add("-t");
        }
        if (made.stdin()) {
            arguments.add("-i");
            if (!made.stdinOnce()) {
                arguments.add("--leave-stdin-open");
            }
        }
        return arguments;
    }

    /** What the runtime said, without times, levels and the names of its own steps. */
    static String cleaned(String message) {
        Set<String> errors = new LinkedHashSet<>();
        for (String painted : message.strip().lines().toList()) {
            String line = PAINT_AND_TIME.matcher(painted).replaceAll("");
            Matcher logged = LOGGED.matcher(line);
            if (line.contains("level=warning") || line.contains("level=info")) {
                continue;
            }
            errors.add(logged.find() ? logged.group(1).replaceAll("\\\\(.)", "$1") : line);
        }
        String text = String.join("; ", errors);
        for (String prefix : List.of("runc create failed: ", "runc exec failed: ", "container_linux.go:")) {
            if (text.startsWith(prefix)) {
                text = text.substring(prefix.length());
            }
        }
        return text;
    }
}
