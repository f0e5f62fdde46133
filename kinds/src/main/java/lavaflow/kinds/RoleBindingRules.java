package lavaflow.kinds;

import java.util.List;
import java.util.Objects;
import java.util.Set;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Json;
import lavaflow.kube.Names;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** rbac.authorization.k8s.io/v1 RoleBinding and ClusterRoleBinding. */
final class RoleBindingRules implements KindRules {
    private static final String GROUP = "rbac.authorization.k8s.io";
    private static final FieldPath ROLE = FieldPath.of("roleRef");

    private final boolean cluster;

    RoleBindingRules(boolean cluster) {
        this.cluster = cluster;
    }

    @Override
    public Set<Trait> traits() {
        return Set.of(Trait.CREATE_ON_UPDATE);
    }

    @Override
    public List<String> nameErrors(String name, boolean prefix) {
        return Names.PATH_SEGMENT.check(name, prefix);
    }

    @Override
    public void applyDefaults(ObjectNode object) {
        Nodes.defaultText(Json.ensureObject(object, "roleRef"), "apiGroup", GROUP);
        for (ObjectNode subject : Nodes.objects(object, "subjects")) {
            String kind = Json.textAt(subject, "kind");
            if (kind.equals("User") || kind.equals("Group")) {
                Nodes.defaultText(subject, "apiGroup", GROUP);
            }
        }
    }

    @Override
    public void validateCreate(ObjectNode object, FieldErrors errors) {
        JsonNode role = Json.at(object, "roleRef");
        WorkloadChecks.oneOf(role, ROLE, errors, "apiGroup", List.of(GROUP));
        List<String> kinds = cluster ? List.of("ClusterRole") : List.of("Role", "ClusterRole");
        WorkloadChecks.oneOf(role, ROLE, errors, "kind", kinds);
        if (FieldChecks.requireText(role, "name", ROLE, errors)) {
            String name = Json.textAt(role, "name");
            FieldChecks.invalid(ROLE.child("name"), name, Names.pathSegmentName(name), errors);
        }
        List<ObjectNode> subjects = Nodes.objects(object, "subjects");
        for (int i = 0; i < subjects.size(); i++) {
            validateSubject(subjects.get(i), FieldPath.of("subjects").index(i), errors);
        }
    }

    private void validateSubject(ObjectNode subject, FieldPath path, FieldErrors errors) {
        FieldChecks.requireText(subject, "name", path, errors);
        switch (Json.textAt(subject, "kind")) {
            case "ServiceAccount" -> {
                FieldChecks.optionalSubdomain(subject, "name", path, errors);
                WorkloadChecks.oneOf(subject, path, errors, "apiGroup", List.of(""));
                if (cluster) {
                    FieldChecks.requireText(subject, "namespace", path, errors);
                }
            }
            case "User", "Group" -> WorkloadChecks.oneOf(subject, path, errors, "apiGroup", List.of(GROUP));
            default ->
                errors.notSupported(
                        path.child("kind"), Json.textAt(subject, "kind"), List.of("ServiceAccount", "User", "Group"));
        }
    }

    /** Changing the role would silently give everyone who was bound another set of rights. */
    @Override
    public void validateUpdate(ObjectNode object, ObjectNode old, FieldErrors errors) {
        validateCreate(object, errors);
        JsonNode role = Json.at(object, "roleRef");
        if (!Objects.equals(role, Json.at(old, "roleRef"))) {
            ObjectNode shown = Json.object()
                    .put("APIGroup", Json.textAt(role, "apiGroup"))
                    .put("Kind", Json.textAt(role, "kind"))
                    .put("Name", Json.textAt(role, "name"));
            errors.invalid(ROLE, shown, "cannot change roleRef");
        }
    }
}
