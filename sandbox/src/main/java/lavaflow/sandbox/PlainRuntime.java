package lavaflow.sandbox;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.Consumer;

import lavaflow.kube.Json;
import lavaflow.linux.ProcessWatch;
import lavaflow.linux.Signals;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Containers as ordinary processes, for machines that allow nothing else. They have names, logs and ends as others have, and
 * see the whole machine; {@link #info} says so.
 */
public final class PlainRuntime implements ContainerRuntime {
    private static final Logger LOG = LoggerFactory.getLogger(PlainRuntime.class);

    private final Places places;
    private final String why;
    private final Map<String, PlainContainer> containers = new ConcurrentSkipListMap<>();
    private final Map<String, SandboxSpec> sandboxes = new ConcurrentSkipListMap<>();
    private final ExitListeners listeners = new ExitListeners();
    private final DirectoryWatch exits;
    private final PlainOutputs outputs;
    private volatile boolean closed;
    private final ProcessWatch supervisors = new ProcessWatch();
    private final PlainExecutions executions = new PlainExecutions();

    private PlainRuntime(Places places, String why) throws IOException {
        this.places = places;
        this.why = why;
        outputs = new PlainOutputs();
        exits = new DirectoryWatch(places.exits(), this::ended);
    }

    public static PlainRuntime open(Path directory, String clusterName) throws IOException {
        return open(directory, clusterName, "");
    }

    /** @param why it is not another runtime, for people */
    static PlainRuntime open(Path directory, String clusterName, String why) throws IOException {
        Path absolute = directory.toAbsolutePath().normalize();
        PlainRuntime runtime =
                new PlainRuntime(Places.in(new Places(absolute, absolute.resolve("run"), clusterName)), why);
        runtime.adopt();
        return runtime;
    }

    private void adopt() throws IOException {
        for (String name : DirectoryWatch.names(places.sandboxes())) {
            SandboxSpec spec = Records.readSandbox(places.sandbox(name).resolve("sandbox.json"));
            sandboxes.put(spec.id(), spec);
        }
        for (String name : DirectoryWatch.names(places.containers())) {
            Path directory = places.container(name);
            Path record = directory.resolve("container.json");
            Path removed = directory.resolve("removed.json");
            if (Files.notExists(record)) {
                if (Files.exists(removed)) {
                    new PlainContainer(places, Records.readMade(removed)).destroy();
                } else {
                    Roots.delete(directory);
                }
                continue;
            }
            PlainContainer container = new PlainContainer(places, Records.readMade(record));
            if (container.adopt()) {
                containers.put(name, container);
                watch(container);
            } else {
                container.destroy();
            }
        }
    }

    @Override
    public RuntimeInfo info() {
        List<String> notices = new ArrayList<>(why.isEmpty() ? List.of() : List.of(why));
        notices.addAll(List.of(
                "Containers are plain processes: they see and may change all files that this user may.",
                "Images with files of their own cannot run, and volumes are not mounted: the variable LAVAFLOW_MOUNTS"
                        + " says where they are.",
                "Processes of all pods see each other, and share the network: two programs cannot use the same port of"
                        + " all addresses.",
                "Limits of processor, memory and processes are not enforced.",
                "Capabilities, seccomp profiles and other users than this one are not applied."));
        return new RuntimeInfo("plain", "1", false, false, false, notices);
    }

    @Override
    public void createSandbox(SandboxSpec spec) throws SandboxException {
        if (!spec.handler().isEmpty()) {
            throw SandboxException.noHandler(spec.handler());
        }
        try {
            Files.createDirectories(places.sandbox(Places.checked(spec.id())));
            Records.write(places.sandbox(spec.id()).resolve("sandbox.json"), spec);
            sandboxes.put(spec.id(), spec);
        } catch (IOException e) {
            throw new SandboxException(SandboxException.Cause.CREATE, e.getMessage() + "", e);
        }
    }

    @Override
    public void removeSandbox(String sandbox) throws SandboxException {
        for (PlainContainer container : containers.values()) {
            if (container.made().sandbox().equals(sandbox)) {
                remove(container.made().id());
            }
        }
        try {
            Roots.delete(places.sandbox(Places.checked(sandbox)));
            sandboxes.remove(sandbox);
        } catch (IOException e) {
            throw new SandboxException(SandboxException.Cause.OTHER, e.getMessage() + "", e);
        }
    }

    @Override
    public List<SandboxSpec> sandboxes() {
        return List.copyOf(sandboxes.values());
    }

    @Override
    public void create(ContainerSpec spec) throws SandboxException {
        String id = Places.checked(spec.id());
        if (containers.containsKey(id)) {
            return;
        }
        if (!sandboxes.containsKey(spec.sandbox())) {
            throw new SandboxException(
                    SandboxException.Cause.CONFIGURATION, "sandbox " + spec.sandbox() + " not found");
        }
        if (spec.root() instanceof ContainerSpec.Layers) {
            throw new SandboxException(
                    SandboxException.Cause.CONFIGURATION,
                    "this machine allows no namespaces, without which an image with files of its own cannot run; map the"
                            + " image to host");
        }
        Path directory = places.container(id);
        try {
            Files.createDirectories(directory);
            Records.Made made = new Records.Made(
                    id,
                    spec.sandbox(),
                    spec.labels(),
                    Instant.now(),
                    "",
                    "",
                    spec.log().toString(),
                    false,
                    spec.program().stdin(),
                    spec.program().stdinOnce(),
                    Records.currentBoot(),
                    "");
            Records.write(directory.resolve("container.json"), made);
            PlainContainer container = new PlainContainer(places, made);
            if (made.stdin()) {
                lavaflow.linux.OpenFile.makePipe(directory.resolve("stdin"));
                if (made.stdinOnce()) {
                    Files.createFile(directory.resolve("once"));
                }
            }
            Path logs = spec.log().getParent();
            if (logs != null) {
                Files.createDirectories(logs);
            }
            Places.write(directory.resolve("config.json"), Json.string(wish(spec, container)));
            containers.put(id, container);
        } catch (IOException e) {
            throw new SandboxException(SandboxException.Cause.CREATE, e.getMessage() + "", e);
        }
    }

    private ObjectNode wish(ContainerSpec spec, PlainContainer container) {
        ObjectNode wish = Json.object();
        spec.program().arguments().forEach(wish.putArray("arguments")::add);
        List<String> environment = new ArrayList<>(spec.program().environment());
        Bundle.addMissing(environment, Bundle.USUAL_PATH);
        Bundle.addMissing(environment, "HOME=" + System.getProperty("user.home", "/"));
        SandboxSpec sandbox = sandboxes.get(spec.sandbox());
        if (sandbox != null && sandbox.hostname() != null) {
            Bundle.addMissing(environment, "HOSTNAME=" + sandbox.hostname());
        }
        List<String> mounts = new ArrayList<>();
        spec.mounts().forEach(mount -> mounts.add(mount.target() + "=" + mount.source()));
        if (!mounts.isEmpty()) {
            environment.add("LAVAFLOW_MOUNTS=" + String.join(":", mounts));
        }
        environment.add(container.mark());
        environment.forEach(wish.putArray("environment")::add);
        String directory = spec.program().directory();
        wish.put("directory", directory.isEmpty() || Files.notExists(Path.of(directory)) ? "/" : directory);
        return wish;
    }

    @Override
    public void start(String id) throws SandboxException {
        PlainContainer container = container(id);
        container.start();
        watch(container);
    }

    private void watch(PlainContainer container) {
        if (container.state().phase() == ContainerState.Phase.RUNNING) {
            outputs.add(container);
            supervisors.add(container.supervisorPid(), () -> ended(container, true));
        }
    }

    private void ended(String file) {
        PlainContainer container = containers.get(file);
        if (container != null) {
            ended(container, false);
        }
    }

    private void ended(PlainContainer container, boolean supervisorGone) {
        if (!closed && container.noticeExit(supervisorGone)) {
            outputs.remove(container);
            listeners.tell(container.state());
        }
    }

    private PlainContainer container(String id) throws SandboxException {
        PlainContainer container = containers.get(id);
        if (container == null) {
            throw SandboxException.notFound(id);
        }
        return container;
    }

    @Override
    public void signal(String id, String signal) throws SandboxException {
        int number = Signals.number(signal);
        if (number == 0) {
            throw new SandboxException(SandboxException.Cause.CONFIGURATION, "invalid signal: " + signal);
        }
        container(id).signal(number);
    }

    @Override
    public void kill(String id) throws SandboxException {
        PlainContainer container = containers.get(id);
        if (container != null) {
            try {
                container.killAll();
            } catch (IOException e) {
                throw new SandboxException(SandboxException.Cause.OTHER, e.getMessage() + "", e);
            }
        }
    }

    @Override
    public void remove(String id) throws SandboxException {
        PlainContainer container = containers.get(id);
        if (container == null) {
            return;
        }
        try {
            container.killAll();
            outputs.remove(container);
            container.log().copy(true);
            Path record = container.directory().resolve("container.json");
            if (Files.exists(record)) {
                Files.move(record, record.resolveSibling("removed.json"));
            }
            container.destroy();
            containers.remove(id);
        } catch (IOException e) {
            throw new SandboxException(SandboxException.Cause.OTHER, e.getMessage() + "", e);
        }
    }

    @Override
    public List<ContainerState> containers() {
        return containers.values().stream()
                .map(PlainContainer::state)
                .sorted(Comparator.comparing(ContainerState::createdAt))
                .toList();
    }

    @Override
    public void onExit(Consumer<ContainerExit> listener) {
        listeners.add(listener);
    }

    @Override
    public CommandResult run(String id, List<String> command, Duration patience) throws SandboxException {
        PlainContainer container = container(id);
        container.requireRunning();
        return executions.run(container, command, patience);
    }

    @Override
    public ProcessStreams exec(String id, List<String> command, StreamWishes wishes) throws SandboxException {
        PlainContainer container = container(id);
        container.requireRunning();
        return executions.start(container, command, wishes, Execution.Errors.APART);
    }

    @Override
    public ProcessStreams attach(String id, StreamWishes wishes) throws SandboxException {
        PlainContainer container = container(id);
        container.requireRunning();
        return new PlainAttachment(container, wishes, supervisors);
    }

    /** Every piece is written to whatever file has the name by then. */
    @Override
    public void reopenLog(String id) throws SandboxException {
        container(id).requireRunning();
    }

    @Override
    public void resize(String id, Limits limits) {
        LOG.debug("limits of {} are not enforced", id);
    }

    @Override
    public void resizeSandbox(String sandbox, Limits limits) {
        LOG.debug("limits of {} are not enforced", sandbox);
    }

    @Override
    public Usage usage(String id) {
        PlainContainer container = containers.get(id);
        return container == null ? ProcessTable.usage(List.of()) : ProcessTable.usage(container.processes());
    }

    @Override
    public Usage sandboxUsage(String sandbox) {
        List<Long> pids = new ArrayList<>();
        for (PlainContainer container : containers.values()) {
            if (container.made().sandbox().equals(sandbox)) {
                pids.addAll(container.processes());
            }
        }
        return ProcessTable.usage(pids);
    }

    @Override
    public void close() {
        closed = true;
        exits.close();
        outputs.close();
        supervisors.close();
    }
}
