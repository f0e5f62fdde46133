package lavaflow.apiserver;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static lavaflow.apiserver.TestingServer.map;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** What clients see over HTTP who read and write objects. Details of kinds and patches are tested where they live. */
final class ApiServerTest {
    private static final String MAPS = "/api/v1/namespaces/default/configmaps";

    @TempDir
    static Path directory;

    static TestingServer server;

    @BeforeAll
    static void start() throws Exception {
        server = new TestingServer(directory.resolve("store"));
    }

    @AfterAll
    static void stop() throws Exception {
        server.close();
    }

    @Test
    void createsReadsAndDeletes() throws Exception {
        var created = server.post(MAPS, map("crud", ""));
        assertThat(created.code()).isEqualTo(201);
        assertThat(Json.textAt(created.json(), "metadata", "uid")).hasSize(36);
        assertThat(created.resourceVersion()).matches("[0-9]+");
        assertThat(server.get(MAPS + "/crud").json()).isEqualTo(created.json());
        var deleted = server.delete(MAPS + "/crud");
        assertThat(deleted.code()).isEqualTo(200);
        assertThat(Json.textAt(deleted.json(), "status")).isEqualTo("Success");
        var gone = server.get(MAPS + "/crud");
        assertThat(gone.code()).isEqualTo(404);
        assertThat(gone.message()).isEqualTo("configmaps \"crud\" not found");
    }

    @Test
    void refusesASecondObjectOfTheSameName() throws Exception {
        server.post(MAPS, map("twice", ""));
        var second = server.post(MAPS, map("twice", ""));
        assertThat(second.code()).isEqualTo(409);
        assertThat(second.reason()).isEqualTo("AlreadyExists");
    }

    @Test
    void generatesNames() throws Exception {
        var first =
                server.post(MAPS, "{\"metadata\":{\"generateName\":\"gen-\"}}").json();
        var second =
                server.post(MAPS, "{\"metadata\":{\"generateName\":\"gen-\"}}").json();
        assertThat(Metadata.name(first)).matches("gen-[bcdfghjklmnpqrstvwxz2456789]{5}");
        assertThat(Metadata.name(second)).isNotEqualTo(Metadata.name(first));
    }

    @Test
    void keepsTheResourceVersionOfANoOpWrite() throws Exception {
        var created = server.post(MAPS, map("noop", ""));
        var updated = server.put(MAPS + "/noop", created.body());
        assertThat(updated.code()).isEqualTo(200);
        assertThat(updated.resourceVersion()).isEqualTo(created.resourceVersion());
    }

    @Test
    void refusesAStaleUpdate() throws Exception {
        var created = server.post(MAPS, map("stale", ""));
        server.patch(MAPS + "/stale", "application/merge-patch+json", "{\"data\":{\"k\":\"w\"}}");
        var stale = server.put(MAPS + "/stale", created.body());
        assertThat(stale.code()).isEqualTo(409);
        assertThat(stale.message()).contains("the object has been modified");
    }

    @ParameterizedTest
    @CsvSource({
        "application/json-patch+json, '[{\"op\":\"replace\",\"path\":\"/data/k\",\"value\":\"new\"}]'",
        "application/merge-patch+json, '{\"data\":{\"k\":\"new\"}}'",
        "application/strategic-merge-patch+json, '{\"data\":{\"k\":\"new\"}}'",
    })
    void patchesInEveryDialect(String type, String patch) throws Exception {
        String name = "patch-" + type.hashCode();
        server.post(MAPS, map(name, ""));
        var patched = server.patch(MAPS + "/" + name, type, patch);
        assertThat(patched.code()).isEqualTo(200);
        assertThat(Json.textAt(patched.json(), "data", "k")).isEqualTo("new");
    }

    @Test
    void appliesAndReportsConflicts() throws Exception {
        String configuration = """
                apiVersion: v1
                kind: ConfigMap
                metadata: {name: applied}
                data: {k: "%s"}
                """;
        var created = server.apply(MAPS + "/applied", "one", configuration.formatted("a"));
        assertThat(created.code()).isEqualTo(201);
        var same = server.apply(MAPS + "/applied", "one", configuration.formatted("a"));
        assertThat(same.code()).isEqualTo(200);
        assertThat(same.resourceVersion()).isEqualTo(created.resourceVersion());
        var conflict = server.apply(MAPS + "/applied", "two", configuration.formatted("b"));
        assertThat(conflict.code()).isEqualTo(409);
        assertThat(conflict.message()).isEqualTo("Apply failed with 1 conflict: conflict with \"one\": .data.k");
    }

