package lavaflow.network;

/**
 * The rules that stay: what pods may send, where services and ports of the machine branch off, whose source is
 * replaced. What changes are elements of its maps, and chains that they lead to.
 */
final class BaseRules {
    /** The mark of packets whose source is to be replaced; kube-proxy's, so that both on one machine agree. */
    static final String MARK = "0x4000";

    private BaseRules() {}

    /** A script that may be applied again and again; connections and what was chosen for clients stay. */
    static String script(NetworkSettings settings, AddressRange pods, AddressRange services) {
        Script script = new Script("ip " + settings.table());
        script.line("add table " + script.table());
        script.map("services", "ipv4_addr . inet_proto . inet_service : verdict");
        script.map("node_ports", "inet_proto . inet_service : verdict");
        script.map("host_ports", "inet_proto . inet_service : ipv4_addr . inet_service");
        script.map("host_address_ports", "ipv4_addr . inet_proto . inet_service : ipv4_addr . inet_service");
        script.set("cluster_addresses", "ipv4_addr");
        script.set("refused", "ipv4_addr . inet_proto . inet_service");
        script.set("refused_ports", "inet_proto . inet_service");
        script.set("own", "ipv4_addr . ipv4_addr");
        script.elements("own", own(pods));
        script.set("isolated_in", "ipv4_addr");
        script.set("isolated_out", "ipv4_addr");
        guard(script, settings, pods);
        branches(script, settings);
        sources(script, pods);
        refusals(script, settings, services);
        policies(script);
        return script.toString();
    }

    /** A pod that calls itself by the address of a service: it would not know its own packets as answers. */
    private static String own(AddressRange pods) {
        StringBuilder pairs = new StringBuilder();
        for (int i = 0; i < pods.capacity() && i < 1 << 16; i++) {
            String address = AddressRange.text(pods.pod(i));
            pairs.append(i == 0 ? "" : ", ").append(address).append(" . ").append(address);
        }
        return pairs.toString();
    }

    /** Pods speak from their own addresses, and never to the machine's loopback, which the bridge lets through. */
    private static void guard(Script script, NetworkSettings settings, AddressRange pods) {
        script.chain("guard", "type filter hook prerouting priority -300");
        script.rule("guard", "iifname \"" + settings.bridge() + "\" ip daddr 127.0.0.0/8 drop");
        script.rule("guard", "iifname \"" + settings.bridge() + "\" ip saddr != " + pods + " drop");
    }

    /** Every cluster here has the same service addresses: the pods of others mean their own ones. */
    private static void branches(Script script, NetworkSettings settings) {
        script.chain("to_services", "");
        script.rule("to_services", "meta l4proto { tcp, udp, sctp } ip daddr . meta l4proto . th dport vmap @services");
        script.chain("to_ports", "");
        script.rule(
                "to_ports",
                "meta l4proto { tcp, udp, sctp } fib daddr type local meta l4proto . th dport vmap @node_ports");
        script.rule("to_ports", "ip saddr 127.0.0.0/8 meta mark set meta mark or " + MARK);
        script.rule(
                "to_ports",
                "meta l4proto { tcp, udp, sctp } dnat ip to ip daddr . meta l4proto . th dport map @host_address_ports");
        script.rule(
                "to_ports",
                "meta l4proto { tcp, udp, sctp } fib daddr type local dnat ip to meta l4proto . th dport map @host_ports");
        script.rule("to_ports", "ip saddr 127.0.0.0/8 meta mark set meta mark and 0xffffbfff");
        script.chain("arriving", "type nat hook prerouting priority -100");
        script.rule("arriving", "iifname \"" + settings.bridge() + "\" jump to_services");
        script.rule("arriving", "iifname != \"" + NetworkSettings.BRIDGES + "*\" jump to_services");
        script.rule("arriving", "jump to_ports");
        script.chain("starting", "type nat hook output priority -100");
        script.rule("starting", "jump to_services");
        script.rule("starting", "jump to_ports");
    }

    private static void sources(Script script, AddressRange pods) {
        script.chain("leaving", "type nat hook postrouting priority 100");
        script.rule("leaving", "ct status dnat ip saddr . ip daddr @own masquerade");
        script.rule("leaving", "meta mark and " + MARK + " != 0 meta mark set meta mark and 0xffffbfff masquerade");
        // Not towards another node of this machine: its pods and their policies want to know who asks.
        script.rule(
                "leaving",
                "ip saddr " + pods + " ip daddr != " + pods + " oifname != \"" + NetworkSettings.BRIDGES
                        + "*\" masquerade");
    }

    /** Connections that a policy forbids never begin; the machine itself reaches its pods, and they reach it. */
    private static void policies(Script script) {
        script.declare("policies_in");
        script.declare("policies_out");
        script.chain("policies", "type filter hook forward priority 0");
        script.rule("policies", "ct state established,related accept");
        script.rule("policies", "ip saddr . ip daddr @own accept");
        script.rule("policies", "ip saddr @isolated_out jump policies_out");
        script.rule("policies", "ip daddr @isolated_in jump policies_in");
    }

    /** Whatever still goes to a service's address found no service or none that anybody stands behind. */
    private static void refusals(Script script, NetworkSettings settings, AddressRange services) {
        script.chain("refuse", "");
        script.rule("refuse", "ip daddr @cluster_addresses reject");
        script.rule("refuse", "ip daddr . meta l4proto . th dport @refused reject");
        // Before a route is looked for: there may be none.
        script.chain("arrived", "type filter hook prerouting priority -90");
        script.rule("arrived", "jump refuse");
        script.rule("arrived", "iifname \"" + settings.bridge() + "\" ip daddr " + services + " reject");
        script.chain("delivering", "type filter hook input priority 0");
        script.rule("delivering", "ct state new fib daddr type local meta l4proto . th dport @refused_ports reject");
        script.chain("sending", "type filter hook output priority 0");
        script.rule("sending", "ct state new jump refuse");
    }
}
