package lavaflow.e2e;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;

import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;
import static org.junit.jupiter.api.DynamicContainer.dynamicContainer;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

/**
 * Holds the same conversations with Lavaflow and with the real kube-apiserver and compares the answers field by field.
 *
 * <p>{@code -Dcontract.only=TEXT} picks cases whose topic or name contains the text, {@code -Dcontract.servers=peer}
 * only writes down what the real server says. Both servers' answers are in {@code target/contract} afterwards.
 */
@Tag("contract")
final class ContractTest {
    private static final Path CASES = Path.of("src/test/resources/contract");
    private static final Path REPORT = Path.of("target/contract");

    private static final int REPEATS = 2;

    private static final Servers SERVERS = Servers.apiAlone();
    private static final ExecutorService BOTH = Executors.newVirtualThreadPerTaskExecutor();
    private static final ContractReport TOLD = new ContractReport(REPORT);
    private static Optional<ApiServer> lava = Optional.empty();
    private static Optional<ApiServer> peer = Optional.empty();

    @BeforeAll
    static void startServers() throws IOException, InterruptedException {
        peer = SERVERS.peer();
        if (peer.isPresent() && !System.getProperty("contract.servers", "both").equals("peer")) {
            lava = Optional.of(SERVERS.lava());
            shareDefaults(lava.get(), peer.get());
        }
    }

    /** Lavaflow brings a default storage class, which changes claims; the real server gets the same one. */
    private static void shareDefaults(ApiServer from, ApiServer to) throws IOException, InterruptedException {
        String path = "/apis/storage.k8s.io/v1/storageclasses";
        ObjectNode classes = (ObjectNode)
                from.send(new ApiServer.Request("GET", path, Map.of("Accept", "application/json"), Optional.empty()))
                        .body();
        for (JsonNode each : classes.path("items")) {
            ObjectNode copy = each.deepCopy();
            copy.putObject("metadata")
                    .put("name", each.at("/metadata/name").textValue())
                    .set("annotations", each.at("/metadata/annotations"));
            byte[] body = Json.bytes(copy);
            to.send(new ApiServer.Request("POST", path, Map.of("Content-Type", "application/json"), Optional.of(body)));
        }
    }

    @AfterAll
    static void stopServers() {
        BOTH.shutdownNow();
        SERVERS.close();
    }

    @TestFactory
    Stream<DynamicNode> answersLikeTheRealServer() throws IOException {
        if (peer.isEmpty()) {
            abort("skipped: the real kube-apiserver cannot be built here (Go is missing)");
        }
        String only = System.getProperty("contract.only", "");
        Map<String, List<DynamicNode>> topics = new LinkedHashMap<>();
        List<SideBySide.Held<Conversation>> cases = new ArrayList<>();
        int number = 0;
        String run = Long.toString(System.currentTimeMillis() / 1000 % 1_000_000, 36);
        for (ContractCase each : ContractCase.readAll(CASES)) {
            String id = "c" + number++ + "-" + run;
            if (each.toString().contains(only)) {
                SideBySide.Held<Conversation> held = new SideBySide.Held<>(each, id);
                cases.add(held);
                topics.computeIfAbsent(each.topic(), absent -> new ArrayList<>())
                        .add(dynamicTest(each.name(), () -> judge(each, held.await())));
            }
        }
        new SideBySide<Conversation>(held -> talk(held.contract(), held.id())).hold(cases);
        return topics.entrySet().stream().map(topic -> dynamicContainer(topic.getKey(), topic.getValue()));
    }

    /** What both said, ours absent where only the real server is asked. */
    private record Conversation(ContractCase contract, Said theirs, Optional<Said> ours) {
        boolean isAgreed() {
            return differences().isEmpty();
        }

        Conversation with(Said others) {
            return new Conversation(contract, others, ours);
        }

