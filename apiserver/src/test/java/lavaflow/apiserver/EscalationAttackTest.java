package lavaflow.apiserver;

import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;

import lavaflow.access.AccountTokenReader;
import lavaflow.access.AccountTokens;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Attempts to get more rights through objects that act for others, or to wear the server down by what they hold. */
class EscalationAttackTest {
    private static final String ROLES = "/apis/rbac.authorization.k8s.io/v1";
    private static final String WEBHOOKS = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";
    private static final String DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

    @TempDir
    private static Path directory;

    private static TestingServer server;

    @BeforeAll
    static void start() throws Exception {
        server = new TestingServer(directory);
        // Eve writes roles and bindings, without escalate and bind.
        server.post(
                ROLES + "/clusterroles",
                "{'metadata':{'name':'author'},'rules':[{'verbs':['get','create','update','patch'],'apiGroups':['rbac.authorization.k8s.io'],'resources':['clusterroles','clusterrolebindings']}]}"
                        .replace('\'', '"'));
        server.post(
                ROLES + "/clusterrolebindings",
                "{'metadata':{'name':'author'},'roleRef':{'kind':'ClusterRole','name':'author'},'subjects':[{'kind':'User','name':'eve'}]}"
                        .replace('\'', '"'));
    }

    @AfterAll
    static void stop() throws Exception {
        server.close();
    }

    private static HttpClient user(String name, String... groups) throws Exception {
        return server.client(server.authority().issueClient(name, List.of(groups), Instant.now()));
    }

    private static TestingServer.Reply post(HttpClient client, String path, String body) throws Exception {
        return server.send(client, "POST", path, body.replace('\'', '"'), "Content-Type", "application/json");
    }

    @Test
    void aPartOfAnAggregatedRoleNeedsTheRightsItAdds() throws Exception {
        TestingServer.Reply answer = post(
                user("eve"),
                ROLES + "/clusterroles",
                "{'metadata':{'name':'part','labels':{'rbac.authorization.k8s.io/aggregate-to-admin':'true'}},'rules':[{'verbs':['get'],'apiGroups':[''],'resources':['secrets']}]}");
        assertThat(answer.code()).isEqualTo(403);
        assertThat(answer.message()).contains("attempting to grant RBAC permissions not currently held");
    }

    @Test
    void aggregatingNeedsAllRights() throws Exception {
        TestingServer.Reply answer = post(
                user("eve"),
                ROLES + "/clusterroles",
                "{'metadata':{'name':'whole'},'aggregationRule':{'clusterRoleSelectors':[{'matchLabels':{'kubernetes.io/bootstrapping':'rbac-defaults'}}]}}");
        assertThat(answer.code()).isEqualTo(403);
        assertThat(answer.message()).contains("must have cluster-admin privileges to use the aggregationRule");
    }

    @Test
    void labellingAForeignRoleGivesNothingToItsAuthor() throws Exception {
        server.post(
                ROLES + "/clusterroles",
                "{\"metadata\":{\"name\":\"reader\"},\"rules\":[{\"verbs\":[\"get\"],\"apiGroups\":[\"\"],\"resources\":[\"secrets\"]}]}");
        TestingServer.Reply answer = server.send(
                user("eve"),
                "PATCH",
                ROLES + "/clusterroles/author",
                "{\"rules\":[{\"verbs\":[\"*\"],\"apiGroups\":[\"*\"],\"resources\":[\"*\"]}]}",
                "Content-Type",
                "application/merge-patch+json");
        assertThat(answer.code()).isEqualTo(403);
        assertThat(post(
                                user("eve"),
                                ROLES + "/clusterrolebindings",
                                "{'metadata':{'name':'mine'},'roleRef':{'kind':'ClusterRole','name':'reader'},'subjects':[{'kind':'User','name':'eve'}]}")
                        .code())
                .isEqualTo(403);
        assertThat(server.send(user("eve"), "GET", "/api/v1/secrets", "").code())
                .isEqualTo(403);
    }

