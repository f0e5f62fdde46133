package lavaflow.apiserver;

import java.util.List;

import lavaflow.access.User;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** A role that becomes part of view, edit and admin. */
record AggregatedRole(String name, String group, List<String> resources, List<String> verbs) {
    private static final User SERVER = new User("system:kube-apiserver", List.of(User.MASTERS));
    private static final LocalApi.Path ROLES = new LocalApi.Path("rbac.authorization.k8s.io", "v1", "clusterroles");

    /** Makes it unless it is there: somebody may have changed it. */
    void publish(LocalApi api) {
        if (api.find(SERVER, ROLES, "", name).isPresent()) {
            return;
        }
        ObjectNode role = Json.object();
        ObjectNode labels = role.putObject("metadata").put("name", name).putObject("labels");
        for (String to : List.of("admin", "edit", "view")) {
            labels.put("rbac.authorization.k8s.io/aggregate-to-" + to, "true");
        }
        ObjectNode rule = role.putArray("rules").addObject();
        rule.putArray("apiGroups").add(group);
        ArrayNode what = rule.putArray("resources");
        resources.forEach(what::add);
        ArrayNode how = rule.putArray("verbs");
        verbs.forEach(how::add);
        try {
            api.create(SERVER, ROLES, "", role);
        } catch (ApiException e) {
            if (e.code() != 409) {
                throw e;
            }
        }
    }
}
