package lavaflow.plugins;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.regex.Pattern;

import lavaflow.gang.Decision;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Small clusters that the real Volcano decided, see e2e/clientgo/gangs: which pods run, and in which phase every gang ends. Where it
 * decided otherwise the second time, because equal nodes are drawn by lot, there is nothing to compare with.
 */
class UpstreamDecisionsTest {
    private static final int ROUNDS = 20;

    private static final String CHART = """
            actions: "enqueue, allocate, backfill"
            tiers:
            - plugins: [{name: priority}, {name: gang, enablePreemptable: false}, {name: conformance}]
            - plugins: [{name: overcommit}, {name: drf, enablePreemptable: false}, {name: predicates}, {name: proportion}, {name: nodeorder}, {name: binpack}]
            """;

    private static final String BUILT_IN = """
            actions: "enqueue, allocate, backfill"
            tiers:
            - plugins: [{name: priority}, {name: gang}, {name: conformance}]
            - plugins: [{name: overcommit}, {name: drf}, {name: predicates}, {name: proportion}, {name: nodeorder}]
            """;

    private static final String PREEMPT = """
            actions: "enqueue, allocate, backfill, preempt"
            tiers:
            - plugins: [{name: priority}, {name: gang}, {name: conformance}]
            - plugins: [{name: drf, enablePreemptable: false}, {name: predicates}, {name: proportion}, {name: nodeorder}]
            """;

    // One tier: upstream does not ask the next one once somebody has named victims.
    private static final String RECLAIM = """
            actions: "enqueue, allocate, backfill, reclaim"
            tiers:
            - plugins: [{name: priority}, {name: gang}, {name: conformance}, {name: proportion}, {name: predicates}, {name: nodeorder}]
            """;

    private static final String CAPACITY = RECLAIM.replace("proportion", "capacity");

    /** A case, named by its seed. */
    record Case(ObjectNode told) {
        @Override
        public String toString() {
            return told.get("seed").asText();
        }
    }

    static List<Case> chart() throws IOException {
        return cases("chart");
    }

    static List<Case> builtIn() throws IOException {
        return cases("builtin");
    }

    static List<Case> preempt() throws IOException {
        return cases("preempt");
    }

    static List<Case> reclaim() throws IOException {
        return cases("reclaim");
    }

    static List<Case> capacity() throws IOException {
        return cases("capacity");
    }

