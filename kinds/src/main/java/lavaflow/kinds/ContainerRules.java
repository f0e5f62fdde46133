package lavaflow.kinds;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Identifiers;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** The three lists of containers of a pod. */
final class ContainerRules {
    static final List<String> PULL_POLICIES = List.of("Always", "IfNotPresent", "Never");
    private static final List<String> PROTOCOLS = List.of("SCTP", "TCP", "UDP");
    private static final List<String> MESSAGE_POLICIES = List.of("File", "FallbackToLogsOnError");
    private static final List<String> RESIZE_RESOURCES = List.of("cpu", "memory");
    private static final List<String> RESIZE_POLICIES = List.of("NotRequired", "RestartContainer");
    private static final List<String> RESTART_POLICIES = List.of("Always", "Never", "OnFailure");
    private static final List<String> RESTART_ACTIONS = List.of("Restart", "RestartAllContainers");
    private static final List<String> EXIT_CODE_OPERATORS = List.of("In", "NotIn");
    private static final int MOST_RESTART_RULES = 20;
    private static final int MOST_EXIT_CODES = 255;
    private static final String NOT_EPHEMERAL = "cannot be set for an Ephemeral Container";
    /** In the order of upstream's struct. */
    private static final List<String> NEVER_EPHEMERAL = List.of(
            "ports",
            "resources",
            "resizePolicy",
            "restartPolicy",
            "restartPolicyRules",
            "livenessProbe",
            "readinessProbe",
            "startupProbe",
            "lifecycle");

    private ContainerRules() {}

    static void containers(PodScope scope, FieldPath path, FieldErrors errors) {
        List<ObjectNode> containers = PodSpecs.containers(scope.spec());
        if (containers.isEmpty()) {
            errors.required(path);
            return;
        }
        Set<String> names = new HashSet<>();
        for (int i = 0; i < containers.size(); i++) {
            ObjectNode container = containers.get(i);
            FieldPath place = path.index(i);
            common(container, scope, place, errors);
            uniqueName(container, names, place, errors);
            ProbeRules.all(container, scope, place, errors);
            restart(container, false, place, errors);
        }
        Set<String> ports = new HashSet<>();
        for (int i = 0; i < containers.size(); i++) {
            uniqueHostPorts(containers.get(i), ports, path.index(i), errors);
        }
    }

    static void initContainers(PodScope scope, FieldPath path, FieldErrors errors) {
        List<ObjectNode> containers = PodSpecs.initContainers(scope.spec());
        Set<String> names = scope.containerNames("containers");
        for (int i = 0; i < containers.size(); i++) {
            ObjectNode container = containers.get(i);
            FieldPath place = path.index(i);
            common(container, scope, place, errors);
            restart(container, true, place, errors);
            uniqueName(container, names, place, errors);
            names.remove("");
            // They run one after another, so only ports of the same one collide; upstream prints index 0 for all.
            uniqueHostPorts(container, new HashSet<>(), path.index(0), errors);
            if (PodSpecs.restartable(container)) {
                ProbeRules.all(container, scope, place, errors);
            } else {
                onlyForSidecars(container, place, errors);
            }
        }
    }

    private static void onlyForSidecars(ObjectNode container, FieldPath path, FieldErrors errors) {
        for (String field : List.of("lifecycle", "livenessProbe", "readinessProbe", "startupProbe")) {
            if (Nodes.has(container, field)) {
                errors.forbidden(path.child(field), "may not be set for init containers without restartPolicy=Always");
            }
        }
        List<ObjectNode> policies = Nodes.objects(container, "resizePolicy");
        for (int i = 0; i < policies.size(); i++) {
            if (Json.textAt(policies.get(i), "restartPolicy").equals("RestartContainer")) {
                errors.invalid(
                        path.child("resizePolicy").index(i).child("restartPolicy"),
                        "RestartContainer",
                        "must not be set to 'RestartContainer' for non-sidecar initContainers");
            }
        }
    }

