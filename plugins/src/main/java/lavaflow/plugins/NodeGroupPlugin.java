package lavaflow.plugins;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import lavaflow.gang.Amounts;
import lavaflow.gang.Callback;
import lavaflow.gang.Configuration;
import lavaflow.gang.Gang;
import lavaflow.gang.Member;
import lavaflow.gang.Plugin;
import lavaflow.gang.Queue;
import lavaflow.gang.Session;
import lavaflow.kube.Json;
import lavaflow.kube.PodRequests;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Keeps queues to the groups of nodes that they name. */
final class NodeGroupPlugin implements Plugin, Plugin.Filter, Plugin.MemberScore, Plugin.Account {
    static final String GROUP = "volcano.sh/nodegroup-name";
    static final String LIMITS = "volcano.sh/nodegroup-resource-limits";
    private static final String REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution";
    private static final String PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution";
    private static final Refusal NO_LABEL = new Refusal("node group label not found", false);
    private static final Refusal NO_AFFINITY = new Refusal("node group affinity not specified", false);
    private static final Refusal UNSATISFIED = new Refusal("node does not satisfy the node group affinity", false);
    private static final Refusal BEYOND_LIMIT = new Refusal("node group resource limits of the queue exceeded", true);
    private static final double MOST = 100;

    /** What a queue says about groups. */
    private record Wishes(List<String> required, List<String> preferred, List<String> never, List<String> rather) {
        static @Nullable Wishes of(ObjectNode affinity) {
            if (affinity.isEmpty()) {
                return null;
            }
            return new Wishes(
                    names(affinity, "nodeGroupAffinity", REQUIRED),
                    names(affinity, "nodeGroupAffinity", PREFERRED),
                    names(affinity, "nodeGroupAntiAffinity", REQUIRED),
                    names(affinity, "nodeGroupAntiAffinity", PREFERRED));
        }

        private static List<String> names(ObjectNode affinity, String kind, String field) {
            List<String> names = new ArrayList<>();
            Json.listAt(affinity, kind, field).forEach(each -> names.add(each.asText()));
            return List.copyOf(names);
        }

        boolean accept(String group) {
            return !never.contains(group)
                    && (required.contains(group) || preferred.contains(group) || rather.contains(group));
        }
    }

    private final boolean strict;
    private final boolean ordered;
    private final boolean inherits;
    private Session session;
    private final Map<Queue, Map<String, Amounts>> limits = new HashMap<>();
    private final Map<Queue, Map<String, Amounts>> allocated = new HashMap<>();

    NodeGroupPlugin(Session session, Configuration.Entry entry) {
        this.session = session;
        this.strict = entry.arguments().flag("strict", true);
        this.ordered = entry.arguments().flag("enablePreferredOrder", false);
        this.inherits = entry.answers(Callback.HIERARCHY);
    }

    @Override
    public void open(Session opened) {
        session = opened;
        limits.clear();
        allocated.clear();
        for (Queue queue : session.queues()) {
            Map<String, Amounts> own = limits(queue);
            if (!own.isEmpty()) {
                limits.put(queue, own);
                for (Gang gang : queue.gangs()) {
                    gang.members().stream()
                            .filter(member -> member.stage().holdsRoom())
                            .forEach(this::roomTaken);
                }
            }
        }
    }

    /** What is written wrong limits nothing. */
    private Map<String, Amounts> limits(Queue queue) {
        Map<String, Amounts> own = new HashMap<>();
        ObjectNode written = JsonNote.read(Json.textAt(queue.spec().annotations(), LIMITS));
        for (Map.Entry<String, JsonNode> each : written.properties()) {
            own.put(each.getKey(), Amounts.limit(PodRequests.amounts(each.getValue()), session.columns()));
        }
        return own;
    }

    private String group(int slot) {
        return Json.textAt(session.nodes().node(slot).labels(), GROUP);
    }

    private ObjectNode affinity(@Nullable Queue queue) {
        Queue each = queue;
        for (int steps = 0; each != null && steps < session.queues().size(); steps++) {
            if (!each.spec().affinity().isEmpty() || !inherits) {
                return each.spec().affinity();
            }
            each = session.queue(each.spec().parent());
        }
        return Json.object();
    }

    // ---- nodes ----

    @Override
    public Scope scope(Member member) {
        Queue queue = member.gang().queue();
        return queue != null && limits.containsKey(queue) ? Scope.WIDE : Scope.alike(affinity(queue));
    }

    @Override
    public @Nullable Refusal refusal(Member member, int slot) {
        Queue queue = member.gang().queue();
        String group = group(slot);
        Wishes wishes = Wishes.of(affinity(queue));
        if (group.isEmpty()) {
            return !strict && wishes == null ? null : NO_LABEL;
        }
        if (wishes == null) {
            return NO_AFFINITY;
        }
        if (!wishes.accept(group)) {
            return UNSATISFIED;
        }
        return queue == null || isWithinLimit(queue, group, member) ? null : BEYOND_LIMIT;
    }

    private boolean isWithinLimit(Queue queue, String group, Member member) {
        Amounts limit = limits.getOrDefault(queue, Map.of()).get(group);
        return limit == null || has(queue, group).firstBeyondWith(member.request(), limit, -1) < 0;
    }

    private Amounts has(Queue queue, String group) {
        return allocated.computeIfAbsent(queue, _ -> new HashMap<>()).computeIfAbsent(group, _ -> Amounts.none());
    }

    @Override
    public double score(Member member, int slot) {
        Wishes wishes = Wishes.of(affinity(member.gang().queue()));
        String group = group(slot);
        if (wishes == null || group.isEmpty()) {
            return 0;
        }
        double sum = wishes.required.contains(group) ? MOST : 0;
        int place = wishes.preferred.indexOf(group);
        if (place >= 0) {
            int all = wishes.preferred.size();
            sum += ordered ? MOST / 2 * (all - place) / all : MOST / 2;
        }
        return wishes.rather.contains(group) ? sum - 1 : sum;
    }

    // ---- limits ----

    @Override
    public void roomTaken(Member member) {
        count(member, 1);
    }

    @Override
    public void roomGiven(Member member) {
        count(member, -1);
    }

    private void count(Member member, int sign) {
        Queue queue = member.gang().queue();
        String group = queue == null || !limits.containsKey(queue) || member.slot() < 0 ? "" : group(member.slot());
        if (queue != null && !group.isEmpty()) {
            has(queue, group).add(member.request(), sign);
        }
    }
}
