package lavaflow.cluster;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

import lavaflow.controller.ControllerRunner;
import lavaflow.controller.EventRecorder;
import lavaflow.controller.Followers;
import lavaflow.controller.KubeApi;
import lavaflow.controller.Mirror;
import lavaflow.kube.ApiException;
import lavaflow.kube.GoTime;
import lavaflow.kube.Json;
import lavaflow.kube.LabelSelector;
import lavaflow.kube.MalformedException;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Follows what is measured with the size of whatever has a scale: HorizontalPodAutoscalers, every fifteen seconds. */
final class Autoscalers {
    private static final KubeApi.Kind AUTOSCALERS =
            new KubeApi.Kind("autoscaling", "v2", "horizontalpodautoscalers", true);
    private static final KubeApi.Kind PODS = ReplicaControllers.PODS;
    private static final Duration PERIOD = Duration.ofSeconds(15);

    /** One autoscaler. */
    record Key(String namespace, String name) {}

    /** Nothing can be decided; the conditions say why. */
    private static final class UndecidedException extends Exception {
        private static final long serialVersionUID = 1;

        UndecidedException(String why) {
            super(why);
        }
    }

    private final KubeApi api;
    private final Mirror<PodState> pods;
    private final Measurements measurements;
    private final EventRecorder events;
    private final InstantSource clock;
    private final ControllerRunner<Key> runner;
    private final Map<Key, ScalingRules.Memory> memories = new ConcurrentHashMap<>();
    private final Map<Key, LabelSelector> selectors = new ConcurrentHashMap<>();
    private final Map<Key, Instant> looked = new ConcurrentHashMap<>();

    Autoscalers(KubeApi api, Followers followers, Mirror<PodState> pods, InstantSource clock, LongSupplier nanoTime) {
        this.api = api;
        this.pods = pods;
        this.clock = clock;
        this.measurements = new Measurements(api);
        this.events = new EventRecorder(api, "horizontal-pod-autoscaler", clock);
        this.runner = new ControllerRunner<>("horizontal-pod-autoscaler", followers, 5, this::reconcile, nanoTime)
                .follow(AUTOSCALERS, object -> List.of(new Key(Objects.namespace(object), Objects.name(object))));
    }

    ControllerRunner<Key> controller() {
        return runner;
    }

    private Optional<Duration> reconcile(Key key) {
        ObjectNode autoscaler =
                api.find(AUTOSCALERS, key.namespace(), key.name()).orElse(null);
        if (autoscaler == null) {
            memories.remove(key);
            selectors.remove(key);
            looked.remove(key);
            return Optional.empty();
        }
        Instant now = clock.instant();
        Instant last = looked.get(key);
        if (last != null && now.isBefore(last.plus(PERIOD))) {
            // What is measured does not change faster, and our own report is no reason to look again.
            return Optional.of(Duration.between(now, last.plus(PERIOD)));
        }
        looked.put(key, now);
        Look look = new Look(key, autoscaler, now);
        JsonNode before = autoscaler.deepCopy().get("status");
        try {
            look.run();
        } catch (UndecidedException e) {
            // Said already; measuring may work the next time.
            look.undecided();
        }
        if (!Json.ensureObject(autoscaler, "status").equals(before)) {
            api.update(AUTOSCALERS, "status", autoscaler);
        }
        return Optional.of(PERIOD);
    }

    /** One look at one autoscaler. */
    private final class Look {
        private final Key key;
        private final ObjectNode autoscaler;
        private final ObjectNode status;
        private final Instant now;
        private ArrayNode metrics = Json.array();
        private long current;
        private boolean scaleKnown;

        Look(Key key, ObjectNode autoscaler, Instant now) {
            this.key = key;
            this.autoscaler = autoscaler;
            this.status = Json.ensureObject(autoscaler, "status");
            this.now = now;
        }

        void run() throws UndecidedException {
            JsonNode reference = Json.at(autoscaler, "spec", "scaleTargetRef");
            KubeApi.Kind kind = kind(reference);
            ObjectNode scale = scale(kind, Json.textAt(reference, "name"));
            condition(
                    "AbleToScale",
                    true,
                    "SucceededGetScale",
                    "the HPA controller was able to get the target's current scale");
            current = Json.longAt(scale, 0, "spec", "replicas");
            scaleKnown = true;
            long least = ScalingRules.least(autoscaler);
            long most = ScalingRules.most(autoscaler);
            if (current == 0 && least != 0) {
                condition(
                        "ScalingActive",
                        false,
                        "ScalingDisabled",
                        "scaling is disabled since the replica count of the target is zero");
                report(current, false);
            } else if (current > most) {
                rescale(kind, scale, most, "Current number of replicas above Spec.MaxReplicas");
            } else if (current < least) {
                rescale(kind, scale, least, "Current number of replicas below Spec.MinReplicas");
            } else {
                byMetrics(kind, scale);
            }
        }

