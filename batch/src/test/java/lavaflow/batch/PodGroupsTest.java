package lavaflow.batch;

import java.util.List;

import lavaflow.controller.KubeApi;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static lavaflow.batch.PodGroups.PODS;
import static lavaflow.batch.PodGroups.REPLICA_SETS;
import static lavaflow.batch.PodGroups.STATEFUL_SETS;
import static org.assertj.core.api.Assertions.assertThat;

/** Groups are compared with those Volcano 1.14.1 makes of the same pods. */
class PodGroupsTest {
    private final TestingBatch cluster = new TestingBatch();

    @BeforeEach
    void queuesAreThere() {
        cluster.define();
    }

    private ObjectNode pod(String name, ObjectNode owner, String... annotations) {
        return cluster.create(PODS, "team", name, pod -> {
            ObjectNode metadata = Json.ensureObject(pod, "metadata");
            if (owner != null) {
                metadata.putArray("ownerReferences").add(reference(owner));
            }
            for (int i = 0; i < annotations.length; i += 2) {
                Json.ensureObject(metadata, "annotations").put(annotations[i], annotations[i + 1]);
            }
            pod.set(
                    "spec",
                    Json.parse("{\"schedulerName\":\"volcano\",\"containers\":[{\"name\":\"c\",\"resources\":"
                            + "{\"requests\":{\"cpu\":\"100m\",\"memory\":\"64Mi\",\"nvidia.com/gpu\":\"2\"},"
                            + "\"limits\":{\"cpu\":\"1\",\"memory\":\"128Mi\",\"nvidia.com/gpu\":\"2\"}}}]}"));
        });
    }

    private static ObjectNode reference(ObjectNode owner) {
        return Json.object()
                .put("apiVersion", Json.textAt(owner, "apiVersion"))
                .put("kind", Json.textAt(owner, "kind"))
                .put("name", Batch.name(owner))
                .put("uid", Batch.uid(owner))
                .put("controller", true)
                .put("blockOwnerDeletion", true);
    }

    private ObjectNode owner(KubeApi.Kind kind, String name, int replicas, String... annotations) {
        return cluster.create(kind, "team", name, owner -> {
            for (int i = 0; i < annotations.length; i += 2) {
                Json.ensureObject(owner, "metadata", "annotations").put(annotations[i], annotations[i + 1]);
            }
            ObjectNode spec = owner.putObject("spec");
            spec.put("replicas", replicas);
            ObjectNode template = Json.ensureObject(spec, "template", "spec");
            template.put("schedulerName", "volcano");
            template.putArray("containers")
                    .addObject()
                    .putObject("resources")
                    .putObject("requests")
                    .put("cpu", "1");
        });
    }

    private ObjectNode group(String uid) {
        return cluster.api.get(Batch.POD_GROUPS, "team", "podgroup-" + uid);
    }

    private String groupOf(String pod) {
        return Batch.annotation(cluster.api.get(PODS, "team", pod), Batch.GROUP_NAME);
    }

    @Test
    void aPodOfItsOwnHasAGroupOfItsOwn() {
        ObjectNode pod = pod(
                "plain",
                null,
                "scheduling.volcano.sh/queue-name",
                "q",
                "volcano.sh/preemptable",
                "true",
                "volcano.sh/jdb-min-available",
                "1",
                "volcano.sh/network-topology-mode",
                "soft",
                "volcano.sh/network-topology-highest-tier",
                "2",
                "volcano.sh/other",
                "x",
                "scheduling.volcano.sh/group-min-member",
                "3");
        cluster.settle();
        ObjectNode group = group(Batch.uid(pod));
        assertThat(Json.string(Json.at(group, "metadata", "ownerReferences").path(0)))
                .isEqualTo("{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"name\":\"plain\",\"uid\":\"" + Batch.uid(pod)
                        + "\",\"controller\":true,\"blockOwnerDeletion\":true}");
        assertThat(Json.string(Json.at(group, "metadata", "annotations")))
                .isEqualTo("{\"volcano.sh/preemptable\":\"true\",\"volcano.sh/jdb-min-available\":\"1\"}");
        assertThat(Json.string(group.path("spec")))
                .isEqualTo("{\"minMember\":1,\"queue\":\"q\",\"minResources\":{\"count/pods\":\"1\",\"cpu\":\"100m\","
                        + "\"limits.cpu\":\"1\",\"limits.memory\":\"128Mi\",\"memory\":\"64Mi\",\"nvidia.com/gpu\":\"2\","
                        + "\"pods\":\"1\",\"requests.cpu\":\"100m\",\"requests.memory\":\"64Mi\","
                        + "\"requests.nvidia.com/gpu\":\"2\"},"
                        + "\"networkTopology\":{\"mode\":\"soft\",\"highestTierAllowed\":2}}");
        assertThat(Json.textAt(group, "status", "phase")).isEqualTo("Pending");
        assertThat(groupOf("plain")).isEqualTo(Batch.name(group));
    }

