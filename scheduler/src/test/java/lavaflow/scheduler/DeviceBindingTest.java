package lavaflow.scheduler;

import java.time.Duration;
import java.util.List;

import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static lavaflow.scheduler.TestingCluster.json;
import static org.assertj.core.api.Assertions.assertThat;

/** Pods and gangs that are bound once their devices are ready. */
class DeviceBindingTest extends TestingGangCluster {
    @BeforeEach
    void devices() {
        create(
                DeviceKinds.CLASSES,
                "{\"metadata\":{\"name\":\"gpu\"},\"spec\":{\"extendedResourceName\":\"example.com/gpu\"}}");
        node("n", 8);
    }

    private void slice(String name, int count, boolean awaited) {
        ObjectNode slice = json("""
                {"metadata":{"name":"%s"},"spec":{"driver":"gpu.example.com","allNodes":true,
                 "pool":{"name":"%s","generation":1,"resourceSliceCount":1}}}""".formatted(name, name));
        for (int i = 0; i < count; i++) {
            ObjectNode device = Json.ensureObject(slice, "spec")
                    .withArray("devices")
                    .addObject()
                    .put("name", "gpu-" + i);
            if (awaited) {
                device.put("bindsToNode", true);
                device.putArray("bindingConditions").add("Attached").add("Warm");
                device.putArray("bindingFailureConditions").add("Broken");
            }
        }
        api.create(DeviceKinds.SLICES, "", slice);
    }

    private void claim(String name) {
        create(DeviceKinds.CLAIMS, """
                {"metadata":{"name":"%s"},"spec":{"devices":{"requests":[{"name":"r",
                 "exactly":{"deviceClassName":"gpu","allocationMode":"ExactCount","count":1}}]}}}""".formatted(name));
    }

    private static String using(String claim) {
        return "{\"spec\":{\"resourceClaims\":[{\"name\":\"x\",\"resourceClaimName\":\"" + claim + "\"}]}}";
    }

    private JsonNode results(String claim) {
        return Json.listAt(api.get(DeviceKinds.CLAIMS, "default", claim), "status", "allocation", "devices", "results");
    }

    /** What the driver says of the only device of a claim. */
    private void say(String claim, String... conditions) {
        api.edit(DeviceKinds.CLAIMS, "default", claim, object -> {
            JsonNode result = results(claim).get(0);
            ObjectNode device =
                    Json.ensureObject(object, "status").putArray("devices").addObject();
            for (String field : List.of("driver", "pool", "device")) {
                device.put(field, Json.textAt(result, field));
            }
            for (String condition : conditions) {
                device.withArray("conditions")
                        .addObject()
                        .put("type", condition)
                        .put("status", "True")
                        .put("reason", "Why")
                        .put("message", "so");
            }
            return object;
        });
    }

    private String why(String pod) {
        JsonNode condition = condition(Json.at(api.get(Scheduler.PODS, "default", pod), "status"), "PodScheduled");
        return Json.textAt(condition, "reason") + ": " + Json.textAt(condition, "message");
    }

    @Test
    void aPodIsBoundWhenAllIsTrueOfItsDevices() {
        slice("s", 1, true);
        claim("c");
        plain("p", 1, using("c"));
        settle();
        assertThat(nodeOf("p")).isEmpty();
        JsonNode result = results("c").get(0);
        assertThat(Json.listAt(result, "bindingConditions").valueStream().map(JsonNode::asText))
                .containsExactly("Attached", "Warm");
        assertThat(Json.listAt(result, "bindingFailureConditions").valueStream().map(JsonNode::asText))
                .containsExactly("Broken");
        assertThat(Json.string(
                        Json.at(api.get(DeviceKinds.CLAIMS, "default", "c"), "status", "allocation", "nodeSelector")))
                .contains("metadata.name");
        say("c", "Attached");
        settle();
        assertThat(nodeOf("p")).isEmpty();
        say("c", "Attached", "Warm");
        settle();
        assertThat(nodeOf("p")).isEqualTo("n");
    }

    @Test
    void devicesThatAreReadyAnywayComeFirst() {
        slice("a", 1, true);
        slice("b", 1, false);
        claim("c");
        plain("p", 1, using("c"));
        settle();
        assertThat(nodeOf("p")).isEqualTo("n");
        assertThat(Json.textAt(results("c").get(0), "pool")).isEqualTo("b");
    }

