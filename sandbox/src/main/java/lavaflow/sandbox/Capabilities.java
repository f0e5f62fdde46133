package lavaflow.sandbox;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** Which privileges of root a container's processes have. */
final class Capabilities {
    /** In the order of their bits. */
    private static final List<String> ALL = List.of(
            "CHOWN",
            "DAC_OVERRIDE",
            "DAC_READ_SEARCH",
            "FOWNER",
            "FSETID",
            "KILL",
            "SETGID",
            "SETUID",
            "SETPCAP",
            "LINUX_IMMUTABLE",
            "NET_BIND_SERVICE",
            "NET_BROADCAST",
            "NET_ADMIN",
            "NET_RAW",
            "IPC_LOCK",
            "IPC_OWNER",
            "SYS_MODULE",
            "SYS_RAWIO",
            "SYS_CHROOT",
            "SYS_PTRACE",
            "SYS_PACCT",
            "SYS_ADMIN",
            "SYS_BOOT",
            "SYS_NICE",
            "SYS_RESOURCE",
            "SYS_TIME",
            "SYS_TTY_CONFIG",
            "MKNOD",
            "LEASE",
            "AUDIT_WRITE",
            "AUDIT_CONTROL",
            "SETFCAP",
            "MAC_OVERRIDE",
            "MAC_ADMIN",
            "SYSLOG",
            "WAKE_ALARM",
            "BLOCK_SUSPEND",
            "AUDIT_READ",
            "PERFMON",
            "BPF",
            "CHECKPOINT_RESTORE");

    private static final List<String> USUAL = List.of(
            "CHOWN",
            "DAC_OVERRIDE",
            "FSETID",
            "FOWNER",
            "MKNOD",
            "NET_RAW",
            "SETGID",
            "SETUID",
            "SETFCAP",
            "SETPCAP",
            "NET_BIND_SERVICE",
            "SYS_CHROOT",
            "KILL",
            "AUDIT_WRITE");

    private Capabilities() {}

    /** What a container gets, with CAP_; never more than this process has, because the runtime could not give it. */
    static List<String> of(ContainerSpec.Privileges privileges) throws SandboxException {
        return of(privileges, held());
    }

    static List<String> of(ContainerSpec.Privileges privileges, Set<String> held) throws SandboxException {
        Set<String> chosen = new LinkedHashSet<>(USUAL);
        if (privileges.privileged()) {
            chosen.addAll(ALL);
        } else {
            List<String> added = normalized(privileges.added());
            List<String> dropped = normalized(privileges.dropped());
            if (added.contains("ALL")) {
                chosen.addAll(ALL);
            }
            if (dropped.contains("ALL")) {
                chosen.clear();
            }
            added.stream().filter(name -> !name.equals("ALL")).forEach(chosen::add);
            dropped.forEach(chosen::remove);
        }
        List<String> names = new ArrayList<>();
        for (String name : ALL) {
            if (chosen.contains(name) && held.contains(name)) {
                names.add("CAP_" + name);
            }
        }
        return names;
    }

    private static List<String> normalized(List<String> names) throws SandboxException {
        List<String> plain = new ArrayList<>();
        for (String name : names) {
            String upper = name.toUpperCase(Locale.ROOT);
            String bare = upper.startsWith("CAP_") ? upper.substring(4) : upper;
            if (!bare.equals("ALL") && !ALL.contains(bare)) {
                throw new SandboxException(
                        SandboxException.Cause.CONFIGURATION, "unknown capability \"CAP_" + bare + "\"");
            }
            plain.add(bare);
        }
        return plain;
    }

    /** What this process may pass on. */
    static Set<String> held() {
        try {
            for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
                if (line.startsWith("CapPrm:")) {
                    return decode(Long.parseUnsignedLong(line.substring(7).strip(), 16));
                }
            }
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
        return Set.of();
    }

    private static Set<String> decode(long bits) {
        Set<String> names = new LinkedHashSet<>();
        for (int i = 0; i < ALL.size(); i++) {
            if ((bits >>> i & 1) != 0) {
                names.add(ALL.get(i));
            }
        }
        return names;
    }
}
