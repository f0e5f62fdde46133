package lavaflow.sandbox;

import java.nio.file.Path;
import java.util.List;

import lavaflow.kube.Json;
import lavaflow.linux.UserNamespace;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * The file systems of the kernel that every container has. The root of a user namespace may mount those of namespaces that
 * are its own; where a pod shares the machine's it sees what the machine has there.
 */
record KernelMounts(
        SandboxSpec sandbox,
        Path sandboxDirectory,
        ContainerSpec.Privileges privileges,
        UserNamespace own,
        boolean limited) {
    private static final long TERMINALS = 5;

    ArrayNode all() {
        ArrayNode mounts = Json.array();
        if (sandbox.hostPid() && !own.isInitial()) {
            add(mounts, "/proc", "bind", "/proc", "rbind", "nosuid", "noexec", "nodev");
        } else {
            add(mounts, "/proc", "proc", "proc", "nosuid", "noexec", "nodev");
        }
        add(mounts, "/dev", "tmpfs", "tmpfs", "nosuid", "strictatime", "mode=755", "size=65536k");
        terminals(mounts);
        if (!sandbox.hostIpc() || own.isInitial()) {
            add(mounts, "/dev/mqueue", "mqueue", "mqueue", "nosuid", "noexec", "nodev");
        }
        Path shm = sandbox.hostIpc() ? Path.of("/dev/shm") : sandboxDirectory.resolve("shm");
        add(mounts, "/dev/shm", "bind", shm.toString(), "rbind", "rw", "nosuid", "nodev", "noexec");
        system(mounts);
        return mounts;
    }

    private void terminals(ArrayNode mounts) {
        String[] usual = {"nosuid", "noexec", "newinstance", "ptmxmode=0666", "mode=0620"};
        List<String> options = new java.util.ArrayList<>(List.of(usual));
        if (own.hasGroup(TERMINALS)) {
            options.add("gid=" + TERMINALS);
        }
        add(mounts, "/dev/pts", "devpts", "devpts", options.toArray(String[]::new));
    }

    private void system(ArrayNode mounts) {
        String access = privileges.privileged() ? "rw" : "ro";
        if (!own.isInitial() && sandbox.networkNamespace() == null) {
            // It shows a network, which is not ours here. Nothing in it belongs to anybody the container could be, but
            // for
            // control groups that were delegated, over which goes the container's own.
            add(mounts, "/sys", "bind", "/sys", "rbind", "nosuid", "noexec", "nodev", "ro");
        } else {
            add(mounts, "/sys", "sysfs", "sysfs", "nosuid", "noexec", "nodev", access);
        }
        if (own.isInitial() || limited) {
            add(mounts, "/sys/fs/cgroup", "cgroup", "cgroup", "nosuid", "noexec", "nodev", "relatime", access);
        }
    }

    static void add(ArrayNode mounts, String target, String type, String source, String... options) {
        ObjectNode mount = mounts.addObject();
        mount.put("destination", target);
        mount.put("type", type);
        mount.put("source", source);
        ArrayNode array = mount.putArray("options");
        for (String option : options) {
            array.add(option);
        }
    }
}
