package lavaflow.scheduler;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import lavaflow.controller.KubeApi;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;

import static lavaflow.scheduler.TestingCluster.json;
import static org.assertj.core.api.Assertions.assertThat;

/** Pods and gangs whose containers ask for resources that classes of devices stand for. */
class ExtendedResourceTest extends TestingGangCluster {
    private void type() {
        create(
                DeviceKinds.CLASSES,
                "{\"metadata\":{\"name\":\"gpu\"},\"spec\":{\"extendedResourceName\":\"example.com/gpu\"}}");
    }

    private void slice(String node, int count) {
        ObjectNode slice = json("""
                {"metadata":{"name":"slice-%s"},"spec":{"driver":"gpu.example.com","nodeName":"%s",
                 "pool":{"name":"%s","generation":1,"resourceSliceCount":1}}}""".formatted(node, node, node));
        for (int i = 0; i < count; i++) {
            Json.ensureObject(slice, "spec").withArray("devices").addObject().put("name", "gpu-" + i);
        }
        api.create(DeviceKinds.SLICES, "", slice);
    }

    private static String asking(String resource, int count) {
        return """
                {"spec":{"containers":[{"name":"c","resources":{"requests":{"cpu":"1","%s":"%d"}}}]}}""".formatted(resource, count);
    }

    private List<ObjectNode> claims() {
        return api.list(DeviceKinds.CLAIMS, "default", KubeApi.View.WHOLE).items();
    }

    private ObjectNode claimOf(String pod) {
        String name = Json.textAt(
                api.get(Scheduler.PODS, "default", pod), "status", "extendedResourceClaimStatus", "resourceClaimName");
        return api.get(DeviceKinds.CLAIMS, "default", name);
    }

    private static List<String> devices(JsonNode claim) {
        return Json.listAt(claim, "status", "allocation", "devices", "results")
                .valueStream()
                .map(result -> Json.textAt(result, "request") + "=" + Json.textAt(result, "device"))
                .toList();
    }

    private String why(String pod) {
        JsonNode condition = condition(Json.at(api.get(Scheduler.PODS, "default", pod), "status"), "PodScheduled");
        return Json.textAt(condition, "message");
    }

    @Test
    void aPodGetsDevicesForWhatItsContainersAskFor() {
        type();
        node("n", 4);
        node("m", 4);
        slice("m", 2);
        plain("p", 1, asking("example.com/gpu", 2));
        settle();
        assertThat(nodeOf("p")).isEqualTo("m");
        ObjectNode claim = claimOf("p");
        assertThat(devices(claim)).containsExactly("container-0-request-1=gpu-0", "container-0-request-1=gpu-1");
        assertThat(Json.textAt(claim, "metadata", "name")).startsWith("p-extended-resources-");
        assertThat(Json.textAt(claim, "metadata", "annotations", "resource.kubernetes.io/extended-resource-claim"))
                .isEqualTo("true");
        assertThat(Json.at(claim, "metadata", "ownerReferences")).hasSize(1);
        assertThat(Json.textAt(Json.listAt(claim, "status", "reservedFor").get(0), "name"))
                .isEqualTo("p");
        JsonNode status = Json.at(api.get(Scheduler.PODS, "default", "p"), "status", "extendedResourceClaimStatus");
        assertThat(Json.listAt(status, "requestMappings"))
                .containsExactly(
                        json(
                                "{\"containerName\":\"c\",\"resourceName\":\"example.com/gpu\",\"requestName\":\"container-0-request-1\"}"));
    }

    @Test
    void aClassStandsForTheResourceNamedAfterIt() {
        type();
        node("n", 4);
        slice("n", 1);
        plain("p", 1, asking("deviceclass.resource.kubernetes.io/gpu", 1));
        settle();
        assertThat(nodeOf("p")).isEqualTo("n");
        assertThat(devices(claimOf("p"))).hasSize(1);
    }

    @Test
    void aNodeThatHasTheResourceItselfNeedsNoClaim() {
        type();
        api.create(Scheduler.NODES, "", json("""
                {"metadata":{"name":"own"},"spec":{},
                 "status":{"allocatable":{"cpu":"4","memory":"8Gi","pods":"10","example.com/gpu":"1"}}}"""));
        plain("p", 1, asking("example.com/gpu", 1));
        settle();
        assertThat(nodeOf("p")).isEqualTo("own");
        assertThat(claims()).isEmpty();
        plain("q", 1, asking("example.com/gpu", 1));
        settle();
        assertThat(why("q")).startsWith("0/1 nodes are available: 1 Insufficient example.com/gpu.");
    }

    @Test
    void podsWaitForTheClassAndForDevices() {
        node("n", 4);
        plain("p", 1, asking("example.com/gpu", 1));
        settle();
        assertThat(why("p")).startsWith("0/1 nodes are available: 1 Insufficient example.com/gpu.");
        type();
        later(Duration.ofSeconds(30));
        assertThat(why("p")).startsWith("0/1 nodes are available: 1 cannot allocate all claims.");
        slice("n", 1);
        later(Duration.ofSeconds(30));
        assertThat(nodeOf("p")).isEqualTo("n");
        plain("q", 1, asking("example.com/gpu", 1));
        settle();
        assertThat(nodeOf("q")).isEmpty();
        api.delete(DeviceKinds.CLASSES, "", "gpu", KubeApi.Deletion.PLAIN);
        later(Duration.ofSeconds(30));
        assertThat(why("q")).startsWith("0/1 nodes are available: 1 Insufficient example.com/gpu.");
    }

