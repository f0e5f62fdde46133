package lavaflow.cluster;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** How fast and how far an autoscaler may go: its limits, its policies, and what it wanted lately. Pure. */
final class ScalingRules {
    /** How long a lower number has to be wanted before it counts, unless the autoscaler says otherwise. */
    private static final long DOWN_SECONDS = 300;

    private static final String TOO_FAST = "the desired replica count is increasing faster than the maximum scale rate";
    private static final String TOO_MANY = "the desired replica count is more than the maximum replica count";
    private static final String TOO_FEW = "the desired replica count is less than the minimum replica count";
    private static final String HIGHER =
            "recent recommendations were higher than current one, applying the highest recent recommendation";
    private static final String LOWER =
            "recent recommendations were lower than current one, applying the lowest recent recommendation";

    /** A number that was wanted, or by how much it was changed, and when. */
    record Sample(long replicas, Instant time) {}

    /**
     * What is remembered of one autoscaler, in memory only.
     *
     * @param wanted recent recommendations
     * @param ups recent growth
     * @param downs recent shrinking
     */
    record Memory(List<Sample> wanted, List<Sample> ups, List<Sample> downs) {
        static final Memory NONE = new Memory(List.of(), List.of(), List.of());

        Memory wanting(long replicas, Instant now, Duration kept) {
            return new Memory(appended(wanted, replicas, now, kept), ups, downs);
        }

        /** After a change of size, which is kept for as long as policies look back. */
        Memory scaled(long from, long to, Instant now) {
            Duration longest = Duration.ofMinutes(30);
            return to > from
                    ? new Memory(wanted, appended(ups, to - from, now, longest), downs)
                    : new Memory(wanted, ups, appended(downs, from - to, now, longest));
        }

        private static List<Sample> appended(List<Sample> samples, long replicas, Instant now, Duration kept) {
            List<Sample> all = new ArrayList<>();
            samples.stream()
                    .filter(sample -> sample.time().isAfter(now.minus(kept)))
                    .forEach(all::add);
            all.add(new Sample(replicas, now));
            return List.copyOf(all);
        }
    }

    /** A condition to set. */
    record Saying(boolean holds, String reason, String message) {}

    /**
     * What to do.
     *
     * @param able said of AbleToScale
     * @param limited said of ScalingLimited
     */
    record Verdict(long replicas, Saying able, Saying limited, Memory memory) {}

    private final ObjectNode autoscaler;
    private final long current;
    private final Memory memory;
    private final Instant now;

    ScalingRules(ObjectNode autoscaler, long current, Memory memory, Instant now) {
        this.autoscaler = autoscaler;
        this.current = current;
        this.memory =
                memory.wanted().isEmpty() ? memory.wanting(current, now, Duration.ofSeconds(DOWN_SECONDS)) : memory;
        this.now = now;
    }

    static long least(ObjectNode autoscaler) {
        return Json.longAt(autoscaler, 1, "spec", "minReplicas");
    }

    static long most(ObjectNode autoscaler) {
        return Json.longAt(autoscaler, 1, "spec", "maxReplicas");
    }

    /** Keeps a wish within what the autoscaler allows. */
    Verdict within(long desired) {
        boolean plain = Json.at(autoscaler, "spec", "behavior") == null;
        long up = plain ? 0 : window("scaleUp", 0);
        long down = plain ? DOWN_SECONDS : window("scaleDown", DOWN_SECONDS);
        long stable = plain ? Math.max(desired, extreme(down, true, desired)) : stabilized(desired, up, down);
        Memory next = memory.wanting(desired, now, Duration.ofSeconds(Math.max(up, down)));
        Saying able = stable == desired
                ? new Saying(true, "ReadyForNewScale", "recommended size matches current size")
                : !plain && desired >= current
                        ? new Saying(true, "ScaleUpStabilized", LOWER)
                        : new Saying(true, "ScaleDownStabilized", HIGHER);
        Limit limit = plain ? plainLimit(stable) : limit(stable);
        Saying limited = new Saying(limit.replicas() != stable, limit.reason(), limit.message());
        return new Verdict(limit.replicas(), able, limited, next);
    }

