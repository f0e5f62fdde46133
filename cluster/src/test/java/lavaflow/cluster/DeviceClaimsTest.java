package lavaflow.cluster;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

import lavaflow.controller.CrashingKubeApi;
import lavaflow.controller.KubeApi;
import lavaflow.controller.TestingKubeApi;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static lavaflow.cluster.TestingCluster.DEVICE_CLAIMS;
import static lavaflow.cluster.TestingCluster.DEVICE_TEMPLATES;
import static lavaflow.cluster.TestingCluster.PODS;
import static lavaflow.cluster.TestingCluster.named;
import static org.assertj.core.api.Assertions.assertThat;

/** Claims to devices that are made for pods, and given back by them. */
class DeviceClaimsTest {
    private static final String FINALIZER = "resource.kubernetes.io/delete-protection";

    private final TestingCluster cluster = new TestingCluster();
    private final TestingKubeApi api = cluster.api;

    @BeforeEach
    void start() {
        run(api);
        cluster.namespace("team");
    }

    private void run(KubeApi view) {
        cluster.run(new DeviceClaims(view, cluster.followers, cluster.clock(), cluster.nanoTime()).controller());
    }

    private void template(String name) {
        ObjectNode template = named(name);
        ObjectNode content = template.putObject("spec");
        Json.ensureObject(content, "metadata", "labels").put("tier", "fast");
        Json.ensureObject(content, "metadata", "annotations").put("why", "speed");
        content.set("spec", spec());
        api.create(DEVICE_TEMPLATES, "team", template);
        cluster.settle();
    }

    private static ObjectNode spec() {
        return (ObjectNode) Json.parse(
                "{\"devices\":{\"requests\":[{\"name\":\"gpu\",\"exactly\":{\"deviceClassName\":\"gpu\"}}]}}");
    }

    private ObjectNode pod(String name, Consumer<ObjectNode> more) {
        ObjectNode pod = named(name);
        pod.putObject("spec");
        more.accept(pod);
        ObjectNode made = api.create(PODS, "team", pod);
        cluster.settle();
        return made;
    }

    private static ObjectNode entry(ObjectNode pod, String name) {
        return Json.ensureObject(pod, "spec")
                .withArray("resourceClaims")
                .addObject()
                .put("name", name);
    }

    private static Consumer<ObjectNode> fromTemplate(String name) {
        return pod -> entry(pod, name).put("resourceClaimTemplateName", "gpus");
    }

    private static Consumer<ObjectNode> using(String claim) {
        return pod -> entry(pod, "gpu").put("resourceClaimName", claim);
    }

    private ObjectNode claimOf(String pod, String entry) {
        for (var status : Json.listAt(api.get(PODS, "team", pod), "status", "resourceClaimStatuses")) {
            if (Json.textAt(status, "name").equals(entry)) {
                return api.get(DEVICE_CLAIMS, "team", Json.textAt(status, "resourceClaimName"));
            }
        }
        throw new AssertionError("no claim for " + entry);
    }

    private void edit(KubeApi.Kind kind, String name, Consumer<ObjectNode> change) {
        api.edit(kind, "team", name, object -> {
            change.accept(object);
            return object;
        });
        cluster.settle();
    }

    /** As the scheduler does. */
    private void allocate(String claim, ObjectNode... pods) {
        edit(DEVICE_CLAIMS, claim, object -> {
            Json.ensureObject(object, "metadata").putArray("finalizers").add(FINALIZER);
            ObjectNode status = Json.ensureObject(object, "status");
            Json.ensureObject(status, "allocation", "devices");
            status.putArray("devices");
            for (ObjectNode pod : pods) {
                status.withArray("reservedFor")
                        .addObject()
                        .put("resource", "pods")
                        .put("name", Objects.name(pod))
                        .put("uid", Objects.uid(pod));
            }
        });
    }

    private ObjectNode claim(String name) {
        ObjectNode claim = named(name);
        claim.set("spec", spec());
        ObjectNode made = api.create(DEVICE_CLAIMS, "team", claim);
        cluster.settle();
        return made;
    }

    private List<String> claims() {
        return cluster.all(DEVICE_CLAIMS, "team").stream().map(Objects::name).toList();
    }

