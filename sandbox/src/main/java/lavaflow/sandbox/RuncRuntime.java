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
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.Consumer;
import java.util.stream.Stream;

import lavaflow.kube.Json;
import lavaflow.linux.Child;
import lavaflow.linux.ProcessWatch;
import lavaflow.linux.Signals;
import lavaflow.linux.UserNamespace;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Containers by runc, or crun, each supervised by conmon.
 *
 * <p>Threading: any thread; what is done with one container is done one after the other.
 */
public final class RuncRuntime implements ContainerRuntime {
    private static final Logger LOG = LoggerFactory.getLogger(RuncRuntime.class);

    private final Places places;
    private final ControlGroups groups;
    private final Roots roots;
    private final Thread preparing;
    private final Supervisor supervisor;
    private final Sandboxes sandboxes;
    private final OciRuntime runtime;
    private final Map<String, Path> handlers;
    private final String version;
    private final boolean recursiveReadOnly;
    private final Map<String, Container> containers = new ConcurrentSkipListMap<>();
    private final ExitListeners listeners = new ExitListeners();
    private final DirectoryWatch exits;
    private final Departures departures;
    private final Executions executions;
    private final ProcessWatch supervisors = new ProcessWatch();

    private RuncRuntime(Places places, List<Path> hidden, OciRuntime runtime, Path conmon, Map<String, Path> handlers)
            throws IOException {
        this.handlers = handlers;
        this.places = places;
        this.runtime = runtime;
        this.version = Programs.version(runtime.program());
        this.recursiveReadOnly = runtime.mountsRecursivelyReadOnly();
        groups = ControlGroups.detect(places.run().resolve("groups"));
        roots = new Roots(places, hidden);
        preparing = Thread.ofVirtual().name("host mask").unstarted(roots::prepare);
        supervisor = new Supervisor(conmon, runtime, places, groups);
        sandboxes = new Sandboxes(places, groups, runtime);
        executions = new Executions(places, groups, runtime);
        departures = new Departures(places.departures());
        exits = new DirectoryWatch(places.exits(), this::ended);
    }

    public static RuncRuntime open(Path directory, String clusterName) throws IOException {
        return open(directory, clusterName, List.of(), null, Map.of());
    }

    /**
     * Opens what is in a directory; finds an OCI runtime and conmon where programs are.
     *
     * @param hidden further places of the machine that no container over its files sees, such as keys
     * @param wanted the name of the OCI runtime; null for the best there is
     * @param handlers further programs that make containers, by the names that RuntimeClasses have for them
     */
    public static RuncRuntime open(
            Path directory, String clusterName, List<Path> hidden, @Nullable String wanted, Map<String, Path> handlers)
            throws IOException {
        String obstacle = obstacle(wanted).orElse(null);
        if (obstacle != null) {
            throw new IOException(obstacle);
        }
        OciRuntime oci = OciRuntime.find(wanted).orElseThrow();
        Path conmon = Programs.find("conmon").orElseThrow();
        RuncRuntime runtime = new RuncRuntime(Places.of(directory, clusterName), hidden, oci, conmon, handlers);
        runtime.adopt();
        runtime.preparing.start();
        return runtime;
    }

    public static Optional<String> obstacle() {
        return obstacle(null);
    }

    /** Why this machine cannot run containers this way; empty if it can. */
    public static Optional<String> obstacle(@Nullable String wanted) {
        if (!UserNamespace.isRoot()) {
            return OwnNamespaces.obstacle()
                    .or(() -> Optional.of("Only root may make the namespaces and mounts of containers."));
        }
        if (!Capabilities.held().contains("SYS_ADMIN")) {
            return Optional.of("This process may not make namespaces and mounts: it lacks CAP_SYS_ADMIN.");
        }
        if (!Child.supported()) {
            return Optional.of("The C library of this machine is too old: glibc 2.34 or later is needed.");
        }
        Optional<OciRuntime> runtime = OciRuntime.find(wanted);
        if (runtime.isEmpty() || Programs.find("conmon").isEmpty()) {
            String missing = runtime.isPresent() ? "conmon" : wanted == null ? "runc" : wanted;
            return Optional.of("The program " + missing + " is not installed.");
        }
        try {
            return runtime.get().obstacle();
        } catch (IOException e) {
            return Optional.of("The mounts of this machine cannot be read: " + e.getMessage());
        }
    }

    private void adopt() throws IOException {
        // Whoever took the node down, and was stopped before the end of it, let nobody make processes any more.
        groups.mostProcesses(places.topGroup(), "max");
        sandboxes.load();
        departures.load();
        List<Path> directories = new ArrayList<>();
        try (var stream = Files.newDirectoryStream(places.containers())) {
            stream.forEach(directories::add);
        }
        directories.sort(null);
        for (Path directory : directories) {
            Path record = directory.resolve("container.json");
            if (Files.notExists(record)) {
                purge(directory);
                continue;
            }
            Container container = new Container(places, groups, Records.readMade(record));
            if (container.adopt()) {
                containers.put(container.id(), container);
                watchSupervisor(container);
            } else {
                container.destroy();
            }
        }
    }

