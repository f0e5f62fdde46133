package lavaflow.kinds;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** What is legal in a pod or a template and yet probably a mistake. */
final class PodWarnings {
    private static final String NULL_SELECTOR = "labelSelector: a null labelSelector results in matching no pod";
    private static final String SECCOMP_POD = "seccomp.security.alpha.kubernetes.io/pod";
    private static final String SECCOMP_CONTAINER = "container.seccomp.security.alpha.kubernetes.io/";
    private static final String SECCOMP_USE = "non-functional in v1.27+; use the \"seccompProfile\" field instead";
    private static final List<Map.Entry<String, String>> DEPRECATED_ANNOTATIONS = List.of(
            Map.entry(
                    "scheduler.alpha.kubernetes.io/critical-pod",
                    "non-functional in v1.16+; use the \"priorityClassName\" field instead"),
            Map.entry(
                    "security.alpha.kubernetes.io/sysctls",
                    "non-functional in v1.11+; use the \"sysctls\" field instead"),
            Map.entry(
                    "security.alpha.kubernetes.io/unsafe-sysctls",
                    "non-functional in v1.11+; use the \"sysctls\" field instead"));

    private final @Nullable FieldPath at;
    private final ObjectNode spec;
    private final @Nullable JsonNode annotations;
    private final List<String> warnings = new ArrayList<>();

    private PodWarnings(@Nullable FieldPath at, ObjectNode spec, @Nullable JsonNode annotations) {
        this.at = at;
        this.spec = spec;
        this.annotations = annotations;
    }

    /**
     * @param holder a pod or a template
     * @param at where a template sits; null for a pod
     */
    static List<String> of(ObjectNode holder, @Nullable FieldPath at) {
        ObjectNode spec = Json.objectAt(holder, "spec");
        PodWarnings found =
                new PodWarnings(at, spec == null ? Json.object() : spec, Json.at(holder, "metadata", "annotations"));
        found.nodeLabels();
        found.spread();
        found.annotations();
        found.warnings.addAll(VolumeWarnings.of(Nodes.objects(spec, "volumes"), found.spec("volumes")));
        found.duplicates("hostAliases", "ip");
        found.duplicates("imagePullSecrets", "name");
        found.namelessPullSecrets();
        found.overhead();
        found.containers();
        found.ports();
        found.portNames();
        found.rest();
        return found.warnings;
    }

    private FieldPath root(String first, String... more) {
        return at == null ? FieldPath.of(first, more) : at.child(first).child(more);
    }

    private FieldPath spec(String... more) {
        return root("spec").child(more);
    }

    private void warn(FieldPath place, String what) {
        warnings.add(place + ": " + what);
    }

    private void eachContainer(BiConsumer<ObjectNode, FieldPath> visit) {
        PodSpecs.visit(spec, root("spec"), visit);
    }

    private void nodeLabels() {
        for (String label : Nodes.entries(spec, "nodeSelector").keySet()) {
            String deprecation = NodeLabels.deprecation(label);
            if (deprecation != null) {
                warn(spec("nodeSelector").key(label), deprecation);
            }
        }
        JsonNode affinity = Json.at(spec, "affinity", "nodeAffinity");
        FieldPath path = spec("affinity", "nodeAffinity");
        String required = "requiredDuringSchedulingIgnoredDuringExecution";
        List<ObjectNode> terms = Nodes.objects(affinity, required, "nodeSelectorTerms");
        for (int i = 0; i < terms.size(); i++) {
            FieldPath place = path.child(required, "nodeSelectorTerms").index(i);
            warnings.addAll(NodeLabels.termWarnings(terms.get(i), false, place));
        }
        String preferred = "preferredDuringSchedulingIgnoredDuringExecution";
        List<ObjectNode> weighted = Nodes.objects(affinity, preferred);
        for (int i = 0; i < weighted.size(); i++) {
            FieldPath place = path.child(preferred).index(i).child("preference");
            warnings.addAll(NodeLabels.termWarnings(Json.objectAt(weighted.get(i), "preference"), true, place));
        }
    }

