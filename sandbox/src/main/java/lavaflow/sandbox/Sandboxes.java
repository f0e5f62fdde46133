package lavaflow.sandbox;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import lavaflow.linux.Mounts;
import lavaflow.linux.Namespaces;

/** What the containers of a pod share: namespaces that files keep alive, memory they share, a control group. */
final class Sandboxes {
    private final Places places;
    private final ControlGroups groups;
    private final Map<String, SandboxSpec> specs = new ConcurrentSkipListMap<>();

    /** Those this process has seen complete. */
    private final Set<String> complete = ConcurrentHashMap.newKeySet();

    private final Pause pause;

    Sandboxes(Places places, ControlGroups groups, OciRuntime runtime) {
        this.places = places;
        pause = new Pause(places, groups, runtime);
        this.groups = groups;
    }

    void load() throws IOException {
        List<Path> directories = new ArrayList<>();
        try (var stream = Files.newDirectoryStream(places.sandboxes())) {
            stream.forEach(directories::add);
        }
        for (Path directory : directories) {
            Path record = directory.resolve("sandbox.json");
            if (Files.exists(record)) {
                SandboxSpec spec = Records.readSandbox(record);
                specs.put(spec.id(), spec);
            } else {
                Roots.delete(directory);
            }
        }
    }

    List<SandboxSpec> all() {
        return List.copyOf(specs.values());
    }

    /** A sandbox with all that belongs to it, also when an earlier process or the end of the machine left it unfinished. */
    SandboxSpec get(String id) throws SandboxException {
        SandboxSpec spec = specs.get(id);
        if (spec == null) {
            throw new SandboxException(SandboxException.Cause.CONFIGURATION, "sandbox " + id + " not found");
        }
        if (!complete.contains(id)) {
            create(spec);
        }
        return spec;
    }

    void create(SandboxSpec spec) throws SandboxException {
        Path directory = places.sandbox(Places.checked(spec.id()));
        try {
            Files.createDirectories(directory);
            Records.write(directory.resolve("sandbox.json"), spec);
            specs.put(spec.id(), spec);
            makeGroup(spec);
            makeNamespaces(spec, directory);
            makeSharedMemory(spec, directory);
            complete.add(spec.id());
        } catch (IOException e) {
            throw new SandboxException(SandboxException.Cause.CREATE, e.getMessage() + "", e);
        }
    }

    private void makeGroup(SandboxSpec spec) throws IOException {
        String group = places.group(spec);
        groups.create(group);
        groups.limit(group, spec.limits());
    }

    private void makeNamespaces(SandboxSpec spec, Path directory) throws IOException {
        Path ipc = directory.resolve("ipc");
        Path uts = directory.resolve("uts");
        boolean ownIpc = !spec.hostIpc() && !Mounts.isMounted(ipc);
        String hostname = spec.hostname();
        boolean ownName = hostname != null && !Mounts.isMounted(uts);
        if (!ownIpc && !ownName && spec.sysctls().isEmpty()) {
            return;
        }
        Namespaces.inNew((ownIpc ? Namespaces.IPC : 0) | (ownName ? Namespaces.UTS : 0), () -> {
            if (spec.networkNamespace() != null && !spec.sysctls().isEmpty()) {
                Namespaces.enter(spec.networkNamespace());
            }
            if (ownName && hostname != null) {
                Namespaces.setHostname(hostname);
                Namespaces.keep("uts", uts);
            }
            for (Map.Entry<String, String> sysctl : spec.sysctls().entrySet()) {
                setSysctl(spec, sysctl.getKey(), sysctl.getValue());
            }
            if (ownIpc) {
                Namespaces.keep("ipc", ipc);
            }
        });
    }

    /** Only what belongs to a namespace of the pod's own: anything else would change the machine. */
    private static void setSysctl(SandboxSpec spec, String name, String value) throws IOException {
        String dotted = name.replace('/', '.');
        boolean ofIpc = dotted.startsWith("kernel.shm")
                || dotted.startsWith("kernel.msg")
                || dotted.equals("kernel.sem")
                || dotted.startsWith("fs.mqueue.");
        boolean allowed = ofIpc ? !spec.hostIpc() : dotted.startsWith("net.") && spec.networkNamespace() != null;
        if (!allowed) {
            throw new IOException("sysctl " + name + " is not of a namespace of the pod");
        }
        Path file = Path.of("/proc/sys", name.contains("/") ? name : name.replace('.', '/'))
                .normalize();
        if (!file.startsWith("/proc/sys")) {
            throw new IOException("invalid sysctl " + name);
        }
        ControlGroups.write(file, value);
    }

    private static void makeSharedMemory(SandboxSpec spec, Path directory) throws IOException {
        Path shm = directory.resolve("shm");
        if (!spec.hostIpc() && !Mounts.isMounted(shm)) {
            Files.createDirectories(shm);
            Mounts.mount(
                    "shm", shm, "tmpfs", Mounts.NO_DEVICES | Mounts.NO_EXEC | Mounts.NO_SUID, "mode=1777,size=65536k");
        }
    }

    /** The namespace of processes that all containers of a sandbox share. */
    Path processNamespace(SandboxSpec spec) throws SandboxException {
        try {
            return pause.namespace(spec);
        } catch (IOException e) {
            throw new SandboxException(SandboxException.Cause.CREATE, e.getMessage() + "", e);
        }
    }

    void remove(String id) throws SandboxException {
        SandboxSpec spec = specs.get(id);
        if (spec == null) {
            return;
        }
        try {
            removeGroup(places.group(spec));
            pause.forget(spec);
            Path directory = places.sandbox(id);
            for (String mount : List.of("ipc", "uts", "shm")) {
                Mounts.unmount(directory.resolve(mount));
            }
            Roots.delete(directory);
            specs.remove(id);
            complete.remove(id);
        } catch (IOException e) {
            throw new SandboxException(SandboxException.Cause.OTHER, e.getMessage() + "", e);
        }
    }

    /** A group is busy until the last of its processes is buried, a moment after it died. */
    void removeGroup(String group) throws IOException, SandboxException {
        removeGroup(groups, group);
    }

    static void removeGroup(ControlGroups groups, String group) throws IOException, SandboxException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        groups.killAll(group);
        while (!groups.remove(group)) {
            if (System.nanoTime() > deadline) {
                throw new SandboxException(
                        SandboxException.Cause.OTHER,
                        "processes " + groups.processes(group) + " in " + group + " do not end");
            }
            groups.killAll(group);
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(2));
        }
    }

    void resize(String id, Limits limits) throws SandboxException {
        try {
            groups.limit(places.group(get(id)), limits);
        } catch (IOException e) {
            throw new SandboxException(SandboxException.Cause.OTHER, e.getMessage() + "", e);
        }
    }

    Usage usage(String id) {
        SandboxSpec spec = specs.get(id);
        return spec == null ? new Usage(0, 0, 0, 0, 0) : groups.usage(places.group(spec));
    }
}
