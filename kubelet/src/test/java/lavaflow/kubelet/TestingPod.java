package lavaflow.kubelet;

import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import lavaflow.kube.Json;
import lavaflow.kube.Yaml;
import lavaflow.node.PodPhase;
import lavaflow.sandbox.RuntimeInfo;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** A pod and what is known of it, written down in few words. */
final class TestingPod {
    private static final RuntimeInfo RUNTIME = new RuntimeInfo("runc", "1", true, true, true, List.of());
    static final Instant NOW = Instant.parse("2026-11-15T12:00:00Z");

    private final ObjectNode object;
    private final Map<String, PodFacts.ContainerFacts> containers = new LinkedHashMap<>();
    private boolean sandbox = true;
    private PodFacts.@Nullable Failure failure;
    private PodFacts.@Nullable End end;
    private boolean vanished;

    private TestingPod(ObjectNode object) {
        this.object = object;
    }

    /** With metadata, so that only the spec has to be written. */
    static TestingPod of(String spec) {
        ObjectNode object = Json.object().put("apiVersion", "v1").put("kind", "Pod");
        object.putObject("metadata")
                .put("name", "p")
                .put("namespace", "ns")
                .put("uid", "uid-1")
                .put("generation", 1L);
        object.set("spec", yaml(spec));
        object.putObject("status").put("phase", "Pending");
        return new TestingPod(object);
    }

    static ObjectNode yaml(String text) {
        try {
            return (ObjectNode) Yaml.parse(text.getBytes(java.nio.charset.StandardCharsets.UTF_8))
                    .root();
        } catch (Exception e) {
            throw new IllegalArgumentException(e);
        }
    }

    TestingPod status(String status) {
        object.set("status", yaml(status));
        return this;
    }

    TestingPod deleted() {
        ((ObjectNode) object.get("metadata"))
                .put("deletionTimestamp", "2026-11-15T11:59:59Z")
                .put("deletionGracePeriodSeconds", 30L);
        return this;
    }

    TestingPod withoutPlace() {
        sandbox = false;
        return this;
    }

    TestingPod noPlaceUntil(Instant at) {
        sandbox = false;
        failure = new PodFacts.Failure("FailedMount", "500 no", at);
        return this;
    }

    TestingPod ends(String reason, String message) {
        end = new PodFacts.End(reason, message);
        return this;
    }

    TestingPod vanished() {
        vanished = true;
        return this;
    }

    PodView view() {
        return new PodView(object);
    }

    PodView.Container container(String name) {
        PodView.Container found = view().find(name);
        if (found == null) {
            throw new IllegalArgumentException(name);
        }
        return found;
    }

    private String hash(String name) {
        return PodLife.hash(container(name));
    }

    Attempt life(String name, int number) {
        return new Attempt(name + "-" + number, number, "image", "sha256:1", hash(name), "SIGTERM", null, null);
    }

    TestingPod know(String name, PodFacts.Work work, boolean started, boolean ready, Attempt... lives) {
        containers.put(
                name,
                new PodFacts.ContainerFacts(
                        List.of(lives), work, null, null, hash(name), started, ready, PodFacts.Verdict.NONE));
        return this;
    }

    TestingPod running(String name) {
        return know(name, PodFacts.Work.NONE, true, true, life(name, 0).started(NOW.minusSeconds(60)));
    }

    TestingPod starting(String name) {
        return know(name, PodFacts.Work.STARTING, false, false);
    }

    /** Ended so many seconds ago; every code is one life. */
    TestingPod ended(String name, long secondsAgo, int... codes) {
        List<Attempt> lives = new ArrayList<>();
        for (int i = 0; i < codes.length; i++) {
            Instant at = NOW.minusSeconds(secondsAgo);
            lives.add(life(name, i)
                    .started(at.minusSeconds(5))
                    .ended(new Attempt.Exit(codes[i], codes[i] == 0 ? "Completed" : "Error", "", at)));
        }
        return know(name, PodFacts.Work.NONE, false, false, lives.toArray(Attempt[]::new));
    }

    TestingPod backOff(String name, BackOff backOff) {
        return change(
                name,
                known -> new PodFacts.ContainerFacts(
                        known.attempts(),
                        known.work(),
                        known.failure(),
                        backOff,
                        known.hash(),
                        known.started(),
                        known.ready(),
                        known.verdict()));
    }

    TestingPod failing(String name, String reason, String message, Instant retryAt) {
        return change(
                name,
                known -> new PodFacts.ContainerFacts(
                        known.attempts(),
                        known.work(),
                        new PodFacts.Failure(reason, message, retryAt),
                        known.backOff(),
                        known.hash(),
                        known.started(),
                        known.ready(),
                        known.verdict()));
    }

    TestingPod verdict(String name, PodFacts.Verdict verdict) {
        return change(
                name,
                known -> new PodFacts.ContainerFacts(
                        known.attempts(),
                        known.work(),
                        known.failure(),
                        known.backOff(),
                        known.hash(),
                        known.started(),
                        known.ready(),
                        verdict));
    }

    private TestingPod change(String name, java.util.function.UnaryOperator<PodFacts.ContainerFacts> change) {
        containers.put(name, change.apply(containers.getOrDefault(name, PodFacts.ContainerFacts.NONE)));
        return this;
    }

    PodFacts facts() {
        return new PodFacts(
                view(), containers, sandbox, false, failure, end, vanished, List.of("10.0.0.7"), Map.of(), NOW);
    }

    PodDecision.Decision decide() {
        return PodDecision.decide(facts());
    }

    /** What is to be done, a word and a name each. */
    List<String> actions() {
        return decide().actions().stream().map(TestingPod::word).toList();
    }

    private static String word(PodDecision.Action action) {
        return switch (action) {
            case PodDecision.Prepare() -> "prepare";
            case PodDecision.Start(PodView.Container container, int number) ->
                "start " + container.name() + " " + number;
            case PodDecision.Hold(PodView.Container container, PodFacts.Failure failure) ->
                "hold " + container.name() + ": " + failure.message();
            case PodDecision.Reset() -> "reset";
            case PodDecision.Stop stop ->
                (stop.atOnce() ? "kill " : "stop ") + stop.container().name() + ": " + stop.message();
            case PodDecision.Finish() -> "finish";
        };
    }

    PodPhase phase() {
        return DecidedPhase.of(facts());
    }

    ObjectNode rendered() {
        return PodStatusForm.render(facts(), RUNTIME, "192.0.2.1", NOW.minusSeconds(90), List.of());
    }
}
