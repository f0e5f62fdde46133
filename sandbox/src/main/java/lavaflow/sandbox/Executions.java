package lavaflow.sandbox;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;

/** Commands run inside containers. */
final class Executions implements AutoCloseable {
    private static final int KEPT_BYTES = 10 << 10;

    private final ControlGroups groups;
    private final Path directory;
    private final OciRuntime runtime;
    private final Path states;
    private final Path containers;
    private final DirectoryWatch watch;
    private final Map<String, CompletableFuture<Void>> awaited = new ConcurrentHashMap<>();
    /** Names must not be those of an earlier process whose commands may still run. */
    private final String prefix = "exec-" + Long.toString(System.nanoTime(), 36) + "-";

    private final AtomicLong next = new AtomicLong();

    Executions(Places places, ControlGroups groups, OciRuntime runtime) throws IOException {
        this.groups = groups;
        this.runtime = runtime;
        this.states = places.runtimeState();
        this.containers = places.containers();
        directory = Files.createDirectories(places.run().resolve("x"));
        try (var stale = Files.newDirectoryStream(directory)) {
            for (Path file : stale) {
                Files.deleteIfExists(file);
            }
        }
        watch = new DirectoryWatch(directory, this::appeared);
    }

    private void appeared(String file) {
        CompletableFuture<Void> running = awaited.get(file);
        if (running != null) {
            running.complete(null);
        }
    }

    ProcessStreams start(Container container, List<String> command, StreamWishes wishes) throws SandboxException {
        return start(container, command, wishes, Execution.Errors.APART);
    }

    /** Starts a command in a control group of its own and waits until it runs. */
    private Execution start(Container container, List<String> command, StreamWishes wishes, Execution.Errors errors)
            throws SandboxException {
        container.runningPid();
        if (command.isEmpty()) {
            throw new SandboxException(SandboxException.Cause.CONFIGURATION, "you must specify at least 1 command");
        }
        String name = prefix + next.incrementAndGet();
        String group = container.made().group() + "/" + name;
        Path pidFile = directory.resolve(container.id() + "." + name);
        Path complaints = directory.resolve("." + container.id() + "." + name + ".log");
        Execution execution = new Execution(name, () -> kill(container, group, pidFile), () -> {
            Files.deleteIfExists(pidFile);
            Files.deleteIfExists(complaints);
            groups.remove(group);
        });
        CompletableFuture<Void> running = new CompletableFuture<>();
        awaited.put(pidFile.getFileName().toString(), running);
        try {
            execution.start(
                    arguments(container, command, wishes, group, pidFile, complaints),
                    List.of(Bundle.USUAL_PATH, "TERM=xterm"),
                    wishes,
                    errors);
            CompletableFuture.anyOf(running, execution.ended()).get();
            if (execution.ended().isDone() && Files.notExists(pidFile)) {
                String said = Files.exists(complaints) ? Supervisor.cleaned(Files.readString(complaints)) : "";
                throw new SandboxException(
                        SandboxException.Cause.START, said.isEmpty() ? "the command could not be started" : said);
            }
            return execution;
        } catch (SandboxException e) {
            execution.close();
            throw e;
        } catch (IOException | ExecutionException e) {
            execution.close();
            throw new SandboxException(SandboxException.Cause.OTHER, e.getMessage() + "", e);
        } catch (InterruptedException e) {
            execution.close();
            Thread.currentThread().interrupt();
            throw new SandboxException(SandboxException.Cause.OTHER, "interrupted", e);
        } finally {
            awaited.remove(pidFile.getFileName().toString());
        }
    }

    /** crun puts commands beside the program where each controller has a hierarchy of its own. */
    private boolean hasOwnGroup(Container container) {
        return !(groups instanceof ProcessGroups)
                && !(groups instanceof ControlGroupsV1 && OciRuntime.isCrun(states.resolve(container.id())));
    }

    /** Without a group of its own a command has those it has started, as far as they know their parents. */
    private void kill(Container container, String group, Path pidFile) throws IOException {
        if (hasOwnGroup(container)) {
            groups.killAll(group);
        } else {
            ProcessTable.killTree(ControlGroups.readLong(pidFile));
        }
    }

    private List<String> arguments(
            Container container, List<String> command, StreamWishes wishes, String group, Path pidFile, Path complaints)
            throws IOException {
        OciRuntime maker = runtime.of(states.resolve(container.id()));
        String program = container.made().runtime();
        List<String> arguments = new ArrayList<>(
                List.of(program.isEmpty() ? maker.program().toString() : program, "--root", states.toString()));
        arguments.addAll(List.of("--log", complaints.toString(), "exec", "--pid-file", pidFile.toString()));
        String place = hasOwnGroup(container) ? groups.makeExecution(group) : null;
        if (place != null) {
            arguments.addAll(List.of("--cgroup", place));
        }
        if (wishes.tty()) {
            arguments.add("--tty");
            environment(container, maker).forEach(variable -> arguments.addAll(List.of("--env", variable)));
        }
        arguments.add(container.id());
        arguments.addAll(command);
        return arguments;
    }

    /** A terminal has a kind; crun forgets the container's own variables when it is told another. */
    private List<String> environment(Container container, OciRuntime maker) throws IOException {
        List<String> variables = new ArrayList<>();
        if (maker.name().equals("crun")) {
            JsonNode config = Json.parse(
                    Files.readString(containers.resolve(container.id()).resolve("config.json")));
            config.path("process").path("env").forEach(variable -> variables.add(variable.asText()));
        }
        variables.add("TERM=xterm");
        return variables;
    }

    CommandResult run(Container container, List<String> command, Duration patience) throws SandboxException {
        return toEnd(
                start(container, command, new StreamWishes(false, true, true, false), Execution.Errors.WITH_OUTPUT),
                patience);
    }

    /** Reads the output of a command to its end, or ends it when its time is up. */
    static CommandResult toEnd(Execution started, Duration patience) throws SandboxException {
        AtomicBoolean late = new AtomicBoolean();
        try (Execution execution = started) {
            CompletableFuture<Void> alarm = CompletableFuture.runAsync(
                    () -> {
                        late.set(true);
                        execution.end();
                    },
                    CompletableFuture.delayedExecutor(
                            patience.toMillis(),
                            TimeUnit.MILLISECONDS,
                            task -> Thread.ofVirtual().start(task)));
            String output = read(execution.stdout());
            int code = execution.await();
            alarm.cancel(false);
            return late.get() ? new CommandResult(-1, output, true) : new CommandResult(code, output, false);
        } catch (IOException e) {
            throw new SandboxException(SandboxException.Cause.OTHER, e.getMessage() + "", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SandboxException(SandboxException.Cause.OTHER, "interrupted", e);
        }
    }

    /** Reads all, so that nobody is stopped by a full pipe, and keeps the first of it. */
    private static String read(InputStream in) throws IOException {
        ByteArrayOutputStream kept = new ByteArrayOutputStream();
        byte[] buffer = new byte[4096];
        int count;
        while ((count = in.read(buffer)) >= 0) {
            kept.write(buffer, 0, Math.min(count, KEPT_BYTES - kept.size()));
        }
        return kept.toString(StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
        watch.close();
    }
}