    /** Finishes a removal that was begun, or undoes a creation that was. */
    private void purge(Path directory) {
        try {
            Path removed = directory.resolve("removed.json");
            if (Files.exists(removed)) {
                new Container(places, groups, Records.readMade(removed)).destroy();
            } else {
                Roots.delete(directory);
            }
        } catch (IOException e) {
            LOG.warn("cannot take away what is left in {}", directory, e);
        }
    }

    @Override
    public RuntimeInfo info() {
        List<String> notices = new ArrayList<>();
        UserNamespace own = UserNamespace.own();
        if (!own.isInitial()) {
            notices.add("Containers run as user " + own.owner()
                    + " of this machine, who is root in them and may no more than"
                    + " before: they have mounts, processes, names and messages of their own.");
            notices.add(
                    own.userCount() == 1
                            ? "Containers have no other users than root: runAsUser is refused and all files of images are"
                                    + " root's. " + Users.MORE_USERS
                            : "Containers have " + own.userCount() + " users.");
        }
        groups.notice().ifPresent(notices::add);
        return new RuntimeInfo(runtime.name(), version, true, groups.limited(), recursiveReadOnly, notices);
    }

    @Override
    public void createSandbox(SandboxSpec spec) throws SandboxException {
        if (program(spec.handler()).isEmpty()) {
            throw SandboxException.noHandler(spec.handler());
        }
        sandboxes.create(spec);
    }

    /** What makes containers for a handler. Those this node knows anyway go by their own names. */
    private Optional<Path> program(String handler) {
        if (handler.isEmpty()) {
            return Optional.of(runtime.program());
        }
        Path told = handlers.get(handler);
        return told != null
                ? Optional.of(told)
                : OciRuntime.KNOWN.contains(handler)
                        ? OciRuntime.find(handler).map(OciRuntime::program)
                        : Optional.empty();
    }

    @Override
    public void removeSandbox(String sandbox) throws SandboxException {
        for (Container container : in(sandbox)) {
            remove(container.id());
        }
        sandboxes.remove(sandbox);
        try {
            departures.forgetSandbox(sandbox);
        } catch (IOException e) {
            throw new SandboxException(SandboxException.Cause.OTHER, e.getMessage() + "", e);
        }
    }

    private List<Container> in(String sandbox) {
        return containers.values().stream()
                .filter(container -> container.made().sandbox().equals(sandbox))
                .toList();
    }

    @Override
    public List<SandboxSpec> sandboxes() {
        return sandboxes.all();
    }

    @Override
    public void create(ContainerSpec spec) throws SandboxException {
        String id = Places.checked(spec.id());
        if (containers.containsKey(id)) {
            return;
        }
        SandboxSpec sandbox = sandboxes.get(spec.sandbox());
        Path directory = places.container(id);
        try {
            Files.createDirectories(directory);
            Records.Made made = new Records.Made(
                    id,
                    sandbox.id(),
                    spec.labels(),
                    Instant.now(),
                    roots.options(spec.root(), directory),
                    places.group(sandbox) + "/" + id,
                    spec.log().toString(),
                    spec.program().tty(),
                    spec.program().stdin(),
                    spec.program().stdinOnce(),
                    Records.currentBoot(),
                    sandbox.handler().isEmpty()
                            ? ""
                            : program(sandbox.handler())
                                    .orElseThrow(() -> SandboxException.noHandler(sandbox.handler()))
                                    .toString());
            Records.write(directory.resolve("container.json"), made);
            Container container = new Container(places, groups, made);
            container.runAs(prepare(spec, sandbox, made));
            containers.put(id, container);
        } catch (IOException e) {
            abandon(directory);
            throw new SandboxException(SandboxException.Cause.CREATE, e.getMessage() + "", e);
        } catch (SandboxException | RuntimeException e) {
            abandon(directory);
            throw e;
        }
    }

    private ContainerUser prepare(ContainerSpec spec, SandboxSpec sandbox, Records.Made made)
            throws IOException, SandboxException {
        Path directory = places.container(made.id());
        roots.mount(directory, made.overlay());
        Path root = Roots.mountPoint(directory);
        UserNamespace own = UserNamespace.own();
        ContainerSpec.Privileges rights = spec.privileges();
        Users users = Users.find(root, rights.user(), rights.extraGroups(), rights.onlyGivenGroups())
                .within(own);
        Bundle bundle = new Bundle(
                sandbox, places.sandbox(sandbox.id()), spec, users, processNamespace(spec, sandbox), groups, own);
        Path log = spec.log().getParent();
        if (log != null) {
            Files.createDirectories(log);
        }
        // The last of all: without it the container was never made.
        Places.write(directory.resolve("config.json"), Json.string(bundle.config(root, made.group(), roots.hidden())));
        return new ContainerUser(users.user(), users.group(), users.groups());
    }

    private @Nullable Path processNamespace(ContainerSpec spec, SandboxSpec sandbox) throws SandboxException {
        if (spec.target() != null) {
            return Path.of("/proc/" + container(spec.target()).runningPid() + "/ns/pid");
        }
        return sandbox.sharedPid() ? sandboxes.processNamespace(sandbox) : null;
    }

