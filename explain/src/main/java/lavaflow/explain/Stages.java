package lavaflow.explain;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import lavaflow.explain.Explanation.Stage;
import lavaflow.explain.Explanation.StageReport;
import lavaflow.explain.Explanation.Verdict;
import lavaflow.gang.Bystanders;
import lavaflow.gang.Gang;
import lavaflow.gang.GroupPhase;
import lavaflow.gang.Inquiry;
import lavaflow.gang.Plugin;
import lavaflow.gang.Queue;
import lavaflow.gang.Snapshot;
import lavaflow.gang.Waiting;

/** What is found out about a gang at each stage. */
final class Stages {
    private static final int EXAMPLES = 3;

    private final Inquiry inquiry;
    private final Gang gang;
    private final Snapshot cluster;
    private final List<StageReport> reports = new ArrayList<>();

    private Stages(Inquiry inquiry, Gang gang, Snapshot cluster) {
        this.inquiry = inquiry;
        this.gang = gang;
        this.cluster = cluster;
    }

    static List<StageReport> of(Inquiry inquiry, Gang gang, Snapshot cluster) {
        Stages stages = new Stages(inquiry, gang, cluster);
        Queue queue = gang.queue();
        if (queue == null) {
            stages.report(
                    Stage.QUEUE,
                    true,
                    List.of(new Finding.QueueMissing(gang.spec().queue())));
        } else {
            stages.look(queue);
        }
        for (Stage stage : Stage.values()) {
            if (stages.reports.stream().noneMatch(each -> each.stage() == stage)) {
                stages.reports.add(new StageReport(stage, Verdict.NOT_REACHED, List.of()));
            }
        }
        return stages.reports;
    }

    private void report(Stage stage, boolean blocked, List<Finding> findings) {
        reports.add(new StageReport(stage, blocked ? Verdict.BLOCKED : Verdict.PASSED, List.copyOf(findings)));
    }

    private void look(Queue queue) {
        boolean open = queue.spec().isOpen();
        report(
                Stage.QUEUE,
                !open,
                open
                        ? List.of()
                        : List.of(new Finding.QueueNotOpen(
                                queue.spec().name(), queue.spec().state())));
        boolean outside = gang.phase() == GroupPhase.PENDING;
        boolean refused = outside && !inquiry.mayEnter(gang);
        report(Stage.ENTRANCE, refused, refused ? entrance(queue) : List.of());
        if (outside && gang.members().isEmpty()) {
            return; // its pods are made when it is let in
        }
        pods();
        if (gang.members().isEmpty()) {
            return;
        }
        share(queue);
        limit(queue);
        if (nodes()) {
            preemption(queue);
        }
    }

    // ---- being let in ----

    private List<Finding> entrance(Queue queue) {
        List<Finding> findings = new ArrayList<>();
        for (Inquiry.Opinion opinion : inquiry.opinions(gang)) {
            if (opinion.vote() == Plugin.Vote.NO) {
                findings.add(new Finding.NotLetIn(opinion.plugin(), opinion.message()));
            }
        }
        Inquiry.Limit limit = inquiry.entranceLimit(gang, queue);
        if (limit != null && !isAllThereIs(limit)) {
            long asked = inquiry.least(gang).getOrDefault(limit.resource(), 0L);
            findings.add(new Finding.EntranceLimit(limit.queue(), limit.resource(), asked, limit.has(), limit.most()));
        }
        findings.addAll(tooLittle(inquiry, gang, cluster));
        return findings;
    }

    /** Whether a limit is what nodes have: then these are what is missing. */
    private boolean isAllThereIs(Inquiry.Limit limit) {
        return limit.kept() == 0 && limit.most() >= inquiry.total().getOrDefault(limit.resource(), 0L);
    }

    /** What the cluster does not have for it. */
    static List<Finding> tooLittle(Inquiry inquiry, Gang gang, Snapshot cluster) {
        List<Finding> findings = new ArrayList<>();
        Map<String, Long> total = inquiry.total();
        Map<String, Long> used = inquiry.used();
        Map<String, Long> promised = new TreeMap<>();
        for (var queue : cluster.queues()) {
            Queue its = inquiry.queue(queue.name());
            if (its != null) {
                inquiry.account(its).inqueue().forEach((name, amount) -> promised.merge(name, amount, Long::sum));
            }
        }
        inquiry.least(gang).forEach((name, asked) -> {
            Finding.TooLittle found = new Finding.TooLittle(
                    name,
                    asked,
                    total.getOrDefault(name, 0L),
                    used.getOrDefault(name, 0L),
                    promised.getOrDefault(name, 0L));
            if (found.missing() > 0 && !name.equals("pods")) {
                findings.add(found);
            }
        });
        return findings;
    }

    private void pods() {
        Plugin.Invalid invalid = inquiry.invalid(gang);
        List<Finding> findings = new ArrayList<>();
        if (invalid != null) {
            int missing = gang.spec().minMember() - gang.tally().valid();
            findings.add(new Finding.TooFewPods(invalid.reason(), invalid.message(), Math.max(0, missing)));
        }
        int gated = inquiry.gated(gang);
        if (gated > 0) {
            findings.add(new Finding.Gated(gated));
        }
        boolean tooFew = gang.valid() - gated < gang.spec().minMember();
        report(Stage.PODS, invalid != null || (gated > 0 && tooFew), findings);
    }

