package lavaflow.explain;

import java.util.List;

import lavaflow.explain.Explanation.Stage;

import org.junit.jupiter.api.Test;

import static lavaflow.explain.TestingClusters.cpus;
import static lavaflow.explain.TestingClusters.queued;
import static lavaflow.explain.TestingClusters.role;
import static org.assertj.core.api.Assertions.assertThat;

/** What is the same of many pods is told once, however much the scheduler tells them apart. */
class AlikeTest {
    private static final String CLAIM =
            "{\"spec\":{\"volumes\":[{\"name\":\"v\",\"persistentVolumeClaim\":{\"claimName\":\"data\"}}]}}";

    private static List<String> messages(Explanation explanation, Stage stage) {
        return explanation.stages().stream()
                .filter(each -> each.stage() == stage)
                .flatMap(each -> each.findings().stream())
                .map(Finding::message)
                .toList();
    }

    /** As those of training jobs have: their labels say which they are. */
    private static String numbered(int index) {
        return "{\"metadata\":{\"labels\":{\"training.kubeflow.org/replica-index\":\"" + index + "\"}}}";
    }

    private static TestingClusters numbered(TestingClusters cluster, int pods, String... changes) {
        cluster.group("new", pods, changes.length > 1 ? changes[1] : "{}");
        for (int i = 0; i < pods; i++) {
            cluster.pod("worker-" + i, "new", cpus(1), role("worker"), numbered(i), changes[0]);
        }
        return cluster;
    }

    @Test
    void podsThatNothingHelpsForTheSameReasonAreToldOnce() {
        Explanation explanation =
                numbered(new TestingClusters().node("a", 8, 0), 6, CLAIM).explain("new");
        String why =
                "6 worker pods (worker-0, worker-1, worker-2 and 3 more): persistentvolumeclaim \"data\" not found";
        assertThat(explanation.headline()).isEqualTo("PodGroup ns/new waits for room: " + why + ".");
        assertThat(messages(explanation, Stage.NODES)).containsExactly(why);
        assertThat(ExplanationForm.of(explanation).toString())
                .contains("\"role\":\"worker\",\"pods\":6,\"firstPod\":\"worker-0\","
                        + "\"examples\":[\"worker-0\",\"worker-1\",\"worker-2\"]");
    }

    @Test
    void podsOfSeveralRolesThatWantTheSameAreToldTogether() {
        Explanation explanation = new TestingClusters()
                .node("a", 8, 0)
                .group("new", 2)
                .pod("chief", "new", cpus(2), role("chief"), CLAIM)
                .pod("worker", "new", cpus(1), role("worker"), CLAIM)
                .explain("new");
        assertThat(explanation.headline())
                .isEqualTo("PodGroup ns/new waits for room: 2 pods (chief, worker):"
                        + " persistentvolumeclaim \"data\" not found.");
    }

    @Test
    void numberedPodsThatFindNoNodeAreCountedWithThoseThatDo() {
        Explanation explanation =
                numbered(new TestingClusters().node("a", 4, 0), 6, "{}").explain("new");
        assertThat(messages(explanation, Stage.NODES))
                .containsExactly("2 of 6 worker pods that ask for cpu 1 each fit on no node: missing cpu 2");
    }

    @Test
    void numberedPodsThatTheirQueueMayNotHaveAreCountedWithThoseThatItMay() {
        Explanation explanation = numbered(
                        new TestingClusters()
                                .node("a", 8, 0)
                                .queue("small", "{\"spec\":{\"capability\":{\"cpu\":\"2\"}}}"),
                        4,
                        "{}",
                        queued("small"))
                .explain("new");
        assertThat(messages(explanation, Stage.LIMIT))
                .containsExactly(
                        "queue small has cpu 0 and may have 2: enough for 2 of 4 worker pods that ask for 1 each");
    }
}
