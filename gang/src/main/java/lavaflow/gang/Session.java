package lavaflow.gang;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Function;

import lavaflow.kube.Json;
import lavaflow.placement.Attempt;
import lavaflow.placement.ClusterState;
import lavaflow.placement.Columns;
import lavaflow.placement.DisruptionBudget;
import lavaflow.placement.NodeTable;
import lavaflow.placement.PlacedPod;
import lavaflow.placement.PodClass;
import lavaflow.placement.Rules;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** The plugins of a configuration, asked together: how several answers become one. */
public final class Session implements GangState.Listener {
    /** A plugin in its tier. */
    private record Seat(int tier, Plugin plugin, Configuration.Entry entry) {}

    final GangState state;
    final Configuration configuration;
    private final List<Seat> seats = new ArrayList<>();
    private final List<Plugin.GangOrder> gangOrders;
    private final List<Plugin.QueueOrder> queueOrders;
    private final List<Plugin.MemberOrder> memberOrders;
    private final List<Plugin.Validity> validities;
    private final List<Plugin.Readiness> readiness;
    private final List<Plugin.Overuse> overuses;
    private final List<Plugin.Allowance> allowances;
    private final List<Plugin.Account> accounts;
    private final List<Plugin.NodeScore> scores;
    private final List<Plugin.MemberScore> memberScores;
    private final List<Plugin.BatchScore> batchScores;
    private final List<Plugin.Filter> filters;
    private final List<Plugin.Notes> notes;
    private final @Nullable Rules rules;
    private final List<List<Plugin.Readiness>> pipelining;
    private final List<List<Plugin.Starvation>> starvations;
    private final List<List<Plugin.Entrance>> entrances;
    private final List<List<Plugin.Victims>> preemptions;
    private final List<List<Plugin.Victims>> reclaims;
    private final List<Plugin.VictimOrder> victimOrders;
    private final List<List<Plugin.Shuffle>> shuffles;
    private final List<Plugin.Timed> timed;
    private final Search search;
    private final Lines lines;
    private Instant now = Instant.EPOCH;
    private boolean lending;

    /**
     * Plugins with their state; the state of the cluster is told to them from now on.
     *
     * @param plugins makes a plugin by its entry; null for one that does not exist
     */
    Session(
            GangState state,
            Configuration configuration,
            BiFunction<Configuration.Entry, Session, @Nullable Plugin> plugins) {
        this.state = state;
        this.configuration = configuration;
        for (int tier = 0; tier < configuration.tiers().size(); tier++) {
            for (Configuration.Entry entry : configuration.tiers().get(tier)) {
                Plugin plugin = plugins.apply(entry, this);
                if (plugin != null) {
                    seats.add(new Seat(tier, plugin, entry));
                }
            }
        }
        gangOrders = all(Plugin.GangOrder.class, Callback.JOB_ORDER);
        queueOrders = all(Plugin.QueueOrder.class, Callback.QUEUE_ORDER);
        memberOrders = all(Plugin.MemberOrder.class, Callback.TASK_ORDER);
        validities = all(Plugin.Validity.class, null);
        readiness = all(Plugin.Readiness.class, Callback.JOB_READY);
        overuses = all(Plugin.Overuse.class, Callback.OVERUSED);
        allowances = all(Plugin.Allowance.class, Callback.ALLOCATABLE);
        accounts = all(Plugin.Account.class, null);
        scores = all(Plugin.NodeScore.class, Callback.NODE_ORDER);
        memberScores = all(Plugin.MemberScore.class, Callback.NODE_ORDER);
        batchScores = all(Plugin.BatchScore.class, Callback.NODE_ORDER);
        filters = all(Plugin.Filter.class, Callback.PREDICATE);
        notes = all(Plugin.Notes.class, null);
        rules = all(Plugin.Predicates.class, Callback.PREDICATE).stream()
                .map(Plugin.Predicates::rules)
                .findFirst()
                .orElse(null);
        pipelining = byTier(Plugin.Readiness.class, Callback.JOB_PIPELINED);
        starvations = byTier(Plugin.Starvation.class, Callback.JOB_STARVING);
        entrances = byTier(Plugin.Entrance.class, Callback.JOB_ENQUEUED);
        preemptions = byTier(Plugin.Victims.class, Callback.PREEMPTABLE);
        reclaims = byTier(Plugin.Victims.class, Callback.RECLAIMABLE);
        victimOrders = all(Plugin.VictimOrder.class, null);
        shuffles = byTier(Plugin.Shuffle.class, Callback.VICTIM);
        timed = all(Plugin.Timed.class, null);
        search = new Search(this);
        lines = new Lines(this);
        state.listen(this);
    }