    // ---- the queue's part ----

    private void share(Queue queue) {
        boolean overused = inquiry.isOverused(queue);
        Inquiry.Account account = inquiry.account(queue);
        Map<String, Long> deserved = account.deserved();
        report(
                Stage.SHARE,
                overused,
                overused
                        ? List.of(new Finding.ShareUsedUp(
                                queue.spec().name(), account.allocated(), deserved == null ? Map.of() : deserved))
                        : List.of());
    }

    private void limit(Queue queue) {
        List<Finding> findings = new ArrayList<>();
        int allowed = 0;
        for (Inquiry.Allowed each : Alike.allowed(inquiry.allowed(gang, queue))) {
            allowed += each.allowed();
            Inquiry.Limit limit = each.limit() == null ? unknown(queue, each.resource()) : each.limit();
            if (each.allowed() < each.kind().pods() && !each.resource().isEmpty() && !isAllThereIs(limit)) {
                findings.add(new Finding.BeyondLimit(
                        limit.queue(),
                        limit.resource(),
                        each.kind().role(),
                        each.kind().pods(),
                        each.allowed(),
                        each.kind().request().getOrDefault(limit.resource(), 0L),
                        limit.has(),
                        limit.kept(),
                        limit.most()));
            }
        }
        report(Stage.LIMIT, !findings.isEmpty() && allowed < needed(), findings);
    }

    /** Where the plugin that sets a limit does not tell of it. */
    private Inquiry.Limit unknown(Queue queue, String resource) {
        long has = inquiry.account(queue).allocated().getOrDefault(resource, 0L);
        return new Inquiry.Limit(queue.spec().name(), resource, has, 0, -1);
    }

    private int needed() {
        return gang.spec().minMember() - gang.tally().ready();
    }

    // ---- nodes ----

    private boolean nodes() {
        List<Inquiry.Fitting> all = Alike.fittings(inquiry.fitting(gang));
        int fitting = all.stream().mapToInt(Inquiry.Fitting::fitting).sum();
        List<Finding> findings = new ArrayList<>(Alike.hopeless(all));
        for (Inquiry.Fitting each : all) {
            if (each.hopeless().isEmpty() && each.fitting() < each.kind().pods()) {
                findings.add(noNode(each));
            }
        }
        boolean network = inquiry.caresForNetwork(gang);
        if (network) {
            for (Waiting each : gang.waiting()) {
                if (each instanceof Waiting.NoDomain || each instanceof Waiting.NetworkUnclear) {
                    findings.addFirst(new Finding.NoDomain(each.message()));
                }
            }
        }
        boolean blocked = !findings.isEmpty() && (fitting < needed() || rolesLack() || network);
        if (blocked) {
            for (Inquiry.KeptRoom kept : inquiry.keptForOthers(gang)) {
                findings.add(new Finding.KeptFor(
                        kept.podGroup(), kept.pods(), kept.nodes(), kept.amounts(), kept.seconds()));
            }
        }
        report(Stage.NODES, blocked, findings);
        return blocked;
    }

    /** Whether a role has a minimum that not enough of its pods find nodes for. */
    private boolean rolesLack() {
        Map<String, Integer> fitting = new TreeMap<>();
        inquiry.fitting(gang).forEach(each -> fitting.merge(each.kind().role(), each.fitting(), Integer::sum));
        Map<String, Integer> ready = new TreeMap<>();
        gang.members().forEach(member -> {
            if (member.stage().holdsRoom()) {
                ready.merge(member.spec().role(), 1, Integer::sum);
            }
        });
        return gang.spec().minTaskMember().entrySet().stream()
                .anyMatch(each -> fitting.getOrDefault(each.getKey(), 0) + ready.getOrDefault(each.getKey(), 0)
                        < each.getValue());
    }

    private Finding.NoNode noNode(Inquiry.Fitting fitting) {
        List<Finding.NodeReason> reasons = new ArrayList<>();
        for (Inquiry.Refusing each : fitting.refusing()) {
            reasons.add(new Finding.NodeReason(
                    each.reason(),
                    each.nodes().size(),
                    List.copyOf(each.nodes()
                            .subList(0, Math.min(EXAMPLES, each.nodes().size()))),
                    each.preemptionHelps()));
        }
        Inquiry.Kind kind = fitting.kind();
        return new Finding.NoNode(
                kind.role(),
                kind.pods(),
                fitting.fitting(),
                kind.first(),
                kind.request(),
                cluster.nodes().size(),
                reasons,
                fitting.missing());
    }

    private void preemption(Queue queue) {
        String powerless = inquiry.powerless(gang, queue);
        List<Finding> findings = new ArrayList<>();
        if (!powerless.isEmpty()) {
            findings.add(new Finding.NoPreemption(powerless));
        } else {
            for (Bystanders.Considered each : inquiry.considered(gang, queue)) {
                findings.add(new Finding.Bystander(
                        each.gang(),
                        each.queue(),
                        each.priority(),
                        each.pods(),
                        each.action(),
                        each.spared(),
                        each.plugin()));
            }
            if (findings.isEmpty()) {
                findings.add(new Finding.NoPreemption("nobody's place would help it"));
            }
        }
        report(Stage.PREEMPTION, true, findings);
    }
}
