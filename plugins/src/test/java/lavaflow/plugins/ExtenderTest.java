package lavaflow.plugins;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;

import static lavaflow.plugins.TestingGangs.asking;
import static org.assertj.core.api.Assertions.assertThat;

/** A program elsewhere that decides along. */
class ExtenderTest implements Extender {
    private final List<String> asked = new ArrayList<>();
    private final Map<String, Function<ObjectNode, JsonNode>> answers = new HashMap<>();
    private Duration waited = Duration.ZERO;
    private final TestingGangs gangs = new TestingGangs(Plugins.with(ExtenderTest.class.getClassLoader(), this));

    @Override
    public JsonNode ask(String url, ObjectNode question, Duration patience) throws UnansweredException {
        waited = patience;
        String verb = url.substring(url.lastIndexOf('/') + 1);
        asked.add(url.equals("http://there/api/" + verb) ? verb : url);
        Function<ObjectNode, JsonNode> answer = answers.get(verb);
        if (answer == null) {
            throw new UnansweredException("nobody there");
        }
        return answer.apply(question);
    }

    private void with(String actions, String... arguments) {
        gangs.configured("""
                actions: "%s"
                tiers:
                - plugins:
                  - name: gang
                    enablePreemptable: false
                  - name: predicates
                  - name: extender
                    arguments:
                      extender.urlPrefix: http://there/api/
                      %s
                """.formatted(actions, String.join("\n      ", arguments)));
        asked.clear();
    }

    private void answers(String verb, Function<ObjectNode, String> answer) {
        answers.put(verb, question -> Json.parse(answer.apply(question)));
    }

    @Test
    void itRefusesNodes() {
        with("allocate", "extender.predicateVerb: fits");
        answers(
                "fits",
                question -> Json.textAt(question, "node", "Name").equals("a")
                        ? "{\"status\":\"not this one\",\"code\":1}"
                        : "{\"status\":\"\",\"code\":0}");
        gangs.node("a", 8).node("b", 1).gang("g", 1);

        assertThat(gangs.bindings()).containsExactly("g-0@b");
        assertThat(asked).containsOnly("fits");
    }

    @Test
    void itsAnswerIsWaitedForAsLongAsArgumentsSay() {
        answers("fits", _ -> "{}");
        with("allocate", "extender.predicateVerb: fits");
        gangs.node("a", 8).gang("g", 1);
        gangs.decide();
        assertThat(waited).isEqualTo(Duration.ofSeconds(1));

        with("allocate", "extender.predicateVerb: fits", "extender.httpTimeout: 300ms");
        gangs.gang("h", 1);
        gangs.decide();
        assertThat(waited).isEqualTo(Duration.ofMillis(300));
    }

    @Test
    void itScoresNodes() {
        with("allocate", "extender.prioritizeVerb: rank");
        answers("rank", _ -> "{\"nodeScore\":{\"a\":1,\"b\":50}}");
        gangs.node("a", 8).node("b", 8).gang("g", 1);

        assertThat(gangs.bindings()).containsExactly("g-0@b");
    }

    @Test
    void podsThatAreNoneOfItsBusinessAreNotAskedAbout() {
        with("allocate", "extender.predicateVerb: fits", "extender.managedResources: [example.com/fpga]");
        List<String> pods = new ArrayList<>();
        answers("fits", question -> {
            pods.add(Json.textAt(question, "task", "Name"));
            return "{\"status\":\"no\"}";
        });
        gangs.node("a", 8, "{\"status\":{\"allocatable\":{\"example.com/fpga\":\"4\"}}}")
                .gang("g", 1)
                .group("f", 1)
                .pod("f-0", "f", asking("{\"example.com/fpga\":\"1\"}"));

        assertThat(gangs.bindings()).containsExactly("g-0@a");
        assertThat(pods).containsOnly("f-0");
    }

