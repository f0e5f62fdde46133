package lavaflow.apiserver;

import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Signature;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

import lavaflow.access.AccountTokens;
import lavaflow.kube.Json;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;

/** Attempts to be somebody else, or to be allowed more, and the refusals they meet. */
class AccessAttackTest {
    private static final String ACCOUNTS = "/api/v1/namespaces/default/serviceaccounts";
    private static final String WHO = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
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

    /** How a bearer of a token is answered. */
    private static int code(String token) throws Exception {
        return server.send(
                        stranger,
                        "POST",
                        WHO,
                        "{}",
                        "Authorization",
                        "Bearer " + token,
                        "Content-Type",
                        "application/json")
                .code();
    }

    private static String token() throws Exception {
        return Json.textAt(server.post(ACCOUNTS + "/default/token", "{}").json(), "status", "token");
    }

    private static String part(String json) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(json.getBytes(StandardCharsets.UTF_8));
    }

    private static String claims(String token) {
        return new String(Base64.getUrlDecoder().decode(token.split("\\.", -1)[1]), StandardCharsets.UTF_8);
    }

    private static String header(String token) {
        return new String(Base64.getUrlDecoder().decode(token.split("\\.", -1)[0]), StandardCharsets.UTF_8);
    }

    private static AccountTokens.Content content(String namespace, String uid, long seconds, String audience) {
        return new AccountTokens.Content(
                namespace,
                new AccountTokens.Reference("default", uid),
                null,
                null,
                null,
                List.of(audience),
                seconds,
                null);
    }

    private static String uid() throws Exception {
        return Json.textAt(server.get(ACCOUNTS + "/default").json(), "metadata", "uid");
    }

    @Test
    void aGoodTokenIsGood() throws Exception {
        assertThat(code(token())).isEqualTo(201);
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
    void anExpiredTokenIsRefused() throws Exception {
        String expired = server.tokens().issue(content("default", uid(), -10, AccountTokens.ISSUER));
        assertThat(code(expired)).isEqualTo(401);
    }

    @Test
    void aTokenForOthersIsRefused() throws Exception {
        assertThat(code(server.tokens().issue(content("default", uid(), 600, "vault"))))
                .isEqualTo(401);
    }

    @Test
    void aTokenOfAnAccountOfAnotherUidIsRefused() throws Exception {
        assertThat(code(server.tokens().issue(content("default", "other", 600, AccountTokens.ISSUER))))
                .isEqualTo(401);
        assertThat(code(server.tokens().issue(content("theirs", uid(), 600, AccountTokens.ISSUER))))
                .isEqualTo(401);
    }

    @Test
    void aTokenOfADeletedAccountIsRefused() throws Exception {
        server.post(ACCOUNTS, "{\"metadata\":{\"name\":\"gone\"}}");
        String token = Json.textAt(server.post(ACCOUNTS + "/gone/token", "{}").json(), "status", "token");
        assertThat(code(token)).isEqualTo(201);
        server.delete(ACCOUNTS + "/gone");
        assertThat(code(token)).isEqualTo(401);
    }

    @Test
    void aTokenOfADeletedPodIsRefused() throws Exception {
        String pods = "/api/v1/namespaces/default/pods";
        server.post(
                pods, "{\"metadata\":{\"name\":\"p\"},\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]}}");
        String token = Json.textAt(
                server.post(
                                ACCOUNTS + "/default/token",
                                "{\"spec\":{\"boundObjectRef\":{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"name\":\"p\"}}}")
                        .json(),
                "status",
                "token");
        assertThat(code(token)).isEqualTo(201);
        server.delete(pods + "/p?gracePeriodSeconds=0");
        assertThat(code(token)).isEqualTo(401);
    }

    @Test
    void changedClaimsAreRefused() throws Exception {
        String token = token();
        String[] parts = token.split("\\.", -1);
        String other = claims(token).replace("default", "kube-system");
        assertThat(code(parts[0] + "." + part(other) + "." + parts[2])).isEqualTo(401);
        assertThat(code(parts[0] + "." + parts[1] + ".")).isEqualTo(401);
        assertThat(code(parts[0] + "." + parts[1] + "." + parts[2].substring(4)))
                .isEqualTo(401);
    }

    @ParameterizedTest
    @ValueSource(strings = {"none", "None", "NONE", "", "HS256", "RS384", "PS256", "ES256", "EdDSA"})
    void anotherAlgorithmIsRefused(String algorithm) throws Exception {
        String token = token();
        String[] parts = token.split("\\.", -1);
        String head = part(header(token).replace("RS256", algorithm));
        assertThat(code(head + "." + parts[1] + "." + parts[2])).isEqualTo(401);
        assertThat(code(head + "." + parts[1] + ".")).isEqualTo(401);
    }

    @Test
    void thePublicKeyIsNoSecret() throws Exception {
        String token = token();
        ObjectNode key =
                (ObjectNode) server.tokens().keys().keySet().path("keys").get(0);
        String head = part(header(token).replace("RS256", "HS256"));
        String signed = head + "." + token.split("\\.", -1)[1];
        for (byte[] secret : List.of(
                Base64.getUrlDecoder().decode(Json.textAt(key, "n")),
                Json.bytes(key),
                Json.textAt(key, "n").getBytes(StandardCharsets.US_ASCII))) {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(secret, "HmacSHA256"));
            byte[] signature = mac.doFinal(signed.getBytes(StandardCharsets.US_ASCII));
            assertThat(code(signed + "."
                            + Base64.getUrlEncoder().withoutPadding().encodeToString(signature)))
                    .isEqualTo(401);
        }
    }

    @Test
    void anotherKeyIsRefusedWhateverItCallsItself() throws Exception {
        String token = token();
        KeyPair pair = KeyPairGenerator.getInstance("RSA").generateKeyPair();
        for (String head : List.of(
                header(token),
                "{\"alg\":\"RS256\"}",
                "{\"alg\":\"RS256\",\"kid\":\"x\"}",
                "{\"alg\":\"RS256\",\"jwk\":{\"kty\":\"RSA\"}}",
                "{\"alg\":\"RS256\",\"crit\":[\"exp\"]}")) {
            String signed = part(head) + "." + token.split("\\.", -1)[1];
            Signature signature = Signature.getInstance("SHA256withRSA");
            signature.initSign(pair.getPrivate());
            signature.update(signed.getBytes(StandardCharsets.US_ASCII));
            assertThat(code(signed + "."
                            + Base64.getUrlEncoder().withoutPadding().encodeToString(signature.sign())))
                    .isEqualTo(401);
        }
    }

    @Test
    void anotherIssuerIsRefused() throws Exception {
        String token = token();
        String[] parts = token.split("\\.", -1);
        String other = claims(token).replace(AccountTokens.ISSUER, "https://evil.example.com");
        assertThat(code(parts[0] + "." + part(other) + "." + parts[2])).isEqualTo(401);
    }

    @Test
    void aBadTokenIsNotServedAsNobody() throws Exception {
        assertThat(server.send(stranger, "GET", "/livez", "", "Authorization", "Bearer x")
                        .code())
                .isEqualTo(401);
    }

    @Test
    void aSecondAuthorizationDoesNotCount() throws Exception {
        assertThat(server.send(
                                stranger,
                                "GET",
                                "/api",
                                "",
                                "Authorization",
                                "Bearer nonsense",
                                "Authorization",
                                "Bearer " + token())
                        .code())
                .isEqualTo(401);
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

    @Test
    void secretsDoNotGetIntoLogs() throws Exception {
        Logger root = (Logger) LoggerFactory.getLogger("lavaflow.requests");
        ListAppender<ILoggingEvent> log = new ListAppender<>();
        Level before = root.getLevel();
        log.start();
        root.addAppender(log);
        root.setLevel(Level.TRACE);
        try {
            String token = token();
            code(token);
            code(token.substring(0, token.length() - 8) + "AAAAAAAA");
            server.get("/api/v1/namespaces/theirs/secrets/s");
            assertThat(log.list).isNotEmpty();
            for (ILoggingEvent event : List.copyOf(log.list)) {
                assertThat(event.getFormattedMessage())
                        .doesNotContain(token.substring(20, 60))
                        .doesNotContain("hidden")
                        .doesNotContain(Base64.getEncoder().encodeToString("hidden".getBytes(StandardCharsets.UTF_8)));
            }
        } finally {
            root.setLevel(before);
            root.detachAppender(log);
        }
    }
}
