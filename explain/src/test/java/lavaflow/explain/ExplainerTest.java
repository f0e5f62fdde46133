package lavaflow.explain;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import lavaflow.explain.Explanation.Stage;
import lavaflow.explain.Explanation.StageReport;
import lavaflow.explain.Explanation.Verdict;

import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import static lavaflow.explain.TestingClusters.CAPACITY;
import static lavaflow.explain.TestingClusters.PREEMPTING;
import static lavaflow.explain.TestingClusters.cpus;
import static lavaflow.explain.TestingClusters.gpus;
import static lavaflow.explain.TestingClusters.queued;
import static lavaflow.explain.TestingClusters.role;
import static lavaflow.explain.TestingClusters.running;
import static org.assertj.core.api.Assertions.assertThat;

/** Why a gang called {@code new} waits, and what would free it, one line for each kind of reason. */
class ExplainerTest {
    private static Arguments when(
            String what, TestingClusters cluster, Stage stage, String message, String... remedies) {
        return Arguments.of(Named.of(what, cluster), stage, message, List.of(remedies));
    }

    private static final String HIERARCHY =
            CAPACITY.replace("- name: capacity", "- name: capacity\n    enableHierarchy: true");

    private static TestingClusters cluster() {
        return new TestingClusters();
    }

    /** A PodGroup that says what it needs and waits to be let in. */
    private static String asking(String amounts) {
        return "{\"spec\":{\"minResources\":" + amounts + "},\"status\":{\"phase\":\"Pending\"}}";
    }

    private static String capability(String amounts) {
        return "{\"spec\":{\"capability\":" + amounts + "}}";
    }

