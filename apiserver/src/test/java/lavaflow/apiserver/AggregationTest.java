package lavaflow.apiserver;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Base64;
import java.util.List;

import lavaflow.access.User;
import lavaflow.kube.Json;
import lavaflow.store.Store;
import lavaflow.store.StoreOptions;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** A server that passes a group on to another one: here a second server of ours, which knows the first by its certificate. */
class AggregationTest {
    private static final String SERVICES = "/apis/apiregistration.k8s.io/v1/apiservices";
    private static final String OTHER = "/apis/remote.example.com/v1";
    private static final String DEFINITION = """
            {"metadata":{"name":"things.remote.example.com"},"spec":{"group":"remote.example.com","scope":"Namespaced",
            "names":{"plural":"things","singular":"thing","kind":"Thing","listKind":"ThingList"},
            "versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object",
            "x-kubernetes-preserve-unknown-fields":true}}}]}}
            """;

    @TempDir
    private static Path directory;

    private static TestingServer server;
    private static Store otherStore;
    private static ApiServer other;

    @BeforeAll
    static void start() throws Exception {
        server = new TestingServer(directory.resolve("here"));
        CertificateAuthority authority = CertificateAuthority.create("other", Instant.now());
        Identity identity =
                authority.issueServer("other", List.of("other.default.svc"), List.of("127.0.0.1"), Instant.now());
        FrontProxy trusted = new FrontProxy(
                server.frontAuthority().certificate(),
                server.frontAuthority().issueClient("unused", List.of(), Instant.now()),
                "front-proxy-client");
        otherStore = Store.open(directory.resolve("there"), StoreOptions.defaults());
        other = new ApiServer(
                new ServerSettings(
                                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                                identity,
                                authority.certificate(),
                                ServerVersion.of("testing"),
                                InstantSource.system())
                        .withFrontProxy(trusted),
                otherStore);
        other.start();
        new Bootstrap(other.local(), "127.0.0.1", other.port()).run();
        other.awaitObjects();
        other.local()
                .create(
                        new User("setup", List.of("system:masters")),
                        new LocalApi.Path("apiextensions.k8s.io", "v1", "customresourcedefinitions"),
                        "",
                        Json.parseObject(DEFINITION.getBytes(StandardCharsets.UTF_8)));
        server.post("/api/v1/namespaces/default/services", """
                {"metadata":{"name":"other"},"spec":{"type":"ExternalName","externalName":"localhost"}}
                """);
        register("v1", "other", authority.certificate());
        await().atMost(Duration.ofMinutes(1))
                .until(() -> condition("v1.remote.example.com").equals("True Passed: all checks passed"));
    }

    private static TestingServer.Reply register(
            String version, String service, java.security.cert.X509Certificate authority) throws Exception {
        String bundle = Base64.getEncoder()
                .encodeToString(Identity.certificatePem(authority).getBytes(StandardCharsets.US_ASCII));
        return server.post(SERVICES, """
                {"metadata":{"name":"%1$s.remote.example.com"},"spec":{"group":"remote.example.com","version":"%1$s",
                "groupPriorityMinimum":1000,"versionPriority":15,"caBundle":"%2$s",
                "service":{"namespace":"default","name":"%3$s","port":%4$d}}}
                """.formatted(version, bundle, service, other.port()));
    }

    private static String condition(String name) throws Exception {
        for (JsonNode each : server.get(SERVICES + "/" + name).json().at("/status/conditions")) {
            return Json.textAt(each, "status") + " " + Json.textAt(each, "reason") + ": "
                    + Json.textAt(each, "message");
        }
        return "";
    }

    @AfterAll
    static void stop() throws Exception {
        server.close();
        other.close();
        otherStore.close();
    }

