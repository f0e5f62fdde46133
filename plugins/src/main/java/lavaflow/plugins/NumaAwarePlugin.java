package lavaflow.plugins;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeSet;

import lavaflow.gang.Arguments;
import lavaflow.gang.Member;
import lavaflow.gang.NumatopologySpec;
import lavaflow.gang.Plugin;
import lavaflow.gang.Session;
import lavaflow.gang.Stage;
import lavaflow.kube.Json;
import lavaflow.kube.PodRequests;
import lavaflow.placement.NodeTable;
import lavaflow.placement.PlacedPod;
import lavaflow.placement.PodClass;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * Keeps pods that have processors of their own to nodes whose kubelet can give them some near one memory, as the pod or the node wants it, and
 * prefers nodes where they are near as few memories as possible. Which processors pods just placed are expected to get is kept here until the node
 * tells what they got.
 */
final class NumaAwarePlugin implements Plugin, Plugin.Filter, Plugin.BatchScore, Plugin.Account, Plugin.Notes {
    static final String DECISION = "volcano.sh/topology-decision";
    private static final String POLICY = "volcano.sh/numa-topology-policy";
    private static final String NONE = "none";
    private static final String STATIC = "static";
    private static final String RESTRICTED = "restricted";
    private static final String SINGLE = "single-numa-node";
    private static final double MOST = 100;
    private static final int THOUSAND = 1000;

    /** What a pod is expected to get, and what the node said was free then. */
    private record Choice(NavigableSet<Integer> cpus, Map<Integer, Integer> byPart, String free) {}

    private final Session session;
    private final NodeTable nodes;
    private final int weight;
    private final Map<String, Choice> chosen = new HashMap<>();

    NumaAwarePlugin(Session session, Arguments arguments) {
        this.session = session;
        this.nodes = session.nodes();
        this.weight = arguments.integer("weight", 1);
    }

    // ---- which pods ----

    /** The policy a pod asks for; empty if it does not care. */
    private static String policy(Member member) {
        String policy = Json.textAt(member.spec().annotations(), POLICY);
        return policy.equals(NONE) ? "" : policy;
    }

    /** The processors that each container gets for itself; empty unless all of the pod is guaranteed. */
    private static List<Integer> wants(PodClass type) {
        List<Integer> wants = new ArrayList<>();
        for (String kind : new String[] {"initContainers", "containers"}) {
            for (JsonNode container : Json.listAt(type.spec(), kind)) {
                Map<String, Long> limits = PodRequests.amounts(Json.at(container, "resources", "limits"));
                Map<String, Long> requests = new HashMap<>(limits);
                requests.putAll(PodRequests.amounts(Json.at(container, "resources", "requests")));
                long cpu = requests.getOrDefault(PodRequests.CPU, 0L);
                long memory = requests.getOrDefault(PodRequests.MEMORY, 0L);
                boolean guaranteed = cpu > 0
                        && memory > 0
                        && limits.getOrDefault(PodRequests.CPU, 0L) == cpu
                        && limits.getOrDefault(PodRequests.MEMORY, 0L) == memory;
                if (!guaranteed) {
                    return List.of();
                }
                if (kind.equals("containers")) {
                    wants.add(cpu % THOUSAND == 0 ? (int) (cpu / THOUSAND) : 0);
                }
            }
        }
        return wants;
    }

    // ---- which nodes ----

    @Override
    public Scope scope(Member member) {
        List<Integer> wants = wants(member.type());
        return wants.isEmpty() ? Scope.NONE : Scope.alike(List.of(policy(member), wants));
    }

    @Override
    public @Nullable Refusal refusal(Member member, int slot) {
        List<Integer> wants = wants(member.type());
        if (wants.isEmpty()) {
            return null;
        }
        NumatopologySpec topology = topology(slot);
        String wrong = policy(member).isEmpty() ? "" : wrong(policy(member), topology);
        if (!wrong.isEmpty()) {
            return new Refusal(wrong, false);
        }
        return topology == null || !deals(topology) || choose(topology, slot, wants) != null
                ? null
                : new Refusal(
                        "plugin numa-aware predicates failed: no NUMA nodes fit " + topology.topologyPolicy(), true);
    }

    private @Nullable NumatopologySpec topology(int slot) {
        return session.numatopology(nodes.node(slot).name());
    }

    /** Why a node is not what a pod asks for; empty if it is. */
    private static String wrong(String policy, @Nullable NumatopologySpec topology) {
        if (topology == null) {
            return "numa info is empty";
        }
        if (!topology.cpuPolicy().equals(STATIC)) {
            return "cpu manager policy isn't static";
        }
        if (!policy.equals(topology.topologyPolicy())) {
            return "task topology policy[" + policy + "] is different with node[" + topology.topologyPolicy() + "]";
        }
        return NumaCpus.parse(topology.free()).isEmpty() ? "cpu allocatable map is empty" : "";
    }

    /** Whether a node looks at memory when it deals out processors. */
    private static boolean deals(NumatopologySpec topology) {
        return topology.cpuPolicy().equals(STATIC)
                && !topology.topologyPolicy().isEmpty()
                && !topology.topologyPolicy().equals(NONE);
    }

