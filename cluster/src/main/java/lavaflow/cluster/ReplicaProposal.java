package lavaflow.cluster;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

import lavaflow.kube.Json;
import lavaflow.kube.Quantity;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** How many replicas bring what was measured to its target. Values are thousandths. Pure. */
final class ReplicaProposal {
    /** A pod that starts may burn time for so long without that meaning anything. */
    private static final Duration INITIALIZATION = Duration.ofMinutes(5);

    private static final Duration FIRST_READINESS = Duration.ofSeconds(30);

    /** What was measured of one pod. */
    record Sample(long value, Instant time, Duration window) {}

    /**
     * A number, and the values that speak for it.
     *
     * @param average of the pods
     * @param utilization average in percent of what they requested, null where that is not the measure
     */
    record Proposal(long replicas, long average, @Nullable Long utilization) {}

    /** Why there is no number. */
    static final class NoProposalException extends Exception {
        private static final long serialVersionUID = 1;

        NoProposalException(String why) {
            super(why);
        }
    }

    /** How far from its target a measure may be without anything happening. */
    record Tolerance(double down, double up) {
        private static final double USUAL = 0.1;

        static Tolerance of(ObjectNode autoscaler) {
            return new Tolerance(share(autoscaler, "scaleDown"), share(autoscaler, "scaleUp"));
        }

        private static double share(ObjectNode autoscaler, String direction) {
            JsonNode rules = Json.at(autoscaler, "spec", "behavior", direction);
            return Json.at(rules, "tolerance") == null
                    ? USUAL
                    : Quantity.at(rules, "tolerance").approximate();
        }

        boolean holds(double ratio) {
            return 1.0 - down <= ratio && ratio <= 1.0 + up;
        }
    }

    private final long current;
    private final List<ObjectNode> pods;
    private final Tolerance tolerance;
    private final Instant now;

    /**
     * @param current how many replicas there should be now
     * @param pods of the target
     */
    ReplicaProposal(long current, List<ObjectNode> pods, Tolerance tolerance, Instant now) {
        this.current = current;
        this.pods = pods;
        this.tolerance = tolerance;
        this.now = now;
    }

    // ---- by what pods use

    /**
     * By an average value a pod.
     *
     * @param resource what was measured if it is a resource, else empty
     */
    Proposal byAverage(Map<String, Sample> samples, long target, String resource) throws NoProposalException {
        return new ByPods(samples, resource) {
            @Override
            double ratio(Map<String, Long> values) {
                return (double) average(values) / target;
            }

            @Override
            @Nullable
            Long share(Map<String, Long> values) {
                return null;
            }

            @Override
            long whenMissing(String pod) {
                return target;
            }
        }.propose();
    }

    /**
     * By an average share of what pods request.
     *
     * @param container whose requests count, empty for all
     */
    Proposal byUtilization(Map<String, Sample> samples, long percent, String resource, String container)
            throws NoProposalException {
        Map<String, Long> requests = new HashMap<>();
        ByPods byPods = new ByPods(samples, resource) {
            @Override
            void prepare() throws NoProposalException {
                for (ObjectNode pod : pods) {
                    requests.put(Objects.name(pod), request(pod, resource, container));
                }
            }

            private long utilization(Map<String, Long> values) {
                long used = 0;
                long requested = 0;
                for (Map.Entry<String, Long> each : values.entrySet()) {
                    Long request = requests.get(each.getKey());
                    if (request != null) {
                        used += each.getValue();
                        requested += request;
                    }
                }
                return requested == 0 ? -1 : used * 100 / requested;
            }

            @Override
            double ratio(Map<String, Long> values) throws NoProposalException {
                if (utilization(values) < 0) {
                    throw new NoProposalException("no metrics returned matched known pods");
                }
                return (double) utilization(values) / percent;
            }

            @Override
            Long share(Map<String, Long> values) {
                return utilization(values);
            }

            @Override
            long whenMissing(String pod) {
                return requests.getOrDefault(pod, 0L) * Math.max(100, percent) / 100;
            }
        };
        return byPods.propose();
    }

    private void requirePods() throws NoProposalException {
        if (pods.isEmpty()) {
            throw new NoProposalException("no pods returned by selector while calculating replica count");
        }
    }

    private static long request(ObjectNode pod, String resource, String container) throws NoProposalException {
        long sum = 0;
        boolean found = false;
        List<JsonNode> containers = new ArrayList<>();
        Json.listAt(pod, "spec", "containers").forEach(containers::add);
        for (JsonNode each : Json.listAt(pod, "spec", "initContainers")) {
            if (Json.textAt(each, "restartPolicy").equals("Always")) {
                containers.add(each);
            }
        }
        for (JsonNode each : containers) {
            String name = Json.textAt(each, "name");
            if (container.isEmpty() || container.equals(name)) {
                JsonNode requests = Json.at(each, "resources", "requests");
                if (Json.at(requests, resource) == null) {
                    throw new NoProposalException("missing request for " + resource + " in container " + name
                            + " of Pod " + Objects.name(pod));
                }
                sum += Quantity.at(requests, resource).milliValue();
                found = true;
            }
        }
        if (!found && !container.isEmpty()) {
            throw new NoProposalException("container " + container + " not present in metrics for pod "
                    + Objects.namespace(pod) + "/" + Objects.name(pod));
        }
        return sum;
    }

