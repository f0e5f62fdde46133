package lavaflow.gang;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

import lavaflow.placement.Attempt;
import lavaflow.placement.NodeTable;
import lavaflow.placement.PodClass;
import lavaflow.placement.Reason;

import org.jspecify.annotations.Nullable;

/** Answers why gangs wait, stage by stage, in more detail than deciding needs. What it tries it takes back. */
public final class Inquiry {
    /** What a plugin says about a gang that wants to be let in. */
    public record Opinion(String plugin, Plugin.Vote vote, String message) {}

    /**
     * Pods of a gang that cannot be told apart.
     *
     * @param names of the first of them, at least one
     * @param request of each
     */
    public record Kind(String role, List<String> names, int pods, Map<String, Long> request) {
        public String first() {
            return names.getFirst();
        }
    }

    /**
     * How many pods of a kind a queue may have.
     *
     * @param resource what would be too much with one more; empty if that is nothing
     * @param limit what is in the way; null if nothing is, or nobody knows
     */
    public record Allowed(
            Kind kind,
            int allowed,
            String resource,
            @Nullable Limit limit) {}

    /**
     * A limit that is in the way.
     *
     * @param queue whose it is: that of the gang, or one above it; empty for the cluster
     * @param has what that queue has of the resource without the gang
     * @param kept what else is guaranteed to others
     */
    public record Limit(String queue, String resource, long has, long kept, long most) {}

    /** Nodes that refuse a pod for the same. */
    public record Refusing(String reason, boolean preemptionHelps, List<String> nodes) {}

    /**
     * How many pods of a kind find a node, with all of the gang before them in their places.
     *
     * @param missing what nodes lack for the others, all together
     * @param hopeless what no node helps with; empty if there is nothing such
     */
    public record Fitting(
            Kind kind, int fitting, List<Refusing> refusing, Map<String, Long> missing, String hopeless) {}

    /** What a queue has and may have; null where nobody says. */
    public record Account(
            Map<String, Long> allocated,
            Map<String, Long> requested,
            Map<String, Long> inqueue,
            @Nullable Map<String, Long> deserved,
            @Nullable Map<String, Long> limit) {}

    private record Key(String role, PodClass type) {}

    /** How many of the pods of a kind are named. */
    private static final int EXAMPLES = 3;

    private final Session session;

    Inquiry(Session session) {
        this.session = session;
    }

    Session session() {
        return session;
    }

    /** By name, what there is nothing or no end of left out. */
    public Map<String, Long> amounts(Amounts amounts) {
        Map<String, Long> named = new TreeMap<>();
        for (int column = 0; column < amounts.size(); column++) {
            double amount = amounts.get(column);
            if (!Double.isInfinite(amount) && Math.round(amount) != 0) {
                named.put(session.resource(column), Math.round(amount));
            }
        }
        return named;
    }

    /** The same of a limit, which says something also where it is zero, if somebody asks for that. */
    private Map<String, Long> limits(Amounts amounts, Amounts asked) {
        Map<String, Long> named = new TreeMap<>();
        for (int column = 0; column < session.columns().size(); column++) {
            double amount = amounts.get(column);
            if (!Double.isInfinite(amount) && (Math.round(amount) != 0 || asked.get(column) > 0)) {
                named.put(session.resource(column), Math.round(amount));
            }
        }
        return named;
    }

    // ---- queues ----

    public Account account(Queue queue) {
        return account(queue, List.of(queue));
    }

    /** The account of a queue with those below it. */
    public Account account(Queue queue, Collection<Queue> family) {
        Amounts allocated = Amounts.none();
        Amounts requested = Amounts.none();
        Amounts inqueue = Amounts.none();
        for (Queue each : family) {
            allocated.add(each.claimed());
            requested.add(each.request());
            inqueue.add(each.inqueue());
        }
        Plugin.Share share = session.votes.share(queue);
        return new Account(
                amounts(allocated),
                amounts(requested),
                amounts(inqueue),
                share == null ? null : amounts(share.deserved()),
                share == null ? null : limits(share.limit(), requested));
    }

