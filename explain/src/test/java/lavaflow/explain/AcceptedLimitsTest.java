package lavaflow.explain;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;

import lavaflow.batch.QueueRules;
import lavaflow.gang.QueueSpec;
import lavaflow.gang.Snapshot;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;

import static lavaflow.explain.TestingClusters.CAPACITY;
import static lavaflow.explain.TestingClusters.cpus;
import static lavaflow.explain.TestingClusters.gpus;
import static lavaflow.explain.TestingClusters.queued;
import static lavaflow.explain.TestingClusters.running;
import static org.assertj.core.api.Assertions.assertThat;

/** What is told to be raised, the rules of admission let somebody raise, one after the other. */
class AcceptedLimitsTest {
    private static final int SEEDS = 150;

    private static ObjectNode object(QueueSpec queue) {
        ObjectNode object = Json.object();
        object.putObject("metadata").put("name", queue.name());
        ObjectNode spec = object.putObject("spec");
        if (!queue.parent().isEmpty()) {
            spec.put("parent", queue.parent());
        }
        put(spec, "capability", queue.capability());
        put(spec, "deserved", queue.deserved());
        return object;
    }

    private static void put(ObjectNode spec, String field, Map<String, Long> amounts) {
        if (!amounts.isEmpty()) {
            ObjectNode object = spec.putObject(field);
            amounts.forEach((name, amount) -> object.put(name, Amount.number(name, amount)));
        }
    }

    /** Why admission refuses one of the queues as they are; empty if it refuses none. */
    private static String refusal(Snapshot cluster) {
        List<ObjectNode> all =
                cluster.queues().stream().map(AcceptedLimitsTest::object).toList();
        return all.stream()
                .map(each -> QueueRules.refusal(each, each, all))
                .filter(each -> !each.isEmpty())
                .findFirst()
                .orElse("");
    }

    /** Why admission refuses one of the changes after those before it. */
    private static String refusal(Snapshot cluster, List<Change> changes) {
        Snapshot now = cluster;
        for (Change change : changes) {
            now = change.in(now);
            String refusal = refusal(now);
            if (!refusal.isEmpty()) {
                return change.text() + ": " + refusal;
            }
        }
        return "";
    }

    /** A node of which another queue, to which nobody owes anything, has everything. */
    private static TestingClusters lent(String configuration) {
        TestingClusters cluster = new TestingClusters()
                .configured(configuration)
                .queue("root")
                .node("a", 4, 4)
                .queue("lent")
                .group("old", 1, queued("lent"));
        for (int i = 0; i < 4; i++) {
            cluster.pod("old-" + i, "old", gpus(1), running("a"));
        }
        return cluster;
    }

    private static List<String> raised(TestingClusters cluster) {
        return cluster.explain("new").remedies().stream()
                .map(Explanation.Remedy::summary)
                .filter(each -> each.contains("deserved"))
                .toList();
    }

    @Test
    void whatAParentDeservesIsRaisedFirst() {
        TestingClusters cluster = lent(CAPACITY)
                .queue("above", "{\"spec\":{\"parent\":\"root\",\"deserved\":{\"cpu\":\"2\"}}}")
                .queue("beside", "{\"spec\":{\"parent\":\"above\",\"deserved\":{\"cpu\":\"1\"}}}")
                .queue("below", "{\"spec\":{\"parent\":\"above\",\"deserved\":{\"cpu\":\"1\"}}}")
                .gang("new", 2, cpus(1), queued("below"));
        assertThat(refusal(cluster.core.snapshot(cluster.now))).isEmpty();
        assertThat(raised(cluster))
                .containsExactly("raise the deserved of queue above from cpu 2 to 3;"
                        + " and raise the deserved of queue below from cpu 1 to 2");
    }

    @Test
    void whatAParentMayHaveIsRaisedFirstWhereItDoesNotSayWhatItDeserves() {
        TestingClusters cluster = lent(CAPACITY)
                .queue("above", "{\"spec\":{\"parent\":\"root\",\"capability\":{\"cpu\":\"2\"}}}")
                .queue("beside", "{\"spec\":{\"parent\":\"above\",\"deserved\":{\"cpu\":\"1\"}}}")
                .queue("below", "{\"spec\":{\"parent\":\"above\",\"deserved\":{\"cpu\":\"1\"}}}")
                .gang("new", 2, cpus(1), queued("below"));
        assertThat(refusal(cluster.core.snapshot(cluster.now))).isEmpty();
        assertThat(raised(cluster))
                .containsExactly("raise the capability of queue above from cpu 2 to 3;"
                        + " and raise the deserved of queue below from cpu 1 to 2");
    }