    // ---- which processors ----

    /** Null if the kubelet would refuse the pod. */
    private @Nullable Choice choose(NumatopologySpec topology, int slot, List<Integer> wants) {
        NumaCpus cpus = new NumaCpus(topology.cpus());
        NavigableSet<Integer> free = free(topology, cpus, slot);
        NavigableSet<Integer> all = new TreeSet<>();
        for (int wanted : wants) {
            if (wanted == 0) {
                continue; // shares what nobody has
            }
            List<NumaCpus.Hint> hints = cpus.hints(free, wanted);
            if (topology.topologyPolicy().equals(SINGLE)) {
                hints.removeIf(hint -> hint.parts().cardinality() > 1);
            }
            NumaCpus.Hint best = NumaCpus.best(hints);
            boolean strict = topology.topologyPolicy().equals(SINGLE)
                    || topology.topologyPolicy().equals(RESTRICTED);
            if (strict && (best == null || !best.preferred())) {
                return null;
            }
            BitSet near = best == null ? null : best.parts();
            NavigableSet<Integer> taken = cpus.take(free, wanted, near);
            if (taken != null) {
                all.addAll(taken);
                free.removeAll(taken);
            }
        }
        return new Choice(all, cpus.byPart(all), topology.free());
    }

    /** What the node says is free, without what the system keeps and what pods it has not told of yet will get. */
    private NavigableSet<Integer> free(NumatopologySpec topology, NumaCpus cpus, int slot) {
        NavigableSet<Integer> free = NumaCpus.parse(topology.free());
        int reserved = (int) ((topology.reserved() + THOUSAND - 1) / THOUSAND);
        NavigableSet<Integer> kept = reserved == 0 ? null : cpus.take(cpus.all(), reserved, null);
        if (kept != null) {
            free.removeAll(kept);
        }
        for (PlacedPod placed : nodes.pods(slot)) {
            Choice choice = chosen.get(placed.pod().uid());
            Member member = session.member(placed.pod().uid());
            Stage stage = member == null ? Stage.RUNNING : member.stage();
            boolean told = stage == Stage.RUNNING && (choice == null || !choice.free.equals(topology.free()));
            if (told) {
                continue;
            }
            if (choice == null) {
                remove(free, cpus, placed.pod().devices().getOrDefault(DECISION, ""));
            } else {
                free.removeAll(choice.cpus);
            }
        }
        return free;
    }

    /** After a restart only their number is known, and near which memory they are. */
    private static void remove(NavigableSet<Integer> free, NumaCpus cpus, String decision) {
        ObjectNode numbers = Json.objectAt(JsonNote.read(decision), "numa");
        if (numbers == null) {
            return;
        }
        numbers.properties().forEach(each -> {
            BitSet near = new BitSet();
            NumaCpus.parse(each.getKey()).forEach(near::set);
            int count = (int) (PodRequests.amounts(each.getValue()).getOrDefault(PodRequests.CPU, 0L) / THOUSAND);
            NavigableSet<Integer> taken = cpus.take(free, count, near);
            if (taken != null) {
                free.removeAll(taken);
            }
        });
    }

    // ---- how good nodes are ----

    @Override
    public boolean concerns(Member member) {
        return weight != 0 && !policy(member).isEmpty() && !wants(member.type()).isEmpty();
    }

    @Override
    public void score(Member member, int[] slots, double[] scores) {
        List<Integer> wants = wants(member.type());
        int[] counts = new int[slots.length];
        int most = 0;
        for (int i = 0; i < slots.length; i++) {
            NumatopologySpec topology = topology(slots[i]);
            Choice choice = topology == null ? null : choose(topology, slots[i], wants);
            counts[i] = choice == null ? 0 : choice.byPart.size();
            most = Math.max(most, counts[i]);
        }
        for (int i = 0; i < slots.length; i++) {
            scores[i] += (MOST - (most == 0 ? 0 : Math.floor(MOST * counts[i] / most))) * weight;
        }
    }

    // ---- who has what ----

    @Override
    public void roomTaken(Member member) {
        List<Integer> wants = wants(member.type());
        if (member.stage() != Stage.ALLOCATED || member.slot() < 0 || wants.isEmpty()) {
            return;
        }
        NumatopologySpec topology = topology(member.slot());
        Choice choice = topology == null || !deals(topology) ? null : choose(topology, member.slot(), wants);
        if (choice != null && !choice.cpus.isEmpty()) {
            chosen.put(member.spec().pod().uid(), choice);
        }
    }

    @Override
    public void roomGiven(Member member) {
        if (member.stage() != Stage.BOUND && member.stage() != Stage.RUNNING) {
            chosen.remove(member.spec().pod().uid());
        }
    }

    @Override
    public void annotate(Member member, ObjectNode annotations) {
        Choice choice = chosen.get(member.spec().pod().uid());
        if (choice != null) {
            ObjectNode decision = Json.object();
            ObjectNode parts = decision.putObject("numa");
            choice.byPart.forEach(
                    (part, count) -> parts.putObject(String.valueOf(part)).put("cpu", String.valueOf(count)));
            annotations.put(DECISION, Json.string(decision));
        }
    }
}
