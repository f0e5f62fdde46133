package lavaflow.placement;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static lavaflow.placement.TestingDevices.device;
import static lavaflow.placement.TestingDevices.object;
import static lavaflow.placement.TestingDevices.pod;
import static org.assertj.core.api.Assertions.assertThat;

/** Who has which device, as it was told and as it was decided since. */
class DevicesTest {
    private static final String ONE =
            "{'requests': [{'name': 'r', 'exactly': {'deviceClassName': 'gpu', 'allocationMode': 'ExactCount', 'count': 1}}]}";

    private final TestingDevices devices = new TestingDevices()
            .node("n1")
            .node("n2")
            .type("gpu")
            .slice("n1", device("a"))
            .slice("n2", device("b"));

    private List<Devices.Reservation> reservations(ScheduledPod pod) {
        return devices.state
                .devices()
                .reservations(pod, devices.state.findPlaced(pod.uid()).type());
    }

    @Test
    void whatIsMissingIsTold() {
        assertThat(devices.offer("n1", "c")).isEqualTo("could not find ResourceClaim \"default/c\"");
        devices.claim("c", "other", 1);
        assertThat(devices.offer("n1", "c")).isEqualTo("request r: device class other does not exist");
        JsonNode going = object(
                "{'metadata': {'namespace': 'default', 'name': 'd', 'uid': 'd', 'deletionTimestamp': '2026-11-15T11:00:00Z'}}");
        devices.state.devices().putClaim("default/d", DeviceClaim.of(going.deepCopy()));
        assertThat(devices.offer("n1", "d")).isEqualTo("resourceclaim \"d\" is being deleted");
    }

    @Test
    void claimsOfTemplatesBelongToTheirPod() {
        ScheduledPod waiting = ScheduledPod.of(object("""
                {'metadata': {'namespace': 'default', 'name': 'p', 'uid': 'u'},
                 'spec': {'resourceClaims': [{'name': 'x', 'resourceClaimTemplateName': 't'}]}}"""));
        assertThat(new Attempt(devices.state, waiting, devices.state.retain(waiting.key())).hopeless())
                .isEqualTo("pod \"default/p\": ResourceClaim not created yet");
        ScheduledPod made = ScheduledPod.of(object("""
                {'metadata': {'namespace': 'default', 'name': 'p', 'uid': 'u'},
                 'spec': {'resourceClaims': [{'name': 'x', 'resourceClaimTemplateName': 't'}, {'name': 'y', 'resourceClaimTemplateName': 't'}]},
                 'status': {'resourceClaimStatuses': [{'name': 'x', 'resourceClaimName': 'c'}, {'name': 'y'}]}}"""));
        devices.claim("c", "gpu", 1);
        assertThat(new Attempt(devices.state, made, devices.state.retain(made.key())).hopeless())
                .isEqualTo("ResourceClaim default/c was not created for Pod default/p (Pod is not owner)");
    }

    @Test
    void podsShareAClaimWhereItIs() {
        devices.claim("c", "gpu", 1);
        String node = devices.place(pod("p", "c"));
        assertThat(node).isNotEmpty();
        assertThat(devices.place(pod("q", "c"))).isEqualTo(node);
        assertThat(devices.offer(node.equals("n1") ? "n2" : "n1", "c"))
                .isEqualTo("resourceclaim not available on the node");
        devices.state.forget("uid-p");
        assertThat(reservations(pod("q", "c"))).singleElement().satisfies(each -> {
            assertThat(each.name()).isEqualTo("c");
            assertThat(each.allocation()).isNotNull();
        });
        devices.state.forget("uid-q");
        assertThat(devices.state.devices().counts()).isEmpty();
    }

    @Test
    void whatTheApiTellsIsAllThatCounts() {
        devices.claim("c", "gpu", 1);
        ScheduledPod pod = pod("p", "c");
        String node = devices.place(pod);
        JsonNode allocation = reservations(pod).getFirst().allocation();
        devices.tell("c", object(ONE), allocation, List.of());
        assertThat(reservations(pod))
                .singleElement()
                .satisfies(each -> assertThat(each.allocation()).isNull());
        devices.tell("c", object(ONE), allocation, List.of(pod.uid()));
        assertThat(reservations(pod)).isEmpty();
        assertThat(devices.state.devices().counts().values()).containsExactly(1);
        devices.state.forget(pod.uid());
        assertThat(devices.state.devices().counts().values()).containsExactly(1);
        assertThat(devices.offer(node, "c")).isEmpty();
        devices.state.devices().putClaim("default/c", null);
        assertThat(devices.state.devices().counts()).isEmpty();
    }

