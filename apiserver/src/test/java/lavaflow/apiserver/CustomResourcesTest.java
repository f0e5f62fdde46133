package lavaflow.apiserver;

import java.io.BufferedReader;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

import lavaflow.kube.Json;
import lavaflow.store.Mutation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Definitions over time: what comes, changes, goes and comes again. Answers to single requests are in the contract. */
final class CustomResourcesTest {
    private static final String CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    private static final String CRD = CRDS + "/widgets.example.com";
    private static final String WIDGETS = "/apis/example.com/v1/namespaces/default/widgets";
    private static final String BUCKET = "example.com/widgets";

    @TempDir
    Path directory;

    private TestingServer server;

    @BeforeEach
    void start() throws Exception {
        server = new TestingServer(directory.resolve("store"));
    }

    @AfterEach
    void stop() throws Exception {
        server.close();
    }

    private static String version(String name, boolean storage, String properties) {
        return """
                {"name":"%s","served":true,"storage":%s,"schema":{"openAPIV3Schema":
                  {"type":"object","properties":{"spec":{"type":"object","properties":{%s}}}}}}""".formatted(name, storage, properties);
    }

    private static String definition(String conversion, String... versions) {
        return """
                {"metadata":{"name":"widgets.example.com"},"spec":{"group":"example.com","scope":"Namespaced",
                  "names":{"plural":"widgets","kind":"Widget"},%s"versions":[%s]}}""".formatted(conversion, String.join(",", versions));
    }

    private static final String SIZE = "\"size\":{\"type\":\"integer\",\"default\":3}";

    private void define(String body) throws Exception {
        assertThat(server.post(CRDS, body).code()).isEqualTo(201);
        awaitEstablished();
    }

    private void awaitEstablished() {
        await().atMost(Duration.ofMinutes(1))
                .until(() -> condition("Established").equals("True"));
    }

    private String condition(String type) throws Exception {
        for (JsonNode each : Json.listAt(server.get(CRD).json(), "status", "conditions")) {
            if (Json.textAt(each, "type").equals(type)) {
                return Json.textAt(each, "status");
            }
        }
        return "";
    }

    private static String widget(String version, String name, String spec) {
        return """
                {"apiVersion":"example.com/%s","kind":"Widget","metadata":{"name":"%s"},"spec":{%s}}""".formatted(version, name, spec);
    }

    private TestingServer.Reply create(String name) throws Exception {
        return server.post(WIDGETS, widget("v1", name, ""));
    }

    private static void until(Callable<Boolean> condition) {
        await().atMost(Duration.ofMinutes(1)).pollInterval(Duration.ofMillis(5)).until(condition);
    }

    @Test
    void aKindIsServedBeforeItsDefinitionSaysSo() throws Exception {
        for (int i = 0; i < 5; i++) {
            define(definition("", version("v1", true, SIZE)));
            assertThat(server.get(WIDGETS).code()).isEqualTo(200);
            server.delete(CRD);
            until(() -> server.get(CRD).code() == 404);
        }
    }