    static Stream<Arguments> ofQueues() {
        return Stream.of(
                when(
                        "its queue does not exist",
                        cluster().node("a", 8, 0).gang("new", 4, cpus(1), queued("gone")),
                        Stage.QUEUE,
                        "queue gone does not exist",
                        "create queue gone"),
                when(
                        "its queue is closed",
                        cluster()
                                .node("a", 8, 0)
                                .queue("shut", "{\"status\":{\"state\":\"Closed\"}}")
                                .gang("new", 4, cpus(1), queued("shut")),
                        Stage.QUEUE,
                        "queue shut is Closed and takes nobody",
                        "open queue shut"),
                when(
                        "its queue is closed, and there is no room either",
                        cluster()
                                .node("a", 4, 0)
                                .runs("old", 1, "a", cpus(4))
                                .queue("shut", "{\"status\":{\"state\":\"Closed\"}}")
                                .gang("new", 2, cpus(2), queued("shut")),
                        Stage.QUEUE,
                        "queue shut is Closed and takes nobody",
                        "open queue shut; and ns/old (queue default, 1 pod) must end, which frees cpu 4",
                        "open queue shut; and add 1 more node like a with cpu 4, memory 4Gi"),
                when(
                        "its queue may not have so much",
                        cluster()
                                .node("a", 8, 0)
                                .queue("small", capability("{\"cpu\":\"2\"}"))
                                .gang("new", 4, cpus(1), queued("small")),
                        Stage.LIMIT,
                        "queue small has cpu 0 and may have 2: enough for 2 of 4 pods that ask for 1 each",
                        "raise the capability of queue small from cpu 2 to 4"),
                when(
                        "its queue may not have so much, and others have the rest",
                        cluster()
                                .node("a", 4, 0)
                                .runs("old", 1, "a", cpus(2))
                                .queue("small", capability("{\"cpu\":\"2\"}"))
                                .gang("new", 3, cpus(1), queued("small")),
                        Stage.LIMIT,
                        "queue small has cpu 0 and may have 2: enough for 2 of 3 pods that ask for 1 each",
                        "ns/old (queue default, 1 pod) must end, which frees cpu 2"
                                + "; and raise the capability of queue small from cpu 2 to 3",
                        "add 1 more node like a with cpu 4, memory 4Gi"
                                + "; and raise the capability of queue small from cpu 2 to 3"),
                when(
                        "a queue above its own may not have so much",
                        cluster()
                                .configured(HIERARCHY)
                                .queue("root")
                                .node("a", 8, 0)
                                .queue("above", "{\"spec\":{\"parent\":\"root\",\"capability\":{\"cpu\":\"3\"}}}")
                                .queue("below", "{\"spec\":{\"parent\":\"above\"}}")
                                .gang("new", 4, cpus(1), queued("below")),
                        Stage.LIMIT,
                        "queue above has cpu 0 and may have 3: enough for 3 of 4 pods that ask for 1 each",
                        "raise the capability of queue above from cpu 3 to 4"),
                when(
                        "another queue has what the one above both may have",
                        cluster()
                                .configured(HIERARCHY)
                                .queue("root")
                                .node("a", 8, 0)
                                .queue("above", "{\"spec\":{\"parent\":\"root\",\"capability\":{\"cpu\":\"4\"}}}")
                                .queue("below", "{\"spec\":{\"parent\":\"above\"}}")
                                .queue("beside", "{\"spec\":{\"parent\":\"above\",\"capability\":{\"cpu\":\"4\"}}}")
                                .runs("old", 1, "a", cpus(3), queued("beside"))
                                .gang("new", 2, cpus(1), queued("below")),
                        Stage.LIMIT,
                        "queue above has cpu 3 and may have 4: enough for 1 of 2 pods that ask for 1 each",
                        "raise the capability of queue above from cpu 4 to 5",
                        "ns/old (queue beside, 1 pod) must end, which frees cpu 3"),
                when(
                        "others are guaranteed what is left",
                        cluster()
                                .configured(HIERARCHY)
                                .queue("root")
                                .node("a", 4, 0)
                                .queue("sure", "{\"spec\":{\"guarantee\":{\"resource\":{\"cpu\":\"1\"}}}}")
                                .queue("safe", "{\"spec\":{\"guarantee\":{\"resource\":{\"cpu\":\"1\"}}}}")
                                .queue("beside")
                                .runs("old", 1, "a", cpus(1), queued("beside"))
                                .gang("new", 2, cpus(1)),
                        Stage.LIMIT,
                        "queue root has cpu 1 and may have 4, 2 of it is guaranteed to others: enough for 1 of 2 pods"
                                + " that ask for 1 each",
                        "ns/old (queue beside, 1 pod) must end, which frees cpu 1"),
                when(
                        "its queue has all that its weight is worth",
                        cluster()
                                .node("a", 4, 0)
                                .queue("heavy", "{\"spec\":{\"weight\":3}}")
                                .runs("old", 1, "a", cpus(1))
                                .gang("rival", 4, cpus(3), queued("heavy"))
                                .gang("new", 2, cpus(1)),
                        Stage.LIMIT,
                        "queue default has cpu 1 and may have 1: enough for 0 of 2 pods that ask for 1 each",
                        "raise the weight of queue default from 1 to 9",
                        "ns/old (queue default, 1 pod) must end, which frees cpu 1"));
    }