    private void abandon(Path directory) {
        try {
            Roots.delete(directory);
        } catch (IOException e) {
            LOG.warn("cannot take away what is left in {}", directory, e);
        }
    }

    @Override
    public void start(String id) throws SandboxException {
        Container container = container(id);
        sandboxes.get(container.made().sandbox());
        container.start(supervisor, roots);
        watchSupervisor(container);
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
    public boolean hears(String id, String signal) throws SandboxException {
        return ProcessTable.hears(container(id).runningPid(), Signals.number(signal));
    }

    @Override
    public void kill(String id) throws SandboxException {
        Container container = containers.get(id);
        if (container != null) {
            container.kill();
        }
    }

    @Override
    public void remove(String id) throws SandboxException {
        Container container = containers.get(id);
        if (container != null) {
            container.remove();
            containers.remove(id);
        }
        try {
            departures.forget(id);
        } catch (IOException e) {
            throw new SandboxException(SandboxException.Cause.OTHER, e.getMessage() + "", e);
        }
    }

    @Override
    public List<ContainerState> containers() {
        return Stream.concat(containers.values().stream().map(Container::state), departures.all().stream())
                .sorted(Comparator.comparing(ContainerState::createdAt))
                .toList();
    }

    @Override
    public void onExit(Consumer<ContainerExit> listener) {
        listeners.add(listener);
    }

    private void ended(String file) {
        Container container = containers.get(file);
        if (container != null && container.noticeExit()) {
            listeners.tell(container.state());
        }
    }

    private void watchSupervisor(Container container) {
        if (container.state().phase() == ContainerState.Phase.RUNNING) {
            supervisors.add(container.supervisorPid(), () -> {
                if (container.noticeSupervisorGone()) {
                    listeners.tell(container.state());
                }
            });
        }
    }

    private Container container(String id) throws SandboxException {
        Container container = containers.get(id);
        if (container == null) {
            throw SandboxException.notFound(id);
        }
        return container;
    }

    @Override
    public CommandResult run(String id, List<String> command, Duration patience) throws SandboxException {
        return executions.run(container(id), command, patience);
    }

    @Override
    public ProcessStreams exec(String id, List<String> command, StreamWishes wishes) throws SandboxException {
        return executions.start(container(id), command, wishes);
    }

    @Override
    public ProcessStreams attach(String id, StreamWishes wishes) throws SandboxException {
        return container(id).attach(wishes);
    }

    @Override
    public void reopenLog(String id) throws SandboxException {
        container(id).reopenLog();
    }

    @Override
    public void resize(String id, Limits limits) throws SandboxException {
        try {
            groups.limit(container(id).made().group(), limits);
        } catch (IOException e) {
            throw new SandboxException(SandboxException.Cause.OTHER, e.getMessage() + "", e);
        }
    }

    @Override
    public void resizeSandbox(String sandbox, Limits limits) throws SandboxException {
        sandboxes.resize(sandbox, limits);
    }

    @Override
    public Usage usage(String id) {
        Container container = containers.get(id);
        return container == null
                ? new Usage(0, 0, 0, 0, 0)
                : groups.usage(container.made().group());
    }

    @Override
    public Usage sandboxUsage(String sandbox) {
        return sandboxes.usage(sandbox);
    }

    @Override
    public Optional<Path> written(String id) {
        return containers.containsKey(id) ? Optional.of(Roots.written(places.container(id))) : Optional.empty();
    }

    @Override
    public Optional<ContainerUser> user(String id) {
        try {
            Container container = containers.get(id);
            return container == null ? Optional.empty() : Optional.of(container.user());
        } catch (IOException e) {
            LOG.warn("cannot find out who {} runs as: {}", id, e.getMessage());
            return Optional.empty();
        }
    }

    /**
     * Takes away whatever is on this machine under the name of this cluster: every sandbox, control groups, mounts and the
     * runtime's state. How containers ended stays known. What lies in the directory stays the owner's to delete.
     */
    @Override
    public void dismantle() throws SandboxException {
        awaitPreparation();
        for (Container container : containers.values()) {
            container.kill();
        }
        for (SandboxSpec sandbox : sandboxes.all()) {
            depart(sandbox.id());
        }
        try {
            sandboxes.removeGroup(places.topGroup());
            groups.leave();
            Roots.delete(places.run());
        } catch (IOException e) {
            throw new SandboxException(SandboxException.Cause.OTHER, e.getMessage() + "", e);
        }
    }

    private void depart(String sandbox) throws SandboxException {
        for (Container container : in(sandbox)) {
            container.end();
            try {
                departures.note(container.state());
            } catch (IOException e) {
                // A full disk is no reason to leave it running.
                LOG.warn("how {} ended is forgotten: {}", container.id(), e.getMessage());
            }
            container.remove();
            containers.remove(container.id());
        }
        sandboxes.remove(sandbox);
    }

    private void awaitPreparation() {
        try {
            preparing.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        awaitPreparation();
        exits.close();
        executions.close();
        supervisors.close();
    }
}