    @Test
    void aClaimIsMadeFromTheTemplateAndOwnedByThePod() {
        template("gpus");
        ObjectNode pod = pod("p", fromTemplate("gpu"));
        ObjectNode claim = claimOf("p", "gpu");
        assertThat(Objects.name(claim)).matches("p-gpu-[a-z0-9]{5}");
        assertThat(claim.at("/metadata/generateName").asText()).isEqualTo("p-gpu-");
        assertThat(claim.at("/metadata/labels")).isEqualTo(Json.parse("{\"tier\":\"fast\"}"));
        assertThat(claim.at("/metadata/annotations"))
                .isEqualTo(Json.parse("{\"why\":\"speed\",\"resource.kubernetes.io/pod-claim-name\":\"gpu\"}"));
        assertThat(claim.at("/spec")).isEqualTo(spec());
        assertThat(claim.at("/metadata/ownerReferences"))
                .isEqualTo(Json.array()
                        .add(Json.object()
                                .put("apiVersion", "v1")
                                .put("kind", "Pod")
                                .put("name", "p")
                                .put("uid", Objects.uid(pod))
                                .put("controller", true)));
    }

    @Test
    void severalEntriesHaveAClaimEach() {
        template("gpus");
        pod(
                "p",
                fromTemplate("one")
                        .andThen(fromTemplate("two"))
                        .andThen(pod -> entry(pod, "mine").put("resourceClaimName", "shared")));
        assertThat(claims()).hasSize(2);
        assertThat(api.get(PODS, "team", "p").at("/status/resourceClaimStatuses"))
                .hasSize(2)
                .extracting(each -> each.get("name").asText())
                .containsExactly("one", "two");
    }

    @Test
    void longNamesAreShortenedByTheirShare() {
        String pod = "p".repeat(100);
        String entry = "e".repeat(50);
        assertThat(DeviceClaims.base(pod, entry)).isEqualTo("p".repeat(37) + "-" + "e".repeat(18));
        assertThat(DeviceClaims.base("pod", "gpu")).isEqualTo("pod-gpu-");
    }

    @Test
    void withoutTheTemplateThereIsAnEventUntilItComes() {
        pod("p", fromTemplate("gpu"));
        assertThat(cluster.messages("team"))
                .contains("FailedResourceClaimCreation: PodResourceClaim gpu: resource claim template \"gpus\":"
                        + " resourceclaimtemplate.resource.k8s.io \"gpus\" not found");
        template("gpus");
        assertThat(claims()).hasSize(1);
    }

    @Test
    void aClaimThatWasDeletedIsMadeAgain() {
        template("gpus");
        pod("p", fromTemplate("gpu").andThen(fromTemplate("nic")));
        String uid = Objects.uid(claimOf("p", "gpu"));
        String other = Objects.uid(claimOf("p", "nic"));
        api.delete(DEVICE_CLAIMS, "team", Objects.name(claimOf("p", "gpu")), KubeApi.Deletion.PLAIN);
        cluster.settle();
        assertThat(Objects.uid(claimOf("p", "gpu"))).isNotEqualTo(uid);
        assertThat(Objects.uid(claimOf("p", "nic"))).isEqualTo(other);
    }

    @Test
    void whoIsInterruptedMakesNoSecondClaim() {
        template("gpus");
        pod("p", fromTemplate("gpu"));
        String uid = Objects.uid(claimOf("p", "gpu"));
        edit(PODS, "p", pod -> Json.ensureObject(pod, "status").remove("resourceClaimStatuses"));
        assertThat(claims()).hasSize(1);
        assertThat(Objects.uid(claimOf("p", "gpu"))).isEqualTo(uid);
    }

    @Test
    void aClaimGivesItsDevicesBackWhenItsLastUserHasEnded() {
        claim("shared");
        ObjectNode one = pod("one", using("shared"));
        ObjectNode two = pod("two", using("shared"));
        allocate("shared", one, two);

        edit(PODS, "one", pod -> Json.ensureObject(pod, "status").put("phase", "Succeeded"));
        ObjectNode claim = api.get(DEVICE_CLAIMS, "team", "shared");
        assertThat(claim.at("/status/reservedFor")).hasSize(1);
        assertThat(claim.at("/status/allocation").isObject()).isTrue();
        assertThat(Objects.finalizers(claim)).containsExactly(FINALIZER);

        api.delete(PODS, "team", "two", KubeApi.Deletion.PLAIN);
        cluster.settle();
        claim = api.get(DEVICE_CLAIMS, "team", "shared");
        assertThat(claim.at("/status")).isEmpty();
        assertThat(Objects.finalizers(claim)).isEmpty();
    }

    @Test
    void aClaimThatNobodyHasUsedKeepsItsDevices() {
        claim("early");
        allocate("early");
        assertThat(api.get(DEVICE_CLAIMS, "team", "early")
                        .at("/status/allocation")
                        .isObject())
                .isTrue();
    }