    static void ephemeralContainers(PodScope scope, FieldPath path, FieldErrors errors) {
        Set<String> others = scope.containerNames("containers", "initContainers");
        Set<String> names = new HashSet<>(others);
        List<ObjectNode> containers = Nodes.objects(scope.spec(), "ephemeralContainers");
        for (int i = 0; i < containers.size(); i++) {
            ObjectNode container = containers.get(i);
            FieldPath place = path.index(i);
            common(container, scope, place, errors);
            trimmedImage(container, place, errors);
            uniqueName(container, names, place, errors);
            String target = Json.textAt(container, "targetContainerName");
            if (!target.isEmpty() && !others.contains(target)) {
                errors.notFound(place.child("targetContainerName"), target);
            }
            for (String field : NEVER_EPHEMERAL) {
                if (isSet(container, field)) {
                    errors.forbidden(place.child(field), NOT_EPHEMERAL);
                }
            }
            subPaths(container, place.child("volumeMounts"), errors);
        }
    }

    /** Upstream asks whether a field has its zero value: for resources, that of a struct. */
    private static boolean isSet(ObjectNode container, String field) {
        JsonNode value = Json.at(container, field);
        boolean zero = value == null || (value.isEmpty() && (value.isArray() || field.equals("resources")));
        return !zero;
    }

    private static void subPaths(ObjectNode container, FieldPath path, FieldErrors errors) {
        List<ObjectNode> mounts = Nodes.objects(container, "volumeMounts");
        for (int i = 0; i < mounts.size(); i++) {
            for (String field : List.of("subPath", "subPathExpr")) {
                if (!Json.textAt(mounts.get(i), field).isEmpty()) {
                    errors.forbidden(path.index(i).child(field), NOT_EPHEMERAL);
                }
            }
        }
    }

    /** What all containers have in common. */
    private static void common(ObjectNode container, PodScope scope, FieldPath path, FieldErrors errors) {
        FieldChecks.requireLabel(container, "name", path, errors);
        FieldChecks.requireText(container, "image", path, errors);
        FieldChecks.requireOneOf(
                Json.textAt(container, "terminationMessagePolicy"),
                MESSAGE_POLICIES,
                path.child("terminationMessagePolicy"),
                errors);
        ports(container, path.child("ports"), errors);
        EnvironmentRules.env(container, path.child("env"), errors);
        EnvironmentRules.envFrom(container, path.child("envFrom"), errors);
        MountRules.mounts(container, scope, path.child("volumeMounts"), errors);
        MountRules.devices(container, scope, path.child("volumeDevices"), errors);
        FieldChecks.requireOneOf(
                Json.textAt(container, "imagePullPolicy"), PULL_POLICIES, path.child("imagePullPolicy"), errors);
        ResourceRules.container(container.get("resources"), scope.claims(), path.child("resources"), errors);
        resizePolicy(container, scope.restartPolicy(), path.child("resizePolicy"), errors);
        SecurityContextRules.container(container, scope.hostUsers(), path.child("securityContext"), errors);
    }

    /** Pods cannot use an image whose name has spaces around it; templates could always hold one. */
    static void trimmedImage(ObjectNode container, FieldPath path, FieldErrors errors) {
        String image = Json.textAt(container, "image");
        if (!image.equals(image.strip())) {
            errors.invalid(path.child("image"), image, "must not have leading or trailing whitespace");
        }
    }

    private static void uniqueName(ObjectNode container, Set<String> names, FieldPath path, FieldErrors errors) {
        if (!names.add(Json.textAt(container, "name"))) {
            errors.duplicate(path.child("name"), Json.textAt(container, "name"));
        }
    }

    private static void ports(ObjectNode container, FieldPath path, FieldErrors errors) {
        Set<String> names = new HashSet<>();
        List<ObjectNode> ports = Nodes.objects(container, "ports");
        for (int i = 0; i < ports.size(); i++) {
            ObjectNode port = ports.get(i);
            FieldPath place = path.index(i);
            String name = Json.textAt(port, "name");
            if (!name.isEmpty()) {
                List<String> wrong = Identifiers.portName(name);
                FieldChecks.invalid(place.child("name"), name, wrong, errors);
                if (wrong.isEmpty() && !names.add(name)) {
                    errors.duplicate(place.child("name"), name);
                }
            }
            long number = Json.longAt(port, 0, "containerPort");
            if (number == 0) {
                errors.required(place.child("containerPort"));
            } else {
                portNumber(number, place.child("containerPort"), errors);
            }
            long hostPort = Json.longAt(port, 0, "hostPort");
            if (hostPort != 0) {
                portNumber(hostPort, place.child("hostPort"), errors);
            }
            FieldChecks.requireOneOf(Json.textAt(port, "protocol"), PROTOCOLS, place.child("protocol"), errors);
        }
    }