    /** A schema is made into types by the first who needs it, and there may be many first ones. */
    @Test
    void theFirstObjectsOfAKindMayComeAllAtOnce() throws Exception {
        String deep = "{\"type\":\"string\"}";
        String value = "\"x\"";
        for (int i = 0; i < 30; i++) {
            deep = "{\"type\":\"object\",\"properties\":{\"f" + i + "\":" + deep + "}}";
            value = "{\"f" + i + "\":" + value + "}";
        }
        define(definition("", version("v1", true, "\"deep\":" + deep)));
        String spec = "\"deep\":" + value;
        List<Callable<Integer>> all = new ArrayList<>();
        for (int i = 0; i < 16; i++) {
            String body = widget("v1", "w" + i, spec);
            all.add(() -> server.post(WIDGETS, body).code());
        }
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (Future<Integer> code : threads.invokeAll(all)) {
                assertThat(code.get()).isEqualTo(201);
            }
        }
    }

    @Test
    void aScaleGivesReplicasToWhatHadNone() throws Exception {
        define(definition(
                "", version("v1", true, "\"replicas\":{\"type\":\"integer\"}").replaceFirst("\\}$", """
                ,"subresources":{"scale":{"specReplicasPath":".spec.replicas","statusReplicasPath":".status.replicas"}}}""")));
        create("a");
        assertThat(server.get(WIDGETS + "/a/scale").code()).isEqualTo(500);
        TestingServer.Reply empty = server.patch(
                WIDGETS + "/a/scale", "application/merge-patch+json", "{\"metadata\":{\"labels\":{\"a\":\"b\"}}}");
        assertThat(Json.textAt(empty.json(), "message"))
                .isEqualTo("the spec replicas field \".spec.replicas\" cannot be empty");
        assertThat(server.patch(WIDGETS + "/a/scale", "application/merge-patch+json", "{\"spec\":{\"replicas\":3}}")
                        .code())
                .isEqualTo(200);
        assertThat(Json.longAt(server.get(WIDGETS + "/a").json(), 0, "spec", "replicas"))
                .isEqualTo(3);
    }

    @Test
    void customKindsSurviveARestart() throws Exception {
        define(definition("", version("v1", true, SIZE)));
        create("kept");
        server.close();
        server = new TestingServer(directory.resolve("store"));

        assertThat(server.get(WIDGETS + "/kept").code())
                .as("the first request after the start")
                .isEqualTo(200);
    }

    @Test
    void whatIsOlderThanItsDefinitionIsNotItsOwn() throws Exception {
        define(definition("", version("v1", true, SIZE)));
        create("stray");
        ObjectNode stray = StoredForm.decode(server.store().get(BUCKET, "default/stray"));
        server.delete(CRD);
        until(() -> server.get(CRD).code() == 404);
        // As a write that was let in before the definition went, and came after the last look.
        server.store()
                .commit(new Mutation.Put(BUCKET, "default/stray", Mutation.ABSENT, StoredForm.encode(stray), false));

        define(definition("", version("v1", true, SIZE)));
        assertThat(server.get(WIDGETS + "/stray").code()).isEqualTo(404);
        assertThat(server.store().get(BUCKET, "default/stray")).isNull();
    }

    @Test
    void storedObjectsFollowTheSchemaOfToday() throws Exception {
        define(definition("", version("v1", true, SIZE + ",\"old\":{\"type\":\"string\"}")));
        server.post(WIDGETS, widget("v1", "a", "\"old\":\"x\""));
        changeProperties("{\"size\":{\"type\":\"integer\"},\"fresh\":{\"type\":\"string\",\"default\":\"new\"}}");

        until(() ->
                Json.textAt(server.get(WIDGETS + "/a").json(), "spec", "fresh").equals("new"));
        ObjectNode read = server.get(WIDGETS + "/a").json();
        assertThat(read.get("spec")).isEqualTo(Json.parse("{\"size\":3,\"fresh\":\"new\"}"));
        assertThat(server.get(WIDGETS).json().at("/items/0")).as("in a list").isEqualTo(read);
        assertThat(new String(server.store().get(BUCKET, "default/a").bytes(), StandardCharsets.UTF_8))
                .as("what is stored stays until it is written")
                .contains("\"old\":\"x\"");
    }

    private void changeProperties(String properties) throws Exception {
        var changed = server.patch(CRD, "application/json-patch+json", """
                [{"op":"replace","path":"/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties","value":%s}]""".formatted(properties));
        assertThat(changed.code()).as(changed.body()).isEqualTo(200);
    }

    @Test
    void aWatchGoesOnWhenItsSchemaChanges() throws Exception {
        define(definition("", version("v1", true, SIZE)));
        try (InputStream stream = server.stream(WIDGETS + "?watch=1");
                BufferedReader lines = new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))) {
            create("before");
            assertThat(lines.readLine()).contains("before");
            changeProperties("{\"fresh\":{\"type\":\"string\",\"default\":\"new\"}}");
            until(() -> {
                boolean fresh = create("probe").body().contains("new");
                if (!fresh) {
                    server.delete(WIDGETS + "/probe");
                }
                return fresh;
            });
            String line;
            do {
                line = lines.readLine();
            } while (!line.contains("\"fresh\":\"new\""));
            assertThat(line).contains("probe");
        }
    }

    @Test
    void aWatchEndsWithItsKind() throws Exception {
        define(definition("", version("v1", true, SIZE)));
        try (InputStream stream = server.stream(WIDGETS + "?watch=1");
                BufferedReader lines = new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))) {
            create("a");
            server.delete(CRD);
            assertThat(lines.lines().map(line -> Json.textAt(Json.parse(line), "type")))
                    .containsExactly("ADDED", "DELETED");
        }
    }

    @Test
    void openApiChangesWithTheSchemaAndOnlyThen() throws Exception {
        define(definition("", version("v1", true, SIZE)));
        String before = address();
        server.patch(CRD, "application/merge-patch+json", "{\"metadata\":{\"labels\":{\"a\":\"b\"}}}");
        assertThat(address()).isEqualTo(before);
        assertThat(server.get(before)
                        .json()
                        .at("/components/schemas/com.example.v1.Widget/properties/spec")
                        .isObject())
                .isTrue();

        changeProperties("{\"other\":{\"type\":\"string\"}}");
        until(() -> !address().equals(before));
        assertThat(server.get(address()).body()).contains("\"other\"");
        assertThat(server.get(before).code())
                .as("redirected to the new address")
                .isEqualTo(301);
    }

    private String address() throws Exception {
        return Json.textAt(server.get("/openapi/v3").json().at("/paths/apis~1example.com~1v1"), "serverRelativeURL");
    }

    @Test
    void oldOpenApiForgetsKindsThatWent() throws Exception {
        define(definition("", version("v1", true, SIZE)));
        assertThat(server.get("/openapi/v2").json().path("definitions").has("com.example.v1.Widget"))
                .isTrue();
        server.delete(CRD);
        until(() -> !server.get("/openapi/v2").json().path("definitions").has("com.example.v1.Widget"));
    }

    @Test
    void aWebhookIsAskedOnceForAList() throws Exception {
        AtomicInteger reviews = new AtomicInteger();
        try (TestingWebhook webhook = new TestingWebhook(List.of(), List.of("127.0.0.1"), (body, out) -> {
            reviews.incrementAndGet();
            byte[] answer = converted(Json.parseObject(body));
            out.write(("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: " + answer.length
                            + "\r\n\r\n")
                    .getBytes(StandardCharsets.UTF_8));
            out.write(answer);
        })) {
            define(definition(
                    """
                    "conversion":{"strategy":"Webhook","webhook":{"conversionReviewVersions":["v1"],"clientConfig":%s}},""".formatted(Json.string(webhook.config())),
                    version("v1", true, "\"size\":{\"type\":\"integer\"}"),
                    version("v2", false, "\"length\":{\"type\":\"integer\"}")));
            for (int i = 0; i < 20; i++) {
                server.post(WIDGETS, widget("v1", "w" + i, "\"size\":" + i));
            }
            String second = WIDGETS.replace("/v1/", "/v2/");
            ObjectNode list = server.get(second).json();
            assertThat(list.at("/items/7/apiVersion").textValue()).isEqualTo("example.com/v2");
            assertThat(list.at("/items")).allMatch(item -> item.path("spec").has("length"));
            assertThat(reviews).as("for twenty objects").hasValue(1);

            assertThat(server.get(second + "?labelSelector=none").json().path("items"))
                    .isEmpty();
            server.get(second);
            assertThat(reviews).as("what was converted is remembered").hasValue(1);
        }
    }

    private static byte[] converted(ObjectNode review) {
        String wanted = Json.textAt(review, "request", "desiredAPIVersion");
        ObjectNode response = Json.object();
        response.put("uid", Json.textAt(review, "request", "uid"));
        response.putObject("result").put("status", "Success");
        ArrayNode objects = response.putArray("convertedObjects");
        for (JsonNode each : review.at("/request/objects")) {
            ObjectNode object = each.deepCopy();
            object.put("apiVersion", wanted);
            ObjectNode spec = Json.ensureObject(object, "spec");
            JsonNode size = spec.remove(wanted.endsWith("v2") ? "size" : "length");
            spec.set(wanted.endsWith("v2") ? "length" : "size", size);
            objects.add(object);
        }
        review.remove("request");
        review.set("response", response);
        return Json.bytes(review);
    }
}
