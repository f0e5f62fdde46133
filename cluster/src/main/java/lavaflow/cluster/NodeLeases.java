package lavaflow.cluster;

import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import lavaflow.controller.ChangeListener;
import lavaflow.controller.Followers;
import lavaflow.controller.KubeApi;
import lavaflow.kube.GoTime;
import lavaflow.kube.Json;
import lavaflow.kube.MalformedException;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** When each node last renewed its lease: one number for a node, so that thousands of heartbeats cost next to nothing. */
final class NodeLeases implements ChangeListener {
    private static final KubeApi.Kind LEASES = new KubeApi.Kind("coordination.k8s.io", "v1", "leases", true);
    private static final String NAMESPACE = "kube-node-lease";

    private record Renewal(String uid, long micros) {}

    private final Map<String, Renewal> renewals = new ConcurrentHashMap<>();

    NodeLeases(Followers followers) {
        followers.listen(LEASES, KubeApi.View.WHOLE, this);
    }

    /** When a node renewed its lease, in microseconds of its own clock; 0 for one without a lease. */
    long renewed(String node) {
        Renewal renewal = renewals.get(node);
        return renewal == null ? 0 : renewal.micros();
    }

    @Override
    public void onChange(KubeApi.Kind kind, ObjectNode lease, boolean deleted) {
        if (!Objects.namespace(lease).equals(NAMESPACE)) {
            return;
        }
        if (deleted) {
            renewals.remove(Objects.name(lease));
        } else {
            renewals.put(Objects.name(lease), new Renewal(Objects.uid(lease), micros(lease)));
        }
    }

    @Override
    public void onRelist(KubeApi.Kind kind, Set<String> uids) {
        renewals.values().removeIf(renewal -> !uids.contains(renewal.uid()));
    }

    private static long micros(ObjectNode lease) {
        String text = Json.textAt(lease, "spec", "renewTime");
        try {
            Instant time = text.isEmpty() ? Instant.EPOCH : GoTime.parseMicros(text);
            return time.getEpochSecond() * 1_000_000 + time.getNano() / 1000;
        } catch (MalformedException e) {
            return 0;
        }
    }
}