    private static List<Case> cases(String configuration) throws IOException {
        String file = "/volcano/decisions-" + configuration + ".jsonl";
        List<Case> cases = new ArrayList<>();
        try (InputStream in = Objects.requireNonNull(UpstreamDecisionsTest.class.getResourceAsStream(file));
                BufferedReader lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                cases.add(new Case((ObjectNode) Json.parse(line)));
            }
        }
        return cases;
    }

    @ParameterizedTest
    @MethodSource("chart")
    void theSameRunWithTheConfigurationOfTheChart(Case each) {
        check(each, CHART);
    }

    @ParameterizedTest
    @MethodSource("builtIn")
    void theSameRunWithoutAnyConfiguration(Case each) {
        check(each, BUILT_IN);
    }

    @ParameterizedTest
    @MethodSource("preempt")
    void theSameHaveToGoForOthersOfTheirQueue(Case each) {
        check(each, PREEMPT);
    }

    @ParameterizedTest
    @MethodSource("reclaim")
    void theSameHaveToGoForOtherQueues(Case each) {
        check(each, RECLAIM);
    }

    @ParameterizedTest
    @MethodSource("capacity")
    void theSameHaveToGoForQueuesThatDeserveMore(Case each) {
        check(each, CAPACITY);
    }

    static List<Case> spared() throws IOException {
        return cases("spared");
    }

    /** Room that there is on other nodes is used before anybody goes. */
    @ParameterizedTest
    @MethodSource("spared")
    void noMoreHaveToGo(Case each) {
        ObjectNode told = each.told();
        String configuration = told.get("configuration").asText();
        Map<String, String> summary = decided(told, configurationOf(configuration));
        Map<String, String> expected = expected(told);
        assertThat(phases(summary)).isEqualTo(phases(expected));
        assertThat(pods(summary)).isGreaterThanOrEqualTo(pods(expected));
    }

    private static String configurationOf(String name) {
        return switch (name) {
            case "preempt" -> PREEMPT;
            case "reclaim" -> RECLAIM;
            case "capacity" -> CAPACITY;
            default -> throw new IllegalArgumentException(name);
        };
    }

    private static List<String> phases(Map<String, String> summary) {
        return summary.values().stream()
                .map(each -> each.substring(0, each.indexOf(' ')))
                .toList();
    }

    private static int pods(Map<String, String> summary) {
        return summary.values().stream()
                .flatMap(each -> Pattern.compile("\\d+").matcher(each).results())
                .mapToInt(each -> Integer.parseInt(each.group()))
                .sum();
    }

    private static void check(Case each, String configuration) {
        ObjectNode told = each.told();
        Map<String, String> summary = decided(told, configuration);
        Map<String, String> expected = expected(told);
        if (expected.values().stream().noneMatch(phase -> phase.startsWith("Running"))) {
            allowOneToBegin(summary, expected);
        }
        assertThat(summary).isEqualTo(expected);
    }

    /** How many pods of each role run in the end, with the phases of their gangs. */
    private static Map<String, String> decided(ObjectNode told, String configuration) {
        TestingGangs gangs = cluster(told).configured(configuration);
        Map<String, String> phases = new TreeMap<>();
        for (int i = 0; i < told.get("groups").size(); i++) {
            phases.put("g" + i, started(told.get("groups").get(i)) ? "Running" : "Pending");
        }
        for (int round = 0; round < ROUNDS; round++) {
            decide(gangs, phases);
        }
        return summary(told, gangs, phases);
    }

    /** Where shares are too small for any gang upstream leaves the cluster empty for ever; here one begins. */
    private static void allowOneToBegin(Map<String, String> summary, Map<String, String> expected) {
        summary.entrySet().stream()
                .filter(each -> each.getValue().startsWith("Running"))
                .findFirst()
                .ifPresent(begun -> {
                    assertThat(expected.get(begun.getKey())).startsWith("Inqueue");
                    expected.put(begun.getKey(), begun.getValue());
                });
    }

    private static String amounts(JsonNode size) {
        String cards = size.get("cards").asLong() == 0 ? "" : ",\"nvidia.com/gpu\":\"" + size.get("cards") + "\"";
        return "{\"cpu\":\"" + size.get("cpu") + "m\",\"memory\":\"" + size.get("memory") + "Mi\"" + cards + "}";
    }

    private static TestingGangs cluster(ObjectNode told) {
        TestingGangs gangs = new TestingGangs();
        for (int i = 0; i < 8; i++) {
            gangs.core.onPriority("p" + i, 100 + i, false);
        }
        for (int i = 0; i < told.get("nodes").size(); i++) {
            String allocatable = amounts(told.get("nodes").get(i));
            gangs.node("n" + i, 1, "{\"status\":{\"allocatable\":" + allocatable + "}}");
        }
        for (int i = 0; i < 3; i++) {
            JsonNode queue = told.get("queues").get(i);
            gangs.queue("q" + i, queue == null ? "{}" : queue(queue));
        }
        for (int i = 0; i < told.get("groups").size(); i++) {
            group(gangs, "g" + i, told.get("groups").get(i));
        }
        return gangs;
    }

    private static String queue(JsonNode queue) {
        JsonNode most = queue.get("capability");
        JsonNode deserved = queue.get("deserved");
        return "{\"spec\":{\"weight\":" + queue.get("weight")
                + (most == null ? "" : ",\"capability\":" + amounts(most))
                + (deserved == null ? "" : ",\"deserved\":" + amounts(deserved)) + "},\"status\":{\"state\":\""
                + (queue.has("closed") ? "Closed" : "Open") + "\"}}";
    }

    private static boolean started(JsonNode group) {
        return group.get("roles").get(0).has("nodes");
    }

    private static void group(TestingGangs gangs, String name, JsonNode group) {
        String priority = "p" + group.get("priority").asText();
        JsonNode least = group.get("least");
        gangs.group(
                name,
                group.get("min").asInt(),
                "{\"spec\":{\"queue\":\"q" + group.get("queue") + "\",\"priorityClassName\":\"" + priority + "\""
                        + (least == null ? "" : ",\"minResources\":" + amounts(least))
                        + "},\"status\":{\"phase\":\"" + (started(group) ? "Running" : "Pending") + "\"}}");
        JsonNode roles = group.get("roles");
        for (int r = 0; r < roles.size(); r++) {
            for (int k = 0; k < roles.get(r).get("replicas").asInt(); k++) {
                gangs.pod(
                        name + "-r" + r + "-" + k,
                        name,
                        TestingGangs.asking(amounts(roles.get(r).get("size"))),
                        TestingGangs.annotated("volcano.sh/task-spec", "r" + r),
                        "{\"spec\":{\"priorityClassName\":\"t" + r + "\",\"priority\":" + (20 - 10 * r) + "}}",
                        started(group)
                                ? TestingGangs.running(
                                        "n" + roles.get(r).get("nodes").get(k))
                                : "{}");
            }
        }
    }

    /** Decides once; who has to go is gone before the next time. */
    private static void decide(TestingGangs gangs, Map<String, String> phases) {
        for (Decision decision : gangs.decide()) {
            if (decision instanceof Decision.Evict evict) {
                gangs.core.onPodGone(evict.member().spec().pod().uid());
            }
            if (decision instanceof Decision.Bind bind) {
                gangs.bound(bind);
            }
            if (decision instanceof Decision.Status status) {
                phases.put(status.gang().spec().name(), status.status().phase().toString());
            }
        }
    }

    private static Map<String, String> expected(ObjectNode told) {
        Map<String, String> expected = new TreeMap<>();
        for (int i = 0; i < told.get("groups").size(); i++) {
            expected.put(
                    "g" + i,
                    told.get("phases").get(i).asText() + " " + told.get("bound").get(i));
        }
        return expected;
    }

    private static Map<String, String> summary(ObjectNode told, TestingGangs gangs, Map<String, String> phases) {
        Map<String, String> summary = new TreeMap<>();
        for (int i = 0; i < told.get("groups").size(); i++) {
            String name = "g" + i;
            JsonNode roles = told.get("groups").get(i).get("roles");
            List<String> bound = new ArrayList<>();
            for (int r = 0; r < roles.size(); r++) {
                int count = 0;
                for (int k = 0; k < roles.get(r).get("replicas").asInt(); k++) {
                    if (gangs.holdsRoom(name + "-r" + r + "-" + k)) {
                        count++;
                    }
                }
                bound.add(String.valueOf(count));
            }
            summary.put(name, phases.get(name) + " [" + String.join(",", bound) + "]");
        }
        return summary;
    }
}
