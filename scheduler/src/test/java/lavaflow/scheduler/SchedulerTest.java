package lavaflow.scheduler;

import java.time.Instant;
import java.util.List;

import lavaflow.controller.Followers;
import lavaflow.controller.KubeApi;
import lavaflow.controller.TestingKubeApi;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static lavaflow.scheduler.TestingCluster.json;
import static lavaflow.scheduler.TestingCluster.podObject;
import static lavaflow.scheduler.TestingCluster.priority;
import static lavaflow.scheduler.TestingCluster.requests;
import static org.assertj.core.api.Assertions.assertThat;

/** What is written of decisions. */
class SchedulerTest {
    private final TestingKubeApi api = new TestingKubeApi()
            .serve(Scheduler.NAMESPACES, "Namespace")
            .serve(Scheduler.PODS, "Pod")
            .serve(Scheduler.NODES, "Node")
            .serve(Scheduler.CLAIMS, "PersistentVolumeClaim")
            .serve(Scheduler.VOLUMES, "PersistentVolume")
            .serve(Scheduler.CLASSES, "StorageClass")
            .serve(Scheduler.NODE_DRIVERS, "CSINode")
            .serve(Scheduler.DRIVERS, "CSIDriver")
            .serve(Scheduler.CAPACITIES, "CSIStorageCapacity")
            .serve(Scheduler.BUDGETS, "PodDisruptionBudget")
            .serve(Scheduler.SERVICES, "Service");
    private final Followers followers = new Followers(api);
    private Instant now = Instant.parse("2026-11-15T12:00:00Z");
    private Scheduler scheduler;

    @BeforeEach
    void listen() {
        api.createAnywhere(Scheduler.NAMESPACES, "", json("{\"metadata\":{\"name\":\"default\"}}"));
        scheduler = new Scheduler(api, followers, () -> now, Writer.Threads.callers(), null);
    }

    private void settle() {
        boolean moved = true;
        while (moved) {
            followers.pump();
            followers.pump();
            moved = scheduler.step();
        }
    }

    private void node(String name) {
        api.create(Scheduler.NODES, "", json("""
                {"apiVersion":"v1","kind":"Node","metadata":{"name":"%s"},"status":{"allocatable":{"cpu":"4","memory":"8Gi","pods":"10"}}}""".formatted(name)));
    }

    private void pod(String name, String... changes) {
        ObjectNode pod = podObject(name, changes);
        ((ObjectNode) pod.get("metadata")).remove("uid");
        api.create(Scheduler.PODS, "default", pod.put("apiVersion", "v1").put("kind", "Pod"));
    }

    private ObjectNode read(String name) {
        return api.get(Scheduler.PODS, "default", name);
    }

    private static JsonNode condition(ObjectNode pod, String type) {
        for (JsonNode condition : Json.listAt(pod, "status", "conditions")) {
            if (Json.textAt(condition, "type").equals(type)) {
                return condition;
            }
        }
        return Json.object();
    }

    @Test
    void aNodeThatTookTheNameOfAnotherUnseenIsThere() {
        node("a");
        settle();
        api.delete(Scheduler.NODES, "", "a", KubeApi.Deletion.PLAIN);
        node("a");
        api.compact(); // the watch has to begin anew and shows only the second one
        settle();
        pod("p");
        settle();
        assertThat(Json.textAt(api.find(Scheduler.PODS, "default", "p").orElseThrow(), "spec", "nodeName"))
                .isEqualTo("a");
    }

    @Test
    void aPodIsBoundToItsNode() {
        node("n");
        pod("p");
        settle();
        assertThat(Json.textAt(read("p"), "spec", "nodeName")).isEqualTo("n");
    }

    @Test
    void aRefusalIsACondition() {
        node("n");
        pod("p", requests("{\"cpu\":\"5\"}"));
        settle();
        JsonNode condition = condition(read("p"), "PodScheduled");
        assertThat(Json.textAt(condition, "status")).isEqualTo("False");
        assertThat(Json.textAt(condition, "reason")).isEqualTo("Unschedulable");
        assertThat(Json.textAt(condition, "message")).startsWith("0/1 nodes are available: 1 Insufficient cpu.");
        assertThat(Json.textAt(condition, "lastTransitionTime")).isEqualTo("2026-11-15T12:00:00Z");
    }

    @Test
    void theSameRefusalIsWrittenOnce() {
        node("n");
        pod("p", requests("{\"cpu\":\"5\"}"));
        settle();
        String version = Json.textAt(read("p"), "metadata", "resourceVersion");
        now = now.plusSeconds(60);
        api.edit(Scheduler.NODES, "", "n", node -> {
            Json.ensureObject(node, "metadata", "labels").put("a", "b");
            return node;
        });
        settle();
        assertThat(Json.textAt(read("p"), "metadata", "resourceVersion")).isEqualTo(version);
    }