    @Test
    void nobodyIsToldToDeserveWhatTheQueueMayNotHave() {
        TestingClusters cluster = lent(CAPACITY)
                .queue("mine", "{\"spec\":{\"capability\":{\"cpu\":\"4\"},\"deserved\":{\"cpu\":\"2\"}}}")
                .gang("new", 2, gpus(1), queued("mine"));
        assertThat(refusal(cluster.core.snapshot(cluster.now))).isEmpty();
        assertThat(raised(cluster)).isEmpty();
    }

    @Test
    void capabilitiesAboveAreRaisedAlsoWhereTheSchedulerDoesNotLookAtThem() {
        TestingClusters cluster = new TestingClusters()
                .configured(CAPACITY)
                .queue("root")
                .node("a", 8, 0)
                .queue("above", "{\"spec\":{\"parent\":\"root\",\"capability\":{\"cpu\":\"2\"}}}")
                .queue("below", "{\"spec\":{\"parent\":\"above\",\"capability\":{\"cpu\":\"2\"}}}")
                .gang("new", 4, cpus(1), queued("below"));
        assertThat(cluster.explain("new").remedies())
                .extracting(Explanation.Remedy::summary)
                .contains("raise the capability of queue above from cpu 2 to 4;"
                        + " and raise the capability of queue below from cpu 2 to 4");
    }

    // ---- any cluster ----

    private static String amounts(Random random, int most) {
        String gpu = random.nextInt(3) == 0 ? ",\"nvidia.com/gpu\":\"" + (1 + random.nextInt(most)) + "\"" : "";
        return "{\"cpu\":\"" + (1 + random.nextInt(most)) + "\"" + gpu + "}";
    }

    private static String limits(Random random, String parent, int most) {
        String capability = random.nextInt(3) == 0 ? ",\"capability\":" + amounts(random, 2 * most) : "";
        String deserved = random.nextInt(3) > 0 ? ",\"deserved\":" + amounts(random, most) : "";
        return "{\"spec\":{\"parent\":\"" + parent + "\"" + capability + deserved + "}}";
    }

    private static TestingClusters random(long seed) {
        Random random = new Random(seed);
        String hierarchy = CAPACITY.replace("- name: capacity", "- name: capacity\n    enableHierarchy: true");
        TestingClusters cluster = lent(random.nextBoolean() ? CAPACITY : hierarchy);
        List<String> leaves = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            cluster.queue("above-" + i, limits(random, "root", 5));
            for (int j = 0; j < 2; j++) {
                cluster.queue("below-" + i + j, limits(random, "above-" + i, 3));
                leaves.add("below-" + i + j);
            }
        }
        for (int i = 0; i < 4; i++) {
            String request = random.nextInt(3) == 0 ? gpus(1) : cpus(1);
            cluster.gang("gang-" + i, 1 + random.nextInt(3), request, queued(leaves.get(random.nextInt(4))));
        }
        return cluster;
    }

    @Test
    void admissionAcceptsEveryLimitThatIsToldToBeRaised() {
        int checked = 0;
        int completed = 0;
        for (long seed = 0; seed < SEEDS; seed++) {
            TestingClusters cluster = random(seed);
            Snapshot snapshot = cluster.core.snapshot(cluster.now);
            for (int i = 0; i < 4 && refusal(snapshot).isEmpty(); i++) {
                for (Explanation.Remedy remedy : cluster.explain("gang-" + i).remedies()) {
                    List<Change> limits = remedy.changes().stream()
                            .filter(Change.RaiseLimit.class::isInstance)
                            .toList();
                    assertThat(refusal(snapshot, limits)).as("seed %s", seed).isEmpty();
                    checked += limits.isEmpty() ? 0 : 1;
                    completed += limits.size() > 1 ? 1 : 0;
                }
            }
        }
        assertThat(checked).as("remedies that raise limits").isGreaterThan(20);
        assertThat(completed).as("of which these raise several").isGreaterThan(5);
    }
}
