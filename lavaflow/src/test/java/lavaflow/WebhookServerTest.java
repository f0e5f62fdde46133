package lavaflow;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.KeyStore;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

import lavaflow.apiserver.CertificateAuthority;
import lavaflow.controller.KubeApi;
import lavaflow.jobs.ResourceGroups;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;
import lavaflow.kube.JsonPatch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

/** Upstream's webhooks as an API server meets them. */
@Timeout(600)
class WebhookServerTest {
    private static final String JOB = """
            {"metadata":{"name":"j"},"spec":{"queue":"QUEUE","tasks":[{"name":"t","replicas":2,
             "template":{"spec":{"containers":[{"name":"c","image":"i"}]}}}]}}""";

    private final TestingCluster cluster = new TestingCluster();
    private WebhookServer server;
    private HttpClient client;

    @BeforeEach
    void start() throws Exception {
        Instant now = Instant.now();
        CertificateAuthority authority = CertificateAuthority.create("test-ca", now);
        server = new WebhookServer(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                authority.issueServer("webhooks", List.of("localhost"), List.of("127.0.0.1"), now),
                Webhook.all()
                        .filter(each -> each != VolcanoWebhook.VALIDATE_PODS)
                        .collect(Collectors.toSet()),
                cluster);
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        trusted.setCertificateEntry("ca", authority.identity().certificate());
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(trusted);
        SSLContext tls = SSLContext.getInstance("TLS");
        tls.init(null, trust.getTrustManagers(), null);
        client = HttpClient.newBuilder().sslContext(tls).build();
    }

    @AfterEach
    void stop() {
        client.close();
        server.close();
    }

    private HttpResponse<String> post(String path, String body) throws Exception {
        URI uri = URI.create("https://127.0.0.1:" + server.port() + path);
        HttpRequest request = HttpRequest.newBuilder(uri)
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build();
        return client.send(request, HttpResponse.BodyHandlers.ofString());
    }

    private JsonNode ask(String path, String operation, @Nullable String object, @Nullable String old)
            throws Exception {
        ObjectNode review =
                Json.object().put("apiVersion", "admission.k8s.io/v1").put("kind", "AdmissionReview");
        ObjectNode request = review.putObject("request");
        request.put("uid", "u1").put("operation", operation).put("namespace", "team");
        if (object != null) {
            request.set("object", Json.parse(object));
        }
        if (old != null) {
            request.set("oldObject", Json.parse(old));
        }
        HttpResponse<String> answer = post(path, Json.string(review));
        assertThat(answer.statusCode()).isEqualTo(200);
        JsonNode told = Json.parse(answer.body());
        assertThat(Json.textAt(told, "apiVersion")).isEqualTo("admission.k8s.io/v1");
        assertThat(Json.textAt(told, "kind")).isEqualTo("AdmissionReview");
        assertThat(Json.textAt(told, "response", "uid")).isEqualTo("u1");
        return told.get("response");
    }

    @Test
    void completesObjectsByAPatch() throws Exception {
        JsonNode response = ask("/jobs/mutate", "CREATE", JOB, null);
        assertThat(response.get("allowed").asBoolean()).isTrue();
        assertThat(response.get("patchType").asText()).isEqualTo("JSONPatch");
        String patch =
                new String(Base64.getDecoder().decode(response.get("patch").asText()), StandardCharsets.UTF_8);
        JsonNode completed = JsonPatch.parse(Json.parse(patch), true).apply(Json.parse(JOB));
        assertThat(Json.textAt(completed, "spec", "schedulerName")).isEqualTo("mine");
        assertThat(Json.longAt(completed, 0, "spec", "minAvailable")).isEqualTo(2);
        assertThat(Json.longAt(Json.listAt(completed, "spec", "tasks").get(0), 0, "minAvailable"))
                .isEqualTo(2);
    }

    @Test
    void sendsNoPatchWhereNothingChanges() throws Exception {
        JsonNode response = ask("/queues/mutate", "CREATE", "{\"spec\":{\"reclaimable\":true,\"weight\":2}}", null);
        assertThat(response).isEqualTo(Json.parse("{\"uid\":\"u1\",\"allowed\":true}"));
    }

