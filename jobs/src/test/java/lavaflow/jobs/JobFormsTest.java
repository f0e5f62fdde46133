package lavaflow.jobs;

import java.time.Instant;
import java.util.List;
import java.util.Map;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/** What is made of a Job: pods and their PodGroup. */
class JobFormsTest {
    private static final Instant NOW = Instant.parse("2030-01-02T03:04:05Z");

    private static VolcanoJob job(String text) {
        ObjectNode object = (ObjectNode) TestingJobs.yaml(text);
        Json.ensureObject(object, "metadata")
                .put("name", "j")
                .put("namespace", "team")
                .put("uid", "u-1");
        return new VolcanoJob(object);
    }

    private static JsonNode yaml(String text) {
        return TestingJobs.yaml(text);
    }

    private static ObjectNode pod(VolcanoJob job, String task, int index) {
        return new PodForm(job, "g", JobPlugins.of(job)).pod(job.findTask(task).orElseThrow(), index);
    }

    @Test
    void aPodSaysWhatItIs() {
        VolcanoJob job = job("""
                metadata:
                  labels: {volcano.sh/preemptable: "false", volcano.sh/cooldown-time: 1m, mine: x}
                  annotations: {volcano.sh/preemptable: "true", volcano.sh/cooldown-time: 60s, note: y,
                    volcano.sh/revocable-zone: "*", volcano.sh/jdb-min-available: "1", volcano.sh/jdb-max-unavailable: "2"}
                spec:
                  queue: q
                  schedulerName: volcano
                  priorityClassName: high
                  tasks:
                  - name: w
                    replicas: 4
                    topologyPolicy: best-effort
                    partitionPolicy: {totalPartitions: 2, partitionSize: 2}
                    template:
                      metadata: {name: other, labels: {a: b}, annotations: {c: d}}
                      spec: {containers: [{name: main, image: i}]}
                status: {version: 4, retryCount: 2}
                """);
        assertThat(pod(job, "w", 3)).isEqualTo(yaml("""
                                apiVersion: v1
                                kind: Pod
                                metadata:
                                  name: j-w-3
                                  namespace: team
                                  labels:
                                    a: b
                                    volcano.sh/task-index: "3"
                                    volcano.sh/job-name: j
                                    volcano.sh/task-spec: w
                                    volcano.sh/job-namespace: team
                                    volcano.sh/queue-name: q
                                    volcano.sh/preemptable: "false"
                                    volcano.sh/cooldown-time: 1m
                                    volcano.sh/partition-id: "1"
                                  annotations:
                                    c: d
                                    volcano.sh/task-index: "3"
                                    volcano.sh/task-spec: w
                                    scheduling.k8s.io/group-name: g
                                    volcano.sh/job-name: j
                                    volcano.sh/queue-name: q
                                    volcano.sh/job-version: "4"
                                    volcano.sh/template-uid: j-w
                                    volcano.sh/job-retry-count: "2"
                                    volcano.sh/numa-topology-policy: best-effort
                                    volcano.sh/preemptable: "true"
                                    volcano.sh/cooldown-time: 60s
                                    volcano.sh/revocable-zone: "*"
                                    volcano.sh/jdb-min-available: "1"
                                  ownerReferences:
                                  - {apiVersion: batch.volcano.sh/v1alpha1, kind: Job, name: j, uid: u-1, controller: true,
                                     blockOwnerDeletion: true}
                                spec:
                                  containers: [{name: main, image: i}]
                                  schedulerName: volcano
                                  priorityClassName: high
                                """));
    }

    @Test
    void whatATemplateSaysItselfStays() {
        VolcanoJob job = job("""
                spec:
                  schedulerName: volcano
                  priorityClassName: high
                  tasks:
                  - {name: w, replicas: 1, template: {spec: {schedulerName: mine, priorityClassName: low}}}
                """);
        assertThat(pod(job, "w", 0).path("spec")).isEqualTo(yaml("{schedulerName: mine, priorityClassName: low}"));
    }

