package lavaflow.sandbox;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

import lavaflow.kube.Json;
import lavaflow.linux.Mounts;
import lavaflow.linux.UserNamespace;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Writes what an OCI runtime is told about a container. */
final class Bundle {
    static final String USUAL_PATH = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

    private static final List<String> MASKED = List.of(
            "/proc/acpi",
            "/proc/asound",
            "/proc/interrupts",
            "/proc/kcore",
            "/proc/keys",
            "/proc/latency_stats",
            "/proc/timer_list",
            "/proc/timer_stats",
            "/proc/sched_debug",
            "/proc/scsi",
            "/sys/firmware",
            "/sys/devices/virtual/powercap");
    private static final List<String> READ_ONLY =
            List.of("/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys", "/proc/sysrq-trigger");

    private static final Set<String> LOCKED = Set.of("ro", "nosuid", "nodev", "noexec", "noatime", "nodiratime");

    private final SandboxSpec sandbox;
    private final Path sandboxDirectory;
    private final ContainerSpec spec;
    private final Users users;

    /** The namespace of processes to join; null for an own one or the machine's. */
    private final @Nullable Path processes;

    private final ControlGroups groups;
    private final UserNamespace own;

    Bundle(
            SandboxSpec sandbox,
            Path sandboxDirectory,
            ContainerSpec spec,
            Users users,
            @Nullable Path processes,
            ControlGroups groups,
            UserNamespace own) {
        this.sandbox = sandbox;
        this.sandboxDirectory = sandboxDirectory;
        this.spec = spec;
        this.users = users;
        this.processes = processes;
        this.groups = groups;
        this.own = own;
    }

    /** @param hidden places of the machine that no container over its files sees */
    ObjectNode config(Path root, String group, List<Path> hidden) throws SandboxException, IOException {
        ObjectNode config = Json.object();
        config.put("ociVersion", "1.0.2");
        config.set("process", process());
        ObjectNode rootNode = config.putObject("root");
        rootNode.put("path", root.toString());
        rootNode.put("readonly", spec.root().readOnly());
        List<Path> software = spec.root() instanceof ContainerSpec.HostTree ? SoftwareMounts.current() : List.of();
        config.set("mounts", mounts(software, hidden));
        SoftwareMounts.note(config, software);
        config.set("linux", linux(group));
        return config;
    }

    private ObjectNode process() throws SandboxException {
        ContainerSpec.Program program = spec.program();
        ObjectNode process = Json.object();
        process.put("terminal", program.tty());
        ObjectNode user = process.putObject("user");
        user.put("uid", users.user());
        user.put("gid", users.group());
        ArrayNode groups = user.putArray("additionalGids");
        users.groups().forEach(groups::add);
        strings(process.putArray("args"), program.arguments());
        strings(process.putArray("env"), environment());
        process.put("cwd", program.directory().isEmpty() ? "/" : program.directory());
        ObjectNode capabilities = process.putObject("capabilities");
        List<String> names = Capabilities.of(spec.privileges());
        for (String set : List.of("bounding", "effective", "permitted")) {
            strings(capabilities.putArray(set), names);
        }
        process.put("noNewPrivileges", spec.privileges().noNewPrivileges());
        process.put("oomScoreAdj", allowedOomScore(spec.oomScoreAdjust()));
        return process;
    }

    /** Without CAP_SYS_RESOURCE nobody gets below what this process has, and trying ends the container. */
    private int allowedOomScore(int wanted) {
        if (own.isInitial() && Capabilities.held().contains("SYS_RESOURCE")) {
            return Math.clamp(wanted, -1000, 1000);
        }
        long own = ControlGroups.readLong(Path.of("/proc/self/oom_score_adj"));
        return (int) Math.clamp(wanted, own, 1000);
    }

    private List<String> environment() {
        List<String> environment = new ArrayList<>(spec.program().environment());
        addMissing(environment, USUAL_PATH);
        if (sandbox.hostname() != null) {
            addMissing(environment, "HOSTNAME=" + sandbox.hostname());
        }
        if (spec.program().tty()) {
            addMissing(environment, "TERM=xterm");
        }
        addMissing(environment, "HOME=" + users.home());
        return environment;
    }