    @Test
    void aVictimIsToldWhyAndDeleted() {
        node("n");
        pod("low", requests("{\"cpu\":\"3\"}"));
        settle();
        pod("high", requests("{\"cpu\":\"3\"}"), priority(10));
        settle();
        assertThat(Json.textAt(read("high"), "status", "nominatedNodeName")).isEqualTo("n");
        ObjectNode victim = read("low");
        assertThat(Json.at(victim, "metadata", "deletionTimestamp")).isNotNull();
        assertThat(Json.textAt(condition(victim, "DisruptionTarget"), "reason")).isEqualTo("PreemptionByScheduler");
        api.finishPod("default", "low");
        now = now.plusSeconds(2);
        settle();
        assertThat(Json.textAt(read("high"), "spec", "nodeName")).isEqualTo("n");
    }

    private void podWithClaim() {
        node("n");
        api.create(Scheduler.CLASSES, "", json("""
                {"apiVersion":"storage.k8s.io/v1","kind":"StorageClass","metadata":{"name":"local"},"provisioner":"x","volumeBindingMode":"WaitForFirstConsumer"}"""));
        api.create(Scheduler.CLAIMS, "default", json("""
                {"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":"data","namespace":"default"},"spec":{"storageClassName":"local"}}"""));
        pod("p", "{\"spec\":{\"volumes\":[{\"name\":\"v\",\"persistentVolumeClaim\":{\"claimName\":\"data\"}}]}}");
        settle();
    }

    @Test
    void aPodWhoseVolumeDoesNotComeIsExpectedNowhere() {
        podWithClaim();
        api.delete(Scheduler.CLAIMS, "default", "data", KubeApi.Deletion.PLAIN);
        settle();
        assertThat(Json.textAt(condition(read("p"), "PodScheduled"), "reason")).isEqualTo("SchedulerError");
        assertThat(Json.textAt(read("p"), "status", "nominatedNodeName")).isEqualTo("n");
        now = now.plusSeconds(2);
        settle();
        assertThat(Json.textAt(condition(read("p"), "PodScheduled"), "reason")).isEqualTo("Unschedulable");
        assertThat(Json.textAt(condition(read("p"), "PodScheduled"), "message")).contains("\"data\" not found");
        assertThat(Json.textAt(read("p"), "status", "nominatedNodeName")).isEmpty();
    }

    @Test
    void volumesThatTakeTooLongAreGivenUpThoughNothingHappens() {
        podWithClaim();
        now = now.plus(SchedulerCore.VOLUME_PATIENCE);
        settle();
        assertThat(Json.textAt(condition(read("p"), "PodScheduled"), "message"))
                .isEqualTo("running PreBind plugin \"VolumeBinding\": binding volumes: context deadline exceeded");
    }

    @Test
    void aClaimThatWaitsIsToldTheNode() {
        podWithClaim();
        ObjectNode claim = api.get(Scheduler.CLAIMS, "default", "data");
        assertThat(Json.textAt(claim, "metadata", "annotations", "volume.kubernetes.io/selected-node"))
                .isEqualTo("n");
        assertThat(Json.textAt(read("p"), "spec", "nodeName")).isEmpty();
        assertThat(Json.textAt(read("p"), "status", "nominatedNodeName")).isEqualTo("n");
        api.edit(Scheduler.CLAIMS, "default", "data", bound -> {
            Json.ensureObject(bound, "metadata", "annotations").put("pv.kubernetes.io/bind-completed", "yes");
            Json.ensureObject(bound, "spec").put("volumeName", "pv");
            return bound;
        });
        settle();
        assertThat(Json.textAt(read("p"), "spec", "nodeName")).isEqualTo("n");
    }

    @Test
    void podsThatVanishUnseenGiveTheirRoomBack() {
        node("n");
        pod("big", requests("{\"cpu\":\"4\"}"));
        settle();
        pod("next", requests("{\"cpu\":\"4\"}"));
        settle();
        assertThat(List.of(Json.textAt(read("next"), "spec", "nodeName"))).containsExactly("");
        api.finishPod("default", "big");
        api.delete(Scheduler.PODS, "default", "big", KubeApi.Deletion.PLAIN);
        now = now.plusSeconds(2);
        settle();
        assertThat(Json.textAt(read("next"), "spec", "nodeName")).isEqualTo("n");
    }
}