    private void spread() {
        List<ObjectNode> constraints = Nodes.objects(spec, "topologySpreadConstraints");
        for (int i = 0; i < constraints.size(); i++) {
            FieldPath place = spec("topologySpreadConstraints").index(i);
            String key = Json.textAt(constraints.get(i), "topologyKey");
            String deprecation = NodeLabels.deprecation(key);
            if (deprecation != null) {
                warn(place.child("topologyKey"), key + " is " + deprecation);
            }
            if (!Nodes.has(constraints.get(i), "labelSelector")) {
                warnings.add(place + "." + NULL_SELECTOR);
            }
        }
    }

    private void annotations() {
        for (Map.Entry<String, String> deprecated : DEPRECATED_ANNOTATIONS) {
            if (Nodes.has(annotations, deprecated.getKey())) {
                warn(root("metadata", "annotations").key(deprecated.getKey()), deprecated.getValue());
            }
        }
    }

    private void duplicates(String list, String field) {
        Set<String> seen = new HashSet<>();
        List<ObjectNode> items = Nodes.objects(spec, list);
        for (int i = 0; i < items.size(); i++) {
            String value = Json.textAt(items.get(i), field);
            if (!seen.add(value)) {
                warn(spec(list).index(i).child(field), "duplicate " + field + " " + FieldErrors.quoted(value));
            }
        }
    }

    private void namelessPullSecrets() {
        List<ObjectNode> secrets = Nodes.objects(spec, "imagePullSecrets");
        for (int i = 0; i < secrets.size(); i++) {
            if (Json.textAt(secrets.get(i), "name").isEmpty()) {
                warn(spec("imagePullSecrets").index(i).child("name"), "invalid empty name \"\"");
            }
        }
    }

    private void overhead() {
        ResourceLists.warnFraction(spec, "overhead", "memory", root("spec"), warnings);
        ResourceLists.warnFraction(spec, "overhead", "ephemeral-storage", root("spec"), warnings);
        if (!Nodes.has(spec, "securityContext", "seccompProfile") && Nodes.has(annotations, SECCOMP_POD)) {
            warn(root("metadata", "annotations").key(SECCOMP_POD), SECCOMP_USE);
        }
    }

    private void containers() {
        eachContainer((container, path) -> {
            String name = Json.textAt(container, "name");
            String seccomp = SECCOMP_CONTAINER + name;
            if (!Nodes.has(container, "securityContext", "seccompProfile") && Nodes.has(annotations, seccomp)) {
                warn(root("metadata", "annotations").key(seccomp), SECCOMP_USE);
            }
            templateAppArmor(container, AppArmor.ANNOTATION_PREFIX + name);
            JsonNode resources = container.get("resources");
            FieldPath place = path.child("resources");
            for (String resource : List.of("memory", "ephemeral-storage")) {
                ResourceLists.warnFraction(resources, "limits", resource, place, warnings);
                ResourceLists.warnFraction(resources, "requests", resource, place, warnings);
            }
            environment(container, path.child("env"));
        });
    }

    /** For pods themselves the warning comes when the annotation is turned into the field. */
    private void templateAppArmor(ObjectNode container, String key) {
        if (at == null || Nodes.has(container, "securityContext", "appArmorProfile") || !Nodes.has(annotations, key)) {
            return;
        }
        JsonNode ofPod = Json.at(spec, "securityContext", "appArmorProfile");
        if (ofPod == null || !ofPod.equals(AppArmor.profile(Json.textAt(annotations, key)))) {
            warn(
                    root("metadata", "annotations").key(key),
                    "deprecated since v1.30; use the \"appArmorProfile\" field instead");
        }
    }

    private void environment(ObjectNode container, FieldPath path) {
        Set<String> seen = new HashSet<>();
        List<ObjectNode> variables = Nodes.objects(container, "env");
        for (int i = 0; i < variables.size(); i++) {
            String name = Json.textAt(variables.get(i), "name");
            if (seen.add(name)) {
                continue;
            }
            // Building on the old value, as in X=$(X):more, is fine.
            String reference = "$(" + name + ")";
            String value = Json.textAt(variables.get(i), "value");
            boolean extended = value.contains(reference) && !value.equals(reference);
            if (Nodes.has(variables.get(i), "valueFrom") || !extended) {
                warn(
                        path.index(i),
                        "hides previous definition of " + FieldErrors.quoted(name)
                                + ", which may be dropped when using apply");
            }
        }
    }