    static Stream<Arguments> ofEntrance() {
        return Stream.of(
                when(
                        "the one GPU scenario before its pods are made",
                        cluster()
                                .node("gpu-0", 16, 1)
                                .group("new", 6, asking("{\"cpu\":\"6\",\"nvidia.com/gpu\":\"4\"}")),
                        Stage.ENTRANCE,
                        "it asks for nvidia.com/gpu 4, nodes have 1, 1 of it free: 3 missing",
                        "add 3 more nodes like gpu-0 with each cpu 16, memory 16Gi, nvidia.com/gpu 1"),
                when(
                        "no node has what it asks for",
                        cluster().node("a", 4, 0).group("new", 6, asking("{\"nvidia.com/gpu\":\"4\"}")),
                        Stage.ENTRANCE,
                        "it asks for nvidia.com/gpu 4, nodes have 0, 0 of it free: 4 missing",
                        "add 1 more node with nvidia.com/gpu 4"),
                when(
                        "others have what it asks for",
                        cluster()
                                .node("a", 4, 0)
                                .runs("old", 2, "a", cpus(2))
                                .group("new", 1, asking("{\"cpu\":\"2\"}")),
                        Stage.ENTRANCE,
                        "plugin overcommit: resource in cluster is overused: overused cpu",
                        "ns/old (queue default, 2 pods) must end, which frees cpu 4",
                        "add 1 more node like a with cpu 4, memory 4Gi"),
                when(
                        "others were let in for what it asks for",
                        cluster()
                                .node("a", 4, 0)
                                .group("first", 1, "{\"spec\":{\"minResources\":{\"cpu\":\"4\"}}}")
                                .group("new", 1, asking("{\"cpu\":\"2\"}")),
                        Stage.ENTRANCE,
                        "it asks for cpu 2, nodes have 4, 0 of it free: 2 missing",
                        "ns/first (queue default), which was let in and waits for room, must end",
                        "add 1 more node like a with cpu 4, memory 4Gi"),
                when(
                        "its queue may not have what it asks for",
                        cluster()
                                .node("a", 8, 0)
                                .queue("small", capability("{\"cpu\":\"2\"}"))
                                .group("new", 1, asking("{\"cpu\":\"4\"}"), queued("small")),
                        Stage.ENTRANCE,
                        "it asks for cpu 4, and queue small has or is about to have 0 of 2",
                        "raise the capability of queue small from cpu 2 to 4"),
                when(
                        "a queue above its own may not have what it asks for",
                        cluster()
                                .configured(HIERARCHY)
                                .queue("root")
                                .node("a", 8, 0)
                                .queue("above", "{\"spec\":{\"parent\":\"root\",\"capability\":{\"cpu\":\"4\"}}}")
                                .queue("below", "{\"spec\":{\"parent\":\"above\"}}")
                                .queue("beside", "{\"spec\":{\"parent\":\"above\"}}")
                                .runs(
                                        "old",
                                        1,
                                        "a",
                                        cpus(3),
                                        "{\"spec\":{\"queue\":\"beside\",\"minResources\":{\"cpu\":\"3\"}}}")
                                .group("new", 1, asking("{\"cpu\":\"2\"}"), queued("below")),
                        Stage.ENTRANCE,
                        "it asks for cpu 2, and queue above has or is about to have 3 of 4",
                        "raise the capability of queue above from cpu 4 to 5",
                        "ns/old (queue beside, 1 pod) must end, which frees cpu 3"));
    }