    @Test
    void podsOfOneOwnerShareAGroupThatFollowsTheOwnersWishes() {
        ObjectNode set = owner(
                REPLICA_SETS,
                "web",
                3,
                "scheduling.volcano.sh/group-min-member",
                "2",
                "volcano.sh/preemptable",
                "false",
                "volcano.sh/other",
                "x",
                "foo",
                "bar");
        pod("web-1", set);
        pod("web-2", set);
        pod("web-3", set);
        cluster.settle();
        ObjectNode group = group(Batch.uid(set));
        assertThat(cluster.names(Batch.POD_GROUPS)).containsExactly(Batch.name(group));
        assertThat(Json.at(group, "metadata", "ownerReferences").path(0)).isEqualTo(reference(set));
        assertThat(Json.string(Json.at(group, "metadata", "annotations")))
                .isEqualTo("{\"volcano.sh/preemptable\":\"false\",\"volcano.sh/other\":\"x\"}");
        assertThat(Json.longAt(group, 0, "spec", "minMember")).isEqualTo(2);
        assertThat(List.of(groupOf("web-1"), groupOf("web-2"), groupOf("web-3")))
                .containsOnly(Batch.name(group));
    }

    @Test
    void whatAGroupNeedsIsThatOfItsLeastSize() {
        ObjectNode job = owner(TestingBatch.JOBS, "train", 0, "scheduling.volcano.sh/group-min-member", "3");
        pod("train-1", job);
        cluster.settle();
        JsonNode needed = Json.at(group(Batch.uid(job)), "spec", "minResources");
        assertThat(Json.textAt(needed, "cpu")).isEqualTo("300m");
        assertThat(Json.textAt(needed, "memory")).isEqualTo("192Mi");
        assertThat(Json.textAt(needed, "nvidia.com/gpu")).isEqualTo("6");
        assertThat(Json.textAt(needed, "count/pods")).isEqualTo("3");
    }

    @Test
    void aSizeThatIsNoneIsOne() {
        for (String said : new String[] {"x", "-1", "", "1.5"}) {
            ObjectNode set = owner(TestingBatch.DAEMON_SETS, "d" + said, 0, Batch.GROUP_MIN_MEMBER, said);
            pod("d-" + said, set);
            cluster.settle();
            assertThat(Json.longAt(group(Batch.uid(set)), 0, "spec", "minMember"))
                    .as(said)
                    .isEqualTo(1);
        }
    }

    @Test
    void aTierThatIsNoneLeavesTheMode() {
        ObjectNode pod = pod("plain", null, "volcano.sh/network-topology-highest-tier", "x");
        cluster.settle();
        assertThat(Json.string(Json.at(group(Batch.uid(pod)), "spec", "networkTopology")))
                .isEqualTo("{\"mode\":\"hard\"}");
    }

    @Test
    void labelsThatCountForTheWholeAreTakenOver() {
        ObjectNode pod = cluster.create(PODS, "team", "plain", made -> {
            Json.ensureObject(made, "metadata", "labels")
                    .put("volcano.sh/preemptable", "true")
                    .put("volcano.sh/cooldown-time", "5m")
                    .put("app", "x");
            made.putObject("spec").put("schedulerName", "kube-batch").put("priorityClassName", "high");
        });
        cluster.settle();
        ObjectNode group = group(Batch.uid(pod));
        assertThat(Json.string(Json.at(group, "metadata", "labels")))
                .isEqualTo("{\"volcano.sh/preemptable\":\"true\",\"volcano.sh/cooldown-time\":\"5m\"}");
        assertThat(Json.textAt(group, "spec", "priorityClassName")).isEqualTo("high");
    }

