package lavaflow.apiserver;

import java.net.http.HttpClient;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Attempts to be somebody else, or to be allowed more, and the refusals they meet. */
final class AccessAttackTest {
    private static final String ACCOUNTS = "/api/v1/namespaces/default/serviceaccounts";
    private static final String ROLES = "/apis/rbac.authorization.k8s.io/v1";

    @TempDir
    private static Path directory;

    private static TestingServer server;
    private static HttpClient stranger;

    @BeforeAll
    static void start() throws Exception {
        server = new TestingServer(directory);
        stranger = server.anonymous();
        server.post("/api/v1/namespaces", "{\"metadata\":{\"name\":\"mine\"}}");
        server.post("/api/v1/namespaces", "{\"metadata\":{\"name\":\"theirs\"}}");
        server.post(
                "/api/v1/namespaces/theirs/secrets",
                "{\"metadata\":{\"name\":\"s\"},\"stringData\":{\"k\":\"hidden\"}}");
        server.post("/api/v1/namespaces/mine/secrets", "{\"metadata\":{\"name\":\"s\"}}");
        server.post(
                ROLES + "/namespaces/mine/roles",
                "{\"metadata\":{\"name\":\"r\"},\"rules\":[{\"verbs\":[\"*\"],\"apiGroups\":[\"\"],\"resources\":"
                        + "[\"secrets\"]}]}");
        server.post(
                ROLES + "/namespaces/mine/rolebindings",
                "{\"metadata\":{\"name\":\"b\"},\"roleRef\":{\"kind\":\"Role\",\"name\":\"r\"},\"subjects\":[{\"kind\":"
                        + "\"User\",\"name\":\"eve\"}]}");
    }

    @AfterAll
    static void stop() throws Exception {
        server.close();
    }

    private static HttpClient certificate(String user, String... groups) throws Exception {
        return server.client(server.authority().issueClient(user, List.of(groups), Instant.now()));
    }

    @Test
    void withoutAnythingOneSeesHealthAndVersionOnly() throws Exception {
        for (String path : List.of("/healthz", "/livez", "/readyz", "/version")) {
            assertThat(server.send(stranger, "GET", path, "").code()).as(path).isEqualTo(200);
        }
        for (String path : List.of(
                "/",
                "/api",
                "/apis",
                "/metrics",
                "/openapi/v2",
                "/openid/v1/jwks",
                "/livez/ping",
                "/api/v1/namespaces",
                "/api/v1/namespaces/theirs/secrets/s",
                "/lavaflow/backup")) {
            assertThat(server.send(stranger, "GET", path, "").code()).as(path).isEqualTo(401);
        }
    }

    @Test
    void headersOfProxiesMeanNothing() throws Exception {
        HttpClient eve = certificate("eve");
        String[] headers = {
            "X-Remote-User",
            "admin",
            "X-Remote-Group",
            "system:masters",
            "X-Forwarded-User",
            "admin",
            "X-Original-URL",
            "/livez",
            "X-HTTP-Method-Override",
            "GET"
        };
        assertThat(server.send(stranger, "GET", "/api/v1/secrets", "", headers).code())
                .isEqualTo(401);
        assertThat(server.send(eve, "GET", "/api/v1/secrets", "", headers).code())
                .isEqualTo(403);
    }

