package lavaflow.cluster;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;

import lavaflow.controller.ControllerRunner;
import lavaflow.controller.Followers;
import lavaflow.controller.KubeApi;
import lavaflow.kube.Json;
import lavaflow.kube.LabelSelector;
import lavaflow.kube.MalformedException;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Fills ClusterRoles that are put together from others: the rules of every role their selectors find. */
final class RoleAggregation {
    private static final KubeApi.Kind ROLES =
            new KubeApi.Kind("rbac.authorization.k8s.io", "v1", "clusterroles", false);
    /** Any role may be part of any other: one look at all of them serves every change since the last. */
    private static final String ALL = "all";

    private final KubeApi api;
    private final ControllerRunner<String> runner;

    RoleAggregation(KubeApi api, Followers followers, LongSupplier nanoTime) {
        this.api = api;
        this.runner = new ControllerRunner<String>("role-aggregation", followers, 1, _ -> reconcile(), nanoTime)
                .follow(ROLES, _ -> List.of(ALL));
    }

    ControllerRunner<String> controller() {
        return runner;
    }

    private Optional<Duration> reconcile() {
        List<ObjectNode> roles =
                new ArrayList<>(api.list(ROLES, "", KubeApi.View.WHOLE).items());
        roles.sort(Comparator.comparing(Objects::name));
        for (ObjectNode role : roles) {
            if (role.path("aggregationRule").isObject()) {
                ArrayNode rules = rules(role, roles);
                JsonNode present = role.path("rules");
                boolean same = rules.isEmpty() ? present.isEmpty() : rules.equals(present);
                if (!same) {
                    role.set("rules", rules);
                    api.update(ROLES, "", role);
                }
            }
        }
        return Optional.empty();
    }

    private static ArrayNode rules(ObjectNode role, List<ObjectNode> roles) {
        ArrayNode rules = Json.array();
        for (JsonNode selector : Json.listAt(role, "aggregationRule", "clusterRoleSelectors")) {
            LabelSelector wanted = selector(selector);
            for (ObjectNode other : roles) {
                boolean part = !Objects.name(other).equals(Objects.name(role))
                        && wanted.matches(Json.at(other, "metadata", "labels"));
                if (part) {
                    Json.listAt(other, "rules").forEach(rule -> addOnce(rules, rule));
                }
            }
        }
        return rules;
    }

    /** Validation refuses selectors that cannot be read. */
    private static LabelSelector selector(JsonNode selector) {
        try {
            return LabelSelector.fromJson(selector);
        } catch (MalformedException e) {
            return LabelSelector.NOTHING;
        }
    }

    private static void addOnce(ArrayNode rules, JsonNode rule) {
        for (JsonNode present : rules) {
            if (present.equals(rule)) {
                return;
            }
        }
        rules.add(rule);
    }
}