    static Stream<Arguments> ofPodsAndNodes() {
        TestingClusters oneGpu = cluster().node("gpu-0", 16, 1).group("new", 6);
        for (int i = 0; i < 6; i++) {
            oneGpu.pod("p-" + i, "new", i < 2 ? cpus(1) : gpus(1), role(i < 2 ? "ps" : "worker"));
        }
        return Stream.of(
                when(
                        "it has too few pods",
                        cluster().node("a", 8, 0).group("new", 4).pod("x", "new", cpus(1)),
                        Stage.PODS,
                        "Not enough valid tasks for gang-scheduling, valid: 1, min: 4: 3 more must be made",
                        "make 3 more pods like x",
                        "lower the minMember of PodGroup ns/new from 4 to 1"),
                when(
                        "it has too few pods, and no room for more",
                        cluster().node("a", 2, 0).group("new", 4).pod("x", "new", cpus(1)),
                        Stage.PODS,
                        "Not enough valid tasks for gang-scheduling, valid: 1, min: 4: 3 more must be made",
                        "make 3 more pods like x; and add 1 more node like a with cpu 2, memory 2Gi",
                        "lower the minMember of PodGroup ns/new from 4 to 1"),
                when(
                        "it has too few pods, none of which finds room",
                        cluster()
                                .node("a", 2, 0)
                                .runs("old", 1, "a", cpus(2))
                                .group("new", 2)
                                .pod("x", "new", cpus(1)),
                        Stage.PODS,
                        "Not enough valid tasks for gang-scheduling, valid: 1, min: 2: 1 more must be made",
                        "make 1 more pod like x; and ns/old (queue default, 1 pod) must end, which frees cpu 2",
                        "make 1 more pod like x; and add 1 more node like a with cpu 2, memory 2Gi"),
                when(
                        "it has too few pods, and its queue is closed",
                        cluster()
                                .node("a", 8, 0)
                                .queue("shut", "{\"status\":{\"state\":\"Closed\"}}")
                                .group("new", 2, queued("shut"))
                                .pod("x", "new", cpus(1)),
                        Stage.PODS,
                        "Not enough valid tasks for gang-scheduling, valid: 1, min: 2: 1 more must be made",
                        "open queue shut; and make 1 more pod like x",
                        "open queue shut; and lower the minMember of PodGroup ns/new from 2 to 1"),
                when(
                        "a role of it has too few pods",
                        cluster()
                                .node("a", 8, 0)
                                .group("new", 3, "{\"spec\":{\"minTaskMember\":{\"ps\":1,\"worker\":2}}}")
                                .pod("p-0", "new", cpus(1), role("ps"))
                                .pod("p-1", "new", cpus(1), role("ps"))
                                .pod("w-0", "new", cpus(1), role("worker")),
                        Stage.PODS,
                        "Not enough valid pods of each task for gang-scheduling",
                        "make 1 more worker pod like w-0",
                        "lower the minTaskMember of role worker of PodGroup ns/new from 2 to 1"),
                when(
                        "nobody has made any of its pods",
                        cluster().node("a", 8, 0).group("new", 2),
                        Stage.PODS,
                        "Not enough valid tasks for gang-scheduling, valid: 0, min: 2: 2 more must be made"),
                when(
                        "its pods must not be scheduled yet",
                        cluster()
                                .node("a", 8, 0)
                                .group("new", 1)
                                .pod("x", "new", cpus(1), "{\"spec\":{\"schedulingGates\":[{\"name\":\"later\"}]}}"),
                        Stage.PODS,
                        "1 pod must not be scheduled yet: schedulingGates are set"),
                when(
                        "the one GPU scenario with pods",
                        oneGpu,
                        Stage.NODES,
                        "3 of 4 worker pods that ask for cpu 1, nvidia.com/gpu 1 each fit on no node: missing nvidia.com/gpu 3",
                        "add 3 more nodes like gpu-0 with each cpu 16, memory 16Gi, nvidia.com/gpu 1"),
                when(
                        "pods of two roles want the same nodes",
                        cluster()
                                .node("a", 1, 0)
                                .runs("old", 1, "a", cpus(1))
                                .group("new", 2)
                                .pod("p", "new", cpus(1), role("ps"))
                                .pod("w", "new", cpus(1), role("worker")),
                        Stage.NODES,
                        "its worker pod asks for cpu 1 and fits on no node: missing cpu 1",
                        "add 2 more nodes like a with each cpu 1, memory 1Gi"),
                when(
                        "another job has the room",
                        cluster().node("a", 4, 0).runs("old", 3, "a", cpus(1)).gang("new", 2, cpus(1)),
                        Stage.NODES,
                        "1 of 2 pods that ask for cpu 1 each fit on no node: missing cpu 1",
                        "ns/old (queue default, 3 pods) must end, which frees cpu 3",
                        "add 1 more node like a with cpu 4, memory 4Gi"),
                when(
                        "a pod of no gang has the room",
                        cluster().node("a", 4, 0).stranger("web", "a", cpus(3)).gang("new", 2, cpus(1)),
                        Stage.NODES,
                        "1 of 2 pods that ask for cpu 1 each fit on no node: missing cpu 1",
                        "pod ns/web must end, which frees cpu 3",
                        "add 1 more node like a with cpu 4, memory 4Gi"),
                when(
                        "two jobs have to end",
                        cluster()
                                .node("a", 2, 0)
                                .node("b", 2, 0)
                                .node("c", 1, 0)
                                .runs("one", 2, "a", cpus(1))
                                .runs("two", 2, "b", cpus(1))
                                .runs("three", 1, "c", cpus(1))
                                .gang("new", 2, cpus(2)),
                        Stage.NODES,
                        "2 of 2 pods that ask for cpu 2 each fit on no node: missing cpu 4",
                        "ns/two (queue default, 2 pods) must end, which frees cpu 2; and ns/one (queue default, 2 pods)"
                                + " must end, which frees cpu 2",
                        "add 2 more nodes like a with each cpu 2, memory 2Gi"),
                when(
                        "its node takes no pods",
                        cluster()
                                .node("a", 8, 0, "{\"spec\":{\"unschedulable\":true}}")
                                .gang("new", 4, cpus(1)),
                        Stage.NODES,
                        "4 of 4 pods that ask for cpu 1 each fit on no node",
                        "uncordon node a",
                        "add 4 more nodes with each cpu 1"),
                when(
                        "no node is large enough or labelled as it wants",
                        cluster()
                                .node("a", 8, 0)
                                .group("new", 1)
                                .pod("x", "new", cpus(9), "{\"spec\":{\"nodeSelector\":{\"zone\":\"moon\"}}}"),
                        Stage.NODES,
                        "its pod asks for cpu 9 and fits on no node",
                        "add 1 more node with cpu 9 and the labels {\"zone\":\"moon\"}"),
                when(
                        "a claim that its pod wants does not exist",
                        cluster()
                                .node("a", 8, 0)
                                .group("new", 1)
                                .pod(
                                        "x",
                                        "new",
                                        cpus(1),
                                        "{\"spec\":{\"volumes\":[{\"name\":\"v\",\"persistentVolumeClaim\":{\"claimName\":\"data\"}}]}}"),
                        Stage.NODES,
                        "pod x: persistentvolumeclaim \"data\" not found"));
    }

