package lavaflow;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;

import lavaflow.controller.KubeApi;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;
import lavaflow.remote.Settings;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.awaitility.core.ThrowingRunnable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/** Volcano's webhooks over HTTPS and its rules in the process, on a server that runs everything. */
@Timeout(600)
class WebhooksRoleTest {
    private static final KubeApi.Kind DEFINITIONS =
            new KubeApi.Kind("apiextensions.k8s.io", "v1", "customresourcedefinitions", false);
    private static final KubeApi.Kind JOBS = new KubeApi.Kind("batch.volcano.sh", "v1alpha1", "jobs", true);
    private static final KubeApi.Kind QUEUES = new KubeApi.Kind("scheduling.volcano.sh", "v1beta1", "queues", false);
    private static final KubeApi.Kind PODS = KubeApi.Kind.core("pods");
    private static final KubeApi.Kind MUTATING =
            new KubeApi.Kind("admissionregistration.k8s.io", "v1", "mutatingwebhookconfigurations", false);
    private static final KubeApi.Kind VALIDATING =
            new KubeApi.Kind("admissionregistration.k8s.io", "v1", "validatingwebhookconfigurations", false);

    private TestingAllInOne testing;
    private Path directory;

    @BeforeEach
    void start(@TempDir Path temporary) throws Exception {
        directory = temporary;
        testing = new TestingAllInOne(temporary.resolve("data"));
    }

    @AfterEach
    void stop() throws Exception {
        testing.close();
    }

    private static ObjectNode job(String name, String spec) {
        ObjectNode job = TestingAllInOne.named(name);
        job.put("apiVersion", "batch.volcano.sh/v1alpha1").put("kind", "Job");
        job.set("spec", Json.parse(spec.replace('\'', '"')));
        return job;
    }

    private static boolean isEstablished(ObjectNode definition) {
        return Json.listAt(definition, "status", "conditions")
                .valueStream()
                .anyMatch(condition -> Json.textAt(condition, "type").equals("Established")
                        && Json.textAt(condition, "status").equals("True"));
    }

    @Test
    void completesAndRefusesInTheProcess() throws Exception {
        testing.await(
                DEFINITIONS, "", "jobs.batch.volcano.sh", found -> found.isPresent() && isEstablished(found.get()));
        testing.awaitThere(QUEUES, "", "default");
        String tasks = "'tasks':[{'replicas':2,'template':{'spec':{'containers':[{'name':'c','image':'i'}]}}}]";
        ObjectNode made =
                testing.api.create(JOBS, "default", job("good", "{'plugins':{'tensorflow':[]}," + tasks + "}"));
        assertThat(Json.textAt(made, "spec", "schedulerName")).isEqualTo("volcano");
        assertThat(Json.longAt(made, 0, "spec", "minAvailable")).isEqualTo(2);
        assertThat(Json.at(made, "spec", "plugins", "svc")).isNotNull();
        assertThat(Json.textAt(Json.listAt(made, "spec", "tasks").get(0), "name"))
                .isEqualTo("default0");

        assertThatThrownBy(() -> testing.api.create(JOBS, "default", job("bad", "{'queue':'none'," + tasks + "}")))
                .isInstanceOf(ApiException.class)
                .hasMessage("admission webhook \"validatejob.volcano.sh\" denied the request: unable to find job queue:"
                        + " queue.scheduling.volcano.sh \"none\" not found;");
        assertThatThrownBy(() -> testing.api.create(JOBS, "default", job("bad", "{'tasks':[]}")))
                .as("the definition is asked as well")
                .isInstanceOf(ApiException.class);
        // The controller works on it meanwhile, so the whole object is not sent again.
        ObjectNode queue = (ObjectNode) Json.parse("{\"spec\":{\"queue\":\"root\"}}");
        assertThatThrownBy(() -> testing.api.patch(JOBS, "default", "good", "", KubeApi.Merge.PLAIN, queue))
                .hasMessageContaining("job updates may not change fields other than");
    }

