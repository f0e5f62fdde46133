package lavaflow.explain;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

import lavaflow.explain.Explanation.Remedy;
import lavaflow.explain.Explanation.Stage;
import lavaflow.explain.Explanation.StageReport;
import lavaflow.explain.Explanation.Verdict;
import lavaflow.gang.Configuration;
import lavaflow.gang.Gang;
import lavaflow.gang.GangCore;

/**
 * Looks for what would free a gang: changes of one sort first, and if none is enough together with lifted limits. What is told was tried, and nothing of it
 * can be left out.
 */
final class Remedies {
    private final Laboratory laboratory;
    private final GangCore core;
    private final Gang gang;
    private final List<StageReport> stages;
    private final List<Remedy> found = new ArrayList<>();

    /** @param core the cluster once all that can be decided is, without any change */
    Remedies(Laboratory laboratory, GangCore core, Gang gang, List<StageReport> stages) {
        this.laboratory = laboratory;
        this.core = core;
        this.gang = gang;
        this.stages = stages;
    }

    private boolean isBlocked(Stage wanted) {
        return stages.stream().anyMatch(each -> each.stage() == wanted && each.verdict() == Verdict.BLOCKED);
    }

    List<Remedy> find() {
        List<Change> first = prerequisites();
        if (isBlocked(Stage.PODS)) {
            complete(first);
        } else {
            search(first);
        }
        return found;
    }

    /** Of a gang that has too few pods: what is to be done once it has them is looked for, too. */
    private void complete(List<Change> first) {
        TooFewPods pods = new TooFewPods(gang);
        List<Change> made = pods.made();
        if (!made.isEmpty()) {
            search(Laboratory.joined(first, made));
        }
        List<Change> lowered = pods.lowered();
        if (!lowered.isEmpty() && laboratory.goesOn() && laboratory.frees(Laboratory.joined(first, lowered))) {
            add(Laboratory.joined(first, laboratory.fewest(first, lowered)));
        }
    }

    /** What frees it together with what has to be done anyhow. */
    private void search(List<Change> first) {
        if (!first.isEmpty() && laboratory.frees(first)) {
            add(first);
            return;
        }
        GangCore now = first.isEmpty() ? core : laboratory.settled(first);
        Gang itself = first.isEmpty() ? gang : now.findGang(gang.spec().key());
        if (itself == null || isIncomplete(now, itself)) {
            return;
        }
        Occupants occupants = new Occupants(laboratory, now, itself);
        NewNodes newNodes = new NewNodes(laboratory, now, itself);
        Limits limits = new Limits(laboratory, itself, plugins());
        limits.remedies(first).forEach(this::add);
        occupants.remedies(first).forEach(this::add);
        uncordon(first);
        add(newNodes.remedy(first));
        List<Change> lifted = limits.lifted();
        if (found.isEmpty() && !lifted.isEmpty()) {
            List<Change> more = Laboratory.joined(first, lifted);
            for (List<Change> each : occupants.remedies(more)) {
                add(limits.exact(each));
            }
            List<Change> nodes = newNodes.remedy(more);
            add(nodes.isEmpty() ? nodes : limits.exact(nodes));
        }
    }

    /** Whether the pods of a gang could not run whatever there were room for. */
    private boolean isIncomplete(GangCore now, Gang itself) {
        return !itself.members().isEmpty()
                && now.inquire(laboratory.cluster().now(), inquiry -> inquiry.invalid(itself) != null);
    }

    private void add(List<Change> changes) {
        if (!changes.isEmpty()) {
            found.add(new Remedy(List.copyOf(changes)));
        }
    }

    /** What has to be done whatever else helps. */
    private List<Change> prerequisites() {
        List<Change> first = new ArrayList<>();
        for (StageReport report : stages) {
            for (Finding finding : report.findings()) {
                switch (finding) {
                    case Finding.QueueMissing(String queue) -> first.add(new Change.CreateQueue(queue));
                    case Finding.QueueNotOpen(String queue, String _) -> first.add(new Change.OpenQueue(queue));
                    default -> {}
                }
            }
        }
        return first;
    }

    private void uncordon(List<Change> first) {
        List<Change> all = new ArrayList<>();
        laboratory.cluster().nodes().forEach(node -> {
            if (node.unschedulable()) {
                all.add(new Change.Uncordon(node.name()));
            }
        });
        if (!all.isEmpty() && laboratory.goesOn() && laboratory.frees(Laboratory.joined(first, all))) {
            add(Laboratory.joined(first, laboratory.fewest(first, all)));
        }
    }

    private Set<String> plugins() {
        Set<String> names = new TreeSet<>();
        Configuration configuration = laboratory.cluster().configuration();
        configuration.tiers().forEach(tier -> tier.forEach(entry -> names.add(entry.name())));
        return names;
    }
}