    static Stream<Arguments> ofPreemption() {
        return Stream.of(
                when(
                        "nothing makes room",
                        cluster().node("a", 4, 0).runs("old", 3, "a", cpus(1)).gang("new", 2, cpus(1)),
                        Stage.PREEMPTION,
                        "the configuration has no action that makes room: neither preempt nor reclaim"),
                when(
                        "others are as important",
                        cluster()
                                .configured(PREEMPTING)
                                .node("a", 4, 0)
                                .runs("old", 3, "a", cpus(1))
                                .gang("new", 2, cpus(1)),
                        Stage.PREEMPTION,
                        "3 pods of ns/old: spared by plugin priority, they are not less important"),
                when(
                        "others say that they stay",
                        cluster()
                                .configured(PREEMPTING)
                                .node("a", 4, 0)
                                .group("old", 1)
                                .pod(
                                        "old-0",
                                        "old",
                                        cpus(4),
                                        running("a"),
                                        "{\"metadata\":{\"annotations\":{\"volcano.sh/preemptable\":\"false\"}}}")
                                .gang("new", 2, cpus(1)),
                        Stage.PREEMPTION,
                        "1 pod of ns/old: they say volcano.sh/preemptable: false"),
                when(
                        "another queue does not give anything back",
                        cluster()
                                .configured(CAPACITY)
                                .node("a", 4, 0)
                                .queue("mean", "{\"spec\":{\"reclaimable\":false}}")
                                .queue("mine", "{\"spec\":{\"deserved\":{\"cpu\":\"4\"}}}")
                                .runs("old", 1, "a", cpus(4), queued("mean"))
                                .gang("new", 2, cpus(1), queued("mine")),
                        Stage.PREEMPTION,
                        "1 pod of ns/old: queue mean is not reclaimable"),
                when(
                        "another gang needs all it has",
                        cluster()
                                .configured(CAPACITY)
                                .node("a", 4, 0)
                                .queue("lent")
                                .queue("mine", "{\"spec\":{\"deserved\":{\"cpu\":\"4\"}}}")
                                .runs("old", 2, "a", cpus(2), queued("lent"))
                                .gang("new", 2, cpus(1), queued("mine")),
                        Stage.PREEMPTION,
                        "2 pods of ns/old: spared by plugin gang, their gang needs every one of them"),
                when(
                        "pods of no gang stay",
                        cluster()
                                .configured(PREEMPTING)
                                .node("a", 4, 0)
                                .stranger("web", "a", cpus(3))
                                .gang("new", 2, cpus(1)),
                        Stage.PREEMPTION,
                        "1 pod: they are of no gang"));
    }