    @Test
    void refusesWithAMessage() throws Exception {
        assertThat(ask("/jobs/validate", "CREATE", JOB.replace("QUEUE", "q"), null)
                        .get("allowed")
                        .asBoolean())
                .isTrue();
        JsonNode response = ask("/jobs/validate", "CREATE", JOB.replace("QUEUE", "none"), null);
        assertThat(response.get("allowed").asBoolean()).isFalse();
        assertThat(Json.textAt(response, "status", "message"))
                .isEqualTo("unable to find job queue: queue.scheduling.volcano.sh \"none\" not found;");
    }

    @Test
    void warnsOfArgumentsThatPluginsIgnore() throws Exception {
        String job = JOB.replace("QUEUE", "q").replace("\"tasks\"", "\"plugins\":{\"svc\":[\"--no\"]},\"tasks\"");
        assertThat(Json.listAt(ask("/jobs/validate", "CREATE", job, null), "warnings"))
                .isEqualTo(
                        Json.parse("[\"plugin svc flagset parse failed, err: flag provided but not defined: -no\"]"));
    }

    @Test
    void judgesTrainingJobs() throws Exception {
        String job = """
                {"metadata":{"name":"digits"},"spec":{"tfReplicaSpecs":{"Worker":{"template":
                 {"spec":{"containers":[{"name":"NAME","image":"i"}]}}}}}}""";
        String path = "/validate-kubeflow-org-v1-tfjob";
        assertThat(ask(path, "CREATE", job.replace("NAME", "tensorflow"), null))
                .isEqualTo(Json.parse("{\"uid\":\"u1\",\"allowed\":true}"));
        JsonNode refused =
                ask(path, "CREATE", job.replace("NAME", "main"), null).get("status");
        assertThat(Json.textAt(refused, "message")).contains("must have at least one container with name tensorflow");
        assertThat(Json.textAt(refused, "reason")).isEqualTo("Forbidden");
        assertThat(Json.longAt(refused, 0, "code")).isEqualTo(403);
    }

    @Test
    void judgesTrainJobsByTheirRuntime() throws Exception {
        String job = "{\"metadata\":{\"name\":\"digits\"},\"spec\":{\"runtimeRef\":{\"name\":\"NAME\"}}}";
        String path = "/validate-trainer-kubeflow-org-v1alpha1-trainjob";
        JsonNode refused =
                ask(path, "CREATE", job.replace("NAME", "none"), null).get("status");
        assertThat(Json.textAt(refused, "message"))
                .contains("\"none\" not found: specified clusterTrainingRuntime must be created before the TrainJob");
        assertThat(Json.longAt(refused, 0, "code")).isEqualTo(403);
        JsonNode admitted = ask(path, "CREATE", job.replace("NAME", "old"), null);
        assertThat(Json.flagAt(admitted, "allowed")).isTrue();
        assertThat(Json.listAt(admitted, "warnings").get(0).asText()).contains("\"old\" is deprecated");
    }

    @Test
    void notesWhenPatchesOfTrainJobsWereMade() throws Exception {
        JsonNode response = ask(
                "/mutate-trainer-kubeflow-org-v1alpha1-trainjob",
                "CREATE",
                "{\"spec\":{\"runtimePatches\":[{\"manager\":\"a.b/c\"}]}}",
                null);
        assertThat(patch(response)).contains("\"time\":\"1970-01-01T00:00:00Z\"");
    }