    /** Pods are not equal: some are starting, some were not measured. Those must not make the number jump. */
    private abstract class ByPods {
        private final Map<String, Long> values = new HashMap<>();
        private final Set<String> unready = new TreeSet<>();
        private final Set<String> missing = new TreeSet<>();
        private int ready;

        ByPods(Map<String, Sample> samples, String resource) {
            samples.forEach((pod, sample) -> values.put(pod, sample.value()));
            for (ObjectNode pod : pods) {
                String name = Objects.name(pod);
                PodState state = PodState.of(pod);
                Sample sample = samples.get(name);
                if (state.deleting() || state.phase().equals("Failed")) {
                    values.remove(name);
                } else if (state.phase().equals("Pending")) {
                    unready.add(name);
                } else if (sample == null) {
                    missing.add(name);
                } else if (resource.equals("cpu") && isStarting(pod, sample, now)) {
                    unready.add(name);
                } else {
                    ready++;
                }
            }
            unready.forEach(values::remove);
        }

        /** Called once there is something to be judged. */
        void prepare() throws NoProposalException {}

        abstract double ratio(Map<String, Long> values) throws NoProposalException;

        abstract long whenMissing(String pod);

        /** In percent of what was requested; null where that is not the measure. */
        abstract @Nullable Long share(Map<String, Long> values);

        Proposal propose() throws NoProposalException {
            requirePods();
            if (values.isEmpty()) {
                throw new NoProposalException("did not receive metrics for targeted pods (pods might be unready)");
            }
            prepare();
            double ratio = ratio(values);
            long average = average(values);
            Long share = share(values);
            boolean startingUp = !unready.isEmpty() && ratio > 1.0;
            if (!startingUp && missing.isEmpty()) {
                long replicas = tolerance.holds(ratio) ? current : (long) Math.ceil(ratio * ready);
                return new Proposal(replicas, average, share);
            }
            fillIn(ratio, startingUp);
            return new Proposal(careful(ratio, ratio(values)), average, share);
        }

        /** Whoever was not measured is taken for what makes the change smaller. */
        private void fillIn(double ratio, boolean startingUp) {
            for (String pod : missing) {
                if (ratio < 1.0) {
                    values.put(pod, whenMissing(pod));
                } else if (ratio > 1.0) {
                    values.put(pod, 0L);
                }
            }
            if (startingUp) {
                unready.forEach(pod -> values.put(pod, 0L));
            }
        }

        private long careful(double before, double after) {
            boolean turned = (before < 1.0 && after > 1.0) || (before > 1.0 && after < 1.0);
            if (tolerance.holds(after) || turned) {
                return current;
            }
            long replicas = (long) Math.ceil(after * values.size());
            boolean wrongWay = (after < 1.0 && replicas > current) || (after > 1.0 && replicas < current);
            return wrongWay ? current : replicas;
        }
    }

    private static long average(Map<String, Long> values) {
        return values.values().stream().mapToLong(Long::longValue).sum() / values.size();
    }

    private static boolean isStarting(ObjectNode pod, Sample sample, Instant now) {
        String start = Json.textAt(pod, "status", "startTime");
        JsonNode condition = null;
        for (JsonNode each : Json.listAt(pod, "status", "conditions")) {
            condition = Json.textAt(each, "type").equals("Ready") ? each : condition;
        }
        if (condition == null || start.isEmpty()) {
            return true;
        }
        Instant started = PodState.time(start);
        Instant since = PodState.time(Json.textAt(condition, "lastTransitionTime"));
        boolean notReady = Json.textAt(condition, "status").equals("False");
        return started.plus(INITIALIZATION).isAfter(now)
                ? notReady || sample.time().isBefore(since.plus(sample.window()))
                : notReady && started.plus(FIRST_READINESS).isAfter(since);
    }

    // ---- by a value of something else

    /** By a value that shall be met as a whole; it is taken to grow with the number of pods. */
    Proposal byValue(long value, long target) {
        double ratio = (double) value / target;
        if (current == 0) {
            return new Proposal((long) Math.ceil(ratio), value, null);
        }
        long ready = pods.stream()
                .filter(pod -> Json.textAt(pod, "status", "phase").equals("Running")
                        && PodState.of(pod).isReady())
                .count();
        return new Proposal(tolerance.holds(ratio) ? current : (long) Math.ceil(ratio * ready), value, null);
    }

    /**
     * By a value that is to be shared among pods.
     *
     * @param existing how many pods there are
     */
    Proposal byShare(long value, long target, long existing) {
        double ratio = (double) value / ((double) target * existing);
        long replicas = existing > 0 && tolerance.holds(ratio) ? existing : Math.ceilDiv(value, target);
        return new Proposal(replicas, existing == 0 ? value : Math.ceilDiv(value, existing), null);
    }
}
