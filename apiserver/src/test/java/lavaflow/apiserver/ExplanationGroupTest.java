package lavaflow.apiserver;

import java.nio.file.Path;
import java.util.Optional;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** The group that explains, with alice who may view one namespace and bob who may nothing. */
class ExplanationGroupTest {
    private static final String BASE = "/apis/explain.lavaflow.dev/v1";

    @TempDir
    private static Path directory;

    private static TestingServer server;

    @BeforeAll
    static void start() throws Exception {
        server = new TestingServer(directory);
        server.server().serveExplanations(new Explanations() {
            @Override
            public Optional<ObjectNode> ofGroup(String namespace, String name, boolean all) {
                return name.equals("none")
                        ? Optional.empty()
                        : Optional.of(Json.object()
                                .put("kind", "PodGroupExplanation")
                                .put("headline", namespace + "/" + name + (all ? " for all" : " for some")));
            }

            @Override
            public Optional<ObjectNode> ofQueue(String name) {
                return Optional.of(Json.object().put("kind", "QueueExplanation").put("headline", name));
            }
        });
        server.post("/apis/rbac.authorization.k8s.io/v1/clusterroles", """
                {"metadata":{"name":"asker"},
                 "rules":[{"apiGroups":["explain.lavaflow.dev"],"resources":["podgroups"],"verbs":["get"]}]}""");
        server.post("/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings", """
                {"metadata":{"name":"alice"},"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole",
                 "name":"asker"},"subjects":[{"apiGroup":"rbac.authorization.k8s.io","kind":"User","name":"alice"}]}""");
    }

    @AfterAll
    static void stop() throws Exception {
        server.close();
    }

    private static TestingServer.Reply as(String user, String path) throws Exception {
        return server.send(server.admin(), "GET", BASE + path, "", "Impersonate-User", user);
    }

    private static String headline(TestingServer.Reply reply) {
        return Json.textAt(reply.json(), "headline");
    }

    @Test
    void whoSeesEverythingIsToldEverything() throws Exception {
        assertThat(headline(server.get(BASE + "/namespaces/default/podgroups/g")))
                .isEqualTo("default/g for all");
        assertThat(headline(server.get(BASE + "/queues/q"))).isEqualTo("q");
    }

    @Test
    void whoSeesOneNamespaceIsNotToldAboutOthers() throws Exception {
        assertThat(headline(as("alice", "/namespaces/default/podgroups/g"))).isEqualTo("default/g for some");
        assertThat(as("alice", "/namespaces/kube-system/podgroups/g").code()).isEqualTo(403);
        assertThat(as("alice", "/queues/q").code()).isEqualTo(403);
        assertThat(as("bob", "/namespaces/default/podgroups/g").code()).isEqualTo(403);
    }

    @Test
    void onlySingleOnesCanBeRead() throws Exception {
        assertThat(server.get(BASE + "/namespaces/default/podgroups/none").code())
                .isEqualTo(404);
        assertThat(server.get(BASE + "/namespaces/default/podgroups").code()).isEqualTo(405);
        assertThat(server.get(BASE + "/podgroups/g").code()).isEqualTo(404);
        assertThat(server.delete(BASE + "/namespaces/default/podgroups/g").code())
                .isEqualTo(405);
    }

    @Test
    void discoveryAndSchemasNameIt() throws Exception {
        var resources = server.get(BASE).json().path("resources");
        assertThat(resources).hasSize(2);
        assertThat(server.get("/apis").body()).contains("explain.lavaflow.dev");
        assertThat(server.get("/openapi/v3/apis/explain.lavaflow.dev/v1").body())
                .contains("PodGroupExplanation", "headline");
        assertThat(Json.textAt(
                        server.get("/apis/apiregistration.k8s.io/v1/apiservices/v1.explain.lavaflow.dev")
                                .json(),
                        "spec",
                        "group"))
                .isEqualTo("explain.lavaflow.dev");
    }
}
