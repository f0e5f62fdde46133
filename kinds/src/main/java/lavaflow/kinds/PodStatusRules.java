package lavaflow.kinds;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.IpAddress;
import lavaflow.kube.Json;
import lavaflow.kube.Names;
import lavaflow.kube.ObjectMetaRules;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** What a kubelet or scheduler may report about a pod. */
final class PodStatusRules {
    private static final FieldPath STATUS = FieldPath.of("status");
    private static final Set<String> SYSTEM_CONDITIONS = Set.of("PodScheduled", "Ready", "Initialized");
    private static final List<String> STATUS_LISTS =
            List.of("containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses");

    private PodStatusRules() {}

    static void validate(ObjectNode pod, ObjectNode old, FieldErrors errors) {
        PodAnnotationRules.update(pod, old, FieldPath.of("metadata", "annotations"), errors);
        ObjectNode status = Json.ensureObject(pod, "status");
        JsonNode before = Json.at(old, "status");
        conditions(status, errors);
        nomination(status, before, Json.textAt(old, "spec", "nodeName"), errors);
        if (Json.longAt(status, 0, "observedGeneration") < 0) {
            errors.invalid(
                    STATUS.child("observedGeneration"),
                    status.get("observedGeneration"),
                    "must be a non-negative integer");
        }
        if (!Json.textAt(status, "qosClass").equals(Json.textAt(before, "qosClass"))) {
            errors.invalid(STATUS.child("qosClass"), Json.textAt(status, "qosClass"), FieldChecks.IMMUTABLE);
        }
        JsonNode spec = Json.at(old, "spec");
        transitions(status, before, "containerStatuses", spec, "containers", errors);
        transitions(status, before, "initContainerStatuses", spec, "initContainers", errors);
        transitions(status, before, "ephemeralContainerStatuses", spec, "", errors);
        PodClaimStatusRules.validate(status, spec, STATUS, errors);
        addresses(status, before, "podIPs", errors);
        if (!Nodes.emptyAt(status, "hostIPs")) {
            String first = Json.textAt(Nodes.objects(status, "hostIPs").getFirst(), "ip");
            if (!first.equals(Json.textAt(status, "hostIP"))) {
                errors.invalid(STATUS.child("hostIPs").index(0).child("ip"), first, "must be equal to `hostIP`");
            }
            addresses(status, before, "hostIPs", errors);
        }
        for (String list : STATUS_LISTS) {
            users(status, list, Json.textAt(spec, "os", "name"), errors);
        }
        ContainerDeviceRules.validate(status, spec, STATUS, errors);
    }

    private static void conditions(ObjectNode status, FieldErrors errors) {
        List<ObjectNode> conditions = Nodes.objects(status, "conditions");
        for (int i = 0; i < conditions.size(); i++) {
            FieldPath path = STATUS.child("conditions").index(i);
            if (Json.longAt(conditions.get(i), 0, "observedGeneration") < 0) {
                errors.invalid(
                        path.child("observedGeneration"),
                        conditions.get(i).get("observedGeneration"),
                        "must be a non-negative integer");
            }
            String type = Json.textAt(conditions.get(i), "type");
            if (!SYSTEM_CONDITIONS.contains(type)) {
                ObjectMetaRules.labelName(type, path.child("Type"), errors);
            }
        }
    }

    private static void nomination(ObjectNode status, @Nullable JsonNode before, String nodeName, FieldErrors errors) {
        String node = Json.textAt(status, "nominatedNodeName");
        if (node.isEmpty() || node.equals(Json.textAt(before, "nominatedNodeName"))) {
            return;
        }
        FieldPath path = STATUS.child("nominatedNodeName");
        FieldChecks.invalid(path, node, Names.dns1123Subdomain(node), errors);
        if (!nodeName.isEmpty()) {
            errors.forbidden(path, "may not be set on pods that are already bound to a node");
        }
    }

