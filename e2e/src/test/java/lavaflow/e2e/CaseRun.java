package lavaflow.e2e;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** One case on one server, step after step, with the answers as they can be compared. */
final class CaseRun {
    /** One webhook for all cases and both servers, started by the first case that has one. */
    private static final class Webhook {
        static final WebhookProgram RUNNING = WebhookProgram.start();
    }

    /** A step's request in one line, and what came back, normalised. */
    record Outcome(String request, ObjectNode answer) {}

    private static final Duration PATIENCE = Duration.ofSeconds(Long.getLong("contract.patience", 120));
    private static final Duration FURNISHING = Duration.ofMinutes(3);

    private final ApiServer server;
    private final ContractCase contract;
    private final Map<String, String> variables = new LinkedHashMap<>();
    private final Map<String, WatchStream> watches = new LinkedHashMap<>();
    private final StepRequest requests;
    private final Normalizer normalizer;

    CaseRun(ApiServer server, ContractCase contract, String id) {
        this.server = server;
        this.contract = contract;
        this.requests = new StepRequest(contract, variables);
        this.normalizer = new Normalizer(server.authority(), contract.text());
        variables.put("id", id);
        variables.put("ns", id);
        if (contract.text().contains("${webhook}")) {
            WebhookProgram webhook = Webhook.RUNNING;
            variables.put("webhook", webhook.url());
            variables.put("webhook-ca", webhook.caBundle());
        }
        variables.put("big", "x".repeat(4 << 20));
        variables.put("long-note", "x".repeat(1_025));
        variables.put("big1", "x".repeat((1 << 20) + 1));
    }

    List<Outcome> run() throws IOException, InterruptedException {
        if (contract.needsNamespace()) {
            makeNamespace();
        }
        List<Outcome> outcomes = new ArrayList<>();
        try {
            for (ObjectNode step : contract.steps()) {
                outcomes.add(run(step));
            }
        } finally {
            watches.values().forEach(WatchStream::close);
        }
        return outcomes;
    }

    private Outcome run(ObjectNode step) throws IOException, InterruptedException {
        if (step.has("events")) {
            return collect(step);
        }
        ApiServer.Request request = requests.of(step);
        if (step.has("edit")) {
            request = edited(step, request);
        }
        String line = request.method() + " " + request.path()
                + request.body().map(body -> " " + abbreviated(body)).orElse("");
        if (step.has("watch")) {
            WatchStream stream = WatchStream.open(server, request);
            watches.put(step.get("watch").textValue(), stream);
            return new Outcome(line, normalizer.normalize(stream.head().comparable()));
        }
        Answer answer = step.has("until") ? await(step, request) : server.send(request);
        capture(step, answer.body());
        for (Map.Entry<String, JsonNode> wanted : step.path("capture-header").properties()) {
            variables.put(
                    wanted.getKey(),
                    answer.header(wanted.getValue().textValue().toLowerCase(Locale.ROOT))
                            .orElse("absent"));
        }
        return new Outcome(line, compared(step, answer.comparable()));
    }

    private Outcome collect(ObjectNode step) {
        String name = step.get("events").textValue();
        WatchStream stream = Optional.ofNullable(watches.get(name))
                .orElseThrow(() -> new IllegalArgumentException("no watch " + name));
        int count = step.path("count").asInt(Integer.MAX_VALUE);
        // Who knows how many will come does not wait for more, and may be patient with a busy machine.
        int usual = step.has("count") ? 120 : 5;
        JsonNode events =
                stream.take(count, Duration.ofSeconds(step.path("seconds").asInt(usual)));
        capture(step, events);
        ObjectNode tree = Json.object();
        tree.set("body", events);
        return new Outcome("events of " + name, compared(step, tree));
    }

    private ObjectNode compared(ObjectNode step, ObjectNode answer) {
        if (step.path("quietly").asBoolean()) {
            return Json.object();
        }
        ObjectNode normalized = normalizer.normalize(answer);
        for (JsonNode pointer : step.path("ignore")) {
            Differences.blank(normalized, requests.fill(pointer.textValue()));
        }
        return normalized;
    }

