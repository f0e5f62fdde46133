package lavaflow.cli;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

import lavaflow.controller.KubeApi;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * Follows one job to its end: how its gang forms, why it waits, what its pods say, what came out.
 *
 * <p>One thread looks; the logs are read by others, and printed through one {@link LogLines}.
 */
final class GangRun {
    private static final KubeApi.Kind PODS = KubeApi.Kind.core("pods");
    private static final KubeApi.Kind EVENTS = KubeApi.Kind.core("events");
    private static final Duration LOOK = Duration.ofMillis(500);
    /** Who waits for less than that need not be told why. */
    private static final Duration SOON = Duration.ofSeconds(3);
    /** Explaining costs the scheduler some work. */
    private static final Duration ASKING = Duration.ofSeconds(5);
    /** For what pods said at the very end. */
    private static final Duration LAST_WORDS = Duration.ofSeconds(20);

    private final KubeApi api;
    private final Target target;
    private final RunView view;
    private final RunView.Why why;
    private final InstantSource clock;
    private final Instant since;
    private final Target.Membership membership;
    private final Map<String, ObjectNode> pods = new TreeMap<>();
    /** Pods as they were last, also those that are gone. */
    private final Map<String, ObjectNode> all = new TreeMap<>();

    private final Map<String, Progress> progress = new ConcurrentHashMap<>();
    private final RunChanges changes;
    private ObjectNode object;
    private @Nullable ObjectNode group;
    private @Nullable Instant began;
    private Instant askedAt = Instant.EPOCH;
    private String reason = "";

    /** @param since when it was made */
    GangRun(KubeApi api, Target target, RunView view, RunView.Why why, InstantSource clock, Instant since) {
        this.api = api;
        this.target = target;
        this.view = view;
        this.why = why;
        this.clock = clock;
        this.since = since;
        this.membership = target.membership(api);
        this.object = target.object();
        this.changes = new RunChanges(view.head(target));
    }

    /** Shows it to its end. */
    RunResult run(LogSource source, GangLogs.Wish wish) throws InterruptedException {
        GangLogs logs = new GangLogs(api, source, target, wish, view.lines(), view.head(target));
        Thread reading = Thread.ofVirtual().name("logs of " + target.name()).start(() -> read(logs));
        try {
            Optional<Outcome> outcome = follow();
            Instant ended = clock.instant();
            reading.join(LAST_WORDS);
            view.status(target, "");
            return result(outcome, ended);
        } finally {
            reading.interrupt();
        }
    }

    private static void read(GangLogs logs) {
        try {
            logs.run();
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        } catch (ApiException _) {
            // The job is followed all the same; whoever cannot be asked about it says so there.
        }
    }

    /** What one of its pods said. */
    void heard(String label, String text) {
        Progress.of(text, progress.get(label)).ifPresent(told -> progress.put(label, told));
    }

    private Optional<Outcome> follow() throws InterruptedException {
        KubeApi.Scope scope = new KubeApi.Scope(target.namespace(), "");
        List<ObjectNode> found = new ArrayList<>();
        long revision = api.list(PODS, scope, KubeApi.View.WHOLE, found::add);
        found.forEach(pod -> put(pod, false));
        try (KubeApi.Watch watch = api.watch(PODS, scope, revision, KubeApi.View.WHOLE)) {
            while (true) {
                Optional<ObjectNode> now = api.find(target.kind(), target.namespace(), target.name())
                        .filter(each -> uid(each).equals(uid(target.object())));
                if (now.isEmpty()) {
                    return Optional.empty();
                }
                object = now.get();
                if (Outcome.of(object).isEnd()) {
                    // the watch may be behind what was just asked
                    api.list(PODS, scope, KubeApi.View.WHOLE, pod -> put(pod, false));
                }
                group = GangGroup.find(api, target, pods.values()).orElse(group);
                Gang gang = gang();
                show(gang);
                if (gang.outcome().isEnd()) {
                    return Optional.of(gang.outcome());
                }
                for (KubeApi.Event event : watch.next(LOOK).events()) {
                    put(event.object(), event.deleted());
                }
            }
        }
    }

    private static String uid(ObjectNode object) {
        return Json.textAt(object, "metadata", "uid");
    }

    private void put(ObjectNode pod, boolean deleted) {
        if (!Json.textAt(pod, "metadata", "namespace").equals(target.namespace()) || !membership.has(pod)) {
            return;
        }
        String name = Json.textAt(pod, "metadata", "name");
        all.put(name, pod);
        if (deleted) {
            pods.remove(name);
        } else {
            pods.put(name, pod);
        }
    }

    private Gang gang() {
        List<GangPod> members = new ArrayList<>();
        pods.values().forEach(pod -> members.add(GangPod.of(pod, target.name(), clock.instant())));
        Map<String, Progress> told = new TreeMap<>();
        for (GangPod pod : members) {
            Progress said = progress.get(view.head(target) + pod.label());
            if (said != null) {
                told.put(pod.name(), said);
            }
        }
        String kind = Submission.word(target.object()).replaceFirst("/.*", "");
        return new Gang(kind, object, group, members, told, Optional.empty(), clock.instant());
    }