    /** Whether queues may have more than their share for now, within what they may have at all: nobody else can use it. */
    public boolean isLending() {
        return lending;
    }

    void lend(boolean now) {
        lending = now;
    }

    /** Who waits, kept from round to round. */
    Lines lines() {
        return lines;
    }

    /** How long the room of a pod that died is kept for its replacement. */
    Duration keepsPlaces() {
        return Duration.ofSeconds(
                Math.max(0, configuration.argumentsOf("allocate").integer("keepSlotSeconds", 30)));
    }

    /** Kept with what it has learned about nodes. */
    Search search() {
        return search;
    }

    private <T> List<T> all(Class<T> type, @Nullable Callback callback) {
        List<T> found = new ArrayList<>();
        for (Seat seat : seats) {
            if (type.isInstance(seat.plugin) && (callback == null || seat.entry.answers(callback))) {
                found.add(type.cast(seat.plugin));
            }
        }
        return List.copyOf(found);
    }

    /** The answers of a kind by tier, those without a seat left out. */
    private <T> List<List<T>> byTier(Class<T> type, Callback callback) {
        List<List<T>> tiers = new ArrayList<>();
        for (int tier = 0; tier < configuration.tiers().size(); tier++) {
            List<T> found = new ArrayList<>();
            for (Seat seat : seats) {
                if (seat.tier == tier && type.isInstance(seat.plugin) && seat.entry.answers(callback)) {
                    found.add(type.cast(seat.plugin));
                }
            }
            tiers.add(found);
        }
        return tiers;
    }

    // ---- what plugins may look at ----

    public NodeTable nodes() {
        return state.cluster.nodes();
    }

    public Columns columns() {
        return state.cluster.columns();
    }

    /** The column that counts pods. */
    public int podsColumn() {
        return columns().place(GangState.PODS);
    }

    /** The name of the resource of a column. */
    public String resource(int column) {
        return columns().name(column);
    }

    public Collection<Queue> queues() {
        return state.queues();
    }

    /** All that nodes have; not to be changed. */
    public Amounts total() {
        return state.total();
    }

    /** All that pods have, also those of no gang; not to be changed. */
    public Amounts used() {
        return state.used();
    }

    /** Where the use of nodes is measured, as the configuration file says. */
    public ObjectNode metrics() {
        return configuration.metrics();
    }

    /** Null if there is none of that name. */
    public @Nullable Queue queue(String name) {
        return state.queue(name);
    }

    /** Quotas, and what nodes really use. */
    public Surroundings surroundings() {
        return state.surroundings;
    }

    /** How many pods may still go of those that must not be too few. */
    public List<DisruptionBudget> budgets() {
        return state.cluster.budgets();
    }

    /** Pods of gangs on a node. */
    public List<Member> members(int slot) {
        List<Member> members = new ArrayList<>();
        for (PlacedPod placed : nodes().pods(slot)) {
            Member member = state.member(placed.pod().uid());
            if (member != null) {
                members.add(member);
            }
        }
        return members;
    }

    /** When this round is. */
    public Instant now() {
        return now;
    }

    boolean has(String plugin) {
        return seats.stream().anyMatch(seat -> seat.entry.name().equals(plugin));
    }

    /** The nodes with all that runs there, which plugins look at but do not change. */
    public ClusterState cluster() {
        return state.cluster;
    }

    /** The parts of the network. */
    public HyperNodes network() {
        return state.network;
    }

    /** What a node says about its processors; null if nothing. */
    public @Nullable NumatopologySpec numatopology(String node) {
        return state.numatopologies.get(node);
    }

    /** A pod of a gang by uid; null for others. */
    public @Nullable Member member(String uid) {
        return state.member(uid);
    }

    /** How a gang falls into parts. */
    public SubGangs parts(Gang gang) {
        return gang.parts();
    }

    /** What a node has left, or will have. */
    public Amounts room(int slot, boolean future) {
        Amounts room = Amounts.none();
        NodeTable nodes = nodes();
        for (int column = 0; column < columns().size(); column++) {
            room.set(column, (double) nodes.allocatable(column, slot) - nodes.requested(column, slot));
        }
        if (future) {
            state.outlook.addTo(room, slot);
        }
        return room;
    }

    /** When plugins will answer otherwise if nothing else happens; null if never. */
    @Nullable
    Instant nextChange() {
        Instant next = null;
        for (Plugin.Timed plugin : timed) {
            next = Plugin.Timed.first(next, plugin.nextChange());
        }
        return next;
    }

