package lavaflow.apiserver;

import java.util.List;
import java.util.Objects;

import lavaflow.access.Attributes;
import lavaflow.access.Authorizer;
import lavaflow.access.Escalation;
import lavaflow.access.RoleAuthorizer;
import lavaflow.access.Rule;
import lavaflow.access.User;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Keeps people from giving themselves or others, by roles and bindings, what they do not have. */
final class EscalationCheck {
    private static final String GROUP = "rbac.authorization.k8s.io";
    private static final List<Rule> EVERYTHING = List.of(
            new Rule(List.of("*"), List.of("*"), List.of("*"), List.of(), List.of()),
            new Rule(List.of("*"), List.of(), List.of(), List.of(), List.of("*")));

    private final Authorizer authorizer;
    private final RoleAuthorizer roles;

    EscalationCheck(Authorizer authorizer, RoleAuthorizer roles) {
        this.authorizer = authorizer;
        this.roles = roles;
    }

    /** Refuses a new or changed role or binding that grants too much; {@code old} is null for a new one. */
    void check(Call call, ObjectNode object, @Nullable ObjectNode old) {
        if (!call.resource().group().equals(GROUP) || call.user().isMaster()) {
            return;
        }
        if (old != null && onlyCollectionMarksChange(object, old)) {
            return;
        }
        switch (call.resource().name()) {
            case "roles", "clusterroles" -> role(call, object, old);
            case "rolebindings", "clusterrolebindings" -> binding(call, object);
            default -> {}
        }
    }

    /** The garbage collector takes off owners and finalizers without having the rights. */
    private static boolean onlyCollectionMarksChange(ObjectNode object, ObjectNode old) {
        return unmarked(object).equals(unmarked(old));
    }

    private static ObjectNode unmarked(ObjectNode object) {
        ObjectNode copy = object.deepCopy();
        Metadata.of(copy).remove(List.of("ownerReferences", "finalizers", "managedFields", "resourceVersion"));
        return copy;
    }

    private void role(Call call, ObjectNode role, @Nullable ObjectNode old) {
        if (may(call, "escalate", call.resource().name(), call.namespace(), Metadata.name(role))) {
            return;
        }
        confirm(call, role, Rule.of(role));
        JsonNode aggregation = Json.at(role, "aggregationRule");
        JsonNode before = old == null ? null : Json.at(old, "aggregationRule");
        if (aggregation != null
                && !Objects.equals(aggregation, before)
                && !missing(call, EVERYTHING).isEmpty()) {
            throw call.resource()
                    .forbidden(Metadata.name(role), "must have cluster-admin privileges to use the aggregationRule");
        }
    }

    private void binding(Call call, ObjectNode binding) {
        boolean cluster = Json.textAt(binding, "roleRef", "kind").equals("ClusterRole");
        String role = Json.textAt(binding, "roleRef", "name");
        String namespace = call.namespace();
        if (may(call, "bind", cluster ? "clusterroles" : "roles", namespace, role)) {
            return;
        }
        List<Rule> rules = roles.rules(cluster, namespace, role);
        if (rules == null) {
            throw call.resource().notFound(role);
        }
        confirm(call, binding, rules);
    }

    private boolean may(Call call, String verb, String resource, String namespace, String name) {
        return authorizer
                .decide(call.user(), Attributes.ofResource(verb, GROUP, "v1", resource, "", namespace, name))
                .allowed();
    }

    private List<Rule> missing(Call call, List<Rule> granted) {
        return Escalation.uncovered(roles.held(call.user(), call.namespace()).rules(), granted);
    }

    private void confirm(Call call, ObjectNode object, List<Rule> granted) {
        RoleAuthorizer.Held held = roles.held(call.user(), call.namespace());
        List<Rule> missing = Escalation.uncovered(held.rules(), granted);
        if (!missing.isEmpty()) {
            User user = call.user();
            throw call.resource()
                    .forbidden(
                            Metadata.name(object),
                            Escalation.refusal(
                                    user,
                                    missing,
                                    held.missingRoles(),
                                    call.resource().name()));
        }
    }
}
