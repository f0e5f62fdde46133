package lavaflow.network;

import java.io.IOException;
import java.nio.file.Path;

import lavaflow.controller.KubeApi;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Who may speak to whom, tried with real connections. */
class PolicyRulesTest {
    private TestingRules rules;

    @BeforeEach
    void boot() throws IOException {
        rules = new TestingRules(null);
        pod("shop", "db");
        pod("shop", "web");
        pod("lab", "probe");
    }

    @AfterEach
    void shutDown() throws IOException {
        if (rules != null) {
            rules.close();
        }
    }

    private static ObjectNode object(String apiVersion, String kind, String namespace, String name) {
        ObjectNode object = Json.object().put("apiVersion", apiVersion).put("kind", kind);
        object.putObject("metadata").put("name", name).put("namespace", namespace);
        return object;
    }

    /** A pod that answers at two ports, the first of them called http. */
    private void pod(String namespace, String name) throws IOException {
        Path place = rules.pod(name);
        rules.machine.serve(place, name, "0.0.0.0", 80);
        rules.machine.serve(place, name, "0.0.0.0", 81);
        ObjectNode pod = object("v1", "Pod", namespace, name);
        Json.ensureObject(pod, "metadata", "labels").put("app", name);
        pod.putObject("spec")
                .putArray("containers")
                .addObject()
                .put("name", "c")
                .putArray("ports")
                .addObject()
                .put("name", "http")
                .put("containerPort", 80);
        pod.putObject("status").put("podIP", rules.address(name)).put("phase", "Running");
        rules.api.create(PolicyRules.PODS, namespace, pod);
    }

    private void policy(String name, String spec) {
        ObjectNode policy = object("networking.k8s.io/v1", "NetworkPolicy", "shop", name);
        policy.set("spec", Json.parse(spec));
        rules.api.create(PolicyRules.POLICIES, "shop", policy);
        rules.settle();
    }

    private boolean reaches(String from, String to, int port) throws IOException {
        return TestingMachine.call(rules.place(from), rules.address(to), port).startsWith(to + " ");
    }

    private boolean isKeptFrom(String from, String to, int port) throws IOException {
        return !TestingMachine.callInVain(rules.place(from), rules.address(to), port)
                .startsWith(to + " ");
    }

    @Test
    void whoIsSelectedIsReachedByNobodyUntilSomePolicyAllowsIt() throws IOException {
        policy("none", "{\"podSelector\":{\"matchLabels\":{\"app\":\"db\"}},\"policyTypes\":[\"Ingress\"]}");
        assertThat(isKeptFrom("web", "db", 80)).isTrue();
        assertThat(isKeptFrom("probe", "db", 80)).isTrue();
        assertThat(reaches("db", "web", 80)).isTrue();
        assertThat(reaches("probe", "web", 80)).isTrue();
        assertThat(TestingMachine.call(rules.machine.inside(), rules.address("db"), 80))
                .startsWith("db ");

        policy(
                "web",
                "{\"podSelector\":{\"matchLabels\":{\"app\":\"db\"}},\"policyTypes\":[\"Ingress\"],\"ingress\":[{\"from\":["
                        + "{\"podSelector\":{\"matchLabels\":{\"app\":\"web\"}}}],\"ports\":[{\"port\":\"http\"}]}]}");
        assertThat(reaches("web", "db", 80)).isTrue();
        assertThat(isKeptFrom("web", "db", 81)).isTrue();
        assertThat(isKeptFrom("probe", "db", 80)).isTrue();

        rules.api.delete(PolicyRules.POLICIES, "shop", "none", KubeApi.Deletion.PLAIN);
        rules.api.delete(PolicyRules.POLICIES, "shop", "web", KubeApi.Deletion.PLAIN);
        rules.settle();
        assertThat(reaches("probe", "db", 81)).isTrue();
    }

    @Test
    void namespacesAreSelectedByTheirLabels() throws IOException {
        policy(
                "blue",
                "{\"podSelector\":{},\"policyTypes\":[\"Ingress\"],\"ingress\":[{\"from\":[{\"namespaceSelector\":"
                        + "{\"matchLabels\":{\"team\":\"blue\"}}}],\"ports\":[{\"port\":79,\"endPort\":80}]}]}");
        assertThat(reaches("probe", "db", 80)).isTrue();
        assertThat(isKeptFrom("probe", "db", 81)).isTrue();
        assertThat(isKeptFrom("web", "db", 80)).isTrue();
        pod("lab", "late");
        rules.settle();
        assertThat(reaches("late", "web", 80)).isTrue();
    }

    @Test
    void whereAPodMaySpeakToIsLimitedToo() throws IOException {
        rules.machine.serve(rules.machine.outside(), "world", "0.0.0.0", 80);
        policy(
                "out",
                "{\"podSelector\":{\"matchLabels\":{\"app\":\"web\"}},\"policyTypes\":[\"Egress\"],\"egress\":[{\"to\":["
                        + "{\"ipBlock\":{\"cidr\":\"" + TestingMachine.OUTSIDE + "/32\"}}]}]}");
        assertThat(isKeptFrom("web", "db", 80)).isTrue();
        assertThat(reaches("db", "web", 80)).isTrue();
        assertThat(TestingMachine.call(rules.place("web"), TestingMachine.OUTSIDE, 80))
                .startsWith("world ");
    }

    @Test
    void exceptionsFromABlockAreNotInIt() throws IOException {
        policy(
                "block",
                "{\"podSelector\":{\"matchLabels\":{\"app\":\"db\"}},\"policyTypes\":[\"Ingress\"],\"ingress\":[{\"from\":["
                        + "{\"ipBlock\":{\"cidr\":\"0.0.0.0/0\",\"except\":[\"" + rules.address("web")
                        + "/32\"]}}]}]}");
        assertThat(reaches("probe", "db", 80)).isTrue();
        assertThat(isKeptFrom("web", "db", 80)).isTrue();
    }
}