    @Test
    void holdsObjectsWithFinalizersUntilTheyAreRemoved() throws Exception {
        server.post(MAPS, map("held", ",\"finalizers\":[\"example.com/wait\"]"));
        var marked = server.delete(MAPS + "/held");
        assertThat(Json.textAt(marked.json(), "metadata", "deletionTimestamp")).isNotEmpty();
        assertThat(server.get(MAPS + "/held").code()).isEqualTo(200);
        var released =
                server.patch(MAPS + "/held", "application/merge-patch+json", "{\"metadata\":{\"finalizers\":null}}");
        assertThat(released.code()).isEqualTo(200);
        assertThat(released.resourceVersion()).isEqualTo(marked.resourceVersion());
        assertThat(server.get(MAPS + "/held").code()).isEqualTo(404);
    }

    @Test
    void takesARevisionOfZeroForNoneAndRefusesNonsense() throws Exception {
        server.post(MAPS, map("revised", ""));
        assertThat(server.put(MAPS + "/revised", map("revised", ",\"resourceVersion\":\"0\""))
                        .code())
                .isEqualTo(200);
        var nonsense = server.put(MAPS + "/revised", map("revised", ",\"resourceVersion\":\"abc\""));
        assertThat(nonsense.code()).isEqualTo(400);
        assertThat(nonsense.message()).isEqualTo("strconv.ParseUint: parsing \"abc\": invalid syntax");
    }

    @Test
    void keepsTheTimeOfCreationAndNamesTheObjectItHas() throws Exception {
        var created = server.post(MAPS, map("kept", ""));
        var kept = server.put(MAPS + "/kept", map("kept", ",\"creationTimestamp\":\"2001-01-01T00:00:00Z\""));
        assertThat(kept.resourceVersion()).isEqualTo(created.resourceVersion());
        var other = server.put(MAPS + "/kept", map("kept", ",\"uid\":\"11111111-2222-3333-4444-555555555555\""));
        assertThat(other.code()).isEqualTo(409);
        assertThat(other.message()).contains("Key: /registry/configmaps/", "/kept, ResourceVersion: 0,");
    }

    @Test
    void honoursPreconditionsOfDelete() throws Exception {
        server.post(MAPS, map("precious", ""));
        var refused = server.delete(MAPS + "/precious", "{\"preconditions\":{\"uid\":\"other\"}}");
        assertThat(refused.code()).isEqualTo(409);
        assertThat(server.get(MAPS + "/precious").code()).isEqualTo(200);
    }

    @Test
    void storesNothingOnADryRun() throws Exception {
        var dry = server.post(MAPS + "?dryRun=All", map("dry", ""));
        assertThat(dry.code()).isEqualTo(201);
        assertThat(server.get(MAPS + "/dry").code()).isEqualTo(404);
    }

    @Test
    void refusesWhatItDoesNotSpeak() throws Exception {
        assertThat(server.send(client(), "POST", MAPS, "{}", "Content-Type", "text/plain")
                        .code())
                .isEqualTo(415);
        assertThat(server.get(MAPS, "Accept", "image/png").code()).isEqualTo(406);
        assertThat(server.get("/api/v1/namespaces/default/nonsense").code()).isEqualTo(404);
        assertThat(server.delete("/api/v1/namespaces").code()).isEqualTo(405);
    }