    private long window(String direction, long otherwise) {
        return Json.longAt(autoscaler, otherwise, "spec", "behavior", direction, "stabilizationWindowSeconds");
    }

    private long extreme(long seconds, boolean highest, long desired) {
        Instant since = now.minusSeconds(seconds);
        long found = desired;
        for (Sample sample : memory.wanted()) {
            if (sample.time().isAfter(since)) {
                found = highest ? Math.max(found, sample.replicas()) : Math.min(found, sample.replicas());
            }
        }
        return found;
    }

    /** Goes up only as far as was wanted all the time, and down likewise. */
    private long stabilized(long desired, long up, long down) {
        long raised = Math.max(current, extreme(up, false, desired));
        return Math.min(raised, extreme(down, true, desired));
    }

    private record Limit(long replicas, String reason, String message) {
        static Limit none(long replicas) {
            return new Limit(replicas, "DesiredWithinRange", "the desired count is within the acceptable range");
        }
    }

    /** Without rules: at most twice as many at once. */
    private Limit plainLimit(long desired) {
        long rate = Math.max(2 * current, 4);
        long most = Math.min(most(autoscaler), rate);
        if (desired < least(autoscaler)) {
            return new Limit(least(autoscaler), "TooFewReplicas", TOO_FEW);
        }
        if (desired > most) {
            return most(autoscaler) > rate
                    ? new Limit(most, "ScaleUpLimit", TOO_FAST)
                    : new Limit(most, "TooManyReplicas", TOO_MANY);
        }
        return Limit.none(desired);
    }

    private Limit limit(long desired) {
        if (desired > current) {
            long rate = Math.max(current, rate("scaleUp", true));
            long most = Math.min(most(autoscaler), rate);
            if (desired > most) {
                return most(autoscaler) > rate
                        ? new Limit(most, "ScaleUpLimit", TOO_FAST)
                        : new Limit(most, "TooManyReplicas", TOO_MANY);
            }
        } else if (desired < current) {
            long rate = Math.min(current, rate("scaleDown", false));
            long least = Math.max(least(autoscaler), rate);
            if (desired < least) {
                return least(autoscaler) < rate
                        ? new Limit(
                                least,
                                "ScaleDownLimit",
                                "the desired replica count is decreasing faster than the maximum scale rate")
                        : new Limit(least, "TooFewReplicas", TOO_FEW);
            }
        }
        return Limit.none(desired);
    }

    /** How far policies let the number go, given how far it went in their periods. */
    private long rate(String direction, boolean up) {
        JsonNode rules = Json.at(autoscaler, "spec", "behavior", direction);
        String select = Json.textAt(rules, "selectPolicy");
        if (select.equals("Disabled")) {
            return current;
        }
        boolean highest = up != select.equals("Min");
        Long found = null;
        for (JsonNode policy : Json.listAt(rules, "policies")) {
            long seconds = Json.longAt(policy, 0, "periodSeconds");
            long start = current - changed(memory.ups(), seconds) + changed(memory.downs(), seconds);
            long proposed = proposed(policy, start, up);
            found = found == null ? proposed : highest ? Math.max(found, proposed) : Math.min(found, proposed);
        }
        return found == null ? current : found;
    }

    private static long proposed(JsonNode policy, long start, boolean up) {
        long value = Json.longAt(policy, 0, "value");
        if (!Json.textAt(policy, "type").equals("Percent")) {
            return up ? start + value : start - value;
        }
        double share = value / 100.0;
        return up ? (long) Math.ceil(start * (1 + share)) : (long) (start * (1 - share));
    }

    private long changed(List<Sample> samples, long seconds) {
        Instant since = now.minusSeconds(seconds);
        return samples.stream()
                .filter(sample -> sample.time().isAfter(since))
                .mapToLong(Sample::replicas)
                .sum();
    }
}
