package lavaflow.explain;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import lavaflow.explain.Explanation.Remedy;
import lavaflow.explain.Explanation.Stage;
import lavaflow.explain.Explanation.StageReport;
import lavaflow.explain.Explanation.Verdict;
import lavaflow.gang.MemberSpec;
import lavaflow.gang.Snapshot;
import lavaflow.kube.PodRequests;
import lavaflow.placement.Attempt;
import lavaflow.placement.ClusterState;
import lavaflow.placement.NodeTable;
import lavaflow.placement.PlacedPod;
import lavaflow.placement.PodClass;
import lavaflow.placement.ScheduledPod;

/** Explains a pod of no gang, by kube-scheduler's rules: which nodes refuse it for what, and who has to leave one of them. */
public final class PlainPod {
    private static final int EXAMPLES = 3;
    /** How many nodes are named of which each would do. */
    private static final int ALTERNATIVES = 3;

    private final ScheduledPod pod;
    private final ClusterState state;
    private final PodClass type;

    public PlainPod(Snapshot cluster, ScheduledPod pod) {
        this.pod = pod;
        this.state = ClusterState.in(cluster.scenery());
        cluster.nodes().forEach(state::putNode);
        List<ScheduledPod> placed = new ArrayList<>(cluster.others());
        cluster.members().stream().map(MemberSpec::pod).forEach(placed::add);
        placed.stream()
                .filter(each -> each.occupies() && !each.uid().equals(pod.uid()))
                .sorted(Comparator.comparing(ScheduledPod::uid))
                .forEach(state::place);
        this.type = state.retain(pod.key());
    }

    public Explanation explain() {
        boolean placed = !pod.node().isEmpty();
        Explanation.Subject subject = new Explanation.Subject(
                pod.namespace(), pod.name(), "", "", pod.priority(), 1, Map.of(placed ? "placed" : "waiting", 1));
        if (placed) {
            String headline = "Pod " + pod.place() + " does not wait: it is on node " + pod.node() + ".";
            return new Explanation(subject, false, headline, List.of(), List.of(), true);
        }
        Attempt attempt = new Attempt(state, pod, type);
        String hopeless = attempt.hopeless();
        if (hopeless != null) {
            return waiting(subject, new Finding.Hopeless("", 1, List.of(pod.name()), hopeless), List.of());
        }
        List<Finding.NodeReason> reasons = reasons(attempt);
        int refusing = refusing(attempt);
        if (refusing < state.nodes().size()) {
            String headline = "Pod " + pod.place() + " waits for its turn: "
                    + Amount.count(state.nodes().size() - refusing, "node") + " would take it.";
            return new Explanation(subject, true, headline, List.of(), List.of(), true);
        }
        Map<String, Long> request = new TreeMap<>(PodRequests.of(pod.key()));
        request.values().removeIf(amount -> amount == 0);
        Finding finding =
                new Finding.NoNode("", 1, 0, pod.name(), request, state.nodes().size(), reasons, Map.of());
        List<Remedy> remedies = new ArrayList<>(remedies(attempt));
        remedies.addAll(newNode(request));
        return waiting(subject, finding, remedies);
    }

    private static Explanation waiting(Explanation.Subject subject, Finding finding, List<Remedy> remedies) {
        String headline =
                "Pod " + subject.key() + " waits for room: " + finding.message().replaceFirst("^its pod ", "it ") + ".";
        StageReport stage = new StageReport(Stage.NODES, Verdict.BLOCKED, List.of(finding));
        return new Explanation(subject, true, headline, List.of(stage), remedies, true);
    }

    private int refusing(Attempt attempt) {
        int count = 0;
        for (int slot = 0; slot < state.nodes().slots(); slot++) {
            count += state.nodes().isKnown(slot) && attempt.refusal(slot) != null ? 1 : 0;
        }
        return count;
    }

    private List<Finding.NodeReason> reasons(Attempt attempt) {
        NodeTable nodes = state.nodes();
        Map<String, List<String>> names = new TreeMap<>();
        Map<String, Boolean> helps = new TreeMap<>();
        for (int slot = 0; slot < nodes.slots(); slot++) {
            if (nodes.isKnown(slot)) {
                for (String word : attempt.explain(slot)) {
                    names.computeIfAbsent(word, _ -> new ArrayList<>())
                            .add(nodes.node(slot).name());
                    helps.merge(word, attempt.preemptionHelps(slot), Boolean::logicalOr);
                }
            }
        }
        List<Finding.NodeReason> reasons = new ArrayList<>();
        names.forEach((word, all) -> reasons.add(new Finding.NodeReason(
                word,
                all.size(),
                List.copyOf(all.subList(0, Math.min(EXAMPLES, all.size()))),
                helps.getOrDefault(word, false))));
        reasons.sort(Comparator.comparingInt(Finding.NodeReason::nodes).reversed());
        return reasons;
    }

    /** A node that has just what it asks for, if that would do. */
    private List<Remedy> newNode(Map<String, Long> request) {
        Map<String, Long> amounts = new TreeMap<>(request);
        amounts.put("pods", 1L);
        Change.AddNodes change = new Change.AddNodes(1, Change.AddNodes.shape(amounts, NewNodes.labels(pod.key())), "");
        List<NodeTable.Node> made = change.made();
        made.forEach(state::putNode);
        Attempt attempt = new Attempt(state, pod, type);
        boolean helps =
                made.stream().allMatch(node -> attempt.refusal(state.nodes().slot(node.name())) == null);
        made.forEach(node -> state.removeNode(node.name()));
        return helps ? List.of(new Remedy(List.of(change))) : List.of();
    }

    // ---- who has to go ----

    /** For some nodes the pods that have to end there, those first where it is the fewest. */
    private List<Remedy> remedies(Attempt attempt) {
        List<List<Change>> found = new ArrayList<>();
        for (int slot = 0; slot < state.nodes().slots(); slot++) {
            if (state.nodes().isKnown(slot) && attempt.preemptionHelps(slot)) {
                List<Change> needed = needed(slot);
                if (!needed.isEmpty()) {
                    found.add(needed);
                }
            }
        }
        return found.stream()
                .sorted(Comparator.comparingInt(List::size))
                .limit(ALTERNATIVES)
                .map(Remedy::new)
                .toList();
    }

    /** All but those that can stay, the most important first; empty if it does not help that all go. */
    private List<Change> needed(int slot) {
        List<PlacedPod> all = new ArrayList<>(state.nodes().pods(slot));
        all.removeIf(each -> each.pod().namespace().equals("kube-system"));
        all.sort(Comparator.comparingInt((PlacedPod each) -> each.pod().priority())
                .reversed()
                .thenComparing(each -> each.pod().created())
                .thenComparing(each -> each.pod().uid()));
        all.forEach(each -> state.takeFrom(each, slot));
        List<PlacedPod> gone = new ArrayList<>(all);
        if (new Attempt(state, pod, type).refusal(slot) == null) {
            for (PlacedPod each : all) {
                state.putOn(each, slot);
                gone.remove(each);
                if (new Attempt(state, pod, type).refusal(slot) != null) {
                    state.takeFrom(each, slot);
                    gone.add(each);
                }
            }
        } else {
            all.forEach(each -> state.putOn(each, slot));
            return List.of();
        }
        gone.forEach(each -> state.putOn(each, slot));
        List<Change> changes = new ArrayList<>();
        for (PlacedPod each : gone) {
            Map<String, Long> frees = new TreeMap<>(PodRequests.of(each.pod().key()));
            changes.add(new Change.EndPod(each.pod().place(), each.pod().uid(), frees));
        }
        return changes;
    }
}