    @Test
    void leavesRuntimesAloneThatAskForIt() throws Exception {
        testing.await(
                DEFINITIONS,
                "",
                "clustertrainingruntimes.trainer.kubeflow.org",
                found -> found.isPresent() && isEstablished(found.get()));
        KubeApi.Kind runtimes = new KubeApi.Kind("trainer.kubeflow.org", "v1alpha1", "clustertrainingruntimes", false);
        ObjectNode runtime = TestingAllInOne.named("mine");
        runtime.put("apiVersion", "trainer.kubeflow.org/v1alpha1").put("kind", "ClusterTrainingRuntime");
        runtime.set("spec", Json.parse("""
                        {"template":{"spec":{"replicatedJobs":[{"name":"node","template":{
                         "metadata":{"labels":{"trainer.kubeflow.org/trainjob-ancestor-step":"trainer"}},
                         "spec":{"template":{"spec":{"containers":[{"name":"main","image":"i"}]}}}}}]}}}"""));
        assertThatThrownBy(() -> testing.api.create(runtimes, "", runtime))
                .isInstanceOfSatisfying(
                        ApiException.class,
                        refused -> assertThat(refused.code()).isEqualTo(403))
                .hasMessageStartingWith("admission webhook \"validator.clustertrainingruntime.trainer.kubeflow.org\""
                        + " denied the request: ")
                .hasMessageContaining("must contain the required container for the ancestor: trainer");
        Json.ensureObject(runtime, "metadata", "labels").put("trainer.kubeflow.org/webhook-validation", "disabled");
        assertThat(testing.api.create(runtimes, "", runtime)).isNotNull();
    }

    @Test
    void isAskedByTheServerWhileItRuns() throws Exception {
        Path groups = Files.writeString(
                directory.resolve("groups.yaml"),
                "resourceGroups: [{resourceGroup: a, object: {key: namespace, value: [default]}, labels: {led: here}}]\n");
        InetSocketAddress listen = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        Set<Webhook> webhooks = Set.of(
                VolcanoWebhook.MUTATE_PODS, VolcanoWebhook.VALIDATE_PODS, TrainingWebhook.PYTORCH, TrainingWebhook.JAX);
        WebhooksRole.Options options = new WebhooksRole.Options(
                Settings.of(testing.home.kubeconfig(), "test/0"),
                listen,
                WebhookRegistration.Callers.of(listen, "volcano-system"),
                webhooks,
                List.of("mine"),
                groups,
                null);
        try (WebhooksRole role = WebhooksRole.connect(options)) {
            role.register();
            role.register(); // as after a restart that left them behind
            ObjectNode configuration = testing.api
                    .find(MUTATING, "", "volcano-admission-service-pods-mutate")
                    .orElseThrow();
            JsonNode webhook = Json.listAt(configuration, "webhooks").get(0);
            assertThat(Json.textAt(webhook, "name")).isEqualTo("mutatepod.volcano.sh");
            assertThat(Json.textAt(webhook, "clientConfig", "url"))
                    .isEqualTo("https://127.0.0.1:" + role.port() + "/pods/mutate");

            ObjectNode pod = Json.object();
            pod.putObject("metadata").put("generateName", "led-");
            pod.set(
                    "spec",
                    Json.parse("{\"schedulerName\":\"mine\",\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]}"));
            awaitAsked(() -> assertThat(
                            Json.textAt(testing.api.create(PODS, "default", pod), "spec", "nodeSelector", "led"))
                    .isEqualTo("here"));

            ObjectNode bad = pod.deepCopy();
            Json.ensureObject(bad, "metadata", "annotations").put("volcano.sh/jdb-min-available", "0");
            awaitAsked(() -> assertThatThrownBy(() -> testing.api.create(PODS, "default", bad))
                    .hasMessage(
                            "admission webhook \"validatepod.volcano.sh\" denied the request: invalid value <\"0\"> for"
                                    + " volcano.sh/jdb-min-available, it must be a positive integer"));
            JsonNode training = Json.listAt(
                    testing.api
                            .find(VALIDATING, "", "validator.training-operator.kubeflow.org")
                            .orElseThrow(),
                    "webhooks");
            assertThat(training.valueStream().map(each -> Json.textAt(each, "name")))
                    .containsExactly(
                            "validator.jaxjob.training-operator.kubeflow.org",
                            "validator.pytorchjob.training-operator.kubeflow.org");
        }
        assertThat(testing.api.find(VALIDATING, "", "validator.training-operator.kubeflow.org"))
                .isEmpty();
        assertThat(testing.api.find(MUTATING, "", "volcano-admission-service-pods-mutate"))
                .isEmpty();
        assertThat(testing.api.find(VALIDATING, "", "volcano-admission-service-pods-validate"))
                .isEmpty();
    }