    static void addMissing(List<String> environment, String variable) {
        String name = variable.substring(0, variable.indexOf('=') + 1);
        if (environment.stream().noneMatch(each -> each.startsWith(name))) {
            environment.add(variable);
        }
    }

    private ArrayNode mounts(List<Path> software, List<Path> hidden) throws SandboxException, IOException {
        List<Mounts.Entry> table = own.isInitial() ? List.of() : Mounts.table();
        ArrayNode mounts = new KernelMounts(sandbox, sandboxDirectory, spec.privileges(), own, groups.limited()).all();
        for (Path place : software) {
            KernelMounts.add(
                    mounts,
                    place.toString(),
                    "bind",
                    place.toString(),
                    options(place, table, own.isInitial() ? "bind" : "rbind", "rprivate", "ro"));
            // What hides files of the root file system does not reach into others.
            for (Path each : hidden) {
                if (each.startsWith(place)) {
                    KernelMounts.add(mounts, each.toString(), "tmpfs", "tmpfs", "ro", "nosuid", "nodev", "mode=0");
                }
            }
        }
        if (spec.root() instanceof ContainerSpec.HostTree tree) {
            for (ContainerSpec.Mount laidOver : tree.laidOver()) {
                bind(mounts, laidOver, table);
            }
        }
        for (ContainerSpec.Mount each : spec.mounts()) {
            bind(mounts, each, table);
        }
        if (!own.isInitial()) {
            // Nobody there may make device files.
            for (ContainerSpec.Device device : spec.devices()) {
                bind(mounts, new ContainerSpec.Mount(device.source(), device.target(), false, ""), table);
            }
        }
        return mounts;
    }

    private void bind(ArrayNode mounts, ContainerSpec.Mount mount, List<Mounts.Entry> table)
            throws SandboxException, IOException {
        if (Files.notExists(mount.source())) {
            throw new SandboxException(
                    SandboxException.Cause.CONFIGURATION,
                    "cannot mount " + mount.source() + " at " + mount.target() + ": no such file or directory");
        }
        if (!mount.target().startsWith("/")) {
            throw new SandboxException(
                    SandboxException.Cause.CONFIGURATION,
                    "cannot mount at " + mount.target() + ": must be an absolute path");
        }
        String propagation = mount.propagation().isEmpty() ? "rprivate" : mount.propagation();
        // A mount of the same target given before is covered by this one, as with nested mounts in the order given.
        KernelMounts.add(
                mounts,
                mount.target(),
                "bind",
                mount.source().toString(),
                options(mount.source(), table, "rbind", propagation, access(mount)));
    }

    private static String access(ContainerSpec.Mount mount) {
        if (!mount.readOnly()) {
            return "rw";
        }
        return mount.recursively() ? OciRuntime.RECURSIVELY_READ_ONLY : "ro";
    }

    /** Inside a user namespace nobody may take away what the machine's mounts forbid, so it has to be repeated. */
    private String[] options(Path source, List<Mounts.Entry> table, String... wanted) throws IOException {
        List<String> options = new ArrayList<>(List.of(wanted));
        if (!own.isInitial()) {
            Path real = source.toRealPath();
            Mounts.Entry holder = null;
            for (Mounts.Entry entry : table) {
                if (real.startsWith(entry.target())
                        && (holder == null
                                || entry.target().getNameCount()
                                        >= holder.target().getNameCount())) {
                    holder = entry;
                }
            }
            for (String option :
                    holder == null ? new String[0] : holder.options().split(",", -1)) {
                if (LOCKED.contains(option) && !options.contains(option)) {
                    options.add(option);
                }
            }
        }
        return options.toArray(String[]::new);
    }

    private ObjectNode linux(String group) throws IOException, SandboxException {
        ObjectNode linux = Json.object();
        // A runtime that is told of a group, or of limits, must be able to make it.
        boolean grouped = groups.limited() || own.isInitial();
        if (grouped) {
            linux.put("cgroupsPath", groups.told(group));
        }
        namespaces(linux.putArray("namespaces"));
        linux.set("resources", resources(group));
        devices(linux);
        if (!grouped) {
            linux.remove("resources");
        }
        rootPropagation().ifPresent(value -> linux.put("rootfsPropagation", value));
        ContainerSpec.Privileges privileges = spec.privileges();
        if (!privileges.privileged()) {
            if (!privileges.unmaskedProc()) {
                strings(linux.putArray("maskedPaths"), MASKED);
                strings(linux.putArray("readonlyPaths"), READ_ONLY);
            }
            Optional<ObjectNode> seccomp = Seccomp.profile(privileges.seccomp(), Capabilities.of(privileges));
            seccomp.ifPresent(profile -> linux.set("seccomp", profile));
        }
        return linux;
    }

