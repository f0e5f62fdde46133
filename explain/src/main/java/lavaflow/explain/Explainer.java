package lavaflow.explain;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiFunction;

import lavaflow.explain.Explanation.Stage;
import lavaflow.explain.Explanation.StageReport;
import lavaflow.explain.Explanation.Verdict;
import lavaflow.gang.Configuration;
import lavaflow.gang.Gang;
import lavaflow.gang.GangCore;
import lavaflow.gang.GroupPhase;
import lavaflow.gang.Inquiry;
import lavaflow.gang.Plugin;
import lavaflow.gang.Queue;
import lavaflow.gang.Session;
import lavaflow.gang.Snapshot;

import org.jspecify.annotations.Nullable;

/** Explains the gangs and queues of a cluster as of one moment. */
public final class Explainer {
    /** Of those that wait in a queue. */
    private static final int SHOWN = 50;

    private final Snapshot cluster;
    private final BiFunction<Configuration.Entry, Session, @Nullable Plugin> plugins;
    /** The cluster once all that can be decided is. */
    private final GangCore core;

    public Explainer(Snapshot cluster, BiFunction<Configuration.Entry, Session, @Nullable Plugin> plugins) {
        this.cluster = cluster;
        this.plugins = plugins;
        this.core = Laboratory.settled(cluster, plugins);
    }

    /** A gang by namespace and name of its PodGroup, with what would free it; empty if there is none. */
    public Optional<Explanation> group(String key) {
        Gang gang = core.findGang(key);
        return gang == null ? Optional.empty() : Optional.of(explain(gang, true));
    }

    /** A queue with those that wait in it or below it; empty if there is none, and nobody names it. */
    public Optional<QueueExplanation> queue(String name) {
        Set<String> family = family(name);
        List<Gang> all = core.gangs().stream()
                .filter(gang -> family.contains(gang.spec().queue()))
                .toList();
        List<Gang> waiters = core.inquire(
                cluster.now(),
                inquiry -> all.stream()
                        .filter(gang -> !inquiry.isPlaced(gang) && gang.phase() != GroupPhase.COMPLETED)
                        .toList());
        int others = all.size() - waiters.size();
        List<Explanation> waiting = new ArrayList<>();
        for (Gang gang : waiters.subList(0, Math.min(SHOWN, waiters.size()))) {
            waiting.add(explain(gang, false));
        }
        Queue queue = core.queues().stream()
                .filter(each -> each.spec().name().equals(name))
                .findFirst()
                .orElse(null);
        if (queue == null) {
            return waiting.isEmpty()
                    ? Optional.empty()
                    : Optional.of(QueueExplanation.missing(name, waiters.size(), waiting));
        }
        List<Queue> below = core.queues().stream()
                .filter(each -> family.contains(each.spec().name()))
                .toList();
        Inquiry.Account account = core.inquire(cluster.now(), inquiry -> inquiry.account(queue, below));
        return Optional.of(new QueueExplanation(
                name, queue.spec().isOpen() ? "Open" : queue.spec().state(), account, others, waiters.size(), waiting));
    }

    /** A queue and all below it; queues that name no parent are below the root. */
    private Set<String> family(String name) {
        Set<String> family = new LinkedHashSet<>(List.of(name));
        boolean more = true;
        while (more) {
            more = false;
            for (Queue each : core.queues()) {
                String parent =
                        each.spec().parent().isEmpty() ? "root" : each.spec().parent();
                more |= family.contains(parent) && family.add(each.spec().name());
            }
        }
        return family;
    }

    private Explanation explain(Gang gang, boolean withRemedies) {
        boolean placed = core.inquire(cluster.now(), inquiry -> inquiry.isPlaced(gang));
        boolean ended = gang.phase() == GroupPhase.COMPLETED;
        Explanation.Subject subject = subject(gang);
        String extender = placed ? extenderInTheWay(gang) : "";
        if (!extender.isEmpty()) {
            return Headline.ofUnasked(subject, extender);
        }
        if (placed || ended) {
            return new Explanation(subject, false, Headline.ofPlaced(subject, ended), List.of(), List.of(), true);
        }
        return waiting(gang, subject, withRemedies);
    }

    private Explanation waiting(Gang gang, Explanation.Subject subject, boolean withRemedies) {
        List<StageReport> stages = core.inquire(cluster.now(), inquiry -> Stages.of(inquiry, gang, cluster));
        boolean blocked = stages.stream().anyMatch(each -> each.verdict() == Verdict.BLOCKED);
        if (!blocked && !gang.waiting().isEmpty()) {
            stages = withWords(stages, gang);
        }
        String headline = Headline.of(subject, stages);
        if (!withRemedies) {
            return new Explanation(subject, true, headline, stages, List.of(), true);
        }
        Laboratory.Goal goal = gang.members().isEmpty() && gang.phase() == GroupPhase.PENDING
                ? Laboratory.Goal.LET_IN
                : Laboratory.Goal.PLACED;
        Laboratory laboratory = new Laboratory(cluster, plugins, subject.key(), goal);
        List<Explanation.Remedy> remedies = new Remedies(laboratory, core, gang, stages).find();
        return new Explanation(subject, true, headline, stages, remedies, laboratory.goesOn());
    }

    /** Copies of the cluster cannot ask an extender: where it is, if a gang has no nodes that would have them without it; else empty. */
    private String extenderInTheWay(Gang gang) {
        long placed = cluster.members().stream()
                .filter(each -> each.pod().namespace().equals(gang.spec().namespace())
                        && each.group().equals(gang.spec().name()))
                .filter(each -> !each.pod().node().isEmpty())
                .count();
        if (placed >= Math.max(1, gang.spec().minMember())) {
            return "";
        }
        return cluster.configuration().tiers().stream()
                .flatMap(List::stream)
                .filter(entry -> entry.name().equals("extender"))
                .map(entry -> entry.arguments().text("extender.urlPrefix", ""))
                .findFirst()
                .orElse("");
    }

    /** Where each stage alone would be passed, what was said when it was tried last. */
    private static List<StageReport> withWords(List<StageReport> stages, Gang gang) {
        List<Finding> words = new ArrayList<>();
        gang.waiting().forEach(each -> words.add(new Finding.Said(each.message())));
        return stages.stream()
                .map(each -> each.stage() == Stage.NODES ? new StageReport(Stage.NODES, Verdict.BLOCKED, words) : each)
                .toList();
    }

    private static Explanation.Subject subject(Gang gang) {
        Map<String, Integer> pods = new TreeMap<>();
        gang.members().forEach(member -> pods.merge(word(member.stage()), 1, Integer::sum));
        return new Explanation.Subject(
                gang.spec().namespace(),
                gang.spec().name(),
                gang.spec().queue(),
                gang.phase().toString(),
                gang.priority(),
                gang.spec().minMember(),
                pods);
    }

    private static String word(lavaflow.gang.Stage stage) {
        return switch (stage) {
            case PENDING, PIPELINED -> "waiting";
            case ALLOCATED, BINDING, DELAYED, BOUND -> "placed";
            case RUNNING -> "running";
            case RELEASING, LINGERING -> "going";
            case SUCCEEDED -> "succeeded";
            case FAILED -> "failed";
            case UNKNOWN -> "unknown";
        };
    }
}