    @Test
    void webhooksAreForAdministrators() throws Exception {
        assertThat(post(user("eve"), WEBHOOKS, "{'metadata':{'name':'w'}}").code())
                .isEqualTo(403);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://127.0.0.1/",
                "https://user:pw@127.0.0.1/",
                "https://127.0.0.1/?token=x",
                "https://127.0.0.1/#x",
                "file:///etc/passwd",
                "https:///x"
            })
    void webhooksLiveAtPlainAddresses(String url) throws Exception {
        TestingServer.Reply answer = server.post(
                WEBHOOKS,
                "{\"metadata\":{\"name\":\"w\"},\"webhooks\":[{\"name\":\"a.b.c\",\"sideEffects\":\"None\",\"admissionReviewVersions\":[\"v1\"],"
                        + "\"clientConfig\":{\"url\":\"" + url + "\"}}]}");
        assertThat(answer.code()).isEqualTo(422);
        assertThat(answer.message()).contains("webhooks[0].clientConfig.url");
    }

    @Test
    void aServerOfOthersIsForAdministratorsAndNeverTheServersOwnGroups() throws Exception {
        String services = "/apis/apiregistration.k8s.io/v1/apiservices";
        String body =
                "{'metadata':{'name':'v1.apps'},'spec':{'group':'apps','version':'v1','groupPriorityMinimum':1,'versionPriority':1,'service':{'name':'s','namespace':'default'},'insecureSkipTLSVerify':true}}";
        assertThat(post(user("eve"), services, body).code()).isEqualTo(403);
        assertThat(server.post(services, body.replace('\'', '"')).code()).isEqualTo(409);
    }

    @Test
    void anOwnerInAnotherNamespaceHoldsNothingUp() throws Exception {
        server.post("/api/v1/namespaces", "{\"metadata\":{\"name\":\"theirs\"}}");
        String uid = Json.textAt(
                server.post("/api/v1/namespaces/theirs/configmaps", "{\"metadata\":{\"name\":\"owner\"}}")
                        .json(),
                "metadata",
                "uid");
        server.post(
                "/api/v1/namespaces/default/configmaps",
                "{\"metadata\":{\"name\":\"dependent\",\"ownerReferences\":[{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"name\":\"owner\",\"uid\":\""
                        + uid + "\",\"blockOwnerDeletion\":true}]}}");
        assertThat(server.delete("/api/v1/namespaces/theirs/configmaps/owner").code())
                .isEqualTo(200);
        assertThat(server.get("/api/v1/namespaces/theirs/configmaps/owner").code())
                .isEqualTo(404);
    }

    private static String podOn(String node, String name, String audience) throws Exception {
        ObjectNode pod = server.post(
                        "/api/v1/namespaces/default/pods",
                        "{\"metadata\":{\"name\":\"" + name + "\"},\"spec\":{\"nodeName\":\"" + node
                                + "\",\"automountServiceAccountToken\":false,\"containers\":[{\"name\":\"c\",\"image\":\"i\"}],\"volumes\":[{\"name\":\"v\","
                                + "\"projected\":{\"sources\":[{\"serviceAccountToken\":{\"path\":\"p\",\"audience\":\""
                                + audience
                                + "\"}}]}}]}}")
                .json();
        return Json.textAt(pod, "metadata", "uid");
    }

    private static TestingServer.Reply nodeToken(String node, String pod, String uid, String audiences)
            throws Exception {
        return post(
                user("system:node:" + node, "system:nodes"),
                "/api/v1/namespaces/default/serviceaccounts/default/token",
                "{'spec':{'audiences':" + audiences + ",'boundObjectRef':{'apiVersion':'v1','kind':'Pod','name':'" + pod
                        + "','uid':'" + uid + "'}}}");
    }

    @Test
    void aNodeGetsTokensOnlyForWhomItsPodsVolumesAre() throws Exception {
        server.post("/api/v1/nodes", "{\"metadata\":{\"name\":\"n1\"}}");
        server.post("/api/v1/nodes", "{\"metadata\":{\"name\":\"n2\"}}");
        String uid = podOn("n1", "p", "vault");
        String other = podOn("n2", "q", "vault");
        assertThat(nodeToken("n1", "p", uid, "['vault']").code()).isEqualTo(201);
        assertThat(nodeToken("n1", "p", uid, "['bank']").message())
                .isEqualTo("serviceaccounts \"default\" is forbidden: audience \"bank\" not found in pod spec volume,"
                        + " system:node:n1 is not authorized to request tokens for this audience");
        assertThat(nodeToken("n1", "p", uid, "[]").message()).contains("audience \"\" not found in pod spec volume");
        assertThat(nodeToken("n1", "p", uid, "['vault','bank']").message())
                .contains("node may only request 0 or 1 audiences");
        assertThat(nodeToken("n1", "q", other, "['vault']").message())
                .contains("node requested token bound to a pod scheduled on a different node");
        server.post(
                ROLES + "/clusterroles",
                "{\"metadata\":{\"name\":\"bank\"},\"rules\":[{\"verbs\":[\"request-serviceaccounts-token-audience\"],\"apiGroups\":[\"\"],\"resources\":[\"bank\"]}]}");
        server.post(
                ROLES + "/clusterrolebindings",
                "{\"metadata\":{\"name\":\"bank\"},\"roleRef\":{\"kind\":\"ClusterRole\",\"name\":\"bank\"},\"subjects\":[{\"kind\":\"Group\",\"name\":\"system:nodes\"}]}");
        assertThat(nodeToken("n1", "p", uid, "['bank']").code()).isEqualTo(201);
    }

    @Test
    void theUseOfATokenInASecretLeavesATrace() throws Exception {
        String account = Json.textAt(
                server.get("/api/v1/namespaces/default/serviceaccounts/default").json(), "metadata", "uid");
        server.post(
                "/api/v1/namespaces/default/secrets",
                "{\"metadata\":{\"name\":\"old\",\"annotations\":{\"kubernetes.io/service-account.name\":\"default\"}},\"type\":\"kubernetes.io/service-account-token\"}");
        String uid =
                Json.textAt(server.get("/api/v1/namespaces/default/secrets/old").json(), "metadata", "uid");
        assertThat(uid).isNotEmpty();
        String token = server.tokens().issueLegacy("default", new AccountTokens.Reference("default", account), "old");
        server.patch(
                "/api/v1/namespaces/default/secrets/old",
                "application/merge-patch+json",
                "{\"data\":{\"token\":\""
                        + Base64.getEncoder().encodeToString(token.getBytes(StandardCharsets.US_ASCII)) + "\"}}");
        TestingServer.Reply answer = server.send(
                server.anonymous(),
                "POST",
                "/apis/authentication.k8s.io/v1/selfsubjectreviews",
                "{}",
                "Authorization",
                "Bearer " + token,
                "Content-Type",
                "application/json");
        assertThat(answer.code()).isEqualTo(201);
        await().atMost(Duration.ofMinutes(1))
                .untilAsserted(() -> assertThat(Json.textAt(
                                server.get("/api/v1/namespaces/default/secrets/old")
                                        .json(),
                                "metadata",
                                "labels",
                                AccountTokenReader.LAST_USED))
                        .matches("\\d{4}-\\d\\d-\\d\\d"));
    }

    private static String definition(String schema) {
        return "{\"metadata\":{\"name\":\"bombs.attack.example.com\"},\"spec\":{\"group\":\"attack.example.com\",\"scope\":\"Cluster\",\"names\":{\"plural\":\"bombs\",\"kind\":\"Bomb\"},"
                + "\"versions\":[{\"name\":\"v1\",\"served\":true,\"storage\":true,\"schema\":{\"openAPIV3Schema\":"
                + schema
                + "}}]}}";
    }

    @Test
    void aRuleThatCouldRunForEverIsNoRule() throws Exception {
        TestingServer.Reply answer = server.post(
                DEFINITIONS,
                definition(
                        "{\"type\":\"object\",\"properties\":{\"l\":{\"type\":\"array\",\"items\":{\"type\":\"string\"},\"x-kubernetes-validations\":[{\"rule\":"
                                + "\"self.all(a, self.all(b, self.all(c, self.all(d, a + b + c + d != 'x'))))\"}]}}}"));
        assertThat(answer.code()).isEqualTo(422);
        assertThat(answer.message()).contains("estimated rule cost exceeds budget");
    }

    @Test
    void aPatternThatGrowsWithoutEndIsNoPattern() throws Exception {
        TestingServer.Reply answer = server.post(
                DEFINITIONS,
                definition(
                        "{\"type\":\"object\",\"properties\":{\"s\":{\"type\":\"string\",\"pattern\":\"((a{0,1000}){0,1000}){0,1000}\"}}}"));
        assertThat(answer.code()).isEqualTo(422);
    }

    @Test
    void aSchemaOfManyThousandFieldsIsReadAndOneThatIsTooLargeRefused() throws Exception {
        StringBuilder fields = new StringBuilder();
        for (int i = 0; i < 20_000; i++) {
            fields.append(i == 0 ? "" : ",").append("\"f").append(i).append("\":{\"type\":\"string\"}");
        }
        String schema = "{\"type\":\"object\",\"properties\":{" + fields + "}}";
        assertThat(server.post(DEFINITIONS + "?dryRun=All", definition(schema)).code())
                .isIn(201, 413, 422);
        String larger =
                definition(schema.replace("\"string\"", "\"string\",\"description\":\"" + "x".repeat(150) + "\""));
        assertThat(server.post(DEFINITIONS, larger).code()).isEqualTo(413);
        assertThat(server.get("/readyz").code()).isEqualTo(200);
    }

    @Test
    void schemasThatNestWithoutEndAreRefused() throws Exception {
        String deep =
                "{\"type\":\"object\",\"properties\":{\"a\":".repeat(600) + "{\"type\":\"string\"}" + "}}".repeat(600);
        assertThat(server.post(DEFINITIONS, definition(deep)).code()).isEqualTo(400);
    }
}