    @Test
    void claimsAreMountedInContainersOnceForEachPath() {
        VolcanoJob job = job("""
                spec:
                  volumes:
                  - {mountPath: /a, volumeClaimName: c1}
                  - {mountPath: /b, volumeClaimName: c1}
                  - {mountPath: /c}
                  tasks:
                  - name: w
                    replicas: 1
                    template: {spec: {initContainers: [{name: init}], containers: [{name: main}, {name: side}]}}
                """);
        JsonNode spec = pod(job, "w", 0).path("spec");
        List<String> names = spec.path("volumes").findValuesAsText("name");
        assertThat(names).hasSize(2).allMatch(name -> name.matches("j-[a-z0-9]{12}"));
        assertThat(spec.path("volumes").path(0).path("persistentVolumeClaim")).isEqualTo(yaml("{claimName: c1}"));
        assertThat(spec.path("volumes").path(1).has("emptyDir")).isTrue();
        assertThat(spec.path("initContainers").path(0).has("volumeMounts")).isFalse();
        for (JsonNode container : spec.path("containers")) {
            assertThat(container.path("volumeMounts").findValuesAsText("mountPath"))
                    .containsExactly("/a", "/b", "/c");
            assertThat(container.path("volumeMounts").findValuesAsText("name"))
                    .containsExactly(names.get(0), names.get(0), names.get(1));
        }
    }

    @Test
    void aPodGroupIsMadeForAJob() {
        VolcanoJob job = job("""
                metadata: {labels: {l: "1"}, annotations: {volcano.sh/sla-waiting-time: 1h}}
                spec:
                  minAvailable: 3
                  queue: q
                  priorityClassName: high
                  networkTopology: {mode: soft, highestTierAllowed: 2, highestTierName: rack}
                  tasks:
                  - name: ps
                    replicas: 1
                    minAvailable: 1
                    template: {spec: {containers: [{name: main, resources: {requests: {cpu: 500m, memory: 1Gi}}}]}}
                  - name: w
                    replicas: 4
                    partitionPolicy: {totalPartitions: 2, partitionSize: 2, minPartitions: 1,
                      networkTopology: {mode: hard, highestTierName: rack}}
                    template: {spec: {containers: [{name: main, resources: {requests: {cpu: "1", example.com/gpu: "1"}, limits: {cpu: "2"}}}]}}
                """);
        assertThat(JobGroup.made(job, GangSize.said(job), _ -> 0, NOW)).isEqualTo(yaml("""
                                apiVersion: scheduling.volcano.sh/v1beta1
                                kind: PodGroup
                                metadata:
                                  name: j-u-1
                                  namespace: team
                                  labels: {l: "1"}
                                  annotations: {volcano.sh/sla-waiting-time: 1h}
                                  ownerReferences:
                                  - {apiVersion: batch.volcano.sh/v1alpha1, kind: Job, name: j, uid: u-1, controller: true,
                                     blockOwnerDeletion: true}
                                spec:
                                  minMember: 3
                                  minTaskMember: {ps: 1, w: 2}
                                  priorityClassName: high
                                  minResources:
                                    count/pods: "3"
                                    cpu: 2500m
                                    example.com/gpu: "2"
                                    limits.cpu: "4"
                                    memory: 1Gi
                                    pods: "3"
                                    requests.cpu: 2500m
                                    requests.example.com/gpu: "2"
                                    requests.memory: 1Gi
                                  subGroupPolicy:
                                  - name: w
                                    subGroupSize: 2
                                    minSubGroups: 1
                                    labelSelector: {matchLabels: {volcano.sh/task-spec: w}}
                                    matchLabelKeys: [volcano.sh/partition-id]
                                    networkTopology: {mode: hard, highestTierName: rack}
                                  queue: q
                                  networkTopology: {mode: soft, highestTierAllowed: 2}
                                """));
    }