        private KubeApi.Kind kind(@Nullable JsonNode reference) throws UndecidedException {
            String name = Json.textAt(reference, "kind");
            String version = Json.textAt(reference, "apiVersion");
            Optional<KubeApi.Kind> found = api.findKind(version, name);
            if (found.isEmpty()) {
                int slash = version.indexOf('/');
                throw noScale("no matches for kind \"" + name + "\" in group \""
                        + (slash < 0 ? "" : version.substring(0, slash)) + "\"");
            }
            return found.get();
        }

        private ObjectNode scale(KubeApi.Kind kind, String name) throws UndecidedException {
            try {
                return api.findScale(kind, key.namespace(), name)
                        .orElseThrow(() -> noScale(kind + " \"" + name + "\" not found"));
            } catch (ApiException e) {
                throw noScale(
                        e.code() == 404
                                ? "the server could not find the requested resource"
                                : String.valueOf(e.getMessage()));
            }
        }

        private UndecidedException noScale(String why) {
            events.warning(autoscaler, "FailedGetScale", why);
            condition(
                    "AbleToScale",
                    false,
                    "FailedGetScale",
                    "the HPA controller was unable to get the target's current scale: " + why);
            return new UndecidedException(why);
        }

        private void byMetrics(KubeApi.Kind kind, ObjectNode scale) throws UndecidedException {
            Wish wish = wish(scale);
            String reason = wish.replicas() > current
                    ? wish.metric() + " above target"
                    : wish.replicas() < current ? "All metrics below target" : "";
            ScalingRules.Memory memory = memories.getOrDefault(key, ScalingRules.Memory.NONE);
            ScalingRules.Verdict verdict = new ScalingRules(autoscaler, current, memory, now).within(wish.replicas());
            memories.put(key, verdict.memory());
            condition("AbleToScale", verdict.able());
            condition("ScalingLimited", verdict.limited());
            if (verdict.replicas() == current) {
                report(current, false);
            } else {
                rescale(kind, scale, verdict.replicas(), reason);
            }
        }

        /** What metrics speak for. */
        private record Wish(long replicas, String metric) {}

        private Wish wish(ObjectNode scale) throws UndecidedException {
            LabelSelector selector = selector(Json.textAt(scale, "status", "selector"));
            List<ObjectNode> selected = new ArrayList<>();
            for (PodState pod : pods.having(PodState.allOf(key.namespace()))) {
                if (selector.matches(pod.labels())) {
                    api.find(PODS, key.namespace(), pod.name()).ifPresent(selected::add);
                }
            }
            ReplicaProposal proposals =
                    new ReplicaProposal(current, selected, ReplicaProposal.Tolerance.of(autoscaler), now);
            MetricProposals metricProposals = new MetricProposals(
                    measurements,
                    proposals,
                    key.namespace(),
                    Json.textAt(scale, "status", "selector"),
                    Json.longAt(scale, 0, "status", "replicas"));
            return wish(metricProposals, Json.listAt(autoscaler, "spec", "metrics"));
        }

        private Wish wish(MetricProposals proposals, ArrayNode wanted) throws UndecidedException {
            Wish highest = new Wish(0, "");
            MetricProposals.UnknownMetricException first = null;
            int unknown = 0;
            for (JsonNode metric : wanted) {
                try {
                    MetricProposals.Answer answer = proposals.ask(metric);
                    metrics.add(answer.status());
                    if (highest.replicas() == 0 || answer.replicas() > highest.replicas()) {
                        highest = new Wish(answer.replicas(), answer.name());
                    }
                } catch (MetricProposals.UnknownMetricException e) {
                    metrics.addObject().put("type", "");
                    events.warning(autoscaler, e.reason(), String.valueOf(e.getMessage()));
                    first = first == null ? e : first;
                    unknown++;
                }
            }
            // What is not known might have spoken against going down.
            if (first != null && (unknown == wanted.size() || highest.replicas() < current)) {
                condition(
                        "ScalingActive",
                        false,
                        first.reason(),
                        "the HPA was unable to compute the replica count: " + first.getMessage());
                throw failed("invalid metrics (" + unknown + " invalid out of " + wanted.size() + "), first error is: "
                        + first.full());
            }
            condition(
                    "ScalingActive",
                    true,
                    "ValidMetricFound",
                    "the HPA was able to successfully calculate a replica count from " + highest.metric());
            return highest;
        }

