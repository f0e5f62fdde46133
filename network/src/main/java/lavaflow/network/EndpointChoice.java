package lavaflow.network;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Who answers at a port of a service, chosen as kube-proxy does: those that are ready, and while none is, those that go
 * but still serve.
 *
 * @param everywhere for traffic that may go to any node
 * @param here for traffic that must stay on this one
 * @param any whether the service has an answer at all, be it elsewhere
 */
record EndpointChoice(List<Target> everywhere, List<Target> here, boolean any) {
    /** Where a packet goes. */
    record Target(String address, int port) {}

    static EndpointChoice of(ServiceView.Port port, List<SliceView> slices, String node) {
        Map<Target, SliceView.Endpoint> all = new LinkedHashMap<>();
        for (SliceView slice : slices) {
            for (SliceView.Port each : slice.ports()) {
                if (each.name().equals(port.name()) && each.protocol().equals(port.protocol())) {
                    slice.endpoints()
                            .forEach(endpoint -> better(all, new Target(endpoint.address(), each.port()), endpoint));
                }
            }
        }
        List<Target> everywhere = usable(all, "");
        List<Target> here = usable(all, node);
        return new EndpointChoice(everywhere, here, !everywhere.isEmpty());
    }

    /** An endpoint that moves between slices is in two of them for a moment. */
    private static void better(Map<Target, SliceView.Endpoint> all, Target target, SliceView.Endpoint endpoint) {
        SliceView.Endpoint known = all.get(target);
        if (known == null || (!known.ready() && endpoint.ready())) {
            all.put(target, endpoint);
        }
    }

    private static List<Target> usable(Map<Target, SliceView.Endpoint> all, String node) {
        List<Target> ready = new ArrayList<>();
        List<Target> going = new ArrayList<>();
        all.forEach((target, endpoint) -> {
            if (node.isEmpty() || endpoint.node().equals(node)) {
                if (endpoint.ready()) {
                    ready.add(target);
                } else if (endpoint.serving() && endpoint.terminating()) {
                    going.add(target);
                }
            }
        });
        return List.copyOf(ready.isEmpty() ? going : ready);
    }
}