    @ParameterizedTest
    @CsvSource({
        // of job, of a, of b -> pods of a (of 3, priority 1), of b (of 3, priority 5)
        "0,1,1,0,0",
        "1,1,1,0,1",
        "2,1,1,1,1",
        "3,1,1,1,2",
        "5,1,1,2,3",
        "6,1,1,3,3",
        "4,3,2,1,3",
        "5,3,2,3,2",
    })
    void theMostImportantPodsComeFirst(long minAvailable, long ofA, long ofB, long podsOfA, long podsOfB) {
        VolcanoJob job = job("""
                spec:
                  minAvailable: %d
                  tasks:
                  - {name: a, replicas: 3, minAvailable: %d, template: {spec: {priorityClassName: low}}}
                  - {name: b, replicas: 3, minAvailable: %d, template: {spec: {priorityClassName: high}}}
                """.formatted(minAvailable, ofA, ofB));
        Map<Task, Long> chosen = MinResources.chosen(job, name -> name.equals("high") ? 5 : 1);
        assertThat(chosen.getOrDefault(job.tasks().get(0), 0L)).as("of a").isEqualTo(podsOfA);
        assertThat(chosen.getOrDefault(job.tasks().get(1), 0L)).as("of b").isEqualTo(podsOfB);
    }

    @ParameterizedTest
    @CsvSource({
        // of job, of a, of b (both of 2) -> tasks that are told of
        "2,2,0,a",
        "2,0,2,b",
        "3,2,0,a b",
        "1,2,1,a",
        "0,0,0,''",
    })
    void whoGivesNoPodIsNotToldOf(long minAvailable, long ofA, long ofB, String told) {
        VolcanoJob job = job("""
                spec:
                  minAvailable: %d
                  tasks:
                  - {name: a, replicas: 2, minAvailable: %d, template: {}}
                  - {name: b, replicas: 2, minAvailable: %d, template: {}}
                """.formatted(minAvailable, ofA, ofB));
        assertThat(MinResources.chosen(job, _ -> 0).keySet())
                .extracting(Task::name)
                .isEqualTo(told.isEmpty() ? List.of() : List.of(told.split(" ")));
    }

    private static JobGroup group(String spec) {
        ObjectNode object = Json.object();
        ObjectNode metadata = object.putObject("metadata");
        metadata.put("name", "j-u-1").put("namespace", "team").put("uid", "g-1");
        metadata.putArray("ownerReferences").add(job("{}").ownerReference());
        object.set("spec", yaml(spec));
        JobGroup group = JobGroup.of(object);
        assertThat(group).isNotNull();
        return group;
    }

    @Test
    void aPodGroupFollowsTheSizeOfItsJobAndNotItsQueue() {
        VolcanoJob job = job("""
                spec:
                  minAvailable: 1
                  queue: other
                  tasks:
                  - {name: w, replicas: 2, minAvailable: 1, template: {}}
                """);
        JobGroup group = group("""
                minMember: 2
                queue: q
                priorityClassName: high
                minTaskMember: {w: 2, gone: 1}
                minResources: {count/pods: "1", pods: "1", cpu: "1"}
                """);
        assertThat(group.correction(job, GangSize.said(job), _ -> 0, NOW)).isEqualTo(yaml("""
                                metadata: {uid: g-1}
                                spec:
                                  priorityClassName: null
                                  minMember: 1
                                  minResources: {count/pods: "1", pods: "1", cpu: null}
                                  minTaskMember: {w: 1, gone: null}
                                """));
        JobGroup after =
                group("{minMember: 1, queue: q, minTaskMember: {w: 1}, minResources: {count/pods: '1', pods: '1'}}");
        assertThat(after.correction(job, GangSize.said(job), _ -> 0, NOW)).isNull();
    }

    @Test
    void suffixesLookLikeChanceAndAreNone() {
        assertThat(JobVolume.suffix("a")).isEqualTo(JobVolume.suffix("a")).isNotEqualTo(JobVolume.suffix("b"));
        assertThat(JobVolume.suffix("x/claim/0")).isNotEqualTo(JobVolume.suffix("x/claim/1"));
    }
}