        List<String> differences() {
            List<String> differences = new ArrayList<>();
            theirs.failure().ifPresent(differences::add);
            ours.flatMap(Said::failure).ifPresent(differences::add);
            List<CaseRun.Outcome> actual = ours.map(Said::outcomes).orElse(List.of());
            for (int i = 0; i < Math.min(theirs.outcomes().size(), actual.size()); i++) {
                CaseRun.Outcome expected = theirs.outcomes().get(i);
                List<String> found = Waivers.unexplained(
                        contract.steps().get(i), actual.get(i).answer(), expected.answer());
                if (!found.isEmpty()) {
                    differences.add("  " + expected.request() + "\n    " + String.join("\n    ", found));
                }
            }
            return differences;
        }
    }

    /** What one server said, or why it did not, and how long it took. */
    private record Said(List<CaseRun.Outcome> outcomes, Optional<String> failure, long milliseconds) {
        /**
         * Whether the server said that its caches are behind what is stored, or one of its controllers missed something: both
         * happens to the real one on a busy machine and tells nothing about what it answers otherwise.
         */
        boolean isBehind() {
            String everything = outcomes + failure.orElse("");
            return everything.contains("ResourceVersionTooLarge")
                    || everything.contains("is (re)initializing")
                    || failure.orElse("").contains(" never came to ");
        }

        /** The same, had another word been used for names. */
        Said calling(String name, String other) {
            List<CaseRun.Outcome> renamed = new ArrayList<>();
            for (CaseRun.Outcome outcome : outcomes) {
                String answer = Json.string(outcome.answer()).replace(name, other);
                renamed.add(new CaseRun.Outcome(
                        outcome.request().replace(name, other),
                        Json.parseObject(answer.getBytes(StandardCharsets.UTF_8))));
            }
            return new Said(renamed, failure, milliseconds);
        }
    }

    /**
     * Holds a case. Where the answers differ the real server is asked again: it reads much from caches that are a moment old, so
     * that on a busy machine it has more than one answer to the same question, and what we said must be one of them.
     */
    private static Conversation talk(ContractCase each, String id) {
        Conversation held = talkOnce(each, id);
        String called = id;
        for (int again = 1; again <= REPEATS && !held.isAgreed(); again++) {
            String name = id + "-" + again;
            if (held.theirs().isBehind()) {
                held = talkOnce(each, name);
                called = name;
            } else {
                held = held.with(start(peer.orElseThrow(), each, name).join().calling(name, called));
            }
        }
        return held;
    }

    private static Conversation talkOnce(ContractCase each, String id) {
        CompletableFuture<Said> theirs = start(peer.orElseThrow(), each, id);
        Optional<CompletableFuture<Said>> ours = lava.map(server -> start(server, each, id));
        return new Conversation(each, theirs.join(), ours.map(CompletableFuture::join));
    }

    private static CompletableFuture<Said> start(ApiServer server, ContractCase each, String id) {
        return CompletableFuture.supplyAsync(
                () -> {
                    long begun = System.nanoTime();
                    List<CaseRun.Outcome> outcomes = new ArrayList<>();
                    Optional<String> failure = Optional.empty();
                    try {
                        outcomes.addAll(new CaseRun(server, each, id).run());
                    } catch (IOException | InterruptedException | RuntimeException e) {
                        failure = Optional.of(server.name() + " did not answer: " + e);
                    }
                    return new Said(outcomes, failure, (System.nanoTime() - begun) / 1_000_000);
                },
                BOTH);
    }

    private static void judge(ContractCase each, Conversation held) throws IOException {
        Said theirs = held.theirs();
        TOLD.answers(each, theirs.outcomes());
        TOLD.times(
                each, theirs.milliseconds(), held.ours().map(Said::milliseconds).orElse(0L));
        List<String> differences = held.differences();
        if (!differences.isEmpty()) {
            TOLD.difference(each, differences);
            fail(String.join("\n", differences));
        }
    }
}