    private Optional<String> rootPropagation() {
        Set<String> wanted = new java.util.HashSet<>();
        spec.mounts().forEach(mount -> wanted.add(mount.propagation()));
        if (wanted.contains("rshared")) {
            return Optional.of("rshared");
        }
        return wanted.contains("rslave") ? Optional.of("rslave") : Optional.empty();
    }

    private void namespaces(ArrayNode namespaces) {
        namespaces.addObject().put("type", "mount");
        if (processes != null) {
            namespaces.addObject().put("type", "pid").put("path", processes.toString());
        } else if (!sandbox.hostPid()) {
            namespaces.addObject().put("type", "pid");
        }
        if (!sandbox.hostIpc()) {
            join(namespaces, "ipc", sandboxDirectory.resolve("ipc"));
        }
        if (sandbox.hostname() != null) {
            join(namespaces, "uts", sandboxDirectory.resolve("uts"));
        }
        if (sandbox.networkNamespace() != null) {
            join(namespaces, "network", sandbox.networkNamespace());
        }
        boolean recognized = groups instanceof ProcessGroups;
        if (recognized
                || (groups instanceof ControlGroupsV2 && !spec.privileges().privileged())) {
            namespaces.addObject().put("type", "cgroup");
        }
    }

    private static void join(ArrayNode namespaces, String type, Path path) {
        namespaces.addObject().put("type", type).put("path", path.toString());
    }

    private ObjectNode resources(String group) {
        Limits limits = spec.limits();
        ObjectNode resources = Json.object();
        // What cannot be set must not be asked for.
        Set<String> missing = groups.missing();
        if (!missing.contains("cpu")) {
            ObjectNode cpu = resources.putObject("cpu");
            cpu.put("shares", limits.cpuShares() == 0 ? 2 : limits.cpuShares());
            if (limits.cpuQuotaMicros() > 0) {
                cpu.put("quota", Math.max(1000, limits.cpuQuotaMicros()));
                cpu.put("period", ControlGroups.PERIOD_MICROS);
            }
        }
        if (limits.memoryBytes() > 0 && !missing.contains("memory")) {
            resources.putObject("memory").put("limit", limits.memoryBytes());
        }
        if (limits.pids() > 0 && !missing.contains("pids")) {
            resources.putObject("pids").put("limit", limits.pids());
        }
        if (groups instanceof ControlGroupsV2 second) {
            ObjectNode unified = resources.putObject("unified");
            second.words(group, limits).forEach(unified::put);
        }
        return resources;
    }

    private void devices(ObjectNode linux) throws IOException, SandboxException {
        ArrayNode rules = linux.withObject("/resources").putArray("devices");
        boolean privileged = spec.privileges().privileged();
        rules.addObject().put("allow", privileged).put("access", "rwm");
        ArrayNode devices = linux.putArray("devices");
        if (privileged) {
            for (Path path : DeviceFiles.ofMachine()) {
                DeviceFiles.describe(path, path.toString()).ifPresent(devices::add);
            }
        }
        for (ContainerSpec.Device device : spec.devices()) {
            ObjectNode node = DeviceFiles.describe(device.source(), device.target())
                    .orElseThrow(() -> new SandboxException(
                            SandboxException.Cause.CONFIGURATION, device.source() + " is not a device"));
            if (own.isInitial()) {
                devices.add(node);
            }
            rules.addObject()
                    .put("allow", true)
                    .put("type", node.path("type").asText())
                    .put("major", node.path("major").asLong())
                    .put("minor", node.path("minor").asLong())
                    .put("access", device.permissions());
        }
    }

    private static void strings(ArrayNode array, List<String> values) {
        values.forEach(array::add);
    }
}
