package lavaflow.scheduler;

import java.time.Duration;
import java.util.List;

import lavaflow.controller.KubeApi;
import lavaflow.gang.Configuration;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;

import static lavaflow.scheduler.TestingCluster.json;
import static org.assertj.core.api.Assertions.assertThat;

/** What the scheduler of gangs hears and tells beside Volcano's objects: measurements, metrics, Kubernetes' own groups. */
class GangSurroundingsTest extends TestingGangCluster {
    private void measure(String... nodes) {
        ObjectNode list = json("{\"items\":[]}");
        for (int i = 0; i < nodes.length; i += 2) {
            ((ArrayNode) list.path("items")).add(json("""
                    {"metadata":{"name":"%s"},"timestamp":"%s","window":"15s","usage":{"cpu":"%s","memory":"1Mi"}}""".formatted(nodes[i], now, nodes[i + 1])));
        }
        api.answer("/apis/metrics.k8s.io/v1beta1/nodes", list);
    }

    @Test
    void podsKeepOffNodesThatAreReallyBusyAsLongAsTheyAre() {
        node("busy", 4);
        scheduler.configure(Configuration.parse("""
                actions: "allocate"
                tiers:
                - plugins:
                  - name: gang
                  - name: predicates
                  - name: usage
                """));
        settle();
        now = now.plusSeconds(30);
        measure("busy", "3900m");
        settle();
        settle();
        group("g", 1);
        member("g-0", "g");
        settle();
        assertThat(nodeOf("g-0")).isEmpty();
        assertThat(Json.textAt(condition(status("g"), "Unschedulable"), "message"))
                .contains("the CPU load of the node exceeds the upper limit.");

        now = now.plusSeconds(30);
        measure("busy", "100m");
        settle();
        settle();
        assertThat(nodeOf("g-0")).as("on average it is not busy any more").isEqualTo("busy");
    }

    @Test
    void gangsAndQueuesAreMeasured() {
        node("n", 2);
        create(
                GangKinds.QUEUES,
                "{\"metadata\":{\"name\":\"team\"},\"spec\":{\"weight\":3,\"capability\":{\"cpu\":\"1500m\"}}}");
        group("g", 1, "{\"spec\":{\"queue\":\"team\"}}");
        member("g-0", "g");
        group("large", 3);
        member("large-0", "large");
        settle();

        assertThat(scheduler.gangMetrics())
                .contains("volcano_queue_weight{queue_name=\"team\"} 3\n")
                .contains("volcano_queue_allocated_milli_cpu{queue_name=\"team\"} 1000\n")
                .contains("volcano_queue_allocated_scalar_resources{queue_name=\"team\",resource=\"pods\"} 1\n")
                .contains("volcano_queue_capacity_milli_cpu{queue_name=\"team\"} 1500\n")
                .doesNotContain("volcano_queue_capacity_milli_cpu{queue_name=\"default\"}")
                .contains("volcano_queue_deserved_milli_cpu{queue_name=\"team\"} 1000\n")
                .contains("volcano_queue_share{queue_name=\"team\"} 1\n")
                .contains("volcano_job_share{job_ns=\"default\",job_id=\"default/g\"} 0.5\n")
                .contains("volcano_unschedule_job_count 1\n")
                .contains("volcano_unschedule_task_count{job_id=\"default/large\"} 1\n")
                .contains(
                        "volcano_e2e_job_scheduling_duration{job_name=\"g\",queue=\"team\",job_namespace=\"default\"}")
                .contains("volcano_schedule_attempts_total{result=\"scheduled\"} 1\n")
                .contains("volcano_task_scheduling_latency_milliseconds_count{stage=\"Bound\"} 1\n");

        api.delete(GangKinds.GROUPS, "default", "large", KubeApi.Deletion.PLAIN);
        ends("large-0");
        settle();
        assertThat(scheduler.gangMetrics())
                .as("what is gone leaves nothing behind")
                .doesNotContain("default/large");
    }

    private void nativePod(String name, String group) {
        create(Scheduler.PODS, """
                {"metadata":{"name":"%s"},
                 "spec":{"schedulerName":"default-scheduler","schedulingGroup":{"podGroupName":"%s"},
                         "containers":[{"name":"c","resources":{"requests":{"cpu":"1"}}}]},
                 "status":{"phase":"Pending"}}""".formatted(name, group));
    }

    private JsonNode nativeCondition() {
        return condition(Json.at(api.get(GangKinds.NATIVE_GROUPS, "default", "g"), "status"), "PodGroupScheduled");
    }