    @ParameterizedTest
    @MethodSource({"ofQueues", "ofEntrance", "ofPodsAndNodes"})
    void saysWhyAndWhatWouldHelp(TestingClusters cluster, Stage stage, String message, List<String> remedies) {
        Explanation explanation = cluster.explain("new");
        assertThat(explanation.waiting()).isTrue();
        assertThat(blocked(explanation, stage)).as("%s", explanation).contains(message);
        assertThat(explanation.remedies().stream().map(Explanation.Remedy::summary))
                .containsExactlyElementsOf(remedies);
    }

    @ParameterizedTest
    @MethodSource("ofPreemption")
    void saysWhomPreemptionConsidered(TestingClusters cluster, Stage stage, String message, List<String> ignored) {
        assertThat(ignored).isEmpty();
        assertThat(blocked(cluster.explain("new"), stage)).containsExactly(message);
    }

    private static List<String> blocked(Explanation explanation, Stage stage) {
        List<String> messages = new ArrayList<>();
        for (StageReport report : explanation.stages()) {
            if (report.stage() == stage && report.verdict() == Verdict.BLOCKED) {
                report.findings().forEach(each -> messages.add(each.message()));
            }
        }
        return messages;
    }

    @Test
    void podsToBeMadeAndMinimaToBeLoweredAreThereForMachines() {
        String uid = "-f01fe2bf-804c-4577-8686-32060b1549e1";
        Explanation explanation = cluster()
                .node("a", 8, 0)
                .group("train" + uid, 4)
                .pod("x", "train" + uid, cpus(1), role("worker"))
                .explain("train" + uid);
        assertThat(explanation.remedies())
                .extracting(Explanation.Remedy::summary)
                .containsExactly(
                        "make 3 more worker pods like x", "lower the minAvailable of job ns/train from 4 to 1");
        assertThat(ExplanationForm.of(explanation).toString())
                .contains("{\"type\":\"MakePods\",\"text\":\"make 3 more worker pods like x\",\"podGroup\":\"ns/train"
                        + uid + "\",\"role\":\"worker\",\"count\":3,\"like\":\"x\"}")
                .contains("\"podGroup\":\"ns/train" + uid + "\",\"role\":\"\",\"from\":4,\"to\":1}");
    }

    @Test
    void everyStageIsTold() {
        Explanation explanation =
                cluster().node("a", 1, 0).gang("new", 2, cpus(1)).explain("new");
        assertThat(explanation.stages()).extracting(StageReport::stage).containsExactly(Stage.values());
        assertThat(explanation.stages())
                .extracting(StageReport::verdict)
                .containsExactly(
                        Verdict.PASSED,
                        Verdict.PASSED,
                        Verdict.PASSED,
                        Verdict.PASSED,
                        Verdict.PASSED,
                        Verdict.BLOCKED,
                        Verdict.BLOCKED);
    }