    private record Port(FieldPath path, String hostIp, long hostPort) {}

    private void ports() {
        Map<String, List<Port>> known = new HashMap<>();
        eachContainer((container, path) -> {
            List<ObjectNode> ports = Nodes.objects(container, "ports");
            for (int i = 0; i < ports.size(); i++) {
                ObjectNode node = ports.get(i);
                long number = Json.longAt(node, 0, "containerPort");
                String protocol = Json.textAt(node, "protocol");
                Port port = new Port(
                        path.child("ports").index(i), Json.textAt(node, "hostIP"), Json.longAt(node, 0, "hostPort"));
                if (!port.hostIp.isEmpty() && port.hostPort == 0) {
                    warn(
                            port.path,
                            "hostIP set without hostPort: {Name:" + Json.textAt(node, "name")
                                    + " HostPort:0 ContainerPort:" + number + " Protocol:" + protocol + " HostIP:"
                                    + port.hostIp + "}");
                }
                List<Port> others = known.computeIfAbsent(number + "/" + protocol, key -> new ArrayList<>());
                others.forEach(other -> comparePorts(port, other));
                others.add(port);
            }
        });
    }

    private void comparePorts(Port port, Port other) {
        if (port.hostIp.equals(other.hostIp) && port.hostPort == other.hostPort) {
            warn(port.path, "duplicate port definition with " + other.path);
        } else if (port.hostPort == 0 || other.hostPort == 0) {
            warn(port.path, "overlapping port definition with " + other.path);
        } else if (port.hostPort == other.hostPort && port.hostIp.isEmpty() != other.hostIp.isEmpty()) {
            warn(port.path, "dangerously ambiguous port definition with " + other.path);
        }
    }

    private void portNames() {
        Map<String, FieldPath> known = new HashMap<>();
        eachContainer((container, path) -> {
            List<ObjectNode> ports = Nodes.objects(container, "ports");
            for (int i = 0; i < ports.size(); i++) {
                FieldPath place = path.child("ports").index(i);
                String name = Json.textAt(ports.get(i), "name");
                FieldPath other = name.isEmpty() ? null : known.putIfAbsent(name, place);
                if (other != null) {
                    warn(
                            place,
                            "duplicate port name " + FieldErrors.quoted(name) + " with " + other
                                    + ", services and probes that select ports by name will use " + other);
                }
            }
        });
    }

    private void rest() {
        if (Json.longAt(spec, 0, "terminationGracePeriodSeconds") < 0) {
            warn(
                    spec("terminationGracePeriodSeconds"),
                    "must be >= 0; negative values are invalid and will be treated as 1");
        }
        for (String affinity : List.of("podAffinity", "podAntiAffinity")) {
            JsonNode terms = Json.at(spec, "affinity", affinity);
            FieldPath path = spec("affinity", affinity);
            nullSelectors(terms, "requiredDuringSchedulingIgnoredDuringExecution", "", path);
            nullSelectors(terms, "preferredDuringSchedulingIgnoredDuringExecution", "podAffinityTerm", path);
        }
        List<String> servers = Nodes.strings(spec, "dnsConfig", "nameservers");
        for (int i = 0; i < servers.size(); i++) {
            AddressRules.warnOfIp(spec("dnsConfig", "nameservers").index(i), servers.get(i), warnings);
        }
        List<ObjectNode> aliases = Nodes.objects(spec, "hostAliases");
        for (int i = 0; i < aliases.size(); i++) {
            FieldPath place = spec("hostAliases").index(i).child("ip");
            AddressRules.warnOfIp(place, Json.textAt(aliases.get(i), "ip"), warnings);
        }
    }

    private void nullSelectors(@Nullable JsonNode terms, String list, String inside, FieldPath path) {
        List<ObjectNode> found = Nodes.objects(terms, list);
        for (int i = 0; i < found.size(); i++) {
            JsonNode term = inside.isEmpty() ? found.get(i) : found.get(i).path(inside);
            if (!Nodes.has(term, "labelSelector")) {
                FieldPath place = path.child(list).index(i);
                warnings.add((inside.isEmpty() ? place : place.child(inside)) + "." + NULL_SELECTOR);
            }
        }
    }
}
