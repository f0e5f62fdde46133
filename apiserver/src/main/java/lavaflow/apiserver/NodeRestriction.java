package lavaflow.apiserver;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;

import lavaflow.access.Authorizer;
import lavaflow.access.NodeIdentity;
import lavaflow.kube.FieldErrors;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Keeps a node to itself and the pods on it, where the verb alone does not say so. */
final class NodeRestriction implements Admission.Plugin {
    private static final String MIRROR = "kubernetes.io/config.mirror";
    private static final List<String> KUBELET_PREFIXES = List.of("kubelet.kubernetes.io/", "node.kubernetes.io/");
    private static final List<String> KUBELET_LABELS = List.of(
            "kubernetes.io/hostname",
            "kubernetes.io/os",
            "kubernetes.io/arch",
            "beta.kubernetes.io/os",
            "beta.kubernetes.io/arch",
            "beta.kubernetes.io/instance-type",
            "node.kubernetes.io/instance-type",
            "failure-domain.beta.kubernetes.io/region",
            "failure-domain.beta.kubernetes.io/zone",
            "topology.kubernetes.io/region",
            "topology.kubernetes.io/zone");

    private final Stored stored;

    private final NodeAudiences audiences;

    NodeRestriction(Stored stored, Authorizer authorizer) {
        this.stored = stored;
        this.audiences = new NodeAudiences(stored, authorizer);
    }

    @Override
    public void validate(
            Call call, Admission.Operation operation, @Nullable ObjectNode object, @Nullable ObjectNode old) {
        String node = NodeIdentity.of(call.user());
        if (node == null) {
            return;
        }
        String problem = switch (call.resource().bucket()) {
            case "pods" -> pod(call, operation, object, old, node);
            case "nodes" -> node(call, operation, object, old, node);
            case "coordination.k8s.io/leases" -> lease(call, operation, object, node);
            case "storage.k8s.io/csinodes" -> named(call, object, node, "CSINode");
            case "resource.k8s.io/resourceslices" -> slice(object, old, node);
            default -> "";
        };
        refuse(call, object, problem);
    }

    /** Requests for tokens are looked at as they came, before the server fills in for whom they are. */
    @Override
    public void mutate(
            Call call, Admission.Operation operation, @Nullable ObjectNode object, @Nullable ObjectNode old) {
        String node = NodeIdentity.of(call.user());
        if (node != null && call.resource().bucket().equals("serviceaccounts")) {
            refuse(call, object, token(call, object, node));
        }
    }

    private static void refuse(Call call, @Nullable ObjectNode object, String problem) {
        if (!problem.isEmpty()) {
            String name = object == null ? call.name() : Metadata.name(object);
            throw call.resource().forbidden(name.isEmpty() ? call.name() : name, problem);
        }
    }

    private static String quoted(String text) {
        return FieldErrors.quoted(text);
    }

    private static String nodeOf(@Nullable ObjectNode pod) {
        return pod == null ? "" : Json.textAt(pod, "spec", "nodeName");
    }

    private String pod(
            Call call,
            Admission.Operation operation,
            @Nullable ObjectNode object,
            @Nullable ObjectNode old,
            String node) {
        switch (call.subresource()) {
            case "status" -> {
                if (!nodeOf(old).equals(node)) {
                    return "node " + quoted(node)
                            + " can only update pod status for pods with spec.nodeName set to itself";
                }
                boolean labels = object != null
                        && old != null
                        && !Objects.equals(Json.at(object, "metadata", "labels"), Json.at(old, "metadata", "labels"));
                return labels ? "node " + quoted(node) + " cannot update labels through pod status" : "";
            }
            case "eviction" -> {
                ObjectNode pod = stored.find("pods", call.namespace() + "/" + call.name());
                return pod == null || nodeOf(pod).equals(node)
                        ? ""
                        : "node " + quoted(node) + " can only evict pods with spec.nodeName set to itself";
            }
            case "" -> {}
            default -> {
                return "unexpected pod subresource " + quoted(call.subresource());
            }
        }
        return switch (operation) {
            case CREATE -> object == null ? "" : mirrorPod(object, node);
            case DELETE -> {
                ObjectNode pod = old != null ? old : stored.find("pods", call.namespace() + "/" + call.name());
                yield pod == null || nodeOf(pod).equals(node)
                        ? ""
                        : "node " + quoted(node) + " can only delete pods with spec.nodeName set to itself";
            }
            case UPDATE, CONNECT -> "unexpected operation " + quoted(operation.name());
        };
    }

    /** A node may only tell of pods it runs by itself, and those may not open anything to it. */
    private static String mirrorPod(ObjectNode pod, String node) {
        if (Json.at(pod, "metadata", "annotations", MIRROR) == null) {
            return "pod does not have " + quoted(MIRROR) + " annotation, node " + quoted(node)
                    + " can only create mirror pods";
        }
        if (!nodeOf(pod).equals(node)) {
            return "node " + quoted(node) + " can only create pods with spec.nodeName set to itself";
        }
        List<JsonNode> owners = new ArrayList<>();
        Json.listAt(pod, "metadata", "ownerReferences").forEach(owners::add);
        boolean ownOwner = owners.size() <= 1
                && owners.stream()
                        .allMatch(owner -> Json.textAt(owner, "kind").equals("Node")
                                && Json.textAt(owner, "name").equals(node));
        if (!ownOwner) {
            return "node " + quoted(node) + " can only create pods with an owner reference set to itself";
        }
        if (!Json.textAt(pod, "spec", "serviceAccountName").isEmpty()) {
            return "node " + quoted(node) + " can not create pods that reference a service account";
        }
        for (JsonNode volume : Json.listAt(pod, "spec", "volumes")) {
            for (String source : List.of("secret", "configMap", "persistentVolumeClaim", "projected")) {
                if (volume.has(source)) {
                    return "node " + quoted(node) + " can not create pods that reference " + source + "s";
                }
            }
        }
        return "";
    }