    private void capture(ObjectNode step, JsonNode body) {
        for (Map.Entry<String, JsonNode> wanted : step.path("capture").properties()) {
            JsonNode found = body.at(wanted.getValue().textValue());
            variables.put(wanted.getKey(), found.isContainerNode() ? Json.string(found) : found.asText("absent"));
        }
    }

    /** What is there now, with the step's changes: how people edit, and the only way to replace objects with many defaults. */
    private ApiServer.Request edited(ObjectNode step, ApiServer.Request request)
            throws IOException, InterruptedException {
        JsonNode live = server.send(requests.readOf(step)).body();
        JsonNode changed = StepRequest.merged(live, requests.fill(step.path("with")));
        for (JsonNode operation : step.path("set")) {
            changed = JsonPointerEdit.set(changed, operation.get(0).textValue(), requests.fill(operation.get(1)));
        }
        Map<String, String> headers = new LinkedHashMap<>(request.headers());
        headers.putIfAbsent("Content-Type", "application/json");
        byte[] body = Json.string(changed).getBytes(StandardCharsets.UTF_8);
        return new ApiServer.Request(
                request.method(), request.path(), headers, Optional.of(body), request.certificate());
    }

    /**
     * Asks again until the answer is as the step says; a server on which that never happens has failed the case. What
     * would change something is asked as a dry run, and done once: else a server that is late would have done it.
     */
    private Answer await(ObjectNode step, ApiServer.Request request) throws IOException, InterruptedException {
        ApiServer.Request question = harmless(request);
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (true) {
            Answer answer = server.send(question);
            if (holds(step.get("until"), answer)) {
                return question.equals(request) ? answer : server.send(request);
            }
            if (System.nanoTime() > deadline) {
                throw new IOException("in " + PATIENCE.toSeconds() + " s " + question.method() + " " + question.path()
                        + " never came to " + step.get("until") + "; last: " + Json.string(answer.comparable()));
            }
            LockSupport.parkNanos(Duration.ofMillis(50).toNanos());
        }
    }

    private static ApiServer.Request harmless(ApiServer.Request request) {
        String path = request.path();
        if (request.method().equals("GET") || path.contains("dryRun=") || path.contains("reviews")) {
            return request;
        }
        String dry = path + (path.contains("?") ? "&" : "?") + "dryRun=All";
        return new ApiServer.Request(request.method(), dry, request.headers(), request.body(), request.certificate());
    }

    private boolean holds(JsonNode condition, Answer answer) {
        if (condition.has("code") && answer.code() != condition.get("code").intValue()) {
            return false;
        }
        if (condition.has("says")
                && !Json.string(answer.comparable())
                        .contains(condition.get("says").textValue())) {
            return false;
        }
        if (!condition.has("at")) {
            return true;
        }
        JsonNode found = answer.body().at(condition.get("at").textValue());
        return condition.has("is") ? found.equals(requests.fill(condition.get("is"))) : !found.isMissingNode();
    }

    /** A namespace is ready for pods once its default service account exists. */
    private void makeNamespace() throws IOException, InterruptedException {
        String id = variables.get("ns");
        ObjectNode namespace = Json.object();
        namespace.putObject("metadata").put("name", id);
        ask("POST", "/api/v1/namespaces", Json.string(namespace));
        long deadline = System.nanoTime() + FURNISHING.toNanos();
        for (String path : List.of("/serviceaccounts/default", "/configmaps/kube-root-ca.crt")) {
            while (ask("GET", "/api/v1/namespaces/" + id + path, "").code() != 200) {
                if (System.nanoTime() > deadline) {
                    throw new IOException("the namespace " + id + " never got its " + path.substring(1));
                }
                LockSupport.parkNanos(Duration.ofMillis(10).toNanos());
            }
        }
    }

    private Answer ask(String method, String path, String body) throws IOException, InterruptedException {
        Optional<byte[]> bytes = body.isEmpty() ? Optional.empty() : Optional.of(body.getBytes(StandardCharsets.UTF_8));
        return server.send(new ApiServer.Request(
                method, path, Map.of("Content-Type", "application/json", "User-Agent", "contract/1.0"), bytes));
    }

    private static String abbreviated(byte[] body) {
        String text = new String(body, StandardCharsets.UTF_8);
        return text.length() > 600 ? text.substring(0, 600) + "..." : text;
    }
}