    private static java.net.http.HttpClient client() throws Exception {
        return server.client(server.authority().issueClient("admin", List.of("system:masters"), Instant.now()));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "{", "[]", "nul", "{\"metadata\":7}", "{\"data\":{\"a\":1}}", "\u0000\u0001"})
    void answersBadBodiesWithAStatus(String body) throws Exception {
        var reply = server.post(MAPS, body);
        assertThat(reply.code()).isBetween(400, 422);
        assertThat(Json.textAt(reply.json(), "kind")).isEqualTo("Status");
    }

    @Test
    void refusesBodiesThatAreTooLarge() throws Exception {
        var reply = server.post(MAPS, "\"" + "x".repeat(BodyReader.MAX_BYTES) + "\"");
        assertThat(reply.code()).isEqualTo(413);
    }

    @Test
    void letsOnlyMastersIn() throws Exception {
        assertThat(server.send(server.anonymous(), "GET", MAPS, "").code()).isEqualTo(401);
        assertThat(server.send(server.anonymous(), "GET", "/readyz", "").code()).isEqualTo(200);
        assertThat(server.send(server.anonymous(), "GET", "/metrics", "").code())
                .isEqualTo(401);
        var somebody = server.client(server.authority().issueClient("somebody", List.of("people"), Instant.now()));
        assertThat(server.send(somebody, "GET", MAPS, "").code()).isEqualTo(403);
        var stranger = CertificateAuthority.create("testing", Instant.now())
                .issueClient("admin", List.of("system:masters"), Instant.now());
        assertThat(server.send(server.client(stranger), "GET", MAPS, "").code()).isEqualTo(401);
        // One good credential is enough, as upstream.
        assertThat(server.get(MAPS, "Authorization", "Bearer nonsense").code()).isEqualTo(200);
    }

    @Test
    void describesWhatItServes() throws Exception {
        assertThat(server.get("/api").json().path("versions"))
                .isEqualTo(Json.array().add("v1"));
        assertThat(server.get("/apis/apps").json().path("name").asText()).isEqualTo("apps");
        var aggregated =
                server.get("/apis", "Accept", "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList");
        assertThat(Json.textAt(aggregated.json(), "kind")).isEqualTo("APIGroupDiscoveryList");
        String tag = aggregated.response().headers().firstValue("ETag").orElseThrow();
        var unchanged = server.get(
                "/apis",
                "Accept",
                "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
                "If-None-Match",
                tag);
        assertThat(unchanged.code()).isEqualTo(304);
        ObjectNode schemas = server.get("/openapi/v3/apis/apps/v1").json();
        assertThat(schemas.at("/components/schemas/io.k8s.api.apps.v1.Deployment/properties/spec")
                        .isMissingNode())
                .isFalse();
    }

    @Test
    void framesTheOldOpenApiForListsOfKubectl() throws Exception {
        var reply = server.get("/openapi/v2", "Accept", "application/com.github.proto-openapi.spec.v2@v1.0+protobuf");
        assertThat(reply.code()).isEqualTo(200);
        assertThat(reply.body()).startsWith("\n\u00032.0");
    }

    @Test
    void countsRequests() throws Exception {
        server.get(MAPS);
        // A request is counted when it is over, which its client may know before the server.
        await().atMost(Duration.ofMinutes(1))
                .untilAsserted(() -> assertThat(server.get("/metrics").body())
                        .contains("apiserver_request_total{code=\"200\",group=\"\",resource=\"configmaps\""));
    }

    @Test
    void showsTablesAndMetadataAlone() throws Exception {
        server.post(MAPS, map("shown", ""));
        ObjectNode table = server.get(MAPS + "/shown", "Accept", "application/json;as=Table;v=v1;g=meta.k8s.io")
                .json();
        assertThat(Json.textAt(table, "kind")).isEqualTo("Table");
        assertThat(table.at("/rows/0/cells/0").asText()).isEqualTo("shown");
        ObjectNode partial = server.get(
                        MAPS + "/shown", "Accept", "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io")
                .json();
        assertThat(partial.has("data")).isFalse();
    }

    @Test
    void ignoresWhatOnlyTheServerSets() throws Exception {
        var created = server.post(MAPS, map("system-fields", """
                        ,"deletionTimestamp":"2001-01-01T00:00:00Z","deletionGracePeriodSeconds":5,"generation":7,\
                        "resourceVersion":"0\""""));
        assertThat(created.code()).isEqualTo(201);
        assertThat(Json.at(created.json(), "metadata", "deletionTimestamp")).isNull();
        assertThat(Json.longAt(created.json(), 0, "metadata", "generation")).isEqualTo(7);
        assertThat(created.json().at("/metadata/managedFields/0/fieldsV1").toString())
                .doesNotContain("deletion");
    }

    @Test
    void namesEveryOwnerOnce() throws Exception {
        String owner = "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"name\":\"a\",\"uid\":\"x\"}";
        var created = server.post(MAPS, map("owned-twice", ",\"ownerReferences\":[" + owner + "," + owner + "]"));
        assertThat(Json.listAt(created.json(), "metadata", "ownerReferences")).hasSize(1);
    }

    @Test
    void refusesAppliedConfigurationsWithoutName() throws Exception {
        var answer = server.apply(MAPS + "/nameless", "x", "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\"}");
        assertThat(answer.code()).isEqualTo(400);
        assertThat(Json.textAt(answer.json(), "message"))
                .isEqualTo("the name of the object (nameless based on URL) was undeterminable: name must be provided");
    }

    @Test
    void tellsWhichCharacterOfAFieldManagerCannotBePrinted() throws Exception {
        var answer = server.post(MAPS + "?fieldManager=a%07b", map("manager", ""));
        assertThat(Json.textAt(answer.json(), "message")).endsWith("invalid character U+0007 (at position 1)");
    }
}
