package lavaflow.node;

import java.time.Instant;

import lavaflow.controller.KubeApi;
import lavaflow.kube.ApiException;
import lavaflow.kube.GoTime;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** The lease by which a node shows that it is alive. */
public final class NodeLease {
    static final KubeApi.Kind LEASES = new KubeApi.Kind("coordination.k8s.io", "v1", "leases", true);
    static final String NAMESPACE = "kube-node-lease";
    private static final long SECONDS = 40;

    private NodeLease() {}

    /** Renews the lease of a node, or makes it where there is none. */
    public static void renew(KubeApi api, String node, String nodeUid, Instant now) {
        ObjectNode patch = Json.object();
        patch.putObject("spec").put("holderIdentity", node).put("renewTime", GoTime.micros(now));
        try {
            api.patch(LEASES, NAMESPACE, node, "", KubeApi.Merge.PLAIN, patch);
        } catch (ApiException e) {
            if (e.code() != 404) {
                throw e;
            }
            create(api, lease(node, nodeUid, now));
        }
    }

    private static void create(KubeApi api, ObjectNode lease) {
        try {
            api.create(LEASES, NAMESPACE, lease);
        } catch (ApiException e) {
            // A node that joins and its next beat may meet; either is as good as the other.
            if (!e.reason().equals("AlreadyExists")) {
                throw e;
            }
        }
    }

    private static ObjectNode lease(String node, String nodeUid, Instant now) {
        ObjectNode lease =
                Json.object().put("apiVersion", "coordination.k8s.io/v1").put("kind", "Lease");
        ObjectNode metadata = lease.putObject("metadata").put("name", node).put("namespace", NAMESPACE);
        metadata.putArray("ownerReferences")
                .addObject()
                .put("apiVersion", "v1")
                .put("kind", "Node")
                .put("name", node)
                .put("uid", nodeUid);
        lease.putObject("spec")
                .put("holderIdentity", node)
                .put("leaseDurationSeconds", SECONDS)
                .put("renewTime", GoTime.micros(now));
        return lease;
    }
}
