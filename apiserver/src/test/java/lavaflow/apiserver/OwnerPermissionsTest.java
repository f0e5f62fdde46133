package lavaflow.apiserver;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Who may name owners, with {@code OwnerReferencesPermissionEnforcement} on. Alice may write config maps and deployments, delete secrets and
 * change their finalizers. The answers are those of kube-apiserver 1.36.3 with the plugin.
 */
class OwnerPermissionsTest {
    private static final String MAPS = "/api/v1/namespaces/default/configmaps";
    private static final String SECRETS = "/api/v1/namespaces/default/secrets";
    private static final String DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments";
    private static final String NO_FINALIZERS =
            "cannot set blockOwnerDeletion if an ownerReference refers to a resource"
                    + " you can't set finalizers on: , <nil>";
    private static final String NO_DELETION = "cannot set an ownerRef on a resource you can't delete: , <nil>";

    @TempDir
    private static Path directory;

    private static TestingServer server;

    @BeforeAll
    static void start() throws Exception {
        server = new TestingServer(
                directory,
                settings -> settings.withAdmission(AdmissionSwitches.of(List.of(AdmissionSwitches.OWNERS), List.of())));
        server.post("/apis/rbac.authorization.k8s.io/v1/clusterroles", """
                {"metadata":{"name":"writer"},"rules":[
                {"apiGroups":[""],"resources":["configmaps"],"verbs":["get","create","update","patch"]},
                {"apiGroups":["apps"],"resources":["deployments","deployments/scale","deployments/status"],
                "verbs":["get","create","update","patch"]},
                {"apiGroups":[""],"resources":["secrets"],"verbs":["get","create","update","patch","delete"]},
                {"apiGroups":[""],"resources":["secrets/finalizers"],"verbs":["update"]}]}
                """);
        server.post("/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", """
                {"metadata":{"name":"writer"},"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole",
                "name":"writer"},"subjects":[{"kind":"User","name":"alice","apiGroup":"rbac.authorization.k8s.io"}]}
                """);
        await().atMost(Duration.ofMinutes(1))
                .until(() -> alice("GET", MAPS + "/none", "").code() == 404);
    }

    @AfterAll
    static void stop() throws Exception {
        server.close();
    }

    private static TestingServer.Reply alice(String method, String path, String body) throws Exception {
        String type = method.equals("PATCH") ? "application/merge-patch+json" : "application/json";
        return server.send(server.admin(), method, path, body, "Impersonate-User", "alice", "Content-Type", type);
    }

    private static String owner(String apiVersion, String kind, boolean blocks) {
        return "{\"apiVersion\":\"" + apiVersion + "\",\"kind\":\"" + kind + "\",\"name\":\"o\",\"uid\":\"u1\""
                + (blocks ? ",\"blockOwnerDeletion\":true}" : "}");
    }

    private static String object(String name, String... owners) {
        return "{\"metadata\":{\"name\":\"" + name + "\",\"ownerReferences\":[" + String.join(",", owners) + "]}}";
    }

    private static String outcome(TestingServer.Reply reply) {
        return reply.code() < 300 ? String.valueOf(reply.code()) : reply.code() + " " + reply.message();
    }

    @Test
    void whoCreatesAnObjectMayNameItsOwner() throws Exception {
        assertThat(outcome(alice("POST", MAPS, object("a", owner("v1", "ConfigMap", false)))))
                .isEqualTo("201");
    }

    @Test
    void blockingADeletionNeedsTheRightToTheOwnersFinalizers() throws Exception {
        assertThat(outcome(alice("POST", MAPS, object("b", owner("v1", "ConfigMap", true)))))
                .isEqualTo("403 configmaps \"b\" is forbidden: " + NO_FINALIZERS);
        assertThat(outcome(alice("POST", MAPS, object("b", owner("v1", "Node", true)))))
                .isEqualTo("403 configmaps \"b\" is forbidden: " + NO_FINALIZERS);
        assertThat(outcome(alice("POST", MAPS, object("c", owner("v1", "Secret", true)))))
                .isEqualTo("201");
        assertThat(outcome(server.post(MAPS, object("by-admin", owner("v1", "ConfigMap", true)))))
                .isEqualTo("201");
    }

    @Test
    void anOwnerOfNoKnownKindCannotBeBlocked() throws Exception {
        for (List<String> kind : List.of(
                List.of("foo.example.com/v1", "Foo"), List.of("v2", "Secret"), List.of("apps/v9", "Deployment"))) {
            assertThat(outcome(alice("POST", MAPS, object("d", owner(kind.get(0), kind.get(1), true)))))
                    .isEqualTo(
                            "403 configmaps \"d\" is forbidden: cannot set blockOwnerDeletion in this case because cannot"
                                    + " find RESTMapping for APIVersion " + kind.get(0) + " Kind " + kind.get(1)
                                    + ": no matches for kind \"" + kind.get(1) + "\" in version \"" + kind.get(0)
                                    + "\"");
        }
    }