    // ---- showing

    private void show(Gang gang) {
        if (began == null && hasBegun()) {
            began = clock.instant();
        }
        changes.since(gang, pods.values()).forEach(view::note);
        if (began == null && !gang.outcome().isEnd()) {
            explain();
        }
        view.status(target, RunView.statusOf(gang, Duration.between(since, clock.instant()), view.palette()));
    }

    /** Whether as many run, or ran, as must at once. */
    private boolean hasBegun() {
        long wanted = Math.max(1, group == null ? 1 : Json.longAt(group, 1, "spec", "minMember"));
        long started = all.values().stream().filter(GangRun::isStarted).count();
        return started >= wanted;
    }

    private static boolean isStarted(ObjectNode pod) {
        return !List.of("", "Pending").contains(Json.textAt(pod, "status", "phase"));
    }

    /** When the first program began; null if none did. */
    private @Nullable Instant firstStart() {
        Instant first = null;
        for (ObjectNode pod : all.values()) {
            for (JsonNode status : Json.listAt(pod, "status", "containerStatuses")) {
                for (String state : List.of("running", "terminated")) {
                    String text = Json.textAt(status, "state", state, "startedAt");
                    Instant start = text.isEmpty() ? null : Instant.parse(text);
                    first = start == null || (first != null && first.isBefore(start)) ? first : start;
                }
            }
        }
        return first;
    }

    private void explain() {
        Instant now = clock.instant();
        boolean placed = !pods.isEmpty()
                && pods.values().stream()
                        .noneMatch(pod -> Json.textAt(pod, "spec", "nodeName").isEmpty());
        boolean early = Duration.between(since, now).compareTo(SOON) < 0
                || Duration.between(askedAt, now).compareTo(ASKING) < 0;
        if (placed || early) {
            return;
        }
        askedAt = now;
        String told = group == null
                ? unschedulable()
                : why.waits(target.namespace(), Json.textAt(group, "metadata", "name"))
                        .orElseGet(this::unschedulable);
        if (!told.isEmpty() && !told.equals(reason)) {
            reason = told;
            view.note(view.palette().yellow("… ") + told);
        }
    }

    /** What the scheduler wrote. */
    private String unschedulable() {
        for (JsonNode condition : Json.listAt(group, "status", "conditions")) {
            if (Json.textAt(condition, "type").equals("Unschedulable")
                    && Json.textAt(condition, "status").equals("True")) {
                return Json.textAt(condition, "message");
            }
        }
        for (ObjectNode pod : pods.values()) {
            for (JsonNode condition : Json.listAt(pod, "status", "conditions")) {
                if (Json.textAt(condition, "type").equals("PodScheduled")
                        && Json.textAt(condition, "status").equals("False")) {
                    return "pod " + Json.textAt(pod, "metadata", "name") + ": " + Json.textAt(condition, "message");
                }
            }
        }
        return pods.isEmpty() ? warned() : "";
    }

    /** What whoever should make the pods has complained of last: a queue that is closed, a quota that is used up. */
    private String warned() {
        ObjectNode last = null;
        KubeApi.Scope about = new KubeApi.Scope(target.namespace(), "involvedObject.name=" + target.name());
        List<ObjectNode> events = new ArrayList<>();
        api.list(EVENTS, about, KubeApi.View.WHOLE, events::add);
        for (ObjectNode event : events) {
            boolean counts = Json.textAt(event, "type").equals("Warning")
                    && Json.textAt(event, "involvedObject", "uid").equals(uid(target.object()));
            if (counts && (last == null || toldAt(event).compareTo(toldAt(last)) >= 0)) {
                last = event;
            }
        }
        return last == null
                ? ""
                : Json.textAt(last, "message")
                        .replaceFirst("admission webhook \"[^\"]*\" denied the request: ", "")
                        .strip();
    }

    /** In a form that sorts by time. */
    private static String toldAt(ObjectNode event) {
        String last = Json.textAt(event, "lastTimestamp");
        return last.isEmpty() ? Json.textAt(event, "eventTime") : last;
    }

    // ---- the end

    private RunResult result(Optional<Outcome> outcome, Instant ended) {
        if (began == null) {
            began = firstStart(); // it ended before all of them had begun
        }
        List<GangPod> members = new ArrayList<>();
        all.values().forEach(pod -> members.add(GangPod.of(pod, target.name(), clock.instant())));
        Gang gang = gang();
        return new RunResult(
                target,
                outcome.orElse(null),
                gang.why(),
                Duration.between(since, began == null ? ended : began),
                began == null ? null : Duration.between(began, ended),
                members,
                Artifacts.of(api, target.namespace(), all.values()));
    }
}
