package lavaflow.cluster;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import lavaflow.kube.IpAddress;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** Decides which slices show the same as Endpoints that somebody wrote by hand. */
final class MirroredSlices {
    static final String MANAGER = "endpointslicemirroring-controller.k8s.io";
    static final int MOST_ADDRESSES = 1000;
    private static final Set<String> NOT_COPIED =
            Set.of(SliceChanges.TRIGGER_TIME, "kubectl.kubernetes.io/last-applied-configuration");

    /** Slices differ by their ports and the family of their addresses. */
    private record Group(String addressType, List<EndpointPort> ports) {}

    /**
     * @param invalid how many addresses are none
     * @param skipped how many were too many
     */
    record Decision(SliceChanges changes, int invalid, int skipped) {}

    private final ObjectNode endpoints;
    private final Map<Group, Map<Endpoint.Identity, Endpoint>> desired = new LinkedHashMap<>();
    private int invalid;
    private int skipped;

    MirroredSlices(ObjectNode endpoints) {
        this.endpoints = endpoints;
    }

    /** Whether Endpoints are to be shown as slices at all. */
    static boolean isMirrored(ObjectNode endpoints) {
        return !Json.textAt(endpoints, "metadata", "labels", "endpointslice.kubernetes.io/skip-mirror")
                        .equals("true")
                && Json.at(endpoints, "metadata", "annotations", "control-plane.alpha.kubernetes.io/leader") == null;
    }

    Decision decide(List<SliceState> existing) {
        EndpointSubsets.of(endpoints).forEach(this::add);
        Map<Group, List<SliceState>> present = new LinkedHashMap<>();
        existing.forEach(
                slice -> present.computeIfAbsent(new Group(slice.addressType(), slice.ports()), _ -> new ArrayList<>())
                        .add(slice));
        SliceChanges changes = SliceChanges.nothing();
        desired.forEach((group, wanted) -> {
            List<SliceState> slices = present.remove(group);
            change(group, new ArrayList<>(wanted.values()), slices == null ? List.of() : slices, changes);
        });
        present.values().forEach(changes.delete()::addAll);
        return new Decision(changes.recycled(Objects.uid(endpoints)), invalid, skipped);
    }

    private void add(EndpointSubsets.Subset subset) {
        // A port without a name has an empty one in a slice.
        List<EndpointPort> ports = subset.ports().stream()
                .map(port -> port.name() == null
                        ? new EndpointPort("", port.protocol(), port.port(), port.appProtocol())
                        : port)
                .sorted(EndpointPort.IN_SLICES)
                .toList();
        List<EndpointSubsets.Address> addresses = new ArrayList<>(subset.ready());
        addresses.addAll(subset.notReady());
        int added = 0;
        for (EndpointSubsets.Address address : addresses) {
            IpAddress ip = IpAddress.parse(address.ip());
            if (ip == null) {
                invalid++;
            } else if (added == MOST_ADDRESSES) {
                skipped++;
            } else {
                Group group = new Group(address.ip().contains(":") ? "IPv6" : "IPv4", ports);
                Endpoint endpoint = endpoint(address);
                desired.computeIfAbsent(group, _ -> new LinkedHashMap<>()).put(endpoint.identity(), endpoint);
                added++;
            }
        }
    }

    private static Endpoint endpoint(EndpointSubsets.Address address) {
        return new Endpoint(
                List.of(address.ip()),
                new Endpoint.Conditions(address.ready(), null, null),
                address.hostname().isEmpty() ? null : address.hostname(),
                address.node().isEmpty() ? null : address.node(),
                null,
                address.target(),
                List.of(),
                List.of());
    }

    /** One slice for each group, however many endpoints; it is written whole whenever anything about it is not right. */
    private void change(Group group, List<Endpoint> wanted, List<SliceState> slices, SliceChanges changes) {
        if (slices.isEmpty()) {
            changes.create().add(slice(group, wanted));
            return;
        }
        SliceState first = slices.getFirst();
        changes.delete().addAll(slices.subList(1, slices.size()));
        boolean same = Set.copyOf(first.endpoints()).equals(Set.copyOf(wanted))
                && first.endpoints().size() == wanted.size()
                && labels().equals(Json.at(first.metadata(), "labels"))
                && annotations().equals(Objects.map(first.metadata(), "annotations"));
        if (same) {
            changes.unchanged().add(first);
        } else {
            // Whatever it has besides, it loses; as upstream, even where its name came from.
            SliceState named = slice(group, wanted).inPlaceOf(first);
            named.metadata().remove("generateName");
            changes.update().add(named);
        }
    }

    private SliceState slice(Group group, List<Endpoint> wanted) {
        ObjectNode metadata = Json.object();
        metadata.put("generateName", ServiceSlices.prefix(Objects.name(endpoints)));
        metadata.put("namespace", Objects.namespace(endpoints));
        metadata.set("labels", labels());
        ObjectNode annotations = annotations();
        if (!annotations.isEmpty()) {
            metadata.set("annotations", annotations);
        }
        metadata.putArray("ownerReferences").add(ReplicaDecisions.ownerReference(endpoints));
        return new SliceState(metadata, group.addressType(), group.ports(), List.copyOf(wanted));
    }

    private ObjectNode labels() {
        return Objects.map(endpoints, "metadata", "labels")
                .put(SliceState.SERVICE_NAME, Objects.name(endpoints))
                .put(SliceState.MANAGED_BY, MANAGER);
    }

    private ObjectNode annotations() {
        return Objects.map(endpoints, "metadata", "annotations").without(NOT_COPIED);
    }
}