    void close(Onlooker onlooker) {
        seats.forEach(
                seat -> onlooker.during(Onlooker.Part.PLUGIN_CLOSE, seat.entry.name(), () -> seat.plugin.close(this)));
    }

    void open(Instant time, Onlooker onlooker) {
        now = time;
        seats.forEach(
                seat -> onlooker.during(Onlooker.Part.PLUGIN_OPEN, seat.entry.name(), () -> seat.plugin.open(this)));
    }

    // ---- who comes first ----

    private static <T, P> Comparator<T> order(List<P> plugins, Function<P, Comparator<T>> one, Comparator<T> last) {
        List<Comparator<T>> all = new ArrayList<>();
        plugins.forEach(plugin -> all.add(one.apply(plugin)));
        all.add(last);
        return (left, right) -> {
            int order = 0;
            for (int i = 0; i < all.size() && order == 0; i++) {
                order = all.get(i).compare(left, right);
            }
            return order;
        };
    }

    Comparator<Gang> gangOrder() {
        return order(gangOrders, plugin -> plugin::compareGangs, Gang::compareByAge);
    }

    Comparator<Queue> queueOrder() {
        return order(queueOrders, plugin -> plugin::compareQueues, Queue::compareByAge);
    }

    Comparator<Member> memberOrder() {
        return order(memberOrders, plugin -> plugin::compareMembers, Member::compareByAge);
    }

    /** Which queue has to give first to another: unless plugins know better the one that comes last. */
    Comparator<Queue> victimQueueOrder(Queue by) {
        Comparator<Queue> last = queueOrder().reversed();
        return order(victimOrders, plugin -> (one, other) -> plugin.compareVictims(one, other, by), last);
    }

    // ---- gangs ----

    Plugin.@Nullable Invalid invalid(Gang gang) {
        for (Plugin.Validity plugin : validities) {
            Plugin.Invalid invalid = plugin.invalid(gang);
            if (invalid != null) {
                return invalid;
            }
        }
        return null;
    }

    boolean isReady(Gang gang) {
        for (Plugin.Readiness plugin : readiness) {
            if (!plugin.isReady(gang)) {
                return false;
            }
        }
        return true;
    }

    /** How many more pods have to be placed at least until a gang can become ready. */
    int missing(Gang gang) {
        int most = 1;
        for (Plugin.Readiness plugin : readiness) {
            most = Math.max(most, plugin.missing(gang));
        }
        return most;
    }

    boolean isPipelined(Gang gang) {
        return vote(pipelining, plugin -> plugin.isPipelined(gang));
    }

    boolean isStarving(Gang gang) {
        for (List<Plugin.Starvation> tier : starvations) {
            if (!tier.isEmpty()) {
                return tier.stream().allMatch(plugin -> plugin.isStarving(gang));
            }
        }
        return false;
    }

    /**
     * Whether a gang may enter its queue.
     *
     * @param why takes the reasons of those who say no
     */
    boolean mayEnter(Gang gang, List<Waiting> why) {
        return vote(entrances, plugin -> {
            String name = nameOf(plugin);
            return plugin.mayEnter(gang, (_, message) -> why.add(new Waiting.NotLetIn(name, message)));
        });
    }

    String nameOf(Object plugin) {
        for (Seat seat : seats) {
            if (seat.plugin.equals(plugin)) {
                return seat.entry.name();
            }
        }
        return "";
    }

    /** What each plugin says about a gang that wants to be let in. */
    List<Inquiry.Opinion> opinions(Gang gang) {
        List<Inquiry.Opinion> opinions = new ArrayList<>();
        for (List<Plugin.Entrance> tier : entrances) {
            for (Plugin.Entrance plugin : tier) {
                List<String> said = new ArrayList<>();
                Plugin.Vote vote = plugin.mayEnter(gang, (_, message) -> said.add(message));
                opinions.add(new Inquiry.Opinion(nameOf(plugin), vote, String.join("; ", said)));
            }
        }
        return opinions;
    }

    /** The plugins that say who has to go, by tier. */
    List<List<Plugin.Victims>> victims(boolean reclaim) {
        return reclaim ? reclaims : preemptions;
    }

    void entered(Gang gang) {
        all(Plugin.Entrance.class, Callback.JOB_ENQUEUED).forEach(plugin -> plugin.entered(gang));
    }