    @Test
    void otherPodsAreLeftAlone() {
        pod("named", null, Batch.GROUP_NAME, "mine");
        cluster.create(PODS, "team", "plain", made -> made.putObject("spec").put("schedulerName", "default-scheduler"));
        cluster.create(PODS, "team", "of-job", made -> {
            made.putObject("spec").put("schedulerName", "volcano");
            Json.ensureObject(made, "metadata")
                    .putArray("ownerReferences")
                    .addObject()
                    .put("apiVersion", "batch.volcano.sh/v1alpha1")
                    .put("kind", "Job")
                    .put("controller", true);
        });
        cluster.create(PODS, "team", "done", made -> {
            made.putObject("spec").put("schedulerName", "volcano");
            made.putObject("status").put("phase", "Succeeded");
        });
        cluster.settle();
        assertThat(cluster.names(Batch.POD_GROUPS)).isEmpty();
    }

    private void scale(KubeApi.Kind kind, String name, int replicas) {
        cluster.api.edit(kind, "team", name, set -> {
            Json.ensureObject(set, "spec").put("replicas", replicas);
            return set;
        });
        cluster.settle();
    }

    @Test
    void aSetThatWantsNoPodsHasNoGroup() {
        for (KubeApi.Kind kind : List.of(REPLICA_SETS, STATEFUL_SETS)) {
            ObjectNode set = owner(kind, "web", 2);
            pod(kind.resource() + "-1", set);
            cluster.settle();
            assertThat(cluster.names(Batch.POD_GROUPS)).hasSize(1);
            scale(kind, "web", 0);
            assertThat(cluster.names(Batch.POD_GROUPS)).isEmpty();
            scale(kind, "web", 1);
            pod(kind.resource() + "-2", set);
            cluster.settle();
            assertThat(cluster.names(Batch.POD_GROUPS)).containsExactly("podgroup-" + Batch.uid(set));
            scale(kind, "web", 0);
        }
    }

    @Test
    void aSetThatWantsMorePodsAtOnceHasALargerGroup() {
        ObjectNode set = owner(STATEFUL_SETS, "db", 3);
        pod("db-0", set);
        cluster.settle();
        cluster.api.edit(STATEFUL_SETS, "team", "db", live -> {
            Json.ensureObject(live, "metadata", "annotations").put(Batch.GROUP_MIN_MEMBER, "2");
            return live;
        });
        cluster.settle();
        JsonNode spec = group(Batch.uid(set)).path("spec");
        assertThat(Json.longAt(spec, 0, "minMember")).isEqualTo(2);
        assertThat(Json.textAt(spec, "minResources", "cpu")).isEqualTo("2");
    }

    @Test
    void aPodWaitsWithItsGroupUntilTheQueueIsOpen() {
        cluster.queue("closed", "root");
        cluster.command("closed", "CloseQueue");
        ObjectNode pod = pod("plain", null, Batch.QUEUE_NAME, "closed");
        cluster.api.fail(
                "create podgroups.scheduling.volcano.sh team/podgroup-" + Batch.uid(pod),
                ApiException.badRequest("can only submit PodGroup to queue with state `Open`"));
        cluster.settle();
        assertThat(groupOf("plain")).isEmpty();
        assertThat(cluster.events())
                .contains("plain FailedCreate: Error creating PodGroup podgroup-" + Batch.uid(pod)
                        + ": can only submit PodGroup to queue with state `Open`");
        cluster.command("closed", "OpenQueue");
        assertThat(groupOf("plain")).isEqualTo("podgroup-" + Batch.uid(pod));
    }

    @Test
    void podsThatWereThereBeforeTheDefinitionsGetTheirGroups() {
        TestingBatch late = new TestingBatch();
        ObjectNode pod = late.create(
                PODS, "team", "early", made -> made.putObject("spec").put("schedulerName", "volcano"));
        late.settle();
        late.api.takeWrites();
        late.define();
        assertThat(late.names(Batch.POD_GROUPS)).containsExactly("podgroup-" + Batch.uid(pod));
    }

    @Test
    void aGroupThatIsThereAlreadyIsUsed() {
        ObjectNode pod = pod("plain", null);
        cluster.api.fail("patch pods team/plain", ApiException.of(503, "ServiceUnavailable", "crash"));
        cluster.settle();
        assertThat(groupOf("plain")).isEmpty();
        cluster.restart();
        assertThat(groupOf("plain")).isEqualTo("podgroup-" + Batch.uid(pod));
        assertThat(cluster.names(Batch.POD_GROUPS)).hasSize(1);
    }
}