    @Test
    void objectsOfTheOtherServerAreReadAndWrittenThroughThisOne() throws Exception {
        TestingServer.Reply created = server.post(
                OTHER + "/namespaces/default/things",
                "{\"apiVersion\":\"remote.example.com/v1\",\"kind\":\"Thing\",\"metadata\":{\"name\":\"a\"}}");

        assertThat(created.code()).as(created.body()).isEqualTo(201);
        assertThat(server.get(OTHER + "/namespaces/default/things")
                        .json()
                        .at("/items/0/metadata/name")
                        .asText())
                .isEqualTo("a");
        assertThat(server.delete(OTHER + "/namespaces/default/things/a").code()).isEqualTo(200);
        assertThat(server.get(OTHER + "/namespaces/default/things/a").reason()).isEqualTo("NotFound");
    }

    @Test
    void theOtherServerLearnsWhoAsks() throws Exception {
        HttpClient jane = server.client(server.authority().issueClient("jane", List.of("dev"), Instant.now()));
        server.post("/apis/rbac.authorization.k8s.io/v1/clusterroles", """
                {"metadata":{"name":"things"},"rules":[{"verbs":["*"],"apiGroups":["remote.example.com"],
                "resources":["*"]}]}
                """);
        server.post("/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", """
                {"metadata":{"name":"things"},"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole",
                "name":"things"},"subjects":[{"kind":"User","name":"jane","apiGroup":"rbac.authorization.k8s.io"}]}
                """);

        await().atMost(Duration.ofMinutes(1))
                .until(() ->
                        server.send(jane, "GET", OTHER + "/things", "").body().contains("jane"));
        // Allowed here, and refused there by name: the other server has roles of its own.
        assertThat(server.send(jane, "GET", OTHER + "/things", "").message())
                .contains("User \"jane\" cannot list resource \"things\" in API group \"remote.example.com\"");
    }

    @Test
    void headersOfUsersMeanNothingWithoutTheCertificateOfAFrontProxy() throws Exception {
        HttpClient mallory = server.client(server.authority().issueClient("mallory", List.of("dev"), Instant.now()));

        TestingServer.Reply reply = server.send(
                mallory, "GET", "/api/v1/nodes", "", "X-Remote-User", "admin", "X-Remote-Group", "system:masters");

        assertThat(reply.code()).isEqualTo(403);
        assertThat(reply.message()).contains("User \"mallory\"");
        assertThat(server.send(
                                server.anonymous(),
                                "GET",
                                "/api/v1/nodes",
                                "",
                                "X-Remote-User",
                                "admin",
                                "X-Remote-Group",
                                "system:masters")
                        .code())
                .isEqualTo(401);
    }

    @Test
    void aFrontProxyMustHaveTheNameThatIsAllowed() throws Exception {
        HttpClient proxy =
                server.client(server.frontAuthority().issueClient("front-proxy-client", List.of(), Instant.now()));
        HttpClient stranger = server.client(server.frontAuthority().issueClient("stranger", List.of(), Instant.now()));
        String[] headers = {"X-Remote-User", "joe", "X-Remote-Group", "dev", "X-Remote-Extra-Scopes", "view"};
        String review = "{\"apiVersion\":\"authentication.k8s.io/v1\",\"kind\":\"SelfSubjectReview\"}";
        String path = "/apis/authentication.k8s.io/v1/selfsubjectreviews";

        assertThat(Json.string(
                        server.send(proxy, "POST", path, review, headers).json().at("/status/userInfo")))
                .contains("\"username\":\"joe\"")
                .contains("system:authenticated")
                .contains("\"scopes\":[\"view\"]");
        assertThat(server.send(stranger, "POST", path, review, headers).code()).isEqualTo(401);
        assertThat(server.send(proxy, "POST", path, review).code()).isEqualTo(401);
    }

    @Test
    void watchesArePassedOnEventByEvent() throws Exception {
        try (BufferedReader watch = new BufferedReader(new InputStreamReader(
                server.stream(OTHER + "/namespaces/default/things?watch=1"), StandardCharsets.UTF_8))) {
            server.post(
                    OTHER + "/namespaces/default/things",
                    "{\"apiVersion\":\"remote.example.com/v1\",\"kind\":\"Thing\",\"metadata\":{\"name\":\"watched\"}}");

            assertThat(watch.readLine()).contains("\"type\":\"ADDED\"").contains("watched");
        }
        server.delete(OTHER + "/namespaces/default/things/watched");
    }