    @Test
    void nothingIsLeftOfAPodThatIsNotBound() {
        type();
        node("n", 4);
        slice("n", 1);
        api.fail("post pods/binding default/p", ApiException.badRequest("no"));
        plain("p", 1, asking("example.com/gpu", 1));
        settle();
        assertThat(nodeOf("p")).isEmpty();
        assertThat(claims()).isEmpty();
        later(Duration.ofSeconds(30));
        assertThat(nodeOf("p")).isEqualTo("n");
        assertThat(claims()).hasSize(1);
        assertThat(devices(claimOf("p"))).hasSize(1);
    }

    @Test
    void aClaimThatNothingCameOfGoesFirst() {
        type();
        node("n", 4);
        slice("n", 1);
        plain("p", 1, asking("example.com/gpu", 1));
        stale("p");
        settle();
        assertThat(why("p"))
                .startsWith("0/1 nodes are available: 1 cannot schedule extended resource claim."
                        + " deletion of ResourceClaim completed, preemption: ");
        later(Duration.ofSeconds(30));
        assertThat(nodeOf("p")).isEqualTo("n");
        assertThat(claims()).hasSize(1);
    }

    /** What a scheduler leaves that ends before it binds a pod. */
    private void stale(String pod) {
        String uid = Json.textAt(api.get(Scheduler.PODS, "default", pod), "metadata", "uid");
        create(DeviceKinds.CLAIMS, """
                {"metadata":{"name":"old-%s","annotations":{"resource.kubernetes.io/extended-resource-claim":"true"},
                  "finalizers":["resource.kubernetes.io/delete-protection"],
                  "ownerReferences":[{"apiVersion":"v1","kind":"Pod","name":"%s","uid":"%s","controller":true}]},
                 "spec":{"devices":{"requests":[{"name":"r","exactly":{"deviceClassName":"gpu","allocationMode":"ExactCount","count":1}}]}},
                 "status":{"allocation":{"devices":{"results":[{"request":"r","driver":"gpu.example.com","pool":"n","device":"gpu-0"}]}}}}""".formatted(pod, pod, uid));
    }

    // ---- gangs ----

    private void gang(String name, int members, int devices) {
        group(name, members, "{\"spec\":{\"minResources\":{\"example.com/gpu\":\"" + members * devices + "\"}}}");
        for (int i = 0; i < members; i++) {
            member(name + "-" + i, name, asking("example.com/gpu", devices));
        }
    }

    @Test
    void gangsGetTheirDevicesTogether() {
        type();
        node("n", 4);
        node("m", 4);
        slice("n", 2);
        slice("m", 1);
        gang("g", 3, 1);
        settle();
        List<String> nodes = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            nodes.add(nodeOf("g-" + i));
            assertThat(devices(claimOf("g-" + i))).hasSize(1);
        }
        assertThat(nodes).containsExactlyInAnyOrder("n", "n", "m");
        assertThat(claims()).hasSize(3);
    }

    @Test
    void aGangWithTooFewDevicesTakesNone() {
        type();
        node("n", 4);
        slice("n", 2);
        gang("g", 3, 1);
        settle();
        assertThat(nodeOf("g-0")).isEmpty();
        assertThat(claims()).isEmpty();
        slice("m", 1);
        node("m", 4);
        later(Duration.ofSeconds(5));
        assertThat(List.of(nodeOf("g-0"), nodeOf("g-1"), nodeOf("g-2"))).containsExactlyInAnyOrder("n", "n", "m");
    }

    @Test
    void aQueueCountsDevicesAsItCountsTheResource() {
        type();
        node("n", 4);
        slice("n", 4);
        api.create(
                GangKinds.QUEUES,
                "",
                json(
                        "{\"metadata\":{\"name\":\"few\"},\"spec\":{\"weight\":1,\"capability\":{\"example.com/gpu\":\"1\"}}}"));
        group("a", 1, "{\"spec\":{\"queue\":\"few\"}}");
        member("a-0", "a", asking("example.com/gpu", 1));
        group("b", 1, "{\"spec\":{\"queue\":\"few\"}}");
        member("b-0", "b", asking("example.com/gpu", 1));
        settle();
        later(Duration.ofSeconds(5));
        assertThat(List.of(nodeOf("a-0"), nodeOf("b-0"))).containsExactlyInAnyOrder("n", "");
    }

    @Test
    void aGangGetsRidOfAClaimThatNothingCameOf() {
        type();
        node("n", 4);
        slice("n", 1);
        gang("g", 1, 1);
        stale("g-0");
        settle();
        later(Duration.ofSeconds(5));
        assertThat(nodeOf("g-0")).isEqualTo("n");
        assertThat(claims()).hasSize(1);
        assertThat(devices(claimOf("g-0"))).hasSize(1);
    }
}
