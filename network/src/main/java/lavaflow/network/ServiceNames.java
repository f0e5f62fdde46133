package lavaflow.network;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

import lavaflow.network.SliceView.Endpoint;

/** The names below one service's, and what they lead to. */
record ServiceNames(ServiceView service, List<SliceView> slices, String zone) {
    /** What a name leads to; the port is 0 where a pod has none by which it is found. */
    record Target(String name, String address, int port) {}

    private String base() {
        return service.name() + "." + service.namespace() + ".svc." + zone;
    }

    /** What a pod is called below its service: by its hostname, or else by its address. */
    static String hostname(Endpoint endpoint) {
        return endpoint.hostname().isEmpty() ? endpoint.address().replace('.', '-') : endpoint.hostname();
    }

    /** What the service itself leads to, at ports that fit: its address, or without one those of its pods. */
    List<Target> targets(Predicate<ServiceView.Port> wanted) {
        List<Target> targets = new ArrayList<>();
        if (!service.headless()) {
            for (String address : service.addresses()) {
                service.ports().stream()
                        .filter(wanted)
                        .forEach(port -> targets.add(new Target(base(), address, port.port())));
            }
            return targets;
        }
        for (SliceView slice : slices) {
            List<SliceView.Port> ports = slice.ports().stream()
                    .filter(port -> wanted.test(new ServiceView.Port(port.name(), port.protocol(), port.port(), 0)))
                    .toList();
            for (Endpoint endpoint : slice.endpoints()) {
                if (isShown(endpoint)) {
                    add(targets, endpoint, ports, slice.ports().isEmpty());
                }
            }
        }
        return targets;
    }

    private boolean isShown(Endpoint endpoint) {
        return endpoint.ready() || service.notReadyToo();
    }

    private void add(List<Target> targets, Endpoint endpoint, List<SliceView.Port> ports, boolean without) {
        String name = hostname(endpoint) + "." + base();
        if (without) {
            targets.add(new Target(name, endpoint.address(), 0));
        }
        ports.forEach(port -> targets.add(new Target(name, endpoint.address(), port.port())));
    }

    /** Pods of this name. */
    List<Target> host(String hostname) {
        List<Target> targets = new ArrayList<>();
        for (SliceView slice : slices) {
            for (Endpoint endpoint : slice.endpoints()) {
                if (isShown(endpoint) && hostname(endpoint).equals(hostname)) {
                    add(targets, endpoint, slice.ports(), slice.ports().isEmpty());
                }
            }
        }
        return targets;
    }

    /** What {@code _http._tcp} leads to. */
    List<Target> port(String name, String protocol) {
        if (!name.startsWith("_") || !protocol.startsWith("_")) {
            return List.of();
        }
        return targets(
                port -> port.name().equals(name.substring(1)) && port.protocol().equals(protocol.substring(1)));
    }

    boolean hasProtocol(String label) {
        return service.ports().stream().anyMatch(port -> label.equals("_" + port.protocol()));
    }
}