    @Test
    void itLetsGangsIn() {
        with("enqueue", "extender.jobEnqueueableVerb: enqueueable", "extender.jobEnqueuedVerb: enqueued");
        answers(
                "enqueueable",
                question ->
                        "{\"status\":" + (Json.textAt(question, "job", "Name").equals("a") ? 1 : -1) + "}");
        answers("enqueued", _ -> "{}");
        gangs.waiting("a", "{\"cpu\":\"1\"}").waiting("b", "{\"cpu\":\"1\"}");

        assertThat(gangs.letIn()).containsExactly("a");
        assertThat(asked).contains("enqueued");
        assertThat(gangs.entrance("extender", "b")).isEqualTo("NO: refused by the extender http://there/api/");
    }

    @Test
    void itNamesWhoGoes() {
        with("allocate, preempt", "extender.preemptableVerb: victims");
        answers("victims", _ -> "{\"status\":1,\"victims\":[{\"UID\":\"pod-low-1\"}]}");
        gangs.node("a", 3).runs("low", 0, 3, "a").gang("g", 1);

        assertThat(gangs.evicted()).containsExactly("low-1");
    }

    @Test
    void itHearsOfRoundsAndOfWhatIsDecidedInThem() {
        with(
                "allocate",
                "extender.onSessionOpenVerb: open",
                "extender.onSessionCloseVerb: close",
                "extender.allocateFuncVerb: allocate");
        answers("open", _ -> "{}");
        answers("close", _ -> "{}");
        answers("allocate", _ -> "{\"errorMessage\":\"\"}");
        gangs.node("a", 3).runs("r", 0, 1, "a").gang("g", 1);
        gangs.placed();

        assertThat(asked).containsExactly("open", "allocate", "close");
    }

    @Test
    void withoutAnAnswerNothingHappensUnlessThatDoesNotMatter() {
        with(
                "allocate",
                "extender.predicateVerb: fits",
                "extender.jobReadyVerb: ready",
                "extender.queueOverusedVerb: full");
        gangs.node("a", 8).gang("g", 1);
        assertThat(gangs.bindings()).isEmpty();

        with(
                "allocate",
                "extender.predicateVerb: fits",
                "extender.jobReadyVerb: ready",
                "extender.queueOverusedVerb: full",
                "extender.ignorable: true");
        assertThat(gangs.bindings()).containsExactly("g-0@a");
    }

    @Test
    void whoDoesNotAnswerIsLeftInPeaceForAWhile() {
        with("allocate", "extender.predicateVerb: fits");
        gangs.node("a", 8).node("b", 8).node("c", 8).gang("g", 3);
        assertThat(gangs.bindings()).isEmpty();
        gangs.gang("h", 3);
        assertThat(gangs.bindings()).isEmpty();
        assertThat(asked).as("every question costs the patience of one").containsExactly("fits");

        gangs.now = gangs.now.plusSeconds(5);
        assertThat(gangs.bindings()).isEmpty();
        gangs.now = gangs.now.plusSeconds(5);
        assertThat(gangs.bindings()).isEmpty();
        assertThat(asked).as("longer each time").hasSize(2);

        answers("fits", _ -> "{}");
        gangs.now = gangs.now.plusSeconds(5);
        assertThat(gangs.bindings()).as("nothing else happened").hasSize(6);
    }

    @Test
    void whoNeedNotAnswerIsNotWaitedForAgainAndAgain() {
        with("allocate", "extender.predicateVerb: fits", "extender.ignorable: true");
        gangs.node("a", 8).node("b", 8).gang("g", 3);
        assertThat(gangs.bindings()).hasSize(3);
        assertThat(asked).containsExactly("fits");
    }

    @Test
    void whereNobodyCanAskThePluginIsLeftOut() {
        TestingGangs alone = new TestingGangs().configured("""
                actions: "allocate"
                tiers:
                - plugins:
                  - name: extender
                """);

        assertThat(alone.plugins).doesNotContainKey("extender");
    }
}
