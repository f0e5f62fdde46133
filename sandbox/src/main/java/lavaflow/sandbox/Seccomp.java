package lavaflow.sandbox;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * Which system calls a container may make. The usual profile allows what container engines allow: what every program needs,
 * and what a capability of the container would be useless without.
 */
final class Seccomp {
    private static final int NOT_PERMITTED = 1;
    private static final int NOT_IMPLEMENTED = 38;
    /** The flags of clone that make namespaces. */
    private static final long NEW_NAMESPACES = 0x7e020000L;

    private static final long VIRTUAL_MACHINE_SOCKETS = 40;
    /** Personalities that change nothing of how protected a process is. */
    private static final List<Long> PERSONALITIES = List.of(0x0L, 0x8L, 0x20000L, 0x20008L, 0xffffffffL);

    private static final Map<String, List<String>> BY_CAPABILITY = new LinkedHashMap<>();

    static {
        BY_CAPABILITY.put("CAP_DAC_READ_SEARCH", List.of("open_by_handle_at"));
        BY_CAPABILITY.put(
                "CAP_SYS_ADMIN",
                List.of(
                        "bpf",
                        "clone",
                        "clone3",
                        "fanotify_init",
                        "fsconfig",
                        "fsmount",
                        "fsopen",
                        "fspick",
                        "lookup_dcookie",
                        "mount",
                        "mount_setattr",
                        "move_mount",
                        "open_tree",
                        "perf_event_open",
                        "quotactl",
                        "quotactl_fd",
                        "setdomainname",
                        "sethostname",
                        "setns",
                        "syslog",
                        "umount",
                        "umount2",
                        "unshare"));
        BY_CAPABILITY.put("CAP_SYS_BOOT", List.of("reboot"));
        BY_CAPABILITY.put("CAP_SYS_CHROOT", List.of("chroot"));
        BY_CAPABILITY.put("CAP_SYS_MODULE", List.of("delete_module", "init_module", "finit_module"));
        BY_CAPABILITY.put("CAP_SYS_PACCT", List.of("acct"));
        BY_CAPABILITY.put("CAP_SYS_PTRACE", List.of("kcmp", "pidfd_getfd", "process_madvise"));
        BY_CAPABILITY.put("CAP_SYS_RAWIO", List.of("iopl", "ioperm"));
        BY_CAPABILITY.put("CAP_SYS_TIME", List.of("settimeofday", "stime", "clock_settime", "clock_settime64"));
        BY_CAPABILITY.put("CAP_SYS_TTY_CONFIG", List.of("vhangup"));
        BY_CAPABILITY.put(
                "CAP_SYS_NICE", List.of("get_mempolicy", "mbind", "set_mempolicy", "set_mempolicy_home_node"));
        BY_CAPABILITY.put("CAP_SYSLOG", List.of("syslog"));
        BY_CAPABILITY.put("CAP_BPF", List.of("bpf"));
        BY_CAPABILITY.put("CAP_PERFMON", List.of("perf_event_open"));
    }

    private Seccomp() {}

    static Optional<ObjectNode> profile(String wanted, List<String> capabilities) throws SandboxException {
        return switch (wanted) {
            case "", "Unconfined" -> Optional.empty();
            case "RuntimeDefault" -> Optional.of(usual(capabilities));
            default -> Optional.of(read(Path.of(wanted)));
        };
    }

    private static ObjectNode read(Path file) throws SandboxException {
        try {
            return Json.parseObject(Files.readAllBytes(file));
        } catch (NoSuchFileException e) {
            throw new SandboxException(
                    SandboxException.Cause.CONFIGURATION,
                    "cannot load seccomp profile \"" + file + "\": open " + file + ": no such file or directory",
                    e);
        } catch (IOException | RuntimeException e) {
            throw new SandboxException(
                    SandboxException.Cause.CONFIGURATION,
                    "cannot load seccomp profile \"" + file + "\": " + e.getMessage(),
                    e);
        }
    }

    private static ObjectNode usual(List<String> capabilities) {
        boolean x86 = System.getProperty("os.arch", "").equals("amd64");
        ObjectNode profile = Json.object();
        profile.put("defaultAction", "SCMP_ACT_ERRNO").put("defaultErrnoRet", NOT_PERMITTED);
        strings(
                profile.putArray("architectures"),
                x86 ? List.of("SCMP_ARCH_X86_64", "SCMP_ARCH_X86") : List.of("SCMP_ARCH_AARCH64", "SCMP_ARCH_ARM"));
        ArrayNode rules = profile.putArray("syscalls");
        List<String> allowed = new ArrayList<>(Names.ALWAYS);
        allowed.addAll(
                x86
                        ? List.of("arch_prctl", "modify_ldt")
                        : List.of(
                                "arm_fadvise64_64",
                                "arm_sync_file_range",
                                "sync_file_range2",
                                "breakpoint",
                                "cacheflush",
                                "set_tls"));
        BY_CAPABILITY.forEach((capability, names) -> {
            if (capabilities.contains(capability)) {
                allowed.addAll(names);
            }
        });
        strings(allow(rules).putArray("names"), allowed);
        only(rules, "socket", 0, VIRTUAL_MACHINE_SOCKETS, 0, "SCMP_CMP_NE");
        for (long personality : PERSONALITIES) {
            only(rules, "personality", 0, personality, 0, "SCMP_CMP_EQ");
        }
        if (!capabilities.contains("CAP_SYS_ADMIN")) {
            only(rules, "clone", 0, NEW_NAMESPACES, 0, "SCMP_CMP_MASKED_EQ");
            // Its flags lie in memory where nobody can check them; programs that find it missing use clone.
            ObjectNode missing = rules.addObject();
            missing.put("action", "SCMP_ACT_ERRNO").put("errnoRet", NOT_IMPLEMENTED);
            missing.putArray("names").add("clone3");
        }
        return profile;
    }

    private static ObjectNode allow(ArrayNode rules) {
        return rules.addObject().put("action", "SCMP_ACT_ALLOW");
    }

    private static void only(ArrayNode rules, String name, int index, long value, long second, String comparison) {
        ObjectNode rule = allow(rules);
        rule.putArray("names").add(name);
        rule.putArray("args")
                .addObject()
                .put("index", index)
                .put("value", value)
                .put("valueTwo", second)
                .put("op", comparison);
    }

    private static void strings(ArrayNode array, List<String> values) {
        values.forEach(array::add);
    }

    /** Loaded with the first container that needs it. */
    private static final class Names {
        static final List<String> ALWAYS = load();

        private static List<String> load() {
            try (InputStream in = Seccomp.class.getResourceAsStream("usual-system-calls.txt")) {
                if (in == null) {
                    throw new IllegalStateException("usual-system-calls.txt is missing");
                }
                return List.of(new String(in.readAllBytes(), StandardCharsets.UTF_8)
                        .strip()
                        .split("\\s+", -1));
            } catch (IOException e) {
                throw new java.io.UncheckedIOException(e);
            }
        }
    }
}