    /** Where the server has Kubernetes' own groups, pods of the default scheduler come in gangs, too. */
    @Test
    void groupsOfKubernetesItselfArePlacedWhole() {
        api.serve(GangKinds.NATIVE_GROUPS, "NativePodGroup");
        begin();
        node("n", 2);
        create(GangKinds.NATIVE_GROUPS, """
                {"metadata":{"name":"g","generation":3},"spec":{"schedulingPolicy":{"gang":{"minCount":3}}}}""");
        nativePod("g-0", "g");
        nativePod("g-1", "g");
        nativePod("g-2", "g");
        plain("alone", 1);
        settle();
        assertThat(nodeOf("g-0") + nodeOf("g-1") + nodeOf("g-2")).isEmpty();
        assertThat(nodeOf("alone")).isEqualTo("n");
        assertThat(Json.textAt(nativeCondition(), "status")).isEqualTo("False");
        assertThat(Json.textAt(nativeCondition(), "reason")).isEqualTo("Unschedulable");
        assertThat(Json.textAt(nativeCondition(), "message")).contains("tasks in gang unschedulable");

        node("m", 2);
        settle();
        assertThat(List.of(nodeOf("g-0"), nodeOf("g-1"), nodeOf("g-2"))).doesNotContain("");
        assertThat(Json.string(nativeCondition()))
                .contains("\"status\":\"True\",\"observedGeneration\":3")
                .contains("\"reason\":\"Scheduled\"");
        assertThat(api.get(GangKinds.NATIVE_GROUPS, "default", "g")
                        .path("status")
                        .has("phase"))
                .as("it has no phases")
                .isFalse();
        ends("g-0");
        settle();
        assertThat(Json.textAt(nativeCondition(), "status"))
                .as("it was scheduled once")
                .isEqualTo("True");
    }

    @Test
    void withoutThePolicyOfGangsPodsOfAGroupArePlacedOneByOne() {
        api.serve(GangKinds.NATIVE_GROUPS, "NativePodGroup");
        begin();
        node("n", 1);
        create(
                GangKinds.NATIVE_GROUPS,
                "{\"metadata\":{\"name\":\"g\"},\"spec\":{\"schedulingPolicy\":{\"basic\":{}}}}");
        nativePod("g-0", "g");
        nativePod("g-1", "g");
        settle();
        assertThat(nodeOf("g-0")).isEqualTo("n");
        assertThat(nodeOf("g-1")).isEmpty();
    }

    @Test
    void volumesThatAreNotMadeAreNamedInTheGroup() {
        node("n", 2);
        create(Scheduler.CLASSES, """
                {"metadata":{"name":"slow"},"provisioner":"example.com/nobody","volumeBindingMode":"WaitForFirstConsumer"}""");
        create(Scheduler.CLAIMS, """
                {"metadata":{"name":"data"},"spec":{"storageClassName":"slow","accessModes":["ReadWriteOnce"],
                 "resources":{"requests":{"storage":"1Gi"}},"volumeMode":"Filesystem"}}""");
        group("v", 1);
        member("v-0", "v", """
                {"spec":{"volumes":[{"name":"d","persistentVolumeClaim":{"claimName":"data"}}]}}""");
        settle();
        assertThat(condition(status("v"), "Unschedulable")).isEmpty();
        later(Duration.ofSeconds(1));
        assertThat(Json.textAt(condition(status("v"), "Unschedulable"), "reason"))
                .isEqualTo("VolumesNotBound");
        assertThat(Json.textAt(condition(status("v"), "Unschedulable"), "message"))
                .isEqualTo("pod v-0 has node n and waits for volumes: persistentvolumeclaim \"data\" is not bound"
                        + " (provisioner example.com/nobody of storage class slow has made nothing yet)");
    }

    @Test
    void podsThatAskForNothingSayWhichClaimTheyMiss() {
        node("n", 2);
        group("v", 1);
        create(Scheduler.PODS, """
                {"metadata":{"name":"v-0","annotations":{"scheduling.k8s.io/group-name":"v"}},
                 "spec":{"schedulerName":"volcano","containers":[{"name":"c"}],
                         "volumes":[{"name":"d","persistentVolumeClaim":{"claimName":"data"}}]},
                 "status":{"phase":"Pending"}}""");
        settle();
        assertThat(Json.textAt(condition(status("v"), "Unschedulable"), "message"))
                .contains("Origin reason is v-0: persistentvolumeclaim \"data\" not found");
    }

    private void pluginPod(String name) {
        create(Scheduler.PODS, """
                {"metadata":{"name":"%s","labels":{"scheduling.x-k8s.io/pod-group":"p"}},
                 "spec":{"schedulerName":"scheduler-plugins-scheduler",
                         "containers":[{"name":"c","resources":{"requests":{"cpu":"1"}}}]},
                 "status":{"phase":"Pending"}}""".formatted(name));
    }

    private String pluginPhase() {
        return Json.textAt(api.get(GangKinds.PLUGIN_GROUPS, "default", "p"), "status", "phase");
    }

    @Test
    void groupsOfTheSchedulersPluginArePlacedWhole() {
        api.serve(GangKinds.PLUGIN_GROUPS, "PluginPodGroup");
        begin();
        node("n", 1);
        create(GangKinds.PLUGIN_GROUPS, "{\"metadata\":{\"name\":\"p\"},\"spec\":{\"minMember\":2}}");
        pluginPod("p-0");
        pluginPod("p-1");
        settle();
        assertThat(nodeOf("p-0") + nodeOf("p-1")).isEmpty();
        assertThat(pluginPhase()).isEqualTo("Scheduling");

        node("m", 1);
        settle();
        assertThat(List.of(nodeOf("p-0"), nodeOf("p-1"))).containsExactlyInAnyOrder("n", "m");
        assertThat(pluginPhase()).isEqualTo("Running");
    }
}