    @Test
    void nobodyBecomesSomebodyElseWithoutLeave() throws Exception {
        HttpClient eve = certificate("eve");
        for (String[] headers : List.of(
                new String[] {"Impersonate-User", "admin"},
                new String[] {"impersonate-user", "admin", "Impersonate-Group", "system:masters"},
                new String[] {"Impersonate-User", "system:node:n1"},
                new String[] {"Impersonate-User", "system:serviceaccount:kube-system:default"},
                new String[] {"Impersonate-User", "eve", "Impersonate-Group", "system:masters"},
                new String[] {"Impersonate-User", "eve", "Impersonate-Extra-scopes", "all"})) {
            assertThat(server.send(eve, "GET", "/api/v1/secrets", "", headers).code())
                    .isEqualTo(403);
        }
        assertThat(server.send(eve, "GET", "/api/v1/secrets", "", "Impersonate-Group", "system:masters")
                        .code())
                .isEqualTo(400);
        assertThat(server.send(stranger, "GET", "/api/v1/secrets", "", "Impersonate-User", "admin")
                        .code())
                .isEqualTo(401);
        assertThat(server.send(stranger, "GET", "/livez", "", "Impersonate-User", "admin")
                        .code())
                .isEqualTo(403);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/api/v1/namespaces/mine/../theirs/secrets/s",
                "/api/v1/namespaces/mine/%2e%2e/theirs/secrets/s",
                "/api/v1/namespaces/mine%2f..%2ftheirs/secrets/s",
                "/api/v1/namespaces/mine/secrets/..%2f..%2ftheirs%2fsecrets%2fs",
                "//api/v1/namespaces/theirs/secrets/s",
                "/api/v1//namespaces/theirs/secrets/s",
                "/api/v1/namespaces//theirs/secrets/s",
                "/api/v1/namespaces/theirs/secrets/s/",
                "/api/v1/namespaces/theirs/secrets/s%00",
                "/api/v1/namespaces/theirs/secrets%2fs",
                "/api/v1/namespaces/mine/secrets%2f..%2f..%2ftheirs%2fsecrets%2fs",
                "/livez/../api/v1/namespaces/theirs/secrets/s",
                "/api/v1/namespaces/mine/secrets/s;/../../theirs/secrets/s",
                "/api/v1/watch/namespaces/theirs/secrets",
                "/api/v1/namespaces/theirs/secrets?watch=1",
                "/api/v1/secrets?fieldSelector=metadata.namespace=mine",
            })
    void pathsThatPretend(String path) throws Exception {
        var answer = server.send(certificate("eve"), "GET", path, "");
        assertThat(answer.code()).isIn(400, 403, 404);
        assertThat(answer.body()).doesNotContain("hidden");
    }

    @Test
    void whoMayWriteRolesMayNotGiveMoreThanTheyHave() throws Exception {
        server.post(
                ROLES + "/namespaces/mine/roles",
                "{\"metadata\":{\"name\":\"w\"},\"rules\":[{\"verbs\":[\"*\"],\"apiGroups\":"
                        + "[\"rbac.authorization.k8s.io\"],\"resources\":[\"roles\",\"rolebindings\"],"
                        + "\"resourceNames\":[]}]}");
        server.post(
                ROLES + "/namespaces/mine/rolebindings",
                "{\"metadata\":{\"name\":\"w\"},\"roleRef\":{\"kind\":\"Role\",\"name\":\"w\"},\"subjects\":[{\"kind\":"
                        + "\"User\",\"name\":\"mallory\"}]}");
        // A star among the verbs includes escalate and bind, so this one may: upstream agrees.
        HttpClient mallory = certificate("mallory");
        assertThat(create(mallory, "mine/roles", role("all")).code()).isEqualTo(201);
        assertThat(create(mallory, "theirs/roles", role("all")).code()).isEqualTo(403);
        HttpClient eve = certificate("eve");
        assertThat(create(eve, "mine/roles", role("all2")).code()).isEqualTo(403);
    }

    private static String role(String name) {
        return "{\"metadata\":{\"name\":\"" + name
                + "\"},\"rules\":[{\"verbs\":[\"*\"],\"apiGroups\":[\"*\"],\"resources\":[\"*\"]}]}";
    }

    private static TestingServer.Reply create(HttpClient client, String where, String body) throws Exception {
        return server.send(client, "POST", ROLES + "/namespaces/" + where, body, "Content-Type", "application/json");
    }

    @Test
    void aNodeSeesNoForeignSecretsAndMakesNoPods() throws Exception {
        HttpClient node = certificate("system:node:n1", "system:nodes");
        assertThat(server.send(node, "GET", "/api/v1/namespaces/theirs/secrets/s", "")
                        .code())
                .isEqualTo(403);
        assertThat(server.send(node, "GET", "/api/v1/secrets", "").code()).isEqualTo(403);
        String pods = "/api/v1/namespaces/default/pods";
        String pod = "{\"metadata\":{\"name\":\"q\"%s},\"spec\":{\"nodeName\":\"%s\",\"containers\":[{\"name\":\"c\","
                + "\"image\":\"i\"}]}}";
        String mirror = ",\"annotations\":{\"kubernetes.io/config.mirror\":\"x\"}";
        assertThat(server.send(node, "POST", pods, pod.formatted("", "n1"), "Content-Type", "application/json")
                        .message())
                .contains("node \"n1\" can only create mirror pods");
        assertThat(server.send(node, "POST", pods, pod.formatted(mirror, "n2"), "Content-Type", "application/json")
                        .message())
                .contains("node \"n1\" can only create pods with spec.nodeName set to itself");
        assertThat(server.send(
                                node,
                                "POST",
                                "/api/v1/nodes",
                                "{\"metadata\":{\"name\":\"n2\"}}",
                                "Content-Type",
                                "application/json")
                        .message())
                .contains("node \"n1\" is not allowed to modify node \"n2\"");
        assertThat(server.send(
                                node,
                                "POST",
                                "/api/v1/nodes",
                                "{\"metadata\":{\"name\":\"n1\",\"labels\":{\"node-restriction.kubernetes.io/x\":\"y\"}}}",
                                "Content-Type",
                                "application/json")
                        .message())
                .contains("is not allowed to set the following labels: node-restriction.kubernetes.io/x");
        assertThat(server.send(node, "POST", ACCOUNTS + "/default/token", "{}", "Content-Type", "application/json")
                        .code())
                .isEqualTo(403);
    }

    @Test
    void certificatesOfOthersAndForOtherPurposesAreRefused() throws Exception {
        var server2 = CertificateAuthority.create("testing", Instant.now());
        assertThat(server.send(
                                server.client(server2.issueClient("admin", List.of("system:masters"), Instant.now())),
                                "GET",
                                "/api",
                                "")
                        .code())
                .isEqualTo(401);
        Identity serving =
                server.authority().issueServer("admin", List.of("localhost"), List.of("127.0.0.1"), Instant.now());
        assertThat(server.send(server.client(serving), "GET", "/api", "").code())
                .isEqualTo(401);
        Identity old = server.authority()
                .issueClient("admin", List.of("system:masters"), Instant.now().minusSeconds(3_700L * 86_400));
        assertThat(server.send(server.client(old), "GET", "/api", "").code()).isEqualTo(401);
    }
}