    private static void portNumber(long number, FieldPath path, FieldErrors errors) {
        for (String wrong : Identifiers.portNumber(number)) {
            errors.invalid(path, number, wrong);
        }
    }

    private static void uniqueHostPorts(ObjectNode container, Set<String> known, FieldPath path, FieldErrors errors) {
        List<ObjectNode> ports = Nodes.objects(container, "ports");
        for (int i = 0; i < ports.size(); i++) {
            long number = Json.longAt(ports.get(i), 0, "hostPort");
            String port =
                    Json.textAt(ports.get(i), "protocol") + "/" + Json.textAt(ports.get(i), "hostIP") + "/" + number;
            if (number != 0 && !known.add(port)) {
                errors.duplicate(path.child("ports").index(i).child("hostPort"), port);
            }
        }
    }

    private static void resizePolicy(ObjectNode container, String podRestart, FieldPath path, FieldErrors errors) {
        Set<String> seen = new HashSet<>();
        List<ObjectNode> policies = Nodes.objects(container, "resizePolicy");
        for (int i = 0; i < policies.size(); i++) {
            String resource = Json.textAt(policies.get(i), "resourceName");
            String restart = Json.textAt(policies.get(i), "restartPolicy");
            if (!seen.add(resource)) {
                errors.duplicate(path.index(i), resource);
            }
            FieldChecks.requireOneOf(resource, RESIZE_RESOURCES, path, errors);
            FieldChecks.requireOneOf(restart, RESIZE_POLICIES, path, errors);
            if (podRestart.equals("Never") && !restart.equals("NotRequired")) {
                errors.invalid(path, restart, "must be 'NotRequired' when pod `restartPolicy` is 'Never'");
            }
        }
    }

    /** A container's own restart policy and its rules. */
    private static void restart(ObjectNode container, boolean init, FieldPath path, FieldErrors errors) {
        JsonNode policy = Json.at(container, "restartPolicy");
        List<ObjectNode> rules = Nodes.objects(container, "restartPolicyRules");
        if (policy == null) {
            if (!rules.isEmpty()) {
                errors.required(path.child("restartPolicy"), "must specify restartPolicy when restart rules are used");
            }
        } else if (!RESTART_POLICIES.contains(policy.asText())) {
            errors.notSupported(path.child("restartPolicy"), policy.asText(), RESTART_POLICIES);
        }
        if (policy == null && init) {
            return;
        }
        if (rules.size() > MOST_RESTART_RULES) {
            errors.tooMany(path.child("restartPolicyRules"), rules.size(), MOST_RESTART_RULES);
        }
        for (int i = 0; i < rules.size(); i++) {
            restartRule(rules.get(i), path.child("restartPolicyRules").index(i), errors);
        }
    }

    private static void restartRule(ObjectNode rule, FieldPath path, FieldErrors errors) {
        String action = Json.textAt(rule, "action");
        if (!RESTART_ACTIONS.contains(action)) {
            errors.notSupported(path.child("action"), action, RESTART_ACTIONS);
        }
        if (!Nodes.has(rule, "exitCodes")) {
            errors.required(path.child("exitCodes"), "must be specified");
            return;
        }
        String operator = Json.textAt(rule, "exitCodes", "operator");
        if (!EXIT_CODE_OPERATORS.contains(operator)) {
            errors.notSupported(path.child("exitCodes", "operator"), operator, EXIT_CODE_OPERATORS);
        }
        int codes = Json.listAt(rule, "exitCodes", "values").size();
        if (codes > MOST_EXIT_CODES) {
            errors.tooMany(path.child("exitCodes", "values"), codes, MOST_EXIT_CODES);
        }
    }
}
