package lavaflow.access;

import java.nio.charset.StandardCharsets;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class BootstrapRolesTest {
    private static ObjectNode json(String text) {
        return Json.parseObject(text.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void everyBindingNamesARoleThatThereIs() {
        var all = BootstrapRoles.all();
        var roles = all.stream()
                .filter(object -> !object.has("roleRef"))
                .map(object -> Json.textAt(object, "kind") + Json.textAt(object, "metadata", "namespace") + "/"
                        + Json.textAt(object, "metadata", "name"))
                .toList();
        for (ObjectNode object : all) {
            if (object.has("roleRef")) {
                String kind = Json.textAt(object, "roleRef", "kind");
                String namespace = kind.equals("Role") ? Json.textAt(object, "metadata", "namespace") : "";
                assertThat(roles).contains(kind + namespace + "/" + Json.textAt(object, "roleRef", "name"));
            }
        }
    }

    @Test
    void missingRulesAreAddedAndOthersStay() {
        ObjectNode wanted = json(
                "{'kind':'ClusterRole','rules':[{'verbs':['get','list'],'apiGroups':[''],'resources':" + "['pods']}]}");
        ObjectNode present = json("{'kind':'ClusterRole','metadata':{},'rules':[{'verbs':['get'],'apiGroups':['','x'],"
                + "'resources':['pods']}]}");
        ObjectNode completed = BootstrapRoles.completed(wanted, present);
        assertThat(Rule.of(completed)).hasSize(2);
        assertThat(BootstrapRoles.completed(wanted, completed)).isNull();
    }

    @Test
    void whoDoesNotWantItIsLeftAlone() {
        ObjectNode wanted =
                json("{'kind':'ClusterRole','rules':[{'verbs':['get'],'apiGroups':[''],'resources':['a']}]}");
        ObjectNode present = json("{'kind':'ClusterRole','metadata':{'annotations':"
                + "{'rbac.authorization.kubernetes.io/autoupdate':'false'}}}");
        assertThat(BootstrapRoles.completed(wanted, present)).isNull();
    }

    @Test
    void missingSubjectsAreAdded() {
        ObjectNode wanted = json(
                "{'kind':'ClusterRoleBinding','roleRef':{'name':'r'},'subjects':[{'name':'a'},{'name':" + "'b'}]}");
        ObjectNode present =
                json("{'kind':'ClusterRoleBinding','metadata':{},'roleRef':{'name':'r'},'subjects':[{'name'"
                        + ":'b'},{'name':'c'}]}");
        ObjectNode completed = BootstrapRoles.completed(wanted, present);
        assertThat(Json.listAt(completed, "subjects")).hasSize(3);
        assertThat(BootstrapRoles.bindsAnother(wanted, present)).isFalse();
        assertThat(BootstrapRoles.bindsAnother(wanted, json("{'roleRef':{'name':'x'}}")))
                .isTrue();
    }
}
