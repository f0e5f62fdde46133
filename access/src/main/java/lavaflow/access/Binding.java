package lavaflow.access;

import java.util.ArrayList;
import java.util.List;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * A RoleBinding or ClusterRoleBinding.
 *
 * @param namespace empty for a ClusterRoleBinding
 * @param cluster whether the role it gives is a ClusterRole
 */
record Binding(String namespace, String name, boolean cluster, String role, List<Subject> subjects) {
    /**
     * Who gets the role.
     *
     * @param group whether the name is that of a group; service accounts count as the users they are
     * @param shown as messages tell it
     */
    record Subject(boolean group, String name, String shown) {}

    static Binding of(ObjectNode object) {
        String namespace = Json.textAt(object, "metadata", "namespace");
        List<Subject> subjects = new ArrayList<>();
        for (JsonNode subject : Json.listAt(object, "subjects")) {
            subjects.add(subject(subject, namespace));
        }
        return new Binding(
                namespace,
                Json.textAt(object, "metadata", "name"),
                Json.textAt(object, "roleRef", "kind").equals("ClusterRole"),
                Json.textAt(object, "roleRef", "name"),
                List.copyOf(subjects));
    }

    private static Subject subject(JsonNode subject, String bindingNamespace) {
        String kind = Json.textAt(subject, "kind");
        String name = Json.textAt(subject, "name");
        if (!kind.equals("ServiceAccount")) {
            return new Subject(kind.equals("Group"), name, kind + " " + FieldErrors.quoted(name));
        }
        String given = Json.textAt(subject, "namespace");
        String namespace = given.isEmpty() ? bindingNamespace : given;
        return new Subject(
                false,
                ServiceAccounts.userName(namespace, name),
                kind + " " + FieldErrors.quoted(name + "/" + namespace));
    }

    /** As upstream tells why something is allowed. */
    String describe(Subject subject) {
        String kind = namespace.isEmpty() ? "ClusterRoleBinding" : "RoleBinding";
        String shown = namespace.isEmpty() ? name : name + "/" + namespace;
        return kind + " " + FieldErrors.quoted(shown) + " of " + (cluster ? "ClusterRole" : "Role") + " "
                + FieldErrors.quoted(role) + " to " + subject.shown();
    }

    String missingRole() {
        return (cluster ? "clusterrole" : "role") + ".rbac.authorization.k8s.io " + FieldErrors.quoted(role)
                + " not found";
    }
}