    /** Null if there is none of that name. */
    public @Nullable Queue queue(String name) {
        return session.queue(name);
    }

    public boolean isOverused(Queue queue) {
        return session.votes.isOverused(queue);
    }

    /** All that nodes have. */
    public Map<String, Long> total() {
        return amounts(session.total());
    }

    /** All that pods have. */
    public Map<String, Long> used() {
        return amounts(session.used());
    }

    // ---- gangs ----

    /** Whether as many of its pods as it must have are placed. */
    public boolean isPlaced(Gang gang) {
        return gang.phase != GroupPhase.PENDING
                && gang.tally().holding() + gang.tally().of(Stage.SUCCEEDED) > 0
                && session.votes.isReady(gang);
    }

    public Plugin.@Nullable Invalid invalid(Gang gang) {
        return session.votes.invalid(gang);
    }

    public List<Opinion> opinions(Gang gang) {
        return session.votes.opinions(gang);
    }

    /** Whether all plugins together let it in. */
    public boolean mayEnter(Gang gang) {
        return gang.spec.minResources() == null || session.votes.mayEnter(gang, new ArrayList<>());
    }

    /** How many of its pods must not be given a node yet. */
    public int gated(Gang gang) {
        return (int) gang.members().stream()
                .filter(member -> member.stage == Stage.PENDING && member.spec.gated())
                .count();
    }

    /** Whether it has to be close together in the network. */
    public boolean caresForNetwork(Gang gang) {
        return SubGangs.matterTo(gang);
    }

    /** What the gang is let in with, by name; empty if it says nothing. */
    public Map<String, Long> least(Gang gang) {
        return amounts(gang.minResources());
    }

    /** Its pods that wait for a node and may have one, in their turn. */
    List<Member> waiting(Gang gang) {
        List<Member> members = new ArrayList<>();
        for (Member member : gang.members()) {
            if (member.waits()) {
                members.add(member);
            }
        }
        members.sort(session.votes.memberOrder());
        return members;
    }

    private Map<Key, List<Member>> kinds(Gang gang) {
        Map<Key, List<Member>> kinds = new LinkedHashMap<>();
        for (Member member : waiting(gang)) {
            kinds.computeIfAbsent(new Key(member.spec.role(), member.type), _ -> new ArrayList<>())
                    .add(member);
        }
        return kinds;
    }

    private Kind kind(Key key, List<Member> members) {
        Map<String, Long> request = amounts(members.getFirst().request);
        request.remove(GangState.PODS);
        List<String> names = members.stream()
                .limit(EXAMPLES)
                .map(member -> member.spec.pod().name())
                .toList();
        return new Kind(key.role, names, members.size(), request);
    }

    /** How many of its pods its queue may have, whatever nodes there are. */
    public List<Allowed> allowed(Gang gang, Queue queue) {
        List<Allowed> all = new ArrayList<>();
        Map<Member, Integer> beyond = new LinkedHashMap<>();
        Map<Member, Limit> limits = new HashMap<>();
        Plan plan = new Plan(session.state);
        Amounts planned = Amounts.none();
        int anywhere = anyNode();
        for (Member member : waiting(gang)) {
            int column = session.votes.beyond(queue, member);
            beyond.put(member, column);
            if (column < 0 && anywhere >= 0) {
                plan.pipeline(member, anywhere);
                planned.add(member.request);
            } else if (column >= 0) {
                Limit limit = limit(session.votes.limit(queue, member.request, false), planned);
                if (limit != null) {
                    limits.put(member, limit);
                }
            }
        }
        plan.undo();
        kinds(gang).forEach((key, members) -> {
            int allowed = 0;
            String resource = "";
            Limit limit = null;
            for (Member member : members) {
                int column = beyond.getOrDefault(member, -1);
                allowed += column < 0 ? 1 : 0;
                if (column >= 0 && column != Plugin.Allowance.CLOSED && resource.isEmpty()) {
                    limit = limits.get(member);
                    resource = limit == null ? session.resource(column) : limit.resource();
                }
            }
            all.add(new Allowed(kind(key, members), allowed, resource, limit));
        });
        return all;
    }

