package lavaflow.batch;

import java.time.Duration;

import lavaflow.controller.KubeApi;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class QueuesTest {
    private static final String OPEN = "OpenQueue";
    private static final String CLOSE = "CloseQueue";

    private final TestingBatch cluster = new TestingBatch();

    private JsonNode status(String queue) {
        return cluster.queue(queue).path("status");
    }

    private String stamp(String queue) {
        return Batch.annotation(cluster.queue(queue), Batch.CLOSED_BY_PARENT);
    }

    @Test
    void withoutDefinitionsNobodyIsAskedForQueues() {
        cluster.settle();
        cluster.pass(Duration.ofMinutes(10));
        assertThat(cluster.api.takeWrites()).isEmpty();
        cluster.pass(Duration.ofMinutes(10));
        assertThat(cluster.api.requestCount()).isZero();
    }

    @Test
    void theIndispensableQueuesAreMadeOnceTheyCanBe() {
        cluster.settle();
        cluster.define();
        assertThat(cluster.names(Batch.QUEUES)).containsExactly("default", "root");
        assertThat(Json.string(cluster.queue("root").path("spec"))).isEqualTo("{\"reclaimable\":false,\"weight\":1}");
        assertThat(Json.string(cluster.queue("default").path("spec")))
                .isEqualTo("{\"reclaimable\":true,\"weight\":1,\"parent\":\"root\"}");
        assertThat(cluster.state("root")).isEqualTo("Open");
        assertThat(cluster.state("default")).isEqualTo("Open");
    }

    @Test
    void indispensableQueuesThatAreThereStayAsTheyAre() {
        cluster.api.serve(Batch.QUEUES, "Queue");
        cluster.create(
                Batch.QUEUES,
                "",
                "default",
                queue -> queue.putObject("spec").put("weight", 7).put("parent", "root"));
        cluster.settle();
        assertThat(Json.string(cluster.queue("default").path("spec"))).isEqualTo("{\"weight\":7,\"parent\":\"root\"}");
    }

    @Test
    void anIndispensableQueueThatWasDeletedComesBack() {
        cluster.define();
        cluster.api.delete(Batch.QUEUES, "", "default", KubeApi.Deletion.PLAIN);
        cluster.settle();
        assertThat(cluster.names(Batch.QUEUES)).containsExactly("default", "root");
    }

    @Test
    void aQueueIsBelowTheRootUnlessItSaysOtherwise() {
        cluster.define();
        cluster.queue("a", "");
        cluster.queue("b", "a");
        assertThat(Json.textAt(cluster.queue("a"), "spec", "parent")).isEqualTo("root");
        assertThat(Json.textAt(cluster.queue("b"), "spec", "parent")).isEqualTo("a");
        assertThat(cluster.state("b")).isEqualTo("Open");
    }

    @Test
    void anEmptyQueueClosesAtOnceAndOpensAgain() {
        cluster.define().queue("a", "root");
        cluster.command("a", CLOSE);
        assertThat(cluster.state("a")).isEqualTo("Closed");
        assertThat(cluster.names(Batch.COMMANDS)).isEmpty();
        cluster.command("a", OPEN);
        assertThat(cluster.state("a")).isEqualTo("Open");
        assertThat(cluster.events())
                .containsExactly("a CloseQueue: Close queue succeed", "a OpenQueue: Open queue succeed");
    }

    @Test
    void aQueueWithPodGroupsIsClosingUntilTheLastIsGone() {
        cluster.define().queue("a", "root");
        cluster.group("one", "a", "Running");
        cluster.group("two", "a", "Completed");
        cluster.command("a", CLOSE);
        assertThat(cluster.state("a")).isEqualTo("Closing");
        cluster.dropGroup("one");
        assertThat(cluster.state("a")).isEqualTo("Closing");
        cluster.dropGroup("two");
        assertThat(cluster.state("a")).isEqualTo("Closed");
    }

    @Test
    void aClosingQueueMayBeOpenedAgain() {
        cluster.define().queue("a", "root");
        cluster.group("one", "a", "Running");
        cluster.command("a", CLOSE);
        cluster.command("a", OPEN);
        assertThat(cluster.state("a")).isEqualTo("Open");
    }

    @Test
    void closingClosesWhatIsBelowAndOpeningOpensOnlyThat() {
        cluster.define().queue("top", "root");
        cluster.queue("left", "top");
        cluster.queue("right", "top");
        cluster.queue("leaf", "left");
        cluster.queue("beside", "root");
        cluster.command("right", CLOSE);
        cluster.command("top", CLOSE);
        for (String queue : new String[] {"top", "left", "right", "leaf"}) {
            assertThat(cluster.state(queue)).as(queue).isEqualTo("Closed");
        }
        assertThat(cluster.state("beside")).isEqualTo("Open");
        assertThat(stamp("left")).isEqualTo("true");
        assertThat(stamp("leaf")).isEqualTo("true");
        assertThat(stamp("right")).isEmpty();
        assertThat(stamp("top")).isEmpty();

        cluster.command("top", OPEN);
        assertThat(cluster.state("top")).isEqualTo("Open");
        assertThat(cluster.state("left")).isEqualTo("Open");
        assertThat(cluster.state("leaf")).isEqualTo("Open");
        assertThat(cluster.state("right")).isEqualTo("Closed");
        assertThat(stamp("left")).isEqualTo("false");
        assertThat(stamp("leaf")).isEqualTo("false");
    }

    @Test
    void nothingOpensBelowAQueueThatIsNotOpen() {
        cluster.define().queue("top", "root");
        cluster.queue("leaf", "top");
        cluster.command("top", CLOSE);
        cluster.command("leaf", OPEN);
        assertThat(cluster.state("leaf")).isEqualTo("Closed");
        assertThat(cluster.names(Batch.COMMANDS)).isEmpty();
    }

    @Test
    void theRootIsNeverClosed() {
        cluster.define();
        cluster.command("root", CLOSE);
        assertThat(cluster.state("root")).isEqualTo("Open");
        assertThat(cluster.state("default")).isEqualTo("Open");
        assertThat(cluster.names(Batch.COMMANDS)).isEmpty();
    }

    @Test
    void commandsAreCarriedOutInTheOrderTheyWereGiven() {
        cluster.define().queue("a", "root");
        cluster.give("a", CLOSE);
        cluster.give("a", OPEN);
        cluster.give("a", CLOSE);
        cluster.settle();
        assertThat(cluster.state("a")).isEqualTo("Closed");
        cluster.give("a", OPEN);
        cluster.give("a", CLOSE);
        cluster.give("a", OPEN);
        cluster.settle();
        assertThat(cluster.state("a")).isEqualTo("Open");
    }

    @Test
    void aCommandIsCarriedOutAlthoughTheControllerDiedInBetween() {
        cluster.define().queue("top", "root");
        cluster.queue("leaf", "top");
        for (String lost : new String[] {
            "patch queues.scheduling.volcano.sh leaf",
            "patch queues.scheduling.volcano.sh/status leaf",
            "patch queues.scheduling.volcano.sh/status top"
        }) {
            cluster.api.fail(lost, ApiException.of(503, "ServiceUnavailable", "crash"));
            cluster.give("top", CLOSE);
            cluster.settle();
            assertThat(cluster.names(Batch.COMMANDS)).hasSize(1);
            cluster.restart();
            assertThat(cluster.state("top")).as(lost).isEqualTo("Closed");
            assertThat(cluster.state("leaf")).as(lost).isEqualTo("Closed");

            cluster.api.fail(lost, ApiException.of(503, "ServiceUnavailable", "crash"));
            cluster.give("top", OPEN);
            cluster.settle();
            cluster.restart();
            assertThat(cluster.state("top")).as(lost).isEqualTo("Open");
            assertThat(cluster.state("leaf")).as(lost).isEqualTo("Open");
            assertThat(cluster.names(Batch.COMMANDS)).isEmpty();
        }
    }

    @Test
    void aCommandForAQueueThatWasMadeAnewIsForgotten() {
        cluster.define().queue("a", "root");
        cluster.give("a", CLOSE);
        cluster.api.delete(Batch.QUEUES, "", "a", KubeApi.Deletion.PLAIN);
        cluster.queue("a", "root");
        assertThat(cluster.state("a")).isEqualTo("Open");
        assertThat(cluster.names(Batch.COMMANDS)).isEmpty();
    }

    @Test
    void commandsForQueuesThatAreGoneGoToo() {
        cluster.define().queue("a", "root");
        cluster.give("a", CLOSE);
        cluster.api.delete(Batch.QUEUES, "", "a", KubeApi.Deletion.PLAIN);
        cluster.settle();
        assertThat(cluster.names(Batch.COMMANDS)).isEmpty();
    }

    @Test
    void commandsAboutOtherThingsAreLeftToOthers() {
        cluster.define();
        cluster.create(Batch.COMMANDS, "team", "abort", command -> {
            command.put("action", "AbortJob");
            command.putObject("target")
                    .put("apiVersion", "batch.volcano.sh/v1alpha1")
                    .put("kind", "Job")
                    .put("name", "default");
        });
        cluster.settle();
        assertThat(cluster.names(Batch.COMMANDS)).containsExactly("abort");
    }

    @Test
    void podGroupsAreCountedByPhase() {
        cluster.define().queue("a", "root");
        cluster.group("one", "a", "Pending");
        cluster.group("new", "a", "");
        cluster.group("two", "a", "Inqueue");
        cluster.group("three", "a", "Running");
        cluster.group("four", "a", "Unknown");
        cluster.group("five", "a", "Completed");
        cluster.group("elsewhere", "default", "Running");
        cluster.pass(Queues.COUNTING);
        assertThat(Json.string(status("a")))
                .isEqualTo(
                        "{\"state\":\"Open\",\"completed\":1,\"inqueue\":1,\"pending\":2,\"running\":1,\"unknown\":1}");
        assertThat(status("default").path("running").asLong()).isEqualTo(1);
        for (String done : new String[] {"one", "new", "two", "three", "four"}) {
            cluster.phase(done, "Completed");
        }
        cluster.pass(Queues.COUNTING);
        assertThat(Json.string(status("a"))).isEqualTo("{\"state\":\"Open\",\"completed\":6}");
        assertThat(cluster.metrics())
                .contains("volcano_queue_pod_group_completed_count{queue_name=\"a\"} 6\n")
                .contains("volcano_queue_pod_group_running_count{queue_name=\"default\"} 1\n");
    }

    @Test
    void aPodGroupThatMovesCountsWhereItIs() {
        cluster.define().queue("a", "root");
        cluster.queue("b", "root");
        cluster.group("one", "a", "Running");
        cluster.api.edit(Batch.POD_GROUPS, "team", "one", group -> {
            Json.ensureObject(group, "spec").put("queue", "b");
            return group;
        });
        cluster.settle();
        cluster.pass(Queues.COUNTING);
        assertThat(status("a").has("running")).isFalse();
        assertThat(status("b").path("running").asLong()).isEqualTo(1);
    }

    @Test
    void manyChangesOfPodGroupsAreFewWrites() {
        cluster.define().queue("a", "root");
        cluster.pass(Queues.COUNTING);
        cluster.api.takeWrites();
        for (int i = 0; i < 100; i++) {
            cluster.group("g" + i, "a", "Pending");
            cluster.phase("g" + i, "Running");
        }
        cluster.pass(Queues.COUNTING);
        assertThat(status("a").path("running").asLong()).isEqualTo(100);
        assertThat(cluster.api.takeWrites())
                .filteredOn(write -> write.startsWith("patch queues"))
                .hasSize(1);
    }

    @Test
    void aPodGroupThatComesAndGoesCostsItsQueueNothing() {
        cluster.define().queue("a", "root");
        cluster.pass(Queues.COUNTING);
        cluster.api.takeWrites();
        cluster.group("one", "a", "Pending");
        cluster.settle();
        cluster.phase("one", "Running");
        cluster.pass(Duration.ofSeconds(5));
        cluster.dropGroup("one");
        cluster.pass(Queues.COUNTING);
        assertThat(cluster.api.takeWrites())
                .filteredOn(write -> write.startsWith("patch queues"))
                .isEmpty();
    }

    @Test
    void whatIsAsItShouldBeIsNotWritten() {
        cluster.define().queue("a", "root");
        cluster.pass(Queues.COUNTING);
        cluster.api.takeWrites();
        cluster.restart();
        cluster.pass(Queues.COUNTING);
        assertThat(cluster.api.takeWrites()).isEmpty();
    }

    @Test
    void whatOthersWriteIntoAStatusStays() {
        cluster.define().queue("a", "root");
        cluster.api.edit(Batch.QUEUES, "", "a", queue -> {
            Json.ensureObject(queue, "status", "allocated").put("cpu", "4");
            return queue;
        });
        cluster.command("a", CLOSE);
        assertThat(Json.string(status("a"))).isEqualTo("{\"state\":\"Closed\",\"allocated\":{\"cpu\":\"4\"}}");
    }
}