    @Test
    void oldNewsDoNotCount() {
        devices.claim("c", "gpu", 1);
        DeviceClaim old = devices.state.devices().claim("default/c");
        ScheduledPod pod = pod("p", "c");
        devices.place(pod);
        devices.tell("c", object(ONE), reservations(pod).getFirst().allocation(), List.of(pod.uid()));
        devices.state.devices().putClaim("default/c", old);
        devices.state.forget(pod.uid());
        assertThat(devices.state.devices().counts().values()).containsExactly(1);
        DeviceClaim late = devices.state.devices().claim("default/c");
        devices.state.devices().putClaim("default/c", null);
        devices.state.devices().wrote(late);
        assertThat(devices.state.devices().counts()).isEmpty();
    }

    @Test
    void claimsThatNobodyElseUsesCanGiveBackTheirDevices() {
        devices.claim("c", "gpu", 1);
        ScheduledPod pod = pod("asking", "c");
        devices.place(pod);
        JsonNode allocation = reservations(pod).getFirst().allocation();
        devices.state.forget(pod.uid());
        List<NodeTable.Node> nodes = List.of(devices.at("n1"), devices.at("n2"));
        devices.tell("c", object(ONE), allocation, List.of(pod.uid()));
        assertThat(devices.needs("c").dispensable(nodes)).isNotNull();
        devices.tell("c", object(ONE), allocation, List.of(pod.uid(), "another"));
        assertThat(devices.needs("c").dispensable(nodes)).isNull();
    }

    /** Pods come and go in any order: no device is given twice, and what was taken back leaves no trace. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void noDeviceIsGivenTwice(long seed) {
        Random random = new Random(seed);
        TestingDevices many = new TestingDevices().type("gpu");
        for (int n = 0; n < 4; n++) {
            String[] its = new String[1 + random.nextInt(4)];
            for (int i = 0; i < its.length; i++) {
                its[i] = device("d" + i, "numa", i % 2);
            }
            many.node("n" + n).slice("n" + n, its);
        }
        many.slice("net", "net", 1, 1, "'allNodes': true", device("x"), device("y"));
        Map<String, Map<Device.Id, Integer>> before = new HashMap<>();
        List<ScheduledPod> placed = new ArrayList<>();
        for (int step = 0; step < 120; step++) {
            boolean comes = placed.isEmpty() || random.nextInt(3) > 0;
            if (comes) {
                String name = "p" + step;
                many.claim(name, "gpu", 1 + random.nextInt(2)).claim(name + "-more", "gpu", 1);
                ScheduledPod pod = random.nextBoolean() ? pod(name, name) : pod(name, name, name + "-more");
                before.put(pod.uid(), many.state.devices().counts());
                if (!many.place(pod).isEmpty()) {
                    placed.add(pod);
                }
            } else {
                ScheduledPod last = placed.removeLast();
                many.state.forget(last.uid());
                assertThat(many.state.devices().counts()).isEqualTo(before.get(last.uid()));
            }
            assertThat(many.state.devices().counts().values()).allMatch(count -> count == 1);
        }
        placed.forEach(pod -> many.state.forget(pod.uid()));
        assertThat(many.state.devices().counts()).isEmpty();
    }

    @Test
    void copiesGoTheirOwnWay() {
        devices.claim("c", "gpu", 1).claim("e", "gpu", 1).claim("f", "gpu", 1);
        devices.place(pod("p", "c"));
        ClusterState copy = ClusterState.in(devices.state.scenery());
        assertThat(copy.devices().counts()).isEqualTo(devices.state.devices().counts());
        devices.place(pod("q", "e"));
        assertThat(copy.devices().counts()).hasSize(1);
        assertThat(devices.place(pod("r", "f"))).isEmpty();
    }
}