    @Test
    void aFailureIsToldAndTriedAgain() {
        slice("s", 1, true);
        claim("c");
        plain("p", 1, using("c"));
        settle();
        say("c", "Broken");
        settle();
        assertThat(why("p"))
                .isEqualTo("SchedulerError: running PreBind plugin \"DynamicResources\":"
                        + " device binding failed: claim=c, reason=Why, message=\"so\"");
        later(Duration.ofSeconds(30));
        assertThat(why("p")).contains("deallocation of ResourceClaim completed");
        later(Duration.ofSeconds(30));
        assertThat(results("c")).hasSize(1);
        say("c", "Attached", "Warm");
        settle();
        assertThat(nodeOf("p")).isEqualTo("n");
    }

    @Test
    void whoWaitsTooLongIsGivenOthers() {
        slice("s", 1, true);
        claim("c");
        plain("p", 1, using("c"));
        settle();
        slice("t", 1, false);
        later(Duration.ofMinutes(10).plusSeconds(1));
        assertThat(why("p")).contains("device binding timeout: claim=c");
        later(Duration.ofSeconds(30));
        later(Duration.ofSeconds(30));
        assertThat(nodeOf("p")).isEqualTo("n");
        assertThat(Json.textAt(results("c").get(0), "pool")).isEqualTo("t");
    }

    @Test
    void aSchedulerThatComesLaterGoesOnWaiting() {
        slice("s", 1, true);
        claim("c");
        plain("p", 1, using("c"));
        settle();
        begin();
        settle();
        assertThat(nodeOf("p")).isEmpty();
        say("c", "Attached", "Warm");
        settle();
        assertThat(nodeOf("p")).isEqualTo("n");
    }

    @Test
    void devicesForWhatContainersAskForAreAwaitedToo() {
        slice("s", 1, true);
        plain("p", 1, """
                {"spec":{"containers":[{"name":"c","resources":{"requests":{"cpu":"1","example.com/gpu":"1"}}}]}}""");
        settle();
        assertThat(nodeOf("p")).isEmpty();
        String claim = Json.textAt(
                api.get(Scheduler.PODS, "default", "p"), "status", "extendedResourceClaimStatus", "resourceClaimName");
        say(claim, "Attached", "Warm");
        settle();
        assertThat(nodeOf("p")).isEqualTo("n");
    }

    // ---- gangs ----

    private void gang() {
        group("g", 2);
        for (int i = 0; i < 2; i++) {
            claim("g-" + i);
            member("g-" + i, "g", using("g-" + i));
        }
    }

    @Test
    void membersAreBoundWhenTheirDevicesAreReady() {
        slice("s", 2, true);
        gang();
        settle();
        assertThat(nodeOf("g-0") + nodeOf("g-1")).isEmpty();
        say("g-0", "Attached", "Warm");
        settle();
        assertThat(nodeOf("g-0")).isEqualTo("n");
        assertThat(nodeOf("g-1")).isEmpty();
        say("g-1", "Attached", "Warm");
        settle();
        assertThat(nodeOf("g-1")).isEqualTo("n");
    }

    @Test
    void aMemberWhoseClaimCannotBeWrittenIsTriedAgain() {
        slice("s", 2, true);
        api.fail("update resourceclaims.resource.k8s.io/status default/g-1", ApiException.badRequest("no"));
        gang();
        settle();
        later(Duration.ofSeconds(10));
        for (String claim : List.of("g-0", "g-1")) {
            say(claim, "Attached", "Warm");
        }
        settle();
        assertThat(List.of(nodeOf("g-0"), nodeOf("g-1"))).containsOnly("n");
    }

    @Test
    void aMemberWhoseDeviceFailsIsGivenAnother() {
        slice("s", 2, true);
        gang();
        settle();
        say("g-0", "Attached", "Warm");
        settle();
        slice("t", 1, false);
        say("g-1", "Broken");
        settle();
        later(Duration.ofSeconds(10));
        later(Duration.ofSeconds(10));
        assertThat(nodeOf("g-1")).isEqualTo("n");
        assertThat(Json.textAt(results("g-1").get(0), "pool")).isEqualTo("t");
    }
}