    private @Nullable Limit limit(Plugin.@Nullable Limit limit, Amounts planned) {
        return limit == null
                ? null
                : new Limit(
                        limit.queue(),
                        session.resource(limit.column()),
                        Math.round(limit.has() - planned.get(limit.column())),
                        Math.round(limit.kept()),
                        Double.isInfinite(limit.most()) ? -1 : Math.round(limit.most()));
    }

    /** The limit for which a gang is not let in; null if there is none such. */
    public @Nullable Limit entranceLimit(Gang gang, Queue queue) {
        return gang.spec.minResources() == null
                ? null
                : limit(session.votes.limit(queue, gang.minResources(), true), Amounts.none());
    }

    private int anyNode() {
        for (int slot = 0; slot < session.nodes().slots(); slot++) {
            if (session.nodes().isKnown(slot)) {
                return slot;
            }
        }
        return -1;
    }

    // ---- nodes ----

    /**
     * Room that is kept for the pods of a gang that died.
     *
     * @param podGroup by namespace and name
     * @param seconds until the first of it is not kept any longer
     */
    public record KeptRoom(String podGroup, int pods, List<String> nodes, Map<String, Long> amounts, long seconds) {}

    /** Room that is kept for other gangs. */
    public List<KeptRoom> keptForOthers(Gang gang) {
        Map<String, List<Snapshot.Kept>> byGroup = new LinkedHashMap<>();
        for (Snapshot.Kept each : session.state.kept.all()) {
            if (!each.group().equals(gang.spec.key())) {
                byGroup.computeIfAbsent(each.group(), _ -> new ArrayList<>()).add(each);
            }
        }
        List<KeptRoom> all = new ArrayList<>();
        byGroup.forEach((group, places) -> all.add(keptRoom(group, places)));
        return all;
    }

    private KeptRoom keptRoom(String group, List<Snapshot.Kept> places) {
        TreeSet<String> nodes = new TreeSet<>();
        Amounts sum = Amounts.none();
        long seconds = session.keepsPlaces().toSeconds();
        for (Snapshot.Kept each : places) {
            nodes.add(each.was().node());
            sum.add(session.state.requestOf(each.was()));
            Instant until = each.until();
            if (until != null) {
                seconds = Math.min(
                        seconds,
                        Math.max(0, Duration.between(session.now(), until).toSeconds()));
            }
        }
        Map<String, Long> amounts = amounts(sum);
        amounts.remove(GangState.PODS);
        return new KeptRoom(group, places.size(), List.copyOf(nodes), amounts, seconds);
    }

    /** How many of its pods find a node, whatever its queue may have; it may have what is kept for it. */
    public List<Fitting> fitting(Gang gang) {
        List<Fitting> all = new ArrayList<>();
        session.state.withKeptPlaces(gang, () -> all.addAll(fittingNow(gang)));
        return all;
    }

    private List<Fitting> fittingNow(Gang gang) {
        Map<Key, List<Member>> kinds = kinds(gang);
        Map<Key, Integer> placed = new LinkedHashMap<>();
        Map<Key, List<Refusing>> refusing = new LinkedHashMap<>();
        Map<Key, String> hopeless = new LinkedHashMap<>();
        Plan plan = new Plan(session.state);
        for (Member member : waiting(gang)) {
            Key key = new Key(member.spec.role(), member.type);
            Search.Run run = session.search().run(member);
            Search.Found found = refusing.containsKey(key) && run.isPlain() ? null : run.find();
            if (found != null && found.now()) {
                plan.allocate(member, found.slot());
                placed.merge(key, 1, Integer::sum);
            } else if (!refusing.containsKey(key)) {
                refusing.put(key, refusing(member));
                String problem = run.hopeless();
                hopeless.put(key, problem == null ? "" : problem);
            }
        }
        Map<Key, Map<String, Long>> missing = new LinkedHashMap<>();
        refusing.keySet().forEach(key -> {
            List<Member> members = kinds.getOrDefault(key, List.of());
            missing.put(key, missing(members.getFirst(), members.size() - placed.getOrDefault(key, 0)));
        });
        plan.undo();
        waiting(gang).forEach(member -> member.tried = -1);
        List<Fitting> all = new ArrayList<>();
        kinds.forEach((key, members) -> all.add(new Fitting(
                kind(key, members),
                placed.getOrDefault(key, 0),
                refusing.getOrDefault(key, List.of()),
                missing.getOrDefault(key, Map.of()),
                hopeless.getOrDefault(key, ""))));
        return all;
    }