    /** One no is a no; a tier with a yes decides for those after it; if nobody cares it is a yes. */
    private static <P> boolean vote(List<List<P>> tiers, Function<P, Plugin.Vote> ask) {
        for (List<P> tier : tiers) {
            boolean yes = false;
            for (P plugin : tier) {
                Plugin.Vote vote = ask.apply(plugin);
                if (vote == Plugin.Vote.NO) {
                    return false;
                }
                yes |= vote == Plugin.Vote.YES;
            }
            if (yes) {
                return true;
            }
        }
        return true;
    }

    // ---- queues ----

    boolean isOverused(Queue queue) {
        return overuses.stream().anyMatch(plugin -> plugin.isOverused(queue));
    }

    /** What a queue should have, by the first plugin that knows; null if none does. */
    Plugin.@Nullable Share share(Queue queue) {
        for (Plugin.Shares plugin : all(Plugin.Shares.class, null)) {
            Plugin.Share share = plugin.shareOf(queue);
            if (share != null) {
                return share;
            }
        }
        return null;
    }

    /** A column that is beyond what a queue may have with one more pod; -1 if none is. */
    int beyond(Queue queue, Member member) {
        for (Plugin.Allowance plugin : allowances) {
            int column = plugin.beyond(queue, member);
            if (column >= 0) {
                return column;
            }
        }
        return -1;
    }

    /** How many pods like one a queue may have, at most so many as wanted. */
    int allowed(Queue queue, Member member, int wanted) {
        int least = wanted;
        for (Plugin.Allowance plugin : allowances) {
            least = least == 0 ? 0 : plugin.allowed(queue, member, least);
        }
        return least;
    }

    boolean mayReclaim(Queue queue, List<Member> members) {
        return all(Plugin.Allowance.class, Callback.PREEMPTIVE).stream()
                .allMatch(plugin -> plugin.mayReclaim(queue, members));
    }

    // ---- victims ----

    List<Member> preemptable(Member by, List<Member> candidates) {
        return agreed(candidates, preemptions, (plugin, left) -> plugin.preemptable(by, left));
    }

    List<Member> reclaimable(Member by, List<Member> candidates) {
        return agreed(candidates, reclaims, (plugin, left) -> plugin.reclaimable(by, left));
    }

    /** Those that may have to go for a whole gang. */
    List<Member> evictable(Member by, boolean reclaim, List<Member> candidates) {
        return agreed(
                candidates, reclaim ? reclaims : preemptions, (plugin, left) -> plugin.evictable(by, reclaim, left));
    }

    /**
     * Those that every plugin with an opinion agrees to. Nobody is a victim if no plugin has an opinion. Upstream asks no further tier
     * once one has an answer, so that a queue's share does not protect it.
     */
    private static List<Member> agreed(
            List<Member> candidates,
            List<List<Plugin.Victims>> tiers,
            BiFunction<Plugin.Victims, List<Member>, @Nullable List<Member>> ask) {
        List<Member> left = candidates;
        boolean asked = false;
        // Those that count victims count only those that nobody spares anyway.
        for (boolean counting : new boolean[] {false, true}) {
            for (List<Plugin.Victims> tier : tiers) {
                for (Plugin.Victims plugin : tier) {
                    List<Member> answer = plugin.countsVictims() == counting ? ask.apply(plugin, left) : null;
                    if (answer != null) {
                        asked = true;
                        Set<Member> named = new HashSet<>(answer);
                        left = left.stream().filter(named::contains).toList();
                    }
                }
            }
        }
        return asked ? left : List.of();
    }

    /** Who has to go although nobody needs the place: all that plugins of the first tier with an answer name. */
    List<Member> toShuffle(List<Member> running) {
        for (List<Plugin.Shuffle> tier : shuffles) {
            Set<Member> named = new LinkedHashSet<>();
            tier.forEach(plugin -> named.addAll(plugin.toShuffle(running)));
            if (!named.isEmpty()) {
                return mayShuffle(named);
            }
        }
        return List.of();
    }

    /** Those that no plugin keeps. */
    private List<Member> mayShuffle(Collection<Member> named) {
        List<Member> left = List.copyOf(named);
        for (List<Plugin.Shuffle> tier : shuffles) {
            for (Plugin.Shuffle plugin : tier) {
                left = plugin.mayShuffle(left);
            }
        }
        return left;
    }

    // ---- nodes ----

    /** The nodes as a pod sees them by kube-scheduler's rules; null if these do not count. */
    @Nullable
    Attempt attempt(Member member) {
        return rules == null ? null : new Attempt(state.cluster, member.spec.pod(), member.type, rules);
    }

