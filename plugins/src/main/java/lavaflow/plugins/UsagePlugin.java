package lavaflow.plugins;

import java.time.Duration;
import java.time.Instant;

import lavaflow.gang.Arguments;
import lavaflow.gang.Member;
import lavaflow.gang.Plugin;
import lavaflow.gang.Session;
import lavaflow.gang.Surroundings.Usage;
import lavaflow.kube.GoDuration;
import lavaflow.kube.Json;
import lavaflow.kube.MalformedException;
import lavaflow.kube.PodRequests;
import lavaflow.kube.Quantity;
import lavaflow.placement.Columns;
import lavaflow.placement.PlacedPod;
import lavaflow.placement.PodClass;

import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;

/** Prefers nodes of which little is really used, and keeps pods from those that are busy. Pods too young to be measured are guessed. */
final class UsagePlugin implements Plugin, Plugin.Filter, Plugin.MemberScore {
    private static final double MOST = 100;
    /** After that a measurement says nothing any more. */
    private static final Duration FRESH = Duration.ofMinutes(5);

    private final Session session;
    private final int weight;
    private final int[] weights = new int[2];
    private final double[] thresholds = new double[2];
    private final double requestRatio;
    private final double burstRatio;
    private final double riskThreshold;
    private final double riskFactor;
    /** What pods that ask for nothing are taken to use. */
    private final double[] nothing = new double[2];
    /** How often nodes are measured: pods younger than that are not seen. */
    private final Duration interval;

    private long round;

    UsagePlugin(Session session, Arguments arguments) {
        this.session = session;
        this.weight = arguments.integer("usage.weight", 5);
        this.weights[Columns.CPU] = arguments.integer("cpu.weight", 1);
        this.weights[Columns.MEMORY] = arguments.integer("memory.weight", 1);
        JsonNode limits = arguments.structure("thresholds");
        this.thresholds[Columns.CPU] = limits.path("cpu").asDouble(80);
        this.thresholds[Columns.MEMORY] = limits.path("mem").asDouble(80);
        JsonNode estimator = arguments.structure("estimator");
        this.requestRatio = estimator.path("request_ratio").asDouble(0.7);
        this.burstRatio = estimator.path("burst_ratio").asDouble(0);
        this.riskThreshold = estimator.path("risk_threshold").asDouble(0.6);
        this.riskFactor = estimator.path("risk_factor").asDouble(1.2);
        this.nothing[Columns.CPU] = quantity(estimator.path("be_cpu"), "250m").milliValue();
        this.nothing[Columns.MEMORY] =
                quantity(estimator.path("be_mem"), "200Mi").value();
        this.interval = interval(Json.textAt(session.metrics(), "interval"));
    }

    private static Quantity quantity(JsonNode wanted, String usual) {
        try {
            return wanted.isMissingNode() ? Quantity.parse(usual) : Quantity.fromJson(wanted);
        } catch (MalformedException e) {
            return Quantity.parse(usual);
        }
    }

    private static Duration interval(String text) {
        try {
            return GoDuration.parse(text);
        } catch (MalformedException e) {
            return Duration.ofSeconds(30);
        }
    }

    /** Measurements change from round to round. */
    @Override
    public void open(Session opened) {
        round++;
    }

    @Override
    public Scope scope(Member member) {
        return Scope.alike(round);
    }

    private @Nullable Usage usage(int slot) {
        Usage usage = session.surroundings().usage(session.nodes().node(slot).name());
        boolean fresh = usage != null && !usage.measured().plus(FRESH).isBefore(session.now());
        return fresh ? usage : null;
    }

    @Override
    public @Nullable Refusal refusal(Member member, int slot) {
        Usage usage = usage(slot);
        if (usage == null) {
            return null;
        }
        if (usage.processors() > thresholds[Columns.CPU]) {
            return new Refusal("the CPU load of the node exceeds the upper limit.", false);
        }
        return usage.memory() > thresholds[Columns.MEMORY]
                ? new Refusal("the memory load of the node exceeds the upper limit.", false)
                : null;
    }

    @Override
    public double score(Member member, int slot) {
        Usage usage = usage(slot);
        int all = weights[Columns.CPU] + weights[Columns.MEMORY];
        if (usage == null || all == 0) {
            return 0;
        }
        double sum = (1 - composite(Columns.CPU, usage.processors() / MOST, slot)) * weights[Columns.CPU]
                + (1 - composite(Columns.MEMORY, usage.memory() / MOST, slot)) * weights[Columns.MEMORY];
        return sum / all * MOST * weight;
    }

    /** How much of a node is used with what is not measured yet. */
    private double composite(int column, double measured, int slot) {
        long capacity = session.nodes().allocatable(column, slot);
        if (capacity == 0) {
            return 1;
        }
        double shadow = 0;
        for (PlacedPod placed : session.nodes().pods(slot)) {
            Instant started = placed.pod().started();
            if (started == null || started.plus(interval).isAfter(session.now())) {
                shadow += estimate(column, placed.type());
            }
        }
        double expected = measured + shadow / capacity;
        double careful = expected >= riskThreshold ? measured + shadow * riskFactor / capacity : expected;
        return Math.clamp(careful, 0, 1);
    }

    private double estimate(int column, PodClass type) {
        long request = column < type.requests.length ? type.requests[column] : 0;
        long limit = burstRatio == 0 ? 0 : type.limit(column == Columns.CPU ? PodRequests.CPU : PodRequests.MEMORY);
        double burst = limit > request ? (limit - request) * burstRatio : 0;
        return request == 0 ? nothing[column] : request * requestRatio + burst;
    }
}