    private List<Refusing> refusing(Member member) {
        Attempt attempt = session.nodeVotes.attempt(member);
        NodeTable nodes = session.nodes();
        Map<String, Refusing> told = new TreeMap<>();
        for (int slot = 0; slot < nodes.slots(); slot++) {
            if (!nodes.isKnown(slot)) {
                continue;
            }
            String name = nodes.node(slot).name();
            Reason reason = attempt == null ? null : attempt.refusalBesidesRoom(slot);
            List<String> missing = reason == null ? session.nodeVotes.missing(member, slot) : List.of();
            Plugin.Refusal refusal =
                    reason == null && missing.isEmpty() ? session.nodeVotes.refusal(member, slot) : null;
            if (reason != null) {
                tell(told, reason.message(), reason.preemptionHelps(), name);
            }
            boolean large = nodes.couldHaveRoom(member.type, slot);
            missing.forEach(word -> tell(told, word, large, name));
            if (refusal != null) {
                tell(told, refusal.message(), refusal.preemptionHelps(), name);
            }
        }
        return told.values().stream()
                .sorted((one, other) -> Integer.compare(other.nodes.size(), one.nodes.size()))
                .toList();
    }

    private static void tell(Map<String, Refusing> told, String reason, boolean preemptionHelps, String node) {
        Refusing before = told.get(reason);
        List<String> nodes = before == null ? new ArrayList<>() : before.nodes;
        nodes.add(node);
        told.put(reason, new Refusing(reason, preemptionHelps || (before != null && before.preemptionHelps), nodes));
    }

    /** What so many pods ask for of the resources that the nodes which would take them have too little of. */
    private Map<String, Long> missing(Member member, int pods) {
        Attempt attempt = session.nodeVotes.attempt(member);
        NodeTable nodes = session.nodes();
        TreeSet<String> scarce = new TreeSet<>();
        for (int slot = 0; slot < nodes.slots(); slot++) {
            if (nodes.isKnown(slot) && (attempt == null || attempt.refusalBesidesRoom(slot) == null)) {
                for (int column = 0; column < member.type.requests.length; column++) {
                    if (nodes.lacks(member.type, column, slot)) {
                        scarce.add(session.resource(column));
                    }
                }
            }
        }
        Map<String, Long> missing = new TreeMap<>();
        Map<String, Long> request = amounts(member.request);
        scarce.forEach(name -> missing.put(name, request.getOrDefault(name, 0L) * pods));
        return missing;
    }

    // ---- whom others might have to go for ----

    /** Who would have to go for a gang, and why they do not. */
    public List<Bystanders.Considered> considered(Gang gang, Queue queue) {
        return new Bystanders(session, gang, queue).considered(waiting(gang));
    }

    /** What keeps a gang from taking anybody's place at all; empty if nothing does. */
    public String powerless(Gang gang, Queue queue) {
        return new Bystanders(session, gang, queue).powerless(waiting(gang));
    }

    /** Whether a pod of the kind could be on a node like this one if nothing else were there. */
    public boolean wouldTake(Gang gang, String pod, String node) {
        Integer slot = session.nodes().find(node);
        for (Member member : waiting(gang)) {
            if (slot != null && member.spec.pod().name().equals(pod)) {
                return new Displacement(session).isHopeful(member, session.nodeVotes.attempt(member), slot);
            }
        }
        return false;
    }
}
