package lavaflow.kubelet;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import lavaflow.kube.GoTime;
import lavaflow.kube.Json;
import lavaflow.kube.MalformedException;
import lavaflow.node.PodConditions;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** What a node reads in a pod. */
record PodView(ObjectNode object) {
    private static final String ALWAYS = "Always";
    private static final String NEVER = "Never";
    private static final String RESTART_ALL = "RestartAllContainers";
    private static final long USUAL_GRACE = 30;
    private static final Set<String> BOOKKEEPING = Set.of("resourceVersion", "managedFields");

    /** Which of the pod's lists a container stands in. */
    enum Role {
        INIT("initContainers", "initContainerStatuses"),
        MAIN("containers", "containerStatuses"),
        EPHEMERAL("ephemeralContainers", "ephemeralContainerStatuses");

        private final String list;
        private final String statuses;

        Role(String list, String statuses) {
            this.list = list;
            this.statuses = statuses;
        }

        String list() {
            return list;
        }

        String statuses() {
            return statuses;
        }
    }

    /** A container as the pod describes it. */
    record Container(String name, Role role, ObjectNode spec, String restartPolicy) {
        boolean isSidecar() {
            return role == Role.INIT && Json.textAt(spec, "restartPolicy").equals(ALWAYS);
        }

        boolean isPlainInit() {
            return role == Role.INIT && !isSidecar();
        }

        String image() {
            return Json.textAt(spec, "image");
        }

        /** How events name it within its pod. */
        String fieldPath() {
            return "spec." + role.list() + "{" + name + "}";
        }

        /** Whether it is to run again after it has ended with a code, as far as its policies go. */
        boolean restartsAfter(int code) {
            if (role == Role.EPHEMERAL) {
                return false;
            }
            String action = action(code);
            if (!action.isEmpty()) {
                return action.startsWith("Restart");
            }
            if (isPlainInit()) {
                return code != 0 && !restartPolicy.equals(NEVER);
            }
            return restartPolicy.equals(ALWAYS) || (code != 0 && !restartPolicy.equals(NEVER));
        }

        /** Whether all containers of the pod are to begin anew after it has ended with a code. */
        boolean restartsAllAfter(int code) {
            return role != Role.EPHEMERAL && action(code).equals(RESTART_ALL);
        }

        /** What the first rule that fits says; empty where none does. */
        private String action(int code) {
            for (JsonNode rule : Json.listAt(spec, "restartPolicyRules")) {
                if (fits(Json.at(rule, "exitCodes"), code)) {
                    return Json.textAt(rule, "action");
                }
            }
            return "";
        }

        private static boolean fits(@Nullable JsonNode codes, int code) {
            if (codes == null) {
                return false;
            }
            boolean among = false;
            for (JsonNode value : Json.listAt(codes, "values")) {
                among |= value.asInt() == code;
            }
            return Json.textAt(codes, "operator").equals("NotIn") != among;
        }

        boolean hasProbe(Probe.Kind kind) {
            return Json.at(spec, kind.field()) != null;
        }
    }

    String uid() {
        return Json.textAt(object, "metadata", "uid");
    }

    String name() {
        return Json.textAt(object, "metadata", "name");
    }

    String namespace() {
        return Json.textAt(object, "metadata", "namespace");
    }

    /** As messages name pods. */
    String title() {
        return name() + "_" + namespace() + "(" + uid() + ")";
    }

    long generation() {
        return Json.longAt(object, 0, "metadata", "generation");
    }

    @Nullable
    JsonNode spec() {
        return Json.at(object, "spec");
    }

    String restartPolicy() {
        String policy = Json.textAt(object, "spec", "restartPolicy");
        return policy.isEmpty() ? ALWAYS : policy;
    }

    String phase() {
        return Json.textAt(object, "status", "phase");
    }

    boolean isOver() {
        return phase().equals("Succeeded") || phase().equals("Failed");
    }

    /** Whether two versions of a pod have nothing in them that the node itself does not know, its status aside. */
    static boolean differOnlyInStatus(ObjectNode one, ObjectNode other) {
        JsonNode before = one.path("metadata");
        JsonNode after = other.path("metadata");
        return one.path("spec").equals(other.path("spec")) && repeats(before, after) && repeats(after, before);
    }

    private static boolean repeats(JsonNode before, JsonNode after) {
        return after.properties().stream()
                .allMatch(field ->
                        BOOKKEEPING.contains(field.getKey()) || field.getValue().equals(before.get(field.getKey())));
    }

    boolean isDeleted() {
        return Json.at(object, "metadata", "deletionTimestamp") != null;
    }

    boolean isHostNetwork() {
        return Json.flagAt(object, "spec", "hostNetwork");
    }

    /** How long its containers have to end: what its deletion says, else what the pod says. */
    long graceSeconds() {
        long usual = Json.longAt(object, USUAL_GRACE, "spec", "terminationGracePeriodSeconds");
        return Math.max(0, Json.longAt(object, usual, "metadata", "deletionGracePeriodSeconds"));
    }

    List<Container> containers(Role role) {
        List<Container> containers = new ArrayList<>();
        for (JsonNode each : Json.listAt(object, "spec", role.list())) {
            if (each instanceof ObjectNode spec) {
                String own = role == Role.EPHEMERAL ? NEVER : Json.textAt(spec, "restartPolicy");
                containers.add(
                        new Container(Json.textAt(spec, "name"), role, spec, own.isEmpty() ? restartPolicy() : own));
            }
        }
        return containers;
    }

    List<Container> containers() {
        List<Container> all = new ArrayList<>(containers(Role.INIT));
        all.addAll(containers(Role.MAIN));
        all.addAll(containers(Role.EPHEMERAL));
        return all;
    }

    /** Whether the end of some container can make all of them begin anew. */
    boolean mayRestartAll() {
        for (Container each : containers()) {
            for (JsonNode rule : Json.listAt(each.spec(), "restartPolicyRules")) {
                if (Json.textAt(rule, "action").equals(RESTART_ALL)) {
                    return true;
                }
            }
        }
        return false;
    }

    @Nullable
    Container find(String name) {
        for (Container each : containers()) {
            if (each.name().equals(name)) {
                return each;
            }
        }
        return null;
    }

    @Nullable
    ObjectNode oldStatus(Container container) {
        for (JsonNode each : Json.listAt(object, "status", container.role().statuses())) {
            if (Json.textAt(each, "name").equals(container.name()) && each instanceof ObjectNode status) {
                return status;
            }
        }
        return null;
    }

    @Nullable
    ObjectNode condition(String type) {
        return PodConditions.find(object, type);
    }

    @Nullable
    Instant startTime() {
        return time(Json.textAt(object, "status", "startTime"));
    }

    static @Nullable Instant time(String text) {
        try {
            return text.isEmpty() ? null : GoTime.parseSeconds(text);
        } catch (MalformedException e) {
            return null;
        }
    }
}