    @Test
    void discoveryHasWhatOthersServe() throws Exception {
        assertThat(server.get("/apis").body()).contains("remote.example.com/v1");
        assertThat(server.get("/apis/remote.example.com")
                        .json()
                        .at("/preferredVersion/version")
                        .asText())
                .isEqualTo("v1");
        assertThat(server.get(OTHER).json().at("/resources/0/name").asText()).isEqualTo("things");
        TestingServer.Reply aggregated =
                server.get("/apis", "Accept", "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList");
        assertThat(aggregated.body()).contains("\"resource\":\"things\"").contains("\"name\":\"remote.example.com\"");
        // Asked for after the verdict, which need not wait for it.
        await().atMost(Duration.ofMinutes(1))
                .until(() -> server.get("/openapi/v3").body().contains("apis/remote.example.com/v1"));
    }

    @Test
    void aServiceThatIsNotThereMakesTheGroupUnavailable() throws Exception {
        register("v2", "missing", server.authority().certificate());

        await().atMost(Duration.ofMinutes(1))
                .until(() -> condition("v2.remote.example.com").startsWith("False ServiceNotFound"));
        assertThat(condition("v2.remote.example.com"))
                .isEqualTo("False ServiceNotFound: service/missing in \"default\" is not present");
        TestingServer.Reply reply = server.get("/apis/remote.example.com/v2/things");
        assertThat(reply.code()).isEqualTo(503);
        assertThat(reply.body()).isEqualTo("service unavailable\n");
        server.delete(SERVICES + "/v2.remote.example.com");
    }

    @Test
    void aServerWithAnotherCertificateIsNotTrusted() throws Exception {
        register("v3", "other", server.authority().certificate());

        await().atMost(Duration.ofMinutes(1))
                .until(() -> condition("v3.remote.example.com").startsWith("False FailedDiscoveryCheck"));
        assertThat(condition("v3.remote.example.com"))
                .contains("failing or missing response from https://localhost:")
                .contains("x509: certificate signed by unknown authority");
        server.delete(SERVICES + "/v3.remote.example.com");
    }

    @Test
    void localGroupsAreRegisteredAndAvailable() throws Exception {
        assertThat(condition("v1.apps")).isEqualTo("True Local: Local APIServices are always available");
        assertThat(server.get(SERVICES + "/v1.")
                        .json()
                        .at("/spec/groupPriorityMinimum")
                        .asInt())
                .isEqualTo(18000);
    }

    @Test
    void groupsOfDefinitionsAreRegisteredWhileTheyAreThere() throws Exception {
        String definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
        server.post(definitions, DEFINITION.replace("remote.example.com", "local.example.com"));
        await().atMost(Duration.ofMinutes(1))
                .until(() -> server.get(SERVICES + "/v1.local.example.com").code() == 200);
        assertThat(server.get(SERVICES + "/v1.local.example.com")
                        .json()
                        .at("/spec/versionPriority")
                        .asInt())
                .isEqualTo(100);

        server.delete(definitions + "/things.local.example.com");
        await().atMost(Duration.ofMinutes(1))
                .until(() -> server.get(SERVICES + "/v1.local.example.com").code() == 404);
    }

    @Test
    void extensionServersFindWhomToTrust() throws Exception {
        JsonNode data = server.get("/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication")
                .json()
                .get("data");

        assertThat(Json.textAt(data, "client-ca-file"))
                .isEqualTo(Identity.certificatePem(server.authority().certificate()));
        assertThat(Json.textAt(data, "requestheader-client-ca-file"))
                .isEqualTo(Identity.certificatePem(server.frontAuthority().certificate()));
        assertThat(Json.textAt(data, "requestheader-allowed-names")).isEqualTo("[\"front-proxy-client\"]");
    }
}