    @Test
    void nodesAreCountedByReasonWithExamples() {
        TestingClusters cluster = cluster();
        for (int i = 0; i < 5; i++) {
            cluster.node("small-" + i, 1, 0);
        }
        cluster.node("tainted", 8, 0, "{\"spec\":{\"taints\":[{\"key\":\"k\",\"effect\":\"NoSchedule\"}]}}");
        Explanation explanation = cluster.gang("new", 1, cpus(2)).explain("new");
        Finding.NoNode none = explanation.stages().stream()
                .flatMap(each -> each.findings().stream())
                .filter(Finding.NoNode.class::isInstance)
                .map(Finding.NoNode.class::cast)
                .findFirst()
                .orElseThrow();
        assertThat(none.nodes()).isEqualTo(6);
        assertThat(none.reasons())
                .containsExactly(
                        new Finding.NodeReason("Insufficient cpu", 5, List.of("small-0", "small-1", "small-2"), false),
                        new Finding.NodeReason("node(s) had untolerated taint(s)", 1, List.of("tainted"), false));
    }

    @Test
    void roomThatIsKeptForAnotherGangIsTold() {
        String owned =
                "{\"metadata\":{\"ownerReferences\":[{\"kind\":\"Job\",\"name\":\"j\",\"uid\":\"j\",\"controller\":true}]}}";
        TestingClusters cluster = cluster().node("a", 4, 0).group("old", 2);
        cluster.pod("old-0", "old", cpus(2), owned, running("a")).pod("old-1", "old", cpus(2), owned, running("a"));
        cluster.settle("new");
        cluster.pod("old-1", "old", cpus(2), owned, running("a"), "{\"status\":{\"phase\":\"Failed\"}}");
        cluster.gang("new", 2, cpus(1));
        cluster.settle("new");

        Explanation explanation = cluster.explain("new");
        assertThat(blocked(explanation, Stage.NODES))
                .contains("cpu 2 on a is kept for ns/old, where 1 pod died, for 30 seconds at most");
        assertThat(ExplanationForm.of(explanation).toString())
                .contains("\"reason\":\"KeptFor\"")
                .contains("\"seconds\":30");
        assertThat(blocked(explanation.seenFrom("elsewhere"), Stage.NODES))
                .as("whoever may not know of it hears that there is such a gang")
                .noneMatch(each -> each.contains("ns/old"));

        cluster.pod("old-2", "old", cpus(2), owned);
        assertThat(cluster.explain("old").waiting())
                .as("it gets what is kept for it")
                .isFalse();
    }

    @Test
    void whatIsAboutToBePlacedDoesNotWait() {
        Explanation explanation =
                cluster().node("a", 4, 0).gang("new", 2, cpus(1)).explain("new");
        assertThat(explanation.waiting()).isFalse();
        assertThat(explanation.headline())
                .isEqualTo("PodGroup ns/new does not wait: 2 pods have their nodes, it needs 2.");
    }

    @Test
    void askingChangesNothing() {
        TestingClusters cluster =
                cluster().node("a", 4, 0).runs("old", 3, "a", cpus(1)).gang("new", 2, cpus(1));
        cluster.settle("new");
        String before = cluster.core.gangs().toString();
        cluster.explain("new");
        assertThat(cluster.core.gangs()).hasToString(before);
        assertThat(cluster.core.decide(cluster.now)).isEmpty();
    }