    /** The server may need a moment before it knows of a new webhook, and does not wait long for one on a busy machine. */
    private static void awaitAsked(ThrowingRunnable asserted) {
        await().atMost(Duration.ofMinutes(3)).ignoreExceptions().untilAsserted(asserted);
    }

    @Test
    void registersTheTrainersUnderUpstreamsNames() {
        WebhookRegistration registration = new WebhookRegistration(
                testing.api, new WebhookRegistration.Callers("https://here", "", "kubeflow-system"), "PEM", Set.of());
        ObjectNode runtimes = registration.configuration(List.of(TrainerWebhook.VALIDATE_CLUSTER_RUNTIMES));
        assertThat(Json.textAt(runtimes, "metadata", "name")).isEqualTo("validator.trainer.kubeflow.org");
        JsonNode webhook = Json.listAt(runtimes, "webhooks").get(0);
        assertThat(Json.textAt(webhook, "name")).isEqualTo("validator.clustertrainingruntime.trainer.kubeflow.org");
        assertThat(Json.textAt(webhook, "clientConfig", "url"))
                .isEqualTo("https://here/validate-trainer-kubeflow-org-v1alpha1-clustertrainingruntime");
        assertThat(Json.at(webhook, "objectSelector"))
                .isEqualTo(Json.parse("{\"matchExpressions\":[{\"key\":\"trainer.kubeflow.org/webhook-validation\","
                        + "\"operator\":\"NotIn\",\"values\":[\"disabled\"]}]}"));
        ObjectNode sets = registration.configuration(List.of(TrainerWebhook.MUTATE_JOB_SETS));
        assertThat(Json.textAt(sets, "kind")).isEqualTo("MutatingWebhookConfiguration");
        assertThat(Json.textAt(sets, "metadata", "name")).isEqualTo("jobset-mutating-webhook-configuration");
        assertThat(Json.textAt(Json.listAt(sets, "webhooks").get(0), "name")).isEqualTo("mjobset.kb.io");
    }

    @Test
    void namesAServiceWhereThereIsOne() {
        WebhookRegistration registration = new WebhookRegistration(
                testing.api,
                new WebhookRegistration.Callers("", "volcano-admission-service", "volcano-system"),
                "PEM",
                Set.of());
        JsonNode webhook = Json.listAt(registration.configuration(List.of(VolcanoWebhook.VALIDATE_QUEUES)), "webhooks")
                .get(0);
        assertThat(Json.at(webhook, "clientConfig"))
                .isEqualTo(Json.parse("{\"caBundle\":\"UEVN\",\"service\":{\"name\":\"volcano-admission-service\","
                        + "\"namespace\":\"volcano-system\",\"path\":\"/queues/validate\",\"port\":443}}"));
        assertThat(Json.listAt(webhook, "rules").get(0))
                .isEqualTo(
                        Json.parse(
                                "{\"apiGroups\":[\"scheduling.volcano.sh\"],\"apiVersions\":[\"v1beta1\"],"
                                        + "\"operations\":[\"CREATE\",\"UPDATE\",\"DELETE\"],\"resources\":[\"queues\"],\"scope\":\"*\"}"));
    }
}
