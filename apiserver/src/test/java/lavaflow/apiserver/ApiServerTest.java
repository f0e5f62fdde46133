package lavaflow.apiserver;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/** What clients see over HTTP. Details of kinds and patches are tested where they live. */
final class ApiServerTest {
    private static final String MAPS = "/api/v1/namespaces/default/configmaps";
    private static final String PODS = "/api/v1/namespaces/default/pods";

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

    private static String map(String name, String extra) {
        return """
                {"metadata":{"name":"%s"%s},"data":{"k":"v"}}""".formatted(name, extra);
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
    void checksQuestionsAboutAccess() throws Exception {
        String path = "/apis/authorization.k8s.io/v1/subjectaccessreviews";
        var nobody = server.post(path, "{\"spec\":{\"resourceAttributes\":{\"verb\":\"get\",\"resource\":\"pods\"}}}");
        assertThat(nobody.code()).isEqualTo(422);
        assertThat(nobody.message()).contains("spec.user: Invalid value: \"\": at least one of user or group");
        var nothing = server.post(path, "{\"spec\":{\"user\":\"a\"}}");
        assertThat(nothing.message()).contains("spec.resourceAttributes: Invalid value: null: exactly one of");
        assertThat(server.post("/apis/authentication.k8s.io/v1/tokenreviews", "{\"spec\":{}}")
                        .message())
                .isEqualTo("token is required for TokenReview in authentication");
    }

    @Test
    void answersForLogsOfPodsThatRunNowhere() throws Exception {
        String pods = "/api/v1/namespaces/default/pods";
        server.post(
                pods,
                "{\"metadata\":{\"name\":\"quiet\"},\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]}}");
        assertThat(server.get(pods + "/quiet/log").code()).isEqualTo(204);
        assertThat(server.get(pods + "/quiet/log?container=none").message())
                .isEqualTo("container none is not valid for pod quiet");
        assertThat(server.get(pods + "/quiet/log?tailLines=-1").message())
                .isEqualTo("PodLogOptions \"quiet\" is invalid: tailLines: Invalid value: -1: must be greater than or"
                        + " equal to 0");
        assertThat(server.get(pods + "/quiet/log?tailLines=many").code()).isEqualTo(400);
    }

    @Test
    void selectsEventsByTheNamesOfEitherGroup() throws Exception {
        server.post(
                "/api/v1/namespaces/default/events",
                "{\"metadata\":{\"name\":\"e\"},\"involvedObject\":{\"name\":\"chosen\",\"namespace\":\"default\"}}");
        for (String query : List.of(
                "/api/v1/namespaces/default/events?fieldSelector=involvedObject.name=chosen",
                "/apis/events.k8s.io/v1/namespaces/default/events?fieldSelector=regarding.name=chosen")) {
            assertThat(Json.listAt(server.get(query).json(), "items")).hasSize(1);
        }
    }

    @Test
    void readsAnObjectThoughAWatchOfItWasAsked() throws Exception {
        server.post(MAPS, map("seen", ""));
        var seen = server.get(MAPS + "/seen?watch=1");
        assertThat(Json.textAt(seen.json(), "kind")).isEqualTo("ConfigMap");
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
    void pagesListsAtOneRevision() throws Exception {
        String namespace = "/api/v1/namespaces/paged/configmaps";
        server.post("/api/v1/namespaces", "{\"metadata\":{\"name\":\"paged\"}}");
        for (int i = 0; i < 5; i++) {
            server.post(namespace, map("m" + i, ""));
        }
        ObjectNode first = server.get(namespace + "?limit=2").json();
        server.delete(namespace + "/m3");
        ObjectNode second = server.get(namespace + "?limit=2&continue=" + Json.textAt(first, "metadata", "continue"))
                .json();
        assertThat(names(first)).containsExactly("m0", "m1");
        assertThat(names(second)).containsExactly("m2", "m3");
        assertThat(Json.longAt(first, 0, "metadata", "remainingItemCount")).isEqualTo(3);
        assertThat(Metadata.resourceVersion(second)).isEqualTo(Metadata.resourceVersion(first));
    }

    private static List<String> names(ObjectNode list) {
        List<String> names = new ArrayList<>();
        for (JsonNode item : Json.listAt(list, "items")) {
            names.add(Json.textAt(item, "metadata", "name"));
        }
        return names;
    }

    @Test
    void selectsByLabelAndField() throws Exception {
        server.post(MAPS, map("green", ",\"labels\":{\"colour\":\"green\"}"));
        server.post(MAPS, map("red", ",\"labels\":{\"colour\":\"red\"}"));
        assertThat(names(server.get(MAPS + "?labelSelector=colour%3Dgreen").json()))
                .containsExactly("green");
        assertThat(names(server.get(MAPS + "?fieldSelector=metadata.name%3Dred").json()))
                .containsExactly("red");
        assertThat(server.get(MAPS + "?fieldSelector=spec.x%3D1").code()).isEqualTo(400);
        assertThat(server.get(MAPS + "?labelSelector=%3D%3D").code()).isEqualTo(400);
    }

    @Test
    void streamsChangesAfterARevision() throws Exception {
        String start = Metadata.resourceVersion(server.get(MAPS + "?limit=1").json());
        server.post(MAPS, map("watched", ",\"labels\":{\"w\":\"1\"}"));
        server.patch(MAPS + "/watched", "application/merge-patch+json", "{\"data\":{\"k\":\"2\"}}");
        server.patch(MAPS + "/watched", "application/merge-patch+json", "{\"metadata\":{\"labels\":{\"w\":\"2\"}}}");
        server.delete(MAPS + "/watched");
        List<String> types = new ArrayList<>();
        String query = "?watch=1&labelSelector=w%3D1&timeoutSeconds=1&resourceVersion=" + start;
        try (var lines =
                new BufferedReader(new InputStreamReader(server.stream(MAPS + query), StandardCharsets.UTF_8))) {
            lines.lines().forEach(line -> types.add(Json.textAt(Json.parse(line), "type")));
        }
        // Leaving the selector looks like a deletion, as upstream has it.
        assertThat(types).containsExactly("ADDED", "MODIFIED", "DELETED");
    }

    @Test
    void sendsInitialEventsAndMarksTheirEnd() throws Exception {
        server.post("/api/v1/namespaces", "{\"metadata\":{\"name\":\"initial\"}}");
        server.post("/api/v1/namespaces/initial/configmaps", map("one", ""));
        String query = "?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true"
                + "&timeoutSeconds=1";
        List<JsonNode> events = new ArrayList<>();
        try (var lines = new BufferedReader(new InputStreamReader(
                server.stream("/api/v1/namespaces/initial/configmaps" + query), StandardCharsets.UTF_8))) {
            lines.lines().forEach(line -> events.add(Json.parse(line)));
        }
        assertThat(Json.textAt(events.get(0), "type")).isEqualTo("ADDED");
        assertThat(Json.textAt(events.get(1), "type")).isEqualTo("BOOKMARK");
        assertThat(Json.textAt(events.get(1), "object", "metadata", "annotations", "k8s.io/initial-events-end"))
                .isEqualTo("true");
    }

    @Test
    void tellsAWatcherFromTheFutureOrThePast() throws Exception {
        assertThat(server.get(MAPS + "?resourceVersion=999999999").code()).isEqualTo(504);
        assertThat(server.get(MAPS + "?watch=1&resourceVersion=nonsense").code())
                .isEqualTo(400);
        assertThat(server.get(MAPS + "?resourceVersion=nonsense").code()).isEqualTo(400);
        assertThat(server.get(MAPS + "?watch=1&continue=x").code()).isEqualTo(422);
        assertThat(server.get(MAPS + "?watch=1", "Accept", "application/yaml").code())
                .isEqualTo(406);
        server.store().compact(server.store().revision());
        String query = "?watch=1&timeoutSeconds=1&resourceVersion=1";
        try (var lines =
                new BufferedReader(new InputStreamReader(server.stream(MAPS + query), StandardCharsets.UTF_8))) {
            JsonNode event = Json.parse(lines.readLine());
            assertThat(Json.textAt(event, "type")).isEqualTo("ERROR");
            assertThat(Json.longAt(event, 0, "object", "code")).isEqualTo(410);
        }
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
    void storesObjectsInTheFormUpstreamPrints() throws Exception {
        String budgets = "/apis/policy/v1/namespaces/default/poddisruptionbudgets";
        var created = server.post(budgets, "{\"spec\":{\"minAvailable\":1},\"metadata\":{\"name\":\"form\"}}");
        assertThat(created.body()).contains("\"spec\":{\"minAvailable\":1},\"status\":{\"disruptionsAllowed\":0,");
    }

    @Test
    void warnsWhoDeletesAJobThatItsPodsStay() throws Exception {
        String jobs = "/apis/batch/v1/namespaces/default/jobs";
        server.post(
                jobs,
                "{\"metadata\":{\"name\":\"j\"},\"spec\":{\"suspend\":true,\"template\":{\"spec\":{\"restartPolicy\":"
                        + "\"Never\",\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]}}}}");
        assertThat(server.delete(jobs + "/j?dryRun=All&propagationPolicy=Background")
                        .response()
                        .headers()
                        .firstValue("Warning"))
                .isEmpty();
        assertThat(server.delete(jobs + "/j").response().headers().firstValue("Warning"))
                .hasValueSatisfying(warning -> assertThat(warning).contains("child pods are preserved by default"));
    }

    @Test
    void keepsThePrioritiesOfTheSystem() throws Exception {
        var refused = server.delete("/apis/scheduling.k8s.io/v1/priorityclasses/system-node-critical");
        assertThat(refused.message())
                .isEqualTo("priorityclasses.scheduling.k8s.io \"system-node-critical\" is forbidden: this is a system"
                        + " priority class and cannot be deleted");
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
    void bindsAPodOnceAndScalesADeployment() throws Exception {
        server.post(
                PODS, "{\"metadata\":{\"name\":\"p\"},\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]}}");
        String binding = "{\"metadata\":{\"name\":\"p\"},\"target\":{\"kind\":\"Node\",\"name\":\"n\"}}";
        assertThat(server.post(PODS + "/p/binding", binding).code()).isEqualTo(201);
        assertThat(Json.textAt(server.get(PODS + "/p").json(), "spec", "nodeName"))
                .isEqualTo("n");
        assertThat(server.post(PODS + "/p/binding", binding).code()).isEqualTo(409);
        String deployments = "/apis/apps/v1/namespaces/default/deployments";
        server.post(deployments, """
                {"metadata":{"name":"d"},"spec":{"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":
                {"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}}}}""");
        var scaled =
                server.patch(deployments + "/d/scale", "application/merge-patch+json", "{\"spec\":{\"replicas\":3}}");
        assertThat(scaled.code()).isEqualTo(200);
        assertThat(Json.longAt(server.get(deployments + "/d").json(), 0, "spec", "replicas"))
                .isEqualTo(3);
    }

    @Test
    void gracefullyDeletesBoundPodsOnly() throws Exception {
        String pod = "{\"metadata\":{\"name\":\"%s\"},\"spec\":{%s\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]}}";
        server.post(PODS, pod.formatted("free", ""));
        server.delete(PODS + "/free");
        assertThat(server.get(PODS + "/free").code()).isEqualTo(404);
        server.post(PODS, pod.formatted("bound", "\"nodeName\":\"n\","));
        var marked = server.delete(PODS + "/bound");
        assertThat(Json.longAt(marked.json(), 0, "metadata", "deletionGracePeriodSeconds"))
                .isEqualTo(30);
        server.delete(PODS + "/bound", "{\"gracePeriodSeconds\":0}");
        assertThat(server.get(PODS + "/bound").code()).isEqualTo(404);
    }

    @Test
    void givesServicesAddressesAndTakesThemBack() throws Exception {
        String services = "/api/v1/namespaces/default/services";
        String body = "{\"metadata\":{\"name\":\"%s\"},\"spec\":{\"type\":\"NodePort\",\"ports\":[{\"port\":80%s}]}}";
        ObjectNode first = server.post(services, body.formatted("s1", "")).json();
        assertThat(Json.textAt(first, "spec", "clusterIP")).startsWith("10.96.");
        long port = Json.longAt(first.at("/spec/ports/0"), 0, "nodePort");
        assertThat(port).isBetween(30_000L, 32_767L);
        String taken = body.formatted("s2", ",\"nodePort\":" + port);
        assertThat(server.post(services, taken).code()).isEqualTo(422);
        server.delete(services + "/s1");
        assertThat(server.post(services, taken).code()).isEqualTo(201);
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
        assertThat(server.get("/metrics").body())
                .contains("apiserver_request_total{code=\"200\",group=\"\",resource=\"configmaps\"");
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

    @Test
    void takesTheCostsOfARuntimeFromItsClass() throws Exception {
        server.post("/apis/node.k8s.io/v1/runtimeclasses", """
                {"metadata":{"name":"heavy"},"handler":"x","overhead":{"podFixed":{"cpu":"100m"}},\
                "scheduling":{"nodeSelector":{"kind":"special"}}}""");
        String pod = """
                {"metadata":{"name":"%s"},"spec":{"automountServiceAccountToken":false,"containers":[{"name":"a",\
                "image":"b"}],%s}}""";
        var heavy = server.post(PODS, pod.formatted("heavy", "\"runtimeClassName\":\"heavy\""));
        assertThat(Json.textAt(heavy.json(), "spec", "overhead", "cpu")).isEqualTo("100m");
        assertThat(Json.textAt(heavy.json(), "spec", "nodeSelector", "kind")).isEqualTo("special");
        var unknown = server.post(PODS, pod.formatted("unknown", "\"runtimeClassName\":\"unknown\""));
        assertThat(Json.textAt(unknown.json(), "message"))
                .isEqualTo("pods \"unknown\" is forbidden: pod rejected: RuntimeClass \"unknown\" not found");
        var claimed = server.post(PODS, pod.formatted("claimed", "\"overhead\":{\"cpu\":\"1\"}"));
        assertThat(claimed.code()).isEqualTo(403);
    }
}