    @Test
    void whatItsQueueMayNotHaveIsTheReasonWhateverElseIsShort() {
        TestingClusters cluster = cluster()
                .configured(CAPACITY)
                .node("a", 4, 0)
                .queue("small", capability("{\"cpu\":\"2\"}"))
                .runs("old", 1, "a", cpus(3))
                .group("new", 1, asking("{\"cpu\":\"3\"}"), queued("small"));
        assertThat(cluster.explain("new").headline())
                .isEqualTo(
                        "PodGroup ns/new is not let into queue small: it asks for cpu 3, and queue small has or is about"
                                + " to have 0 of 2.");
        cluster.configured(CAPACITY.replace("- name: priority", "- name: priority\n  - name: overcommit"));
        assertThat(cluster.explain("new").headline())
                .isEqualTo(
                        "PodGroup ns/new is not let into queue small: it asks for cpu 3, and queue small has or is about"
                                + " to have 0 of 2; it asks for cpu 3, nodes have 4, 1 of it free: 2 missing.");
    }

    @Test
    void anExtenderThatNobodyHereCanAskIsInTheWay() {
        TestingClusters cluster = cluster()
                .configured(
                        PREEMPTING
                                + "  - name: extender\n    arguments: {extender.urlPrefix: 'http://there', extender.predicateVerb: fits}\n")
                .node("a", 4, 0)
                .runs("old", 1, "a", cpus(1))
                .gang("new", 2, cpus(1));
        assertThat(cluster.explain("old").waiting()).isFalse();
        Explanation explanation = cluster.explain("new");
        assertThat(explanation.waiting()).isTrue();
        assertThat(blocked(explanation, Stage.NODES))
                .containsExactly(
                        "the extender at http://there refuses it or does not answer, all others would let it run");
    }

    @Test
    void aQueueTellsOfThoseBelowIt() {
        TestingClusters cluster = cluster()
                .configured(HIERARCHY)
                .queue("root")
                .node("a", 4, 0)
                .queue("above", "{\"spec\":{\"parent\":\"root\"}}")
                .queue("one", "{\"spec\":{\"parent\":\"above\"}}")
                .queue("two", "{\"spec\":{\"parent\":\"above\"}}")
                .runs("old", 1, "a", cpus(3), queued("one"))
                .gang("new", 2, cpus(1), queued("two"))
                .gang("elsewhere", 9, cpus(1));
        QueueExplanation queue = cluster.explainQueue("above");
        assertThat(queue.account().allocated()).isEqualTo(Map.of("cpu", 3000L, "pods", 1L));
        assertThat(queue.account().requested()).isEqualTo(Map.of("cpu", 5000L, "pods", 3L));
        assertThat(queue.waiting()).extracting(each -> each.subject().name()).containsExactly("new");
        assertThat(queue.others()).isEqualTo(1);
    }

    @Test
    void limitsAreRaisedFromAboveToBelow() {
        TestingClusters cluster = cluster()
                .configured(HIERARCHY)
                .queue("root")
                .node("a", 8, 0)
                .queue("above", "{\"spec\":{\"parent\":\"root\",\"capability\":{\"cpu\":\"2\"}}}")
                .queue("below", "{\"spec\":{\"parent\":\"above\",\"capability\":{\"cpu\":\"2\"}}}")
                .gang("new", 4, cpus(1), queued("below"));
        assertThat(cluster.explain("new").remedies())
                .extracting(Explanation.Remedy::summary)
                .containsExactly("raise the capability of queue above from cpu 2 to 4;"
                        + " and raise the capability of queue below from cpu 2 to 4");
    }

    @Test
    void aQueueTellsWhoWaitsInIt() {
        TestingClusters cluster = cluster()
                .node("a", 4, 0)
                .runs("old", 1, "a", cpus(3))
                .gang("new", 2, cpus(1))
                .gang("newer", 2, cpus(2));
        QueueExplanation queue = cluster.explainQueue("default");
        assertThat(queue.headline()).isEqualTo("Queue default is Open, and 2 PodGroups wait in it.");
        assertThat(queue.others()).isEqualTo(1);
        assertThat(queue.account().allocated()).isEqualTo(Map.of("cpu", 3000L, "pods", 1L));
        assertThat(queue.waiting()).extracting(each -> each.subject().name()).containsExactly("new", "newer");
    }
}