    @Test
    void aClaimThatIsDeletedGoesWithItsLastUser() {
        claim("shared");
        ObjectNode pod = pod("p", using("shared"));
        allocate("shared", pod);
        api.delete(DEVICE_CLAIMS, "team", "shared", KubeApi.Deletion.PLAIN);
        cluster.settle();
        assertThat(claims()).containsExactly("shared");

        api.delete(PODS, "team", "p", KubeApi.Deletion.PLAIN);
        cluster.settle();
        assertThat(claims()).isEmpty();
    }

    @Test
    void aDeletedClaimWithoutUsersIsNotHeldByItsDevices() {
        claim("early");
        allocate("early");
        api.delete(DEVICE_CLAIMS, "team", "early", KubeApi.Deletion.PLAIN);
        cluster.settle();
        assertThat(claims()).isEmpty();
    }

    @Test
    void theClaimOfAPodThatHasEndedGoesThoughThePodStays() {
        template("gpus");
        ObjectNode pod = pod("p", fromTemplate("gpu"));
        allocate(Objects.name(claimOf("p", "gpu")), pod);
        edit(PODS, "p", ended -> Json.ensureObject(ended, "status").put("phase", "Failed"));
        assertThat(claims()).isEmpty();
        cluster.pass(Duration.ofMinutes(10));
        assertThat(claims()).isEmpty();
    }

    @Test
    void anotherPodOfTheSameNameIsNotItsUser() {
        claim("shared");
        ObjectNode first = pod("p", using("shared"));
        allocate("shared", first);
        api.delete(PODS, "team", "p", KubeApi.Deletion.PLAIN);
        pod("p", using("shared"));
        assertThat(api.get(DEVICE_CLAIMS, "team", "shared").at("/status")).isEmpty();
    }

    @Test
    void aPodThatIsOnANodeAlreadyBecomesAUser() {
        claim("shared");
        allocate("shared");
        ObjectNode pod = pod(
                "p",
                using("shared").andThen(made -> Json.ensureObject(made, "spec").put("nodeName", "n1")));
        assertThat(api.get(DEVICE_CLAIMS, "team", "shared").at("/status/reservedFor"))
                .isEqualTo(Json.array()
                        .add(Json.object()
                                .put("resource", "pods")
                                .put("name", "p")
                                .put("uid", Objects.uid(pod))));
    }

    @Test
    void usersThatAreNoPodsAreLeftAlone() {
        claim("shared");
        edit(
                DEVICE_CLAIMS,
                "shared",
                claim -> Json.ensureObject(claim, "status")
                        .withArray("reservedFor")
                        .addObject()
                        .put("apiGroup", "example.com")
                        .put("resource", "things")
                        .put("name", "t")
                        .put("uid", "1"));
        assertThat(api.get(DEVICE_CLAIMS, "team", "shared").at("/status/reservedFor"))
                .hasSize(1);
    }

    /** Told again and again, each time with the mishap one request later. */
    @Test
    void claimsForWhatContainersAskForGoWhenTheirPodHasEnded() {
        ObjectNode pod = pod(
                "user",
                each -> Json.ensureObject(each, "status", "extendedResourceClaimStatus")
                        .put("resourceClaimName", "made"));
        ObjectNode claim = named("made");
        claim.set("spec", spec());
        Json.ensureObject(claim, "metadata")
                .putArray("ownerReferences")
                .addObject()
                .put("apiVersion", "v1")
                .put("kind", "Pod")
                .put("name", "user")
                .put("uid", Objects.uid(pod))
                .put("controller", true);
        api.create(DEVICE_CLAIMS, "team", claim);
        allocate("made", pod);
        cluster.settle();
        assertThat(api.has(DEVICE_CLAIMS, "team", "made")).isTrue();

        cluster.report("team", "user", "Succeeded", false);
        cluster.settle();
        assertThat(api.has(DEVICE_CLAIMS, "team", "made")).isFalse();
    }

    @ParameterizedTest
    @EnumSource(CrashingKubeApi.Mishap.class)
    void aMishapAnywhereLeavesOneClaimEach(CrashingKubeApi.Mishap mishap) {
        template("gpus");
        for (int after = 0; after < 8; after++) {
            String name = "p" + after;
            CrashingKubeApi dying = new CrashingKubeApi(api, mishap, after);
            cluster.restart(dying);
            run(dying);
            pod(name, fromTemplate("one").andThen(fromTemplate("two")));
            cluster.pass(Duration.ofMinutes(20));
            cluster.restart(api);
            run(api);
            cluster.settle();
            assertThat(claims().stream().filter(claim -> claim.startsWith(name + "-")))
                    .hasSize(2)
                    .contains(Objects.name(claimOf(name, "one")), Objects.name(claimOf(name, "two")));
        }
    }
}
