package lavaflow.kube;

import java.util.Set;

/** Kernel settings that touch nobody but the pod that asks for them: what pod security allows and nodes take. */
public final class SafeSysctls {
    private static final Set<String> NAMES = Set.of(
            "kernel.shm_rmid_forced",
            "net.ipv4.ip_local_port_range",
            "net.ipv4.tcp_syncookies",
            "net.ipv4.ping_group_range",
            "net.ipv4.ip_unprivileged_port_start",
            "net.ipv4.ip_local_reserved_ports",
            "net.ipv4.tcp_keepalive_time",
            "net.ipv4.tcp_fin_timeout",
            "net.ipv4.tcp_keepalive_intvl",
            "net.ipv4.tcp_keepalive_probes",
            "net.ipv4.tcp_rmem",
            "net.ipv4.tcp_wmem");

    private SafeSysctls() {}

    public static boolean contains(String name) {
        return NAMES.contains(name);
    }
}
