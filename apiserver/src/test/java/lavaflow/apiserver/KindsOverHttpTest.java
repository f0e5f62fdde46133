package lavaflow.apiserver;

import java.nio.file.Path;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** What some kinds do beyond the verbs of all. Their rules are tested where they live. */
final class KindsOverHttpTest {
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
    void letsOnlyLabelledNamespacesLookAfterDevicesOfOthers() throws Exception {
        server.post("/api/v1/namespaces", "{\"metadata\":{\"name\":\"carers\"}}");
        String claims = "/apis/resource.k8s.io/v1/namespaces/carers/resourceclaims";
        String spec = "{\"devices\":{\"requests\":[{\"name\":\"r\",\"exactly\":{\"deviceClassName\":\"gpu\"}},"
                + "{\"name\":\"a\",\"exactly\":{\"deviceClassName\":\"gpu\",\"adminAccess\":true}}]}}";
        String claim = "{\"metadata\":{\"name\":\"c\"},\"spec\":" + spec + "}";
        String why = "spec.devices.requests[1].adminAccess: Forbidden: admin access to devices requires the"
                + " `resource.kubernetes.io/admin-access: true` label on the containing namespace";
        var refused = server.post(claims, claim);
        assertThat(refused.code()).isEqualTo(422);
        assertThat(refused.message()).isEqualTo("ResourceClaim.resource.k8s.io \"c\" is invalid: " + why);
        assertThat(server.post(
                                claims.replace("claims", "claimtemplates"),
                                "{\"metadata\":{\"name\":\"t\"},\"spec\":{\"spec\":" + spec + "}}")
                        .message())
                .isEqualTo("ResourceClaimTemplate.resource.k8s.io \"t\" is invalid: " + why);

        server.put(
                "/api/v1/namespaces/carers",
                "{\"metadata\":{\"name\":\"carers\",\"labels\":{\"resource.kubernetes.io/admin-access\":\"true\"}}}");
        assertThat(server.post(claims, claim).code()).isEqualTo(201);
    }

    @Test
    void keepsThePrioritiesOfTheSystem() throws Exception {
        var refused = server.delete("/apis/scheduling.k8s.io/v1/priorityclasses/system-node-critical");
        assertThat(refused.message())
                .isEqualTo("priorityclasses.scheduling.k8s.io \"system-node-critical\" is forbidden: this is a system"
                        + " priority class and cannot be deleted");
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
