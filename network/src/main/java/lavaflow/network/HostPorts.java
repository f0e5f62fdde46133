package lavaflow.network;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import lavaflow.network.PodNetwork.HostPort;
import lavaflow.network.PodRecords.PodRecord;

/** Ports of the machine that lead to pods. */
final class HostPorts {
    private static final int DNS = 53;

    private final RuleTable table;
    /** Elements that stay whatever becomes of pods. */
    private final List<String> lasting = new ArrayList<>();

    HostPorts(RuleTable table) {
        this.table = table;
    }

    /** The name server is asked at the usual port, also where another program of the machine has that one. */
    void leadNames(String address, int port) {
        lasting.clear();
        if (port != DNS) {
            for (String protocol : List.of("udp", "tcp")) {
                lasting.add(address + " . " + protocol + " . " + DNS + " : " + address + " . " + port);
            }
        }
    }

    /** Exactly those of these pods. */
    void replaceAll(Map<String, PodRecord> pods) throws IOException {
        Script script = new Script(table.name());
        script.line("flush map " + table.name() + " host_ports");
        script.line("flush map " + table.name() + " host_address_ports");
        lasting.forEach(element -> script.elements("host_address_ports", element));
        pods.values().forEach(pod -> addTo(script, pod));
        table.apply(script.toString());
    }

    void add(PodRecord pod) throws IOException {
        Script script = new Script(table.name());
        addTo(script, pod);
        if (!script.isEmpty()) {
            table.apply(script.toString());
        }
    }

    private static void addTo(Script script, PodRecord pod) {
        for (HostPort port : pod.hostPorts()) {
            String target = AddressRange.text(pod.address()) + " . " + port.podPort();
            script.elements(map(port), key(port) + " : " + target);
        }
    }

    /** Also where they are gone already. */
    void remove(PodRecord pod) throws IOException {
        if (pod.hostPorts().isEmpty()) {
            return;
        }
        Script script = new Script(table.name());
        for (HostPort port : pod.hostPorts()) {
            String target = AddressRange.text(pod.address()) + " . " + port.podPort();
            script.elements(map(port), key(port) + " : " + target);
            script.line("delete element " + table.name() + " " + map(port) + " { " + key(port) + " }");
        }
        table.apply(script.toString());
    }

    private static boolean everywhere(HostPort port) {
        return port.hostAddress().isEmpty() || port.hostAddress().equals("0.0.0.0");
    }

    private static String map(HostPort port) {
        return everywhere(port) ? "host_ports" : "host_address_ports";
    }

    private static String key(HostPort port) {
        String protocol = port.protocol().toLowerCase(Locale.ROOT);
        String place = protocol + " . " + port.hostPort();
        return everywhere(port) ? place : port.hostAddress() + " . " + place;
    }
}
