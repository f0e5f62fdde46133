package lavaflow.e2e;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
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

    private static final Servers SERVERS = new Servers();
    private static final ExecutorService BOTH = Executors.newVirtualThreadPerTaskExecutor();
    private static final ContractReport TOLD = new ContractReport(REPORT);
    /** Cases that are known to differ without a good reason: work to do, listed by name so that no other joins them. */
    private static final List<String> OPEN = readOpen();

    private static Optional<ApiServer> lava = Optional.empty();
    private static Optional<ApiServer> peer = Optional.empty();

    private static List<String> readOpen() {
        try {
            return Files.readAllLines(CASES.resolve("open.txt"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

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
        int number = 0;
        String run = Long.toString(System.currentTimeMillis() / 1000 % 1_000_000, 36);
        for (ContractCase each : ContractCase.readAll(CASES)) {
            String id = "c" + number++ + "-" + run;
            if (each.toString().contains(only)) {
                topics.computeIfAbsent(each.topic(), absent -> new ArrayList<>())
                        .add(dynamicTest(each.name(), () -> hold(each, id)));
            }
        }
        return topics.entrySet().stream().map(topic -> dynamicContainer(topic.getKey(), topic.getValue()));
    }

    private static void hold(ContractCase each, String id) throws Exception {
        CompletableFuture<List<CaseRun.Outcome>> theirs = start(peer.orElseThrow(), each, id);
        if (lava.isEmpty()) {
            TOLD.answers(each, theirs.get());
            return;
        }
        CompletableFuture<List<CaseRun.Outcome>> ours = start(lava.get(), each, id);
        List<CaseRun.Outcome> expected = theirs.get();
        TOLD.answers(each, expected);
        List<CaseRun.Outcome> actual;
        try {
            actual = ours.get();
        } catch (ExecutionException e) {
            TOLD.difference(each, List.of("our server did not answer: " + e.getCause()));
            throw e;
        }
        List<String> differences = new ArrayList<>();
        for (int i = 0; i < expected.size(); i++) {
            List<String> found = Waivers.unexplained(
                    each.steps().get(i), actual.get(i).answer(), expected.get(i).answer());
            if (!found.isEmpty()) {
                differences.add("  " + expected.get(i).request() + "\n    " + String.join("\n    ", found));
            }
        }
        if (!differences.isEmpty()) {
            TOLD.difference(each, differences);
            if (OPEN.contains(each.toString())) {
                abort("still open:\n" + String.join("\n", differences));
            }
            fail(String.join("\n", differences));
        }
    }

    private static CompletableFuture<List<CaseRun.Outcome>> start(ApiServer server, ContractCase each, String id) {
        return CompletableFuture.supplyAsync(
                () -> {
                    try {
                        return new CaseRun(server, each, id).run();
                    } catch (IOException | InterruptedException e) {
                        throw new IllegalStateException(server.name() + ": " + e, e);
                    }
                },
                BOTH);
    }
}