    private static String node(
            Call call,
            Admission.Operation operation,
            @Nullable ObjectNode object,
            @Nullable ObjectNode old,
            String node) {
        String wanted = call.name().isEmpty() && object != null ? Metadata.name(object) : call.name();
        if (!wanted.equals(node)) {
            return "node " + quoted(node) + " is not allowed to modify node " + quoted(wanted);
        }
        if (object == null || operation == Admission.Operation.DELETE) {
            return "";
        }
        Set<String> forbidden = forbiddenLabels(object, old);
        if (!forbidden.isEmpty()) {
            String verb = operation == Admission.Operation.CREATE ? "set" : "modify";
            return "is not allowed to " + verb + " the following labels: " + String.join(", ", forbidden);
        }
        if (old != null && !Objects.equals(Json.at(object, "spec", "taints"), Json.at(old, "spec", "taints"))) {
            return "node " + quoted(node) + " is not allowed to modify taints";
        }
        if (old != null
                && !Objects.equals(
                        Json.at(object, "metadata", "ownerReferences"), Json.at(old, "metadata", "ownerReferences"))) {
            return "node " + quoted(node) + " is not allowed to modify ownerReferences";
        }
        return "";
    }

    private static Set<String> forbiddenLabels(ObjectNode object, @Nullable ObjectNode old) {
        Set<String> changed = new TreeSet<>();
        ObjectNode now = Json.objectAt(object, "metadata", "labels");
        ObjectNode before = old == null ? null : Json.objectAt(old, "metadata", "labels");
        for (ObjectNode labels : new ObjectNode[] {now, before}) {
            if (labels != null) {
                labels.fieldNames().forEachRemaining(key -> {
                    JsonNode next = now == null ? null : now.get(key);
                    JsonNode last = before == null ? null : before.get(key);
                    if (!Objects.equals(next, last) && isReserved(key)) {
                        changed.add(key);
                    }
                });
            }
        }
        return changed;
    }

    /** Labels of Kubernetes that are not the kubelet's to set. */
    private static boolean isReserved(String key) {
        int slash = key.indexOf('/');
        String domain = slash < 0 ? "" : key.substring(0, slash);
        if (domain.equals("node-restriction.kubernetes.io") || domain.endsWith(".node-restriction.kubernetes.io")) {
            return true;
        }
        boolean kubernetes = domain.equals("kubernetes.io")
                || domain.endsWith(".kubernetes.io")
                || domain.equals("k8s.io")
                || domain.endsWith(".k8s.io");
        boolean kubelets = KUBELET_LABELS.contains(key)
                || KUBELET_PREFIXES.stream().anyMatch(key::startsWith)
                || domain.endsWith(".kubelet.kubernetes.io")
                || domain.endsWith(".node.kubernetes.io");
        return kubernetes && !kubelets;
    }

    private String token(Call call, @Nullable ObjectNode request, String node) {
        if (!call.subresource().equals("token") || request == null) {
            return "";
        }
        ObjectNode bound = Json.objectAt(request, "spec", "boundObjectRef");
        boolean toPod = bound != null
                && Json.textAt(bound, "apiVersion").equals("v1")
                && Json.textAt(bound, "kind").equals("Pod")
                && !Json.textAt(bound, "name").isEmpty();
        if (bound == null || !toPod) {
            return "node requested token not bound to a pod";
        }
        String uid = Json.textAt(bound, "uid");
        if (uid.isEmpty()) {
            return "node requested token with a pod binding without a uid";
        }
        ObjectNode pod = stored.find("pods", call.namespace() + "/" + Json.textAt(bound, "name"));
        if (pod == null) {
            return "pods " + quoted(Json.textAt(bound, "name")) + " not found";
        }
        if (!uid.equals(Metadata.uid(pod))) {
            return "the UID in the bound object reference (" + uid
                    + ") does not match the UID in record. The object might have been deleted and then recreated";
        }
        return nodeOf(pod).equals(node)
                ? audiences.problem(call, request, pod)
                : "node requested token bound to a pod scheduled on a different node";
    }

    private static String lease(Call call, Admission.Operation operation, @Nullable ObjectNode object, String node) {
        if (!call.namespace().equals("kube-node-lease")) {
            return "can only access leases in the \"kube-node-lease\" system namespace";
        }
        String name = operation == Admission.Operation.CREATE && object != null ? Metadata.name(object) : call.name();
        return name.equals(node) ? "" : "can only access node lease with the same name as the requesting node";
    }

    private static String named(Call call, @Nullable ObjectNode object, String node, String kind) {
        String name = object == null ? call.name() : Metadata.name(object);
        return name.equals(node) ? "" : "can only access " + kind + " with the same name as the requesting node";
    }

    private static String slice(@Nullable ObjectNode object, @Nullable ObjectNode old, String node) {
        ObjectNode slice = object == null ? old : object;
        boolean own = slice == null || Json.textAt(slice, "spec", "nodeName").equals(node);
        return own ? "" : "can only create ResourceSlice with the same NodeName as the requesting node";
    }
}
