package lavaflow.kubelet;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import lavaflow.controller.KubeApi;
import lavaflow.controller.TestingKubeApi;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class StatusWriterTest {
    private static final KubeApi.Kind NAMESPACES = KubeApi.Kind.clusterWide("namespaces");

    private final TestingKubeApi api =
            new TestingKubeApi().serve(NAMESPACES, "Namespace").serve(Surroundings.PODS, "Pod");
    private final List<Runnable> waiting = new ArrayList<>();
    private final List<Duration> delays = new ArrayList<>();
    private final List<String> written = new ArrayList<>();

    private StatusWriter writer;

    @BeforeEach
    void aPod() {
        ObjectNode namespace = Json.object();
        namespace.putObject("metadata").put("name", "default");
        api.create(NAMESPACES, "", namespace);
        ObjectNode pod = Json.object();
        pod.putObject("metadata").put("name", "p").put("namespace", "default");
        ObjectNode made = api.create(Surroundings.PODS, "default", pod);
        writer = new StatusWriter(
                api,
                made,
                (delay, task) -> {
                    delays.add(delay);
                    waiting.add(task);
                },
                (_, status) -> written.add(Json.textAt(status, "phase") + reason(status)));
    }

    private static String reason(ObjectNode status) {
        return status.at("/containerStatuses/0/state/waiting/reason").asText();
    }

    private static ObjectNode waitingFor(String reason) {
        ObjectNode status = Json.object().put("phase", "Pending");
        status.putArray("containerStatuses")
                .addObject()
                .put("name", "main")
                .putObject("state")
                .putObject("waiting")
                .put("reason", reason);
        return status;
    }

    private static ObjectNode running() {
        ObjectNode status = Json.object().put("phase", "Running");
        status.putArray("containerStatuses")
                .addObject()
                .put("name", "main")
                .putObject("state")
                .putObject("running")
                .put("startedAt", "2030-01-01T00:00:00Z");
        return status;
    }

    @Test
    void aPodThatSoonRunsIsWrittenOnce() throws InterruptedException {
        writer.offer(waitingFor("ContainerCreating"), false);
        ObjectNode placed = waitingFor("ContainerCreating");
        writer.offer(placed.put("podIP", "10.0.0.1"), false);
        writer.offer(running(), false);
        writer.awaitWritten();

        assertThat(written).containsExactly("Running");
        assertThat(delays).containsExactly(StatusWriter.PASSING_WAITS);
    }

    @Test
    void aPodThatTakesLongerIsToldToBeMade() throws InterruptedException {
        writer.offer(waitingFor("PodInitializing"), false);
        assertThat(written).isEmpty();

        waiting.getFirst().run();
        writer.awaitWritten();

        assertThat(written).containsExactly("PendingPodInitializing");
    }

    @Test
    void aPodWhoseContainerBeginsAgainIsToldOnlyIfThatTakesLong() throws InterruptedException {
        writer.offer(running().put("message", "between two lives"), true);
        assertThat(written).isEmpty();

        waiting.getFirst().run();
        writer.awaitWritten();

        assertThat(written).containsExactly("Running");
        assertThat(delays).containsExactly(StatusWriter.PASSING_WAITS);
    }

    @Test
    void whatStandsInItsWayIsToldAtOnce() throws InterruptedException {
        writer.offer(waitingFor("ErrImagePull"), false);
        writer.awaitWritten();

        assertThat(written).containsExactly("PendingErrImagePull");
        assertThat(delays).isEmpty();
    }

    @Test
    void whoWaitsForWhatIsWrittenDoesNotWaitLong() throws InterruptedException {
        writer.offer(waitingFor("ContainerCreating"), false);

        writer.awaitWritten();

        assertThat(written).containsExactly("PendingContainerCreating");
    }

    @Test
    void afterItWasWrittenNothingIsLeftToWrite() throws InterruptedException {
        writer.offer(waitingFor("ContainerCreating"), false);
        writer.offer(running(), false);
        writer.awaitWritten();

        waiting.getFirst().run();
        writer.awaitWritten();

        assertThat(written).containsExactly("Running");
    }

    /** What others did meanwhile is in the answer, and the watch will not be listened to for saying it again. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            {metadata: {name: p, resourceVersion: "2", managedFields: [{}]}, spec: {a: 1}, status: {phase: Running}} | true
            {metadata: {name: p, resourceVersion: "2", deletionTimestamp: "2030-01-01T00:00:00Z"}, spec: {a: 1}}     | false
            {metadata: {name: p, resourceVersion: "2", labels: {a: b}}, spec: {a: 1}}                                | false
            {metadata: {resourceVersion: "2"}, spec: {a: 1}}                                                         | false
            {metadata: {name: p, resourceVersion: "2"}, spec: {a: 2}}                                                | false
            """)
    void anAnswerIsNewsIfOthersChangedThePod(String answer, boolean onlyStatus) {
        ObjectNode known = TestingPod.yaml("{metadata: {name: p, resourceVersion: '1'}, spec: {a: 1}}");

        assertThat(PodView.differOnlyInStatus(known, TestingPod.yaml(answer))).isEqualTo(onlyStatus);
    }
}
