package lavaflow.scheduler;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;

import lavaflow.controller.KubeApi;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.Test;

import static lavaflow.scheduler.TestingCluster.json;
import static org.assertj.core.api.Assertions.assertThat;

/** Pods and gangs that claim devices: where they go, what is written before, and why they wait. */
class DeviceTest extends TestingGangCluster {
    /** The next write of a claim's status is done, but nobody hears of it. */
    private boolean losesAnswer;

    @Override
    KubeApi asSeen() {
        return (KubeApi) Proxy.newProxyInstance(
                KubeApi.class.getClassLoader(), new Class<?>[] {KubeApi.class}, (_, method, arguments) -> {
                    try {
                        Object answer = method.invoke(api, arguments);
                        if (losesAnswer && method.getName().equals("update") && "status".equals(arguments[1])) {
                            losesAnswer = false;
                            throw ApiException.of(504, "Timeout", "no answer");
                        }
                        return answer;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private void type() {
        create(DeviceKinds.CLASSES, "{\"metadata\":{\"name\":\"gpu\"},\"spec\":{}}");
    }

    /** A pool of a node with so many devices. */
    private void slice(String node, int count) {
        StringBuilder devices = new StringBuilder();
        for (int i = 0; i < count; i++) {
            devices.append(i == 0 ? "" : ",").append("{\"name\":\"gpu-" + i + "\"}");
        }
        create(DeviceKinds.SLICES, """
                {"metadata":{"name":"slice-%s"},"spec":{"driver":"gpu.example.com","nodeName":"%s",
                 "pool":{"name":"%s","generation":1,"resourceSliceCount":1},"devices":[%s]}}""".formatted(node, node, node, devices));
    }

    private void claim(String name, int count) {
        create(DeviceKinds.CLAIMS, """
                {"metadata":{"name":"%s"},"spec":{"devices":{"requests":[{"name":"r",
                 "exactly":{"deviceClassName":"gpu","allocationMode":"ExactCount","count":%d}}]}}}""".formatted(name, count));
    }

    private static String using(String claim) {
        return "{\"spec\":{\"resourceClaims\":[{\"name\":\"x\",\"resourceClaimName\":\"" + claim + "\"}]}}";
    }

    private JsonNode statusOf(String claim) {
        JsonNode status = Json.at(api.get(DeviceKinds.CLAIMS, "default", claim), "status");
        return status == null ? Json.object() : status;
    }

    private List<String> devicesOf(String claim) {
        return Json.listAt(statusOf(claim), "allocation", "devices", "results")
                .valueStream()
                .map(result -> Json.textAt(result, "pool") + "/" + Json.textAt(result, "device"))
                .toList();
    }

    private List<String> usersOf(String claim) {
        return Json.listAt(statusOf(claim), "reservedFor")
                .valueStream()
                .map(user -> Json.textAt(user, "name"))
                .toList();
    }

    private String why(String pod) {
        JsonNode condition = condition(Json.at(api.get(Scheduler.PODS, "default", pod), "status"), "PodScheduled");
        return Json.textAt(condition, "reason") + ": " + Json.textAt(condition, "message");
    }

    @Test
    void theClaimHasItsDevicesBeforeThePodHasItsNode() {
        type();
        node("n", 4);
        node("m", 4);
        slice("m", 1);
        claim("c", 1);
        plain("p", 1, using("c"));
        settle();
        assertThat(nodeOf("p")).isEqualTo("m");
        assertThat(devicesOf("c")).containsExactly("m/gpu-0");
        assertThat(usersOf("c")).containsExactly("p");
        JsonNode claim = api.get(DeviceKinds.CLAIMS, "default", "c");
        assertThat(Json.listAt(claim, "metadata", "finalizers").valueStream().map(JsonNode::asText))
                .containsExactly("resource.kubernetes.io/delete-protection");
        assertThat(Json.textAt(claim, "status", "allocation", "allocationTimestamp"))
                .isEqualTo("2026-11-15T12:00:00Z");
        assertThat(api.takeWrites())
                .filteredOn(each -> each.contains("resourceclaims") || each.contains("binding"))
                .last()
                .asString()
                .contains("binding");
    }

    @Test
    void podsWaitForWhatIsMissing() {
        node("n", 4);
        plain("p", 1, using("c"));
        settle();
        String helpless =
                ". no new claims to deallocate, preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.";
        assertThat(why("p"))
                .isEqualTo("Unschedulable: 0/1 nodes are available: could not find ResourceClaim \"default/c\""
                        + helpless);
        claim("c", 1);
        later(Duration.ofSeconds(30));
        assertThat(why("p"))
                .isEqualTo("Unschedulable: 0/1 nodes are available: request r: device class gpu does not exist"
                        + helpless);
        type();
        later(Duration.ofSeconds(30));
        assertThat(why("p"))
                .isEqualTo(
                        "Unschedulable: 0/1 nodes are available: 1 cannot allocate all claims. still not schedulable,"
                                + " preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.");
        slice("n", 1);
        later(Duration.ofSeconds(30));
        assertThat(nodeOf("p")).isEqualTo("n");
    }

    @Test
    void devicesThatAreGivenBackHelpOthers() {
        type();
        node("n", 4);
        slice("n", 1);
        claim("c", 1);
        claim("d", 1);
        plain("p", 1, using("c"));
        settle();
        plain("q", 1, using("d"));
        settle();
        assertThat(nodeOf("q")).isEmpty();
        ends("p");
        api.edit(DeviceKinds.CLAIMS, "default", "c", claim -> {
            claim.remove("status");
            return claim;
        });
        later(Duration.ofSeconds(30));
        assertThat(nodeOf("q")).isEqualTo("n");
    }

    @Test
    void podsThatShareAClaimMeetWhereItIs() {
        type();
        node("n", 4);
        node("m", 4);
        slice("n", 1);
        slice("m", 1);
        claim("c", 1);
        for (String name : List.of("p", "q", "r")) {
            plain(name, 1, using("c"));
        }
        settle();
        assertThat(List.of(nodeOf("q"), nodeOf("r"))).containsOnly(nodeOf("p"));
        assertThat(usersOf("c")).containsExactlyInAnyOrder("p", "q", "r");
        assertThat(devicesOf("c")).hasSize(1);
    }

    @Test
    void aClaimInTheWrongPlaceIsGivenOtherDevices() {
        type();
        node("n", 1);
        node("m", 4);
        slice("n", 1);
        slice("m", 1);
        claim("c", 1);
        api.edit(DeviceKinds.CLAIMS, "default", "c", claim -> {
            claim.set("status", json("""
                    {"allocation":{"devices":{"results":[{"request":"r","driver":"gpu.example.com","pool":"n","device":"gpu-0"}]},
                     "nodeSelector":{"nodeSelectorTerms":[{"matchFields":[{"key":"metadata.name","operator":"In","values":["n"]}]}]}}}"""));
            return claim;
        });
        plain("p", 2, using("c"));
        settle();
        assertThat(why("p")).contains(". deallocation of ResourceClaim completed, preemption: ");
        later(Duration.ofSeconds(30));
        assertThat(nodeOf("p")).isEqualTo("m");
        assertThat(devicesOf("c")).containsExactly("m/gpu-0");
    }

    @Test
    void whatCannotBeAskedIsToldAndTriedAgain() {
        create(
                DeviceKinds.CLASSES,
                "{\"metadata\":{\"name\":\"gpu\"},\"spec\":{\"selectors\":[{\"cel\":{\"expression\":\"device.attributes['gpu.example.com'].colour == 'red'\"}}]}}");
        node("n", 4);
        slice("n", 1);
        claim("c", 1);
        plain("p", 1, using("c"));
        settle();
        assertThat(why("p"))
                .isEqualTo("SchedulerError: running \"DynamicResources\" filter plugin:"
                        + " class gpu: selector #0: CEL runtime error: no such key: colour");
        api.edit(DeviceKinds.CLASSES, "", "gpu", type -> {
            type.set("spec", Json.object());
            return type;
        });
        later(Duration.ofSeconds(30));
        assertThat(nodeOf("p")).isEqualTo("n");
    }

    @Test
    void whatWasWrittenWithoutAnAnswerIsNotWrittenAgain() {
        type();
        node("n", 4);
        slice("n", 1);
        claim("c", 1);
        losesAnswer = true;
        plain("p", 1, using("c"));
        settle();
        assertThat(nodeOf("p")).isEqualTo("n");
        assertThat(usersOf("c")).containsExactly("p");
        assertThat(writes("update resourceclaims.resource.k8s.io/status")).hasSize(1);
    }

    @Test
    void aRefusedBindingKeepsWhatTheClaimWasGiven() {
        type();
        node("n", 4);
        slice("n", 2);
        claim("c", 1);
        api.fail("post pods/binding default/p", ApiException.badRequest("no"));
        plain("p", 1, using("c"));
        settle();
        assertThat(nodeOf("p")).isEmpty();
        assertThat(devicesOf("c")).containsExactly("n/gpu-0");
        later(Duration.ofSeconds(30));
        assertThat(nodeOf("p")).isEqualTo("n");
        assertThat(usersOf("c")).containsExactly("p");
    }

    // ---- gangs ----

    private void gang(String name, int least, int members, int devices) {
        group(name, least);
        for (int i = 0; i < members; i++) {
            claim(name + "-" + i, devices);
            member(name + "-" + i, name, using(name + "-" + i));
        }
    }

    @Test
    void gangsGetTheirDevicesTogether() {
        type();
        node("n", 4);
        node("m", 4);
        slice("n", 2);
        slice("m", 1);
        gang("g", 3, 3, 1);
        settle();
        TreeSet<String> all = new TreeSet<>(Comparator.naturalOrder());
        for (int i = 0; i < 3; i++) {
            assertThat(nodeOf("g-" + i)).isNotEmpty();
            assertThat(devicesOf("g-" + i)).hasSize(1).first().asString().startsWith(nodeOf("g-" + i) + "/");
            assertThat(usersOf("g-" + i)).containsExactly("g-" + i);
            all.addAll(devicesOf("g-" + i));
        }
        assertThat(all).hasSize(3);
    }

    @Test
    void aGangWithTooFewDevicesTakesNone() {
        type();
        node("n", 4);
        slice("n", 2);
        gang("g", 3, 3, 1);
        settle();
        for (int i = 0; i < 3; i++) {
            assertThat(nodeOf("g-" + i)).isEmpty();
            assertThat(devicesOf("g-" + i)).isEmpty();
        }
        assertThat(writes("resourceclaims"))
                .filteredOn(each -> each.contains("update"))
                .isEmpty();
        gang("small", 2, 2, 1);
        later(Duration.ofSeconds(5));
        assertThat(nodeOf("small-0")).isEqualTo("n");
        assertThat(nodeOf("small-1")).isEqualTo("n");
    }

    @Test
    void newDevicesHelpAGangThatWaits() {
        type();
        node("n", 4);
        node("m", 4);
        slice("n", 2);
        gang("g", 3, 3, 1);
        settle();
        assertThat(nodeOf("g-0")).isEmpty();
        slice("m", 1);
        later(Duration.ofSeconds(5));
        assertThat(List.of(nodeOf("g-0"), nodeOf("g-1"), nodeOf("g-2"))).containsExactlyInAnyOrder("n", "n", "m");
    }

    @Test
    void membersOfAGangShareAClaim() {
        type();
        node("n", 4);
        node("m", 4);
        slice("n", 1);
        slice("m", 1);
        claim("c", 1);
        group("g", 3);
        for (int i = 0; i < 3; i++) {
            member("g-" + i, "g", using("c"));
        }
        settle();
        assertThat(List.of(nodeOf("g-1"), nodeOf("g-2"))).containsOnly(nodeOf("g-0"));
        assertThat(usersOf("c")).containsExactlyInAnyOrder("g-0", "g-1", "g-2");
    }

    @Test
    void gangsAndPlainPodsTakeDevicesFromTheSameStock() {
        type();
        node("n", 4);
        slice("n", 2);
        claim("c", 1);
        plain("p", 1, using("c"));
        gang("g", 1, 2, 1);
        settle();
        TreeSet<String> all = new TreeSet<>();
        int given = 0;
        for (String name : List.of("c", "g-0", "g-1")) {
            given += devicesOf(name).size();
            all.addAll(devicesOf(name));
        }
        assertThat(given).isEqualTo(2);
        assertThat(all).hasSize(2);
    }
}