        private UndecidedException failed(String why) {
            events.warning(autoscaler, "FailedComputeMetricsReplicas", why);
            return new UndecidedException(why);
        }

        private LabelSelector selector(String text) throws UndecidedException {
            if (text.isEmpty()) {
                events.warning(autoscaler, "SelectorRequired", "selector is required");
                condition("ScalingActive", false, "InvalidSelector", "the HPA target's scale is missing a selector");
                throw failed("selector is required");
            }
            LabelSelector selector;
            try {
                selector = LabelSelector.parse(text);
            } catch (MalformedException e) {
                String why =
                        "couldn't convert selector into a corresponding internal selector object: " + e.getMessage();
                events.warning(autoscaler, "InvalidSelector", why);
                condition("ScalingActive", false, "InvalidSelector", why);
                throw failed(why);
            }
            selectors.put(key, selector);
            requireAlone(text, selector);
            return selector;
        }

        /** Two autoscalers over the same pods would work against each other. */
        private void requireAlone(String text, LabelSelector selector) throws UndecidedException {
            List<String> rivals = new ArrayList<>();
            List<PodState> mine = pods.having(PodState.allOf(key.namespace())).stream()
                    .filter(pod -> selector.matches(pod.labels()))
                    .toList();
            selectors.forEach((other, theirs) -> {
                boolean shared = other.namespace().equals(key.namespace())
                        && mine.stream().anyMatch(pod -> theirs.matches(pod.labels()));
                if (shared) {
                    rivals.add(other.namespace() + "/" + other.name());
                }
            });
            if (rivals.size() > 1) {
                rivals.sort(null);
                String why = "pods by selector " + text + " are controlled by multiple HPAs: ["
                        + String.join(" ", rivals) + "]";
                events.warning(autoscaler, "AmbiguousSelector", why);
                condition("ScalingActive", false, "AmbiguousSelector", why);
                throw failed(why);
            }
        }

        private void rescale(KubeApi.Kind kind, ObjectNode scale, long replicas, String reason)
                throws UndecidedException {
            Json.ensureObject(scale, "spec").put("replicas", replicas);
            try {
                api.update(kind, "scale", scale);
            } catch (ApiException e) {
                events.warning(
                        autoscaler,
                        "FailedRescale",
                        "New size: " + replicas + "; reason: " + reason + "; error: " + e.getMessage());
                condition(
                        "AbleToScale",
                        false,
                        "FailedUpdateScale",
                        "the HPA controller was unable to update the target scale: " + e.getMessage());
                throw new UndecidedException(String.valueOf(e.getMessage()));
            }
            condition(
                    "AbleToScale",
                    true,
                    "SucceededRescale",
                    "the HPA controller was able to update the target scale to " + replicas);
            events.normal(autoscaler, "SuccessfulRescale", "New size: " + replicas + "; reason: " + reason);
            memories.merge(
                    key,
                    ScalingRules.Memory.NONE.scaled(current, replicas, now),
                    (memory, _) -> memory.scaled(current, replicas, now));
            report(replicas, true);
        }

        private void report(long desired, boolean scaled) {
            if (current == 0) {
                status.remove("currentReplicas");
            } else {
                status.put("currentReplicas", current);
            }
            status.put("desiredReplicas", desired);
            if (metrics.isEmpty()) {
                status.putNull("currentMetrics");
            } else {
                status.set("currentMetrics", metrics);
            }
            if (scaled) {
                status.put("lastScaleTime", GoTime.seconds(now));
            }
        }

        /** What is known is told, also when nothing was decided. */
        void undecided() {
            if (scaleKnown) {
                report(Json.longAt(status, 0, "desiredReplicas"), false);
            }
        }

        private void condition(String type, ScalingRules.Saying saying) {
            condition(type, saying.holds(), saying.reason(), saying.message());
        }

        private void condition(String type, boolean holds, String reason, String message) {
            String value = holds ? "True" : "False";
            ArrayNode conditions = status.withArray("conditions");
            ObjectNode found = null;
            for (JsonNode each : conditions) {
                found = Json.textAt(each, "type").equals(type) ? (ObjectNode) each : found;
            }
            ObjectNode condition = found == null ? conditions.addObject().put("type", type) : found;
            if (!Json.textAt(condition, "status").equals(value)) {
                condition.put("status", value).put("lastTransitionTime", GoTime.seconds(now));
            }
            condition.put("reason", reason).put("message", message);
        }
    }
}