    @Test
    void completesAndJudgesJobSets() throws Exception {
        String set =
                "{\"metadata\":{\"name\":\"s\"},\"spec\":{\"replicatedJobs\":[{\"name\":\"a\",\"template\":{\"spec\":"
                        + "{\"template\":{\"spec\":{}}}}}],\"successPolicy\":{\"operator\":\"All\",\"targetReplicatedJobs\":[\"x\"]}}}";
        assertThat(patch(ask("/mutate-jobset-x-k8s-io-v1alpha2-jobset", "CREATE", set, null)))
                .contains("Indexed");
        JsonNode refused = ask("/validate-jobset-x-k8s-io-v1alpha2-jobset", "CREATE", set, null)
                .get("status");
        assertThat(Json.textAt(refused, "message")).contains("invalid replicatedJob name 'x'");
        assertThat(Json.textAt(refused, "reason")).isEqualTo("Invalid");
        assertThat(Json.longAt(refused, 0, "code")).isEqualTo(422);
    }

    private static String patch(JsonNode response) {
        return new String(Base64.getDecoder().decode(Json.textAt(response, "patch")), StandardCharsets.UTF_8);
    }

    @Test
    void knowsUpdatesAndDeletions() throws Exception {
        String changed = JOB.replace("QUEUE", "other");
        assertThat(Json.textAt(ask("/jobs/validate", "UPDATE", changed, JOB), "status", "message"))
                .startsWith("job updates may not change fields");
        assertThat(Json.textAt(
                        ask("/queues/validate", "DELETE", null, "{\"metadata\":{\"name\":\"default\"}}"),
                        "status",
                        "message"))
                .isEqualTo("`default` queue can not be deleted");
    }

    @Test
    void putsGroupsIntoTheQueueOfTheirNamespace() throws Exception {
        JsonNode response = ask("/podgroups/mutate", "CREATE", "{\"spec\":{\"queue\":\"default\"}}", null);
        assertThat(patch(response)).isEqualTo("[{\"op\":\"replace\",\"path\":\"/spec/queue\",\"value\":\"q\"}]");
    }

    @Test
    void answersNothingElse() throws Exception {
        assertThat(post("/nothing", "{}").statusCode()).isEqualTo(404);
        assertThat(post("/pods/validate", "{}").statusCode())
                .as("it is not enabled")
                .isEqualTo(404);
        assertThat(post("/jobs/validate", "{").statusCode()).isEqualTo(400);
        assertThat(post("/jobs/validate", "{}").statusCode()).isEqualTo(400);
        assertThat(post("/healthz", "").body()).isEqualTo("ok");
    }

    @Test
    void saysThatItCannotAnswerWhereTheClusterDoesNot() throws Exception {
        cluster.away = true;
        ObjectNode review = Json.object();
        review.putObject("request").put("operation", "CREATE").set("object", Json.parse(JOB));
        assertThat(post("/jobs/validate", Json.string(review)).statusCode()).isEqualTo(500);
    }

    private static final class TestingCluster implements Webhook.Cluster {
        private boolean away;

        @Override
        public List<ObjectNode> queues() {
            if (away) {
                throw ApiException.of(503, "ServiceUnavailable", "away");
            }
            return List.of((ObjectNode) Json.parse("{\"metadata\":{\"name\":\"q\"},\"status\":{\"state\":\"Open\"}}"));
        }

        @Override
        public @Nullable ObjectNode find(KubeApi.Kind kind, String namespace, String name) {
            return switch (kind.resource() + "/" + name) {
                case "queues/q" -> queues().getFirst();
                case "namespaces/team" ->
                    (ObjectNode)
                            Json.parse("{\"metadata\":{\"annotations\":{\"scheduling.volcano.sh/queue-name\":\"q\"}}}");
                case "clustertrainingruntimes/old" ->
                    (ObjectNode)
                            Json.parse("{\"kind\":\"ClusterTrainingRuntime\",\"metadata\":{\"name\":\"old\",\"labels\":"
                                    + "{\"trainer.kubeflow.org/support\":\"deprecated\"}},\"spec\":{}}");
                default -> null;
            };
        }

        @Override
        public Instant now() {
            return Instant.EPOCH;
        }

        @Override
        public Set<String> schedulers() {
            return Set.of("mine");
        }

        @Override
        public String scheduler() {
            return "mine";
        }

        @Override
        public ResourceGroups resourceGroups() {
            return ResourceGroups.NONE;
        }
    }
}