    /** What is missing on a node for a pod, in Volcano's words; empty if nothing is. */
    List<String> missing(Member member, int slot) {
        return nodes().missing(member.type, slot).stream()
                .map(word -> word.equals(NodeTable.TOO_MANY_PODS) ? "node(s) pod number exceeded" : word)
                .toList();
    }

    /** Whether a node is acceptable whatever runs there. */
    boolean accepts(PodClass type, int slot) {
        return rules == null || type.choice.refusal(nodes(), slot, rules) == null;
    }

    /** What plugins care about in a pod when they look at nodes; null if no answer can be kept. */
    @Nullable
    List<Object> scopes(Member member) {
        for (Plugin.BatchScore plugin : batchScores) {
            if (plugin.concerns(member)) {
                return null;
            }
        }
        List<Object> found = new ArrayList<>(0);
        for (int i = 0; i < filters.size() + memberScores.size(); i++) {
            Plugin.Scope scope = i < filters.size()
                    ? filters.get(i).scope(member)
                    : memberScores.get(i - filters.size()).scope(member);
            if (scope instanceof Plugin.Scope.Wide) {
                return null;
            }
            if (!(scope instanceof Plugin.Scope.None)) {
                found.add(i);
                found.add(scope);
            }
        }
        return found;
    }

    /** Why plugins refuse a node; null if none does. */
    Plugin.@Nullable Refusal refusal(Member member, int slot) {
        for (Plugin.Filter plugin : filters) {
            Plugin.Refusal refusal = plugin.refusal(member, slot);
            if (refusal != null) {
                return refusal;
            }
        }
        return null;
    }

    /** How good a node is for pods of a class that are not remarkable otherwise. */
    double score(PodClass type, int slot) {
        double sum = 0;
        for (Plugin.NodeScore plugin : scores) {
            sum += plugin.score(type, slot);
        }
        return sum;
    }

    /** How good a node is, regardless of others. */
    double score(Member member, int slot) {
        double sum = score(member.type, slot);
        for (Plugin.MemberScore plugin : memberScores) {
            sum += plugin.score(member, slot);
        }
        return sum;
    }

    /** How good nodes are among others. */
    double[] scores(Member member, int[] slots) {
        double[] sums = new double[slots.length];
        for (int i = 0; i < slots.length; i++) {
            sums[i] = score(member, slots[i]);
        }
        for (Plugin.BatchScore plugin : batchScores) {
            if (plugin.concerns(member)) {
                plugin.score(member, slots, sums);
            }
        }
        return sums;
    }

    /** What is written on a pod when it is given its node. */
    ObjectNode annotations(Member member) {
        ObjectNode annotations = Json.object();
        for (Plugin.Notes plugin : notes) {
            plugin.annotate(member, annotations);
        }
        return annotations;
    }

    Decision bind(Member member) {
        return new Decision.Bind(member, nodes().node(member.slot).name(), annotations(member));
    }

    // ---- parts of the network ----

    /** The parts of the network to try, by row; all of it where no plugin knows better. */
    List<List<HyperNode>> rows(SubGang part, HyperNode within, Plugin.Purpose purpose) {
        List<Plugin.Domains> plugins = all(Plugin.Domains.class, Callback.HYPER_NODE_GRADIENT);
        return plugins.isEmpty() ? List.of(List.of(within)) : plugins.getFirst().rows(part, within, purpose);
    }

    double[] domainScores(SubGang part, List<HyperNode> domains) {
        double[] sums = new double[domains.size()];
        for (Plugin.DomainScore plugin : all(Plugin.DomainScore.class, Callback.HYPER_NODE_ORDER)) {
            double[] its = plugin.score(part, domains);
            for (int i = 0; i < sums.length; i++) {
                sums[i] += its[i];
            }
        }
        return sums;
    }

    // ---- accounts ----

    @Override
    public void roomTaken(Member member) {
        for (Plugin.Account plugin : accounts) {
            plugin.roomTaken(member);
        }
    }

    @Override
    public void roomGiven(Member member) {
        for (Plugin.Account plugin : accounts) {
            plugin.roomGiven(member);
        }
    }

    @Override
    public void roomTaken(List<Member> alike) {
        for (Plugin.Account plugin : accounts) {
            plugin.roomTaken(alike);
        }
    }

    @Override
    public void roomGiven(List<Member> alike) {
        for (Plugin.Account plugin : accounts) {
            plugin.roomGiven(alike);
        }
    }

    @Override
    public void roomPromised(Member member) {
        accounts.forEach(plugin -> plugin.roomPromised(member));
    }

    @Override
    public void promiseEnded(Member member) {
        accounts.forEach(plugin -> plugin.promiseEnded(member));
    }
}