    @Test
    void changingOwnersNeedsTheRightToDelete() throws Exception {
        alice("POST", MAPS, object("e"));
        assertThat(outcome(alice("PUT", MAPS + "/e", object("e", owner("v1", "ConfigMap", false)))))
                .isEqualTo("403 configmaps \"e\" is forbidden: " + NO_DELETION);
        alice("POST", MAPS, object("f", owner("v1", "ConfigMap", false)));
        assertThat(outcome(alice("PUT", MAPS + "/f", object("f"))))
                .isEqualTo("403 configmaps \"f\" is forbidden: " + NO_DELETION);
        assertThat(outcome(alice("PATCH", MAPS + "/f", "{\"data\":{\"k\":\"v\"}}")))
                .isEqualTo("200");
    }

    @Test
    void onlyABlockThatIsNewNeedsTheRightToFinalizers() throws Exception {
        alice("POST", SECRETS, object("s", owner("v1", "ConfigMap", false)));
        assertThat(outcome(alice("PUT", SECRETS + "/s", object("s", owner("v1", "ConfigMap", true)))))
                .isEqualTo("403 secrets \"s\" is forbidden: " + NO_FINALIZERS);
        assertThat(outcome(alice("PUT", SECRETS + "/s", object("s", owner("v1", "Secret", true)))))
                .isEqualTo("200");
        // The same owner by its uid, which was blocked before.
        assertThat(outcome(alice("PUT", SECRETS + "/s", object("s", owner("v1", "ConfigMap", true)))))
                .isEqualTo("200");
        assertThat(outcome(alice("PUT", SECRETS + "/s", object("s", owner("v1", "Secret", false)))))
                .isEqualTo("200");
    }

    @Test
    void aScaleHasNoOwnersAndAStatusDoes() throws Exception {
        alice("POST", DEPLOYMENTS, """
                {"metadata":{"name":"dep"},"spec":{"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":
                {"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}}}}
                """);
        String owned = object("dep", owner("v1", "ConfigMap", true));
        assertThat(outcome(alice("PUT", DEPLOYMENTS + "/dep/scale", """
                {"metadata":{"name":"dep","namespace":"default","ownerReferences":[{"apiVersion":"v1","kind":"ConfigMap",
                "name":"o","uid":"u1","blockOwnerDeletion":true}]},"spec":{"replicas":2}}
                """))).isEqualTo("200");
        assertThat(outcome(alice("PATCH", DEPLOYMENTS + "/dep/status", owned)))
                .isEqualTo("403 deployments.apps \"dep\" is forbidden: " + NO_DELETION);
        assertThat(outcome(alice("PATCH", DEPLOYMENTS + "/dep", owned)))
                .isEqualTo("403 deployments.apps \"dep\" is forbidden: " + NO_DELETION);
        assertThat(outcome(server.patch(DEPLOYMENTS + "/dep", "application/merge-patch+json", owned)))
                .isEqualTo("200");
        assertThat(outcome(alice("PATCH", DEPLOYMENTS + "/dep/scale", "{\"spec\":{\"replicas\":3}}")))
                .isEqualTo("200");
    }

    @Test
    void applyingIsNoWayAround() throws Exception {
        TestingServer.Reply reply = server.send(
                server.admin(),
                "PATCH",
                MAPS + "/applied?fieldManager=x",
                "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\","
                        + object("applied", owner("v1", "ConfigMap", true)).substring(1),
                "Impersonate-User",
                "alice",
                "Content-Type",
                "application/apply-patch+yaml");

        assertThat(outcome(reply)).isEqualTo("403 configmaps \"applied\" is forbidden: " + NO_FINALIZERS);
    }

    @Test
    void theRightToAllFinalizersIsEnough() throws Exception {
        server.post("/apis/rbac.authorization.k8s.io/v1/clusterroles", """
                {"metadata":{"name":"finalizers"},"rules":[{"apiGroups":["*"],"resources":["*/finalizers"],"verbs":["update"]},
                {"apiGroups":[""],"resources":["configmaps"],"verbs":["create"]}]}
                """);
        server.post("/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", """
                {"metadata":{"name":"finalizers"},"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole",
                "name":"finalizers"},"subjects":[{"kind":"User","name":"bob","apiGroup":"rbac.authorization.k8s.io"}]}
                """);

        await().atMost(Duration.ofMinutes(1))
                .untilAsserted(() -> assertThat(server.send(
                                        server.admin(),
                                        "POST",
                                        MAPS,
                                        object("of-bob", owner("nobody.example.com/v1", "Unknown", true)),
                                        "Impersonate-User",
                                        "bob",
                                        "Content-Type",
                                        "application/json")
                                .code())
                        .isEqualTo(201));
    }
}
