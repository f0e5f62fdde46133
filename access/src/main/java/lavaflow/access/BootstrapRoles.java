package lavaflow.access;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * The roles and bindings every cluster has, and what becomes of those that are there already: what is missing in them is
 * added at every start, what an administrator added stays, and who does not want that annotates the object.
 */
public final class BootstrapRoles {
    private static final String AUTO_UPDATE = "rbac.authorization.kubernetes.io/autoupdate";
    /** Recorded from a fresh kube-apiserver; {@code tools/roles/generate} writes it. */
    private static final String UPSTREAM = "bootstrap-roles.json";

    /** What our own components need beyond upstream's. */
    private static final String OWN = "own-roles.json";

    private BootstrapRoles() {}

    public static List<ObjectNode> all() {
        List<ObjectNode> all = new ArrayList<>();
        for (String resource : List.of(UPSTREAM, OWN)) {
            try (InputStream in = BootstrapRoles.class.getResourceAsStream(resource)) {
                JsonNode list = Json.parse(Objects.requireNonNull(in, resource).readAllBytes());
                list.forEach(object -> all.add((ObjectNode) object));
            } catch (IOException e) {
                throw new UncheckedIOException("cannot read " + resource, e);
            }
        }
        return all;
    }

    /** Where objects of a kind are served. */
    public static String resource(ObjectNode object) {
        return switch (Json.textAt(object, "kind")) {
            case "ClusterRole" -> "clusterroles";
            case "ClusterRoleBinding" -> "clusterrolebindings";
            case "Role" -> "roles";
            case "RoleBinding" -> "rolebindings";
            default -> throw new IllegalArgumentException(Json.textAt(object, "kind"));
        };
    }

    /** The present object with what it lacks, or null where it lacks nothing or does not want to be touched. */
    public static @Nullable ObjectNode completed(ObjectNode wanted, ObjectNode present) {
        if (Json.textAt(present, "metadata", "annotations", AUTO_UPDATE).equals("false")) {
            return null;
        }
        ObjectNode next = present.deepCopy();
        for (String map : List.of("labels", "annotations")) {
            ObjectNode values = Json.objectAt(wanted, "metadata", map);
            if (values != null) {
                ObjectNode target = Json.ensureObject(next, "metadata", map);
                values.properties().forEach(entry -> target.set(entry.getKey(), entry.getValue()));
            }
        }
        if (wanted.has("roleRef")) {
            addMissing(wanted, next, "subjects");
        } else if (wanted.has("aggregationRule")) {
            // Its rules are the aggregation controller's.
            if (!next.has("aggregationRule")) {
                next.set("aggregationRule", wanted.get("aggregationRule"));
            }
            addMissing(wanted.path("aggregationRule"), next.get("aggregationRule"), "clusterRoleSelectors");
        } else {
            List<Rule> missing = Escalation.uncovered(Rule.of(present), Rule.of(wanted));
            if (!missing.isEmpty()) {
                ArrayNode rules = next.get("rules") instanceof ArrayNode list ? list : next.putArray("rules");
                missing.forEach(rule -> rules.add(rule.json()));
            }
        }
        return next.equals(present) ? null : next;
    }

    /** True where the binding gives another role; roles of bindings cannot be changed, so it must be made anew. */
    public static boolean bindsAnother(ObjectNode wanted, ObjectNode present) {
        return wanted.has("roleRef")
                && !Json.textAt(present, "metadata", "annotations", AUTO_UPDATE).equals("false")
                && !Objects.equals(wanted.get("roleRef"), present.get("roleRef"));
    }

    private static void addMissing(JsonNode wanted, JsonNode target, String field) {
        List<JsonNode> there = new ArrayList<>();
        Json.listAt(target, field).forEach(there::add);
        for (JsonNode value : Json.listAt(wanted, field)) {
            if (!there.contains(value)) {
                ArrayNode list = target.get(field) instanceof ArrayNode present
                        ? present
                        : ((ObjectNode) target).putArray(field);
                list.add(value);
            }
        }
    }
}
