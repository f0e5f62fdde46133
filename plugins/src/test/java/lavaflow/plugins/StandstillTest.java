package lavaflow.plugins;

import java.util.Map;

import org.junit.jupiter.api.Test;

import static lavaflow.plugins.TestingGangs.asking;
import static lavaflow.plugins.TestingGangs.queued;
import static org.assertj.core.api.Assertions.assertThat;

/** Queues that share by weight do not keep each other waiting for ever. */
class StandstillTest {
    private final TestingGangs gangs = new TestingGangs().configured("""
            actions: "enqueue, allocate, backfill"
            tiers:
            - plugins:
              - name: priority
              - name: gang
              - name: conformance
            - plugins:
              - name: overcommit
              - name: drf
              - name: predicates
              - name: proportion
              - name: nodeorder
            """);

    /** A gang of some pods of four processors each that waits to be let in. */
    private void gang(String name, String queue, int pods) {
        gangs.group(
                name,
                pods,
                queued(queue),
                "{\"spec\":{\"minResources\":{\"cpu\":\"%d\"}},\"status\":{\"phase\":\"Pending\"}}"
                        .formatted(4 * pods));
        for (int i = 0; i < pods; i++) {
            gangs.pod(name + "-" + i, name, asking("{\"cpu\":\"4\"}"));
        }
    }

    @Test
    void gangsOfWhichNoneFitsItsShareTakeTurns() {
        gangs.node("n1", 16).node("n2", 16);
        gangs.queue("a").queue("b").queue("c");
        gang("a1", "a", 4);
        gang("b1", "b", 4);
        gang("c1", "c", 4);

        assertThat(gangs.placed()).isEqualTo(Map.of("a1", 4));
        assertThat(gangs.placed()).as("while somebody runs the others wait").isEmpty();

        end("a1", 4);
        assertThat(gangs.placed()).as("now the two have halves").isEqualTo(Map.of("b1", 4, "c1", 4));
    }

    @Test
    void gangsInsideThatAreBeyondTheirShareDoNotKeepOthersOutsideForEver() {
        gangs.node("n1", 16).node("n2", 16);
        gangs.queue("a").queue("b", "{\"spec\":{\"weight\":3}}");
        gang("a1", "a", 4);
        gang("a2", "a", 4);
        gang("b1", "b", 3);
        gang("b2", "b", 3);

        assertThat(gangs.placed()).isEqualTo(Map.of("a1", 4));
        end("a1", 4);
        assertThat(gangs.placed()).containsKey("b1");
    }

    @Test
    void noQueueHasMoreThanItsLimitForThat() {
        gangs.node("n1", 16).node("n2", 16);
        gangs.queue("a", "{\"spec\":{\"capability\":{\"cpu\":\"12\"}}}")
                .queue("b")
                .queue("c");
        gangs.group("a1", 4, queued("a"));
        for (int i = 0; i < 4; i++) {
            gangs.pod("a1-" + i, "a1", asking("{\"cpu\":\"4\"}"));
        }
        gang("b1", "b", 4);
        gang("c1", "c", 4);

        assertThat(gangs.placed()).isEqualTo(Map.of("b1", 4));
    }

    private void end(String name, int pods) {
        for (int i = 0; i < pods; i++) {
            gangs.core.onPodGone("pod-" + name + "-" + i);
        }
        gangs.core.onGroupGone("ns/" + name);
    }
}