    /** A container that has ended stays ended unless it is one that starts again. */
    private static void transitions(
            ObjectNode status,
            @Nullable JsonNode before,
            String list,
            @Nullable JsonNode spec,
            String containers,
            FieldErrors errors) {
        if (!containers.isEmpty() && allMayRestart(spec)) {
            return;
        }
        List<ObjectNode> old = Nodes.objects(before, list);
        for (int i = 0; i < old.size(); i++) {
            JsonNode ended = Json.at(old.get(i), "state", "terminated");
            String name = Json.textAt(old.get(i), "name");
            if (ended == null || stillEnded(Nodes.objects(status, list), name)) {
                continue;
            }
            long code = Json.longAt(ended, 0, "exitCode");
            boolean restarts = !containers.isEmpty()
                    && Nodes.objects(spec, containers).stream()
                            .filter(container -> Json.textAt(container, "name").equals(name))
                            .findFirst()
                            .filter(container -> restarts(container, spec, code))
                            .isPresent();
            if (!restarts) {
                errors.forbidden(
                        STATUS.child(list).index(i).child("state"), "may not be transitioned to non-terminated state");
            }
        }
    }

    private static boolean stillEnded(List<ObjectNode> statuses, String name) {
        return statuses.stream()
                .filter(status -> Json.textAt(status, "name").equals(name))
                .allMatch(status -> Nodes.has(status, "state", "terminated"));
    }

    private static boolean allMayRestart(@Nullable JsonNode spec) {
        return PodSpecs.startedContainers(spec).stream()
                .flatMap(container -> Nodes.objects(container, "restartPolicyRules").stream())
                .anyMatch(rule -> Json.textAt(rule, "action").equals("RestartAllContainers"));
    }

    private static boolean restarts(ObjectNode container, @Nullable JsonNode spec, long exitCode) {
        String policy = Json.textAt(container, "restartPolicy");
        for (ObjectNode rule : Nodes.objects(container, "restartPolicyRules")) {
            boolean listed = Json.listAt(rule, "exitCodes", "values")
                    .valueStream()
                    .anyMatch(code -> code.longValue() == exitCode);
            String operator = Json.textAt(rule, "exitCodes", "operator");
            boolean matches = operator.equals("In") ? listed : operator.equals("NotIn") && !listed;
            if (!policy.isEmpty() && matches && Json.textAt(rule, "action").startsWith("Restart")) {
                return true;
            }
        }
        return switch (policy.isEmpty() ? Json.textAt(spec, "restartPolicy") : policy) {
            case "OnFailure" -> exitCode != 0;
            case "Never" -> false;
            default -> true;
        };
    }

    /** At most one address of each family; odd ones that are there already may stay. */
    private static void addresses(ObjectNode status, @Nullable JsonNode before, String list, FieldErrors errors) {
        List<String> known = Nodes.objects(before, list).stream()
                .map(ip -> Json.textAt(ip, "ip"))
                .toList();
        List<ObjectNode> addresses = Nodes.objects(status, list);
        Set<Boolean> families = new HashSet<>();
        ArrayNode shown = Json.array();
        for (int i = 0; i < addresses.size(); i++) {
            String text = Json.textAt(addresses.get(i), "ip");
            AddressRules.legacyIp(STATUS.child(list).index(i), text, known, errors);
            IpAddress address = IpAddress.parse(text);
            if (address == null && addresses.size() > 1) {
                errors.add(
                        lavaflow.kube.FieldError.Reason.INTERNAL,
                        STATUS.child(list),
                        "Internal error: failed to check for dual stack with error:invalid IP: " + text);
                return;
            }
            families.add(address != null && address.is4());
            shown.addObject().put("IP", text);
        }
        if (addresses.size() > 1 && (families.size() < 2 || addresses.size() > 2)) {
            errors.invalid(STATUS.child(list), shown, "may specify no more than one IP for each IP family");
        }
    }

    private static void users(ObjectNode status, String list, String os, FieldErrors errors) {
        List<ObjectNode> statuses = Nodes.objects(status, list);
        for (int i = 0; i < statuses.size(); i++) {
            JsonNode user = Json.at(statuses.get(i), "user", "linux");
            if (user == null) {
                continue;
            }
            FieldPath path = STATUS.child(list).index(i).child("user", "linux");
            if (os.equals("windows")) {
                errors.forbidden(path, "cannot be set for a windows pod");
                continue;
            }
            FieldChecks.inRange(user, "uid", 0, Integer.MAX_VALUE, path, errors);
            FieldChecks.inRange(user, "gid", 0, Integer.MAX_VALUE, path, errors);
            ArrayNode groups = Json.listAt(user, "supplementalGroups");
            for (int j = 0; j < groups.size(); j++) {
                long group = groups.get(j).longValue();
                if (group < 0 || group > Integer.MAX_VALUE) {
                    errors.invalid(
                            path.child("supplementalGroups").index(j), group, Names.between(0, Integer.MAX_VALUE));
                }
            }
        }
    }
}
