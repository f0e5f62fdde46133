package lavaflow.explain;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import lavaflow.plugins.Plugins;

import org.junit.jupiter.api.Test;

import static lavaflow.explain.TestingClusters.CAPACITY;
import static lavaflow.explain.TestingClusters.PREEMPTING;
import static lavaflow.explain.TestingClusters.cpus;
import static lavaflow.explain.TestingClusters.gpus;
import static lavaflow.explain.TestingClusters.queued;
import static org.assertj.core.api.Assertions.assertThat;

/** What is said to free a gang does, in the very core that keeps it waiting. */
class RemedyPropertyTest {
    private static final int SEEDS = 60;

    private static TestingClusters random(long seed) {
        Random random = new Random(seed);
        TestingClusters cluster = new TestingClusters();
        switch (random.nextInt(3)) {
            case 0 -> cluster.configured(PREEMPTING);
            case 1 -> cluster.configured(CAPACITY);
            default -> {}
        }
        int nodes = 1 + random.nextInt(4);
        for (int i = 0; i < nodes; i++) {
            cluster.node("node-" + i, 2 + random.nextInt(7), random.nextInt(3) * 2);
        }
        List<String> queues = new ArrayList<>(List.of("default"));
        for (int i = random.nextInt(3); i > 0; i--) {
            String limit = random.nextBoolean() ? ",\"capability\":{\"cpu\":\"" + (2 + random.nextInt(6)) + "\"}" : "";
            cluster.queue("queue-" + i, "{\"spec\":{\"weight\":" + (1 + random.nextInt(3)) + limit + "}}");
            queues.add("queue-" + i);
        }
        for (int i = 0; i < 8; i++) {
            String queue = queues.get(random.nextInt(queues.size()));
            String request = random.nextInt(3) == 0 ? gpus(1) : cpus(1 + random.nextInt(3));
            cluster.gang("gang-" + i, 1 + random.nextInt(4), request, queued(queue));
        }
        cluster.settle("");
        return cluster;
    }

    @Test
    void whoMustEndFreesTheGangAndNobodyElseHasTo() {
        int checked = 0;
        for (long seed = 0; seed < SEEDS; seed++) {
            TestingClusters cluster = random(seed);
            for (int i = 0; i < 8; i++) {
                String name = "gang-" + i;
                Explanation explanation = cluster.explain(name);
                for (Explanation.Remedy remedy : explanation.remedies()) {
                    if (remedy.changes().stream().allMatch(Change.EndJob.class::isInstance)) {
                        check(seed, name, remedy);
                        checked++;
                    }
                }
            }
        }
        assertThat(checked).as("how many remedies were tried").isGreaterThan(100);
    }

    private static void check(long seed, String name, Explanation.Remedy remedy) {
        List<Change> changes = remedy.changes();
        assertThat(placed(seed, name, changes))
                .as("seed %s: %s", seed, remedy.summary())
                .isTrue();
        for (Change spared : changes) {
            List<Change> fewer = new ArrayList<>(changes);
            fewer.remove(spared);
            assertThat(placed(seed, name, fewer))
                    .as("seed %s, %s: without %s", seed, name, spared)
                    .isFalse();
        }
    }

    /** Whether a gang has its nodes once jobs have ended. */
    private static boolean placed(long seed, String name, List<Change> ended) {
        TestingClusters cluster = random(seed);
        for (Change change : ended) {
            cluster.ends(((Change.EndJob) change).podGroup());
        }
        return cluster.settle(name) > 0;
    }

    @Test
    void everyOtherRemedyFreesTheGangToo() {
        int checked = 0;
        for (long seed = 0; seed < SEEDS; seed++) {
            TestingClusters cluster = random(seed);
            for (int i = 0; i < 8; i++) {
                String name = "gang-" + i;
                for (Explanation.Remedy remedy : cluster.explain(name).remedies()) {
                    var changed = cluster.core.snapshot(cluster.now);
                    for (Change change : remedy.changes()) {
                        changed = change.in(changed);
                    }
                    Explanation after = new Explainer(changed, Plugins::make)
                            .group("ns/" + name)
                            .orElseThrow();
                    assertThat(after.waiting())
                            .as("seed %s: %s\n%s", seed, remedy.summary(), after.headline())
                            .isFalse();
                    checked++;
                }
            }
        }
        assertThat(checked).isGreaterThan(200);
    }

    @Test
    void whoWaitsHasAReasonAndWhoDoesNotIsPlaced() {
        for (long seed = 0; seed < SEEDS; seed++) {
            TestingClusters cluster = random(seed);
            for (int i = 0; i < 8; i++) {
                Explanation explanation = cluster.explain("gang-" + i);
                boolean blocked = explanation.stages().stream()
                        .anyMatch(each -> each.verdict() == Explanation.Verdict.BLOCKED
                                && !each.findings().isEmpty());
                assertThat(blocked).as("seed %s: %s", seed, explanation).isEqualTo(explanation.waiting());
            }
        }
    }
}
