package lavaflow.fairness;

import java.util.ArrayList;
import java.util.List;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class FlowSchemaTest {
    static List<ObjectNode> objects(List<SuggestedConfiguration.Suggested> suggested) {
        List<ObjectNode> objects = new ArrayList<>();
        for (SuggestedConfiguration.Suggested each : suggested) {
            ObjectNode object = Json.object();
            object.putObject("metadata").put("name", each.name()).put("uid", "uid-of-" + each.name());
            object.set("spec", each.spec());
            objects.add(object);
        }
        return objects;
    }

    static FlowControl suggested() {
        SuggestedConfiguration suggested = SuggestedConfiguration.load();
        FlowControl control = new FlowControl(FlowControl.DEFAULT_SEATS);
        control.configure(objects(suggested.schemas()), objects(suggested.levels()));
        return control;
    }

    static FlowRequest request(String user, String group, String verb, String resource, String namespace) {
        String[] parts = resource.split("\\.", 2);
        return new FlowRequest(
                user,
                List.of(group, "system:authenticated"),
                true,
                verb,
                parts.length > 1 ? parts[1] : "",
                parts[0],
                "",
                namespace,
                "",
                1);
    }

    private static FlowRequest path(String path) {
        return new FlowRequest(
                "system:anonymous", List.of("system:unauthenticated"), false, "get", "", "", "", "", path, 1);
    }

    @ParameterizedTest
    @CsvSource({
        "lava-admin, system:masters, get, pods, default, exempt/exempt",
        "jane, dev, get, pods, default, global-default/global-default",
        "system:node:a, system:nodes, update, nodes, '', system-node-high/node-high",
        "system:node:a, system:nodes, update, leases.coordination.k8s.io, kube-node-lease, system-node-high/node-high",
        "system:node:a, system:nodes, get, pods, default, system-nodes/system",
        "system:kube-scheduler, x, get, pods, default, kube-scheduler/workload-high",
        "system:kube-scheduler, x, update, leases.coordination.k8s.io, kube-system, system-leader-election/leader-election",
        "system:serviceaccount:kube-system:gc, system:serviceaccounts, list, pods, '', kube-system-service-accounts/workload-high",
        "system:serviceaccount:default:default, system:serviceaccounts, list, pods, '', service-accounts/workload-low",
    })
    void theSuggestedSchemasTellClientsApart(
            String user, String group, String verb, String resource, String namespace, String expected) {
        assertThat(suggested().classification(request(user, group, verb, resource, namespace)))
                .isEqualTo(expected);
    }

    @Test
    void probesAreExempt() {
        FlowControl control = suggested();

        assertThat(control.classification(path("/healthz"))).isEqualTo("probes/exempt");
        assertThat(control.classification(path("/healthz/ping"))).isEqualTo("global-default/global-default");
    }

    @Test
    void seatsAreSharedAsUpstreamShares() {
        FlowControl control = suggested();

        // The figures of apiserver_flowcontrol_nominal_limit_seats on a real server.
        assertThat(List.of(
                        control.nominalSeats("catch-all"),
                        control.nominalSeats("global-default"),
                        control.nominalSeats("leader-election"),
                        control.nominalSeats("node-high"),
                        control.nominalSeats("system"),
                        control.nominalSeats("workload-high"),
                        control.nominalSeats("workload-low")))
                .containsExactly(13, 49, 25, 98, 74, 98, 245);
    }

    @Test
    void lowerPrecedenceGoesFirstThenTheName() {
        ObjectNode level = Json.object();
        level.putObject("metadata").put("name", "own");
        level.putObject("spec").put("type", "Limited");
        FlowControl control = new FlowControl(10);
        control.configure(
                List.of(schema("b", 5, "own", "jane"), schema("a", 5, "own", "jane"), schema("c", 9, "own", "jane")),
                List.of(level));

        assertThat(control.classification(request("jane", "dev", "get", "pods", "x")))
                .isEqualTo("a/own");
    }

    @Test
    void aSchemaWithoutItsLevelCountsForNothing() {
        FlowControl control = new FlowControl(10);
        control.configure(List.of(schema("a", 5, "missing", "jane")), List.of());

        assertThat(control.classification(request("jane", "dev", "get", "pods", "x")))
                .isEqualTo("catch-all/catch-all");
    }

    static ObjectNode schema(String name, int precedence, String level, String user) {
        ObjectNode schema = Json.object();
        schema.putObject("metadata").put("name", name).put("uid", "uid-of-" + name);
        ObjectNode spec = schema.putObject("spec");
        spec.put("matchingPrecedence", precedence);
        spec.putObject("priorityLevelConfiguration").put("name", level);
        spec.putObject("distinguisherMethod").put("type", "ByUser");
        spec.set(
                "rules",
                Json.parse(("[{'subjects':[{'kind':'User','user':{'name':'" + user
                                + "'}}],'resourceRules':[{'verbs':['*'],"
                                + "'apiGroups':['*'],'resources':['*'],'clusterScope':true,'namespaces':['*']}]}]")
                        .replace('\'', '"')));
        return schema;
    }
}
