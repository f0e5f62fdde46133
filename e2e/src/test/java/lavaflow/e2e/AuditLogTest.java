package lavaflow.e2e;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** The same requests under the same audit policy leave the same events in both servers' logs. */
@Tag("contract")
final class AuditLogTest {
    private static final String AGENT = "audit-contract/1";
    private static final int PEER_MISSING = 77;

    /** Differ by nature. */
    private static final Set<String> OWN = Set.of(
            "auditID",
            "requestReceivedTimestamp",
            "stageTimestamp",
            "uid",
            "resourceVersion",
            "creationTimestamp",
            "deletionTimestamp",
            "time",
            "authentication.kubernetes.io/credential-id");

    @TempDir
    private Path directory;

    @Test
    void bothServersWriteTheSameDown() throws Exception {
        Path policy = Files.write(
                directory.resolve("policy.yaml"), resource("/audit/policy.yaml").getBytes(StandardCharsets.UTF_8));
        List<String> theirs = record(
                "kube-apiserver",
                property("audit.peer", () -> startPeer(policy)),
                Path.of(System.getProperty(
                        "audit.peer.log", directory.resolve("theirs.log").toString())));
        List<String> ours = record(
                "lava",
                property("audit.lava", () -> startLava(policy)),
                Path.of(System.getProperty(
                        "audit.lava.log", directory.resolve("ours.log").toString())));

        assertThat(String.join("\n", ours)).isEqualTo(String.join("\n", theirs));
    }

    private interface Start {
        Path run() throws IOException, InterruptedException;
    }

    private static Path property(String name, Start start) throws IOException, InterruptedException {
        String running = System.getProperty(name);
        return running == null ? start.run() : Path.of(running);
    }

    private Path startPeer(Path policy) throws IOException, InterruptedException {
        ProcessBuilder up =
                new ProcessBuilder(Servers.repository().resolve("e2e/peer").toString(), "up");
        up.environment().put("LAVA_PEER_RUN", directory.resolve("peer").toString());
        up.environment()
                .put(
                        "PEER_APISERVER_FLAGS",
                        "--audit-policy-file " + policy + " --audit-log-path " + directory.resolve("theirs.log"));
        int exit = up.redirectErrorStream(true)
                .redirectOutput(directory.resolve("peer.out").toFile())
                .start()
                .waitFor();
        Assumptions.assumeTrue(exit != PEER_MISSING, "a tool that builds the real server is missing");
        assertThat(exit).isZero();
        return directory.resolve("peer/kubeconfig");
    }

    private Path startLava(Path policy) throws IOException, InterruptedException {
        String lava = Servers.repository().resolve("lava").toString();
        int exit = new ProcessBuilder(
                        lava,
                        "up",
                        "--data-dir",
                        directory.resolve("lava").toString(),
                        "--listen",
                        "127.0.0.1:0",
                        "--detach",
                        "--no-node",
                        "--no-workloads",
                        "--audit-policy-file",
                        policy.toString(),
                        "--audit-log-path",
                        directory.resolve("ours.log").toString())
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("lava.out").toFile())
                .start()
                .waitFor();
        assertThat(exit).isZero();
        return directory.resolve("lava/kubeconfig");
    }

    /** Sends the requests and returns what was written about them. */
    private List<String> record(String name, Path kubeconfig, Path log) throws Exception {
        try (ApiServer server = ApiServer.of(name, kubeconfig)) {
            for (String line : resource("/audit/requests.txt").lines().toList()) {
                server.send(request(line));
            }
            // The last request is the one with OPTIONS.
            await().atMost(Duration.ofMinutes(2))
                    .until(() -> events(log).stream().anyMatch(AuditLogTest::isLast));
        } finally {
            if (System.getProperty("audit." + (name.equals("lava") ? "lava" : "peer")) == null) {
                stop(name);
            }
        }
        return events(log);
    }

    /**
     * Events of the requests here, one request after the other: a client may have its answer, and send the next request, before
     * the server has written down that the first one is over.
     */
    private static List<String> events(Path log) throws IOException {
        Map<String, List<String>> byRequest = new TreeMap<>();
        String text = new String(Files.readAllBytes(log), StandardCharsets.UTF_8);
        // A line that is being written has no end yet.
        String whole = text.substring(0, text.lastIndexOf('\n') + 1);
        for (String line : whole.lines().toList()) {
            ObjectNode event = Json.parseObject(line.getBytes(StandardCharsets.UTF_8));
            if (Json.textAt(event, "userAgent").equals(AGENT)) {
                byRequest
                        .computeIfAbsent(Json.textAt(event, "requestReceivedTimestamp"), _ -> new ArrayList<>())
                        .add(Json.string(normal(event)));
            }
        }
        return byRequest.values().stream().flatMap(List::stream).toList();
    }

    private static boolean isLast(String event) {
        return event.contains("ResponseComplete")
                && event.contains("\"requestURI\":\"/api/v1/namespaces\"")
                && event.contains("\"verb\":\"\"");
    }

    private void stop(String name) throws IOException, InterruptedException {
        boolean lava = name.equals("lava");
        ProcessBuilder down = lava
                ? new ProcessBuilder(
                        Servers.repository().resolve("lava").toString(),
                        "down",
                        "--data-dir",
                        directory.resolve("lava").toString())
                : new ProcessBuilder(Servers.repository().resolve("e2e/peer").toString(), "down");
        down.environment().put("LAVA_PEER_RUN", directory.resolve("peer").toString());
        down.redirectErrorStream(true)
                .redirectOutput(directory.resolve("down.out").toFile())
                .start()
                .waitFor();
    }

    private static ApiServer.Request request(String line) {
        String[] words = line.split(" ", -1);
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put("User-Agent", AGENT);
        headers.put("Content-Type", "application/json");
        for (int i = 3; i < words.length; i++) {
            int equals = words[i].indexOf('=');
            headers.put(words[i].substring(0, equals), words[i].substring(equals + 1));
        }
        boolean body = words.length > 2 && !words[2].equals("-");
        return new ApiServer.Request(
                words[0],
                words[1],
                headers,
                body ? Optional.of(words[2].getBytes(StandardCharsets.UTF_8)) : Optional.empty());
    }

    private static JsonNode normal(JsonNode node) {
        if (node instanceof ObjectNode object) {
            ObjectNode sorted = Json.object();
            List<String> names = new ArrayList<>();
            object.fieldNames().forEachRemaining(names::add);
            names.sort(null);
            for (String name : names) {
                if (!OWN.contains(name)) {
                    sorted.set(name, normal(object.get(name)));
                }
            }
            return sorted;
        }
        if (node instanceof ArrayNode array) {
            ArrayNode items = Json.array();
            array.forEach(item -> items.add(normal(item)));
            return items;
        }
        return node;
    }

    private static String resource(String path) throws IOException {
        try (var in = AuditLogTest.class.getResourceAsStream(path)) {
            if (in == null) {
                throw new IOException(path + " is not on the class path");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
