package lavaflow.gang;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.BiFunction;

import lavaflow.placement.ClusterState;
import lavaflow.placement.Columns;
import lavaflow.placement.DisruptionBudget;
import lavaflow.placement.NodeTable;
import lavaflow.placement.PlacedPod;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** The plugins of a configuration, with what they may look at and what they say together. */
public final class Session implements Placements.Listener {
    final GangState state;
    final Configuration configuration;
    private final Seats seats;
    /** What plugins say of gangs and queues. */
    final Votes votes;
    /** What they say of nodes. */
    final NodeVotes nodeVotes;

    private final List<Plugin.Account> accounts;
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
        this.seats = new Seats(configuration.tiers().size());
        for (int tier = 0; tier < configuration.tiers().size(); tier++) {
            for (Configuration.Entry entry : configuration.tiers().get(tier)) {
                Plugin plugin = plugins.apply(entry, this);
                if (plugin != null) {
                    seats.add(tier, plugin, entry);
                }
            }
        }
        votes = new Votes(seats);
        nodeVotes = new NodeVotes(seats, state.cluster);
        accounts = seats.all(Plugin.Account.class, null);
        timed = seats.all(Plugin.Timed.class, null);
        search = new Search(this);
        lines = new Lines(this);
        state.placements.listen(this);
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

    /** How long nobody may have come before gangs get more than they need. */
    Duration awaitsOthers() {
        return Duration.ofMillis(
                Math.max(0, configuration.argumentsOf("allocate").integer("elasticPauseMillis", 500)));
    }

    /** Whether others may have to go for a gang; not for pods that do not want their nodes yet. */
    boolean mayDisplace(Gang gang) {
        return !gang.heldBack && votes.isStarving(gang);
    }

    /** Kept with what it has learned about nodes. */
    Search search() {
        return search;
    }

    boolean has(String plugin) {
        return seats.has(plugin);
    }

    /** The name of a plugin in the configuration. */
    String nameOf(Object plugin) {
        return seats.nameOf(plugin);
    }

    void open(Instant time, Onlooker onlooker) {
        now = time;
        seats.each(onlooker, Onlooker.Part.PLUGIN_OPEN, plugin -> plugin.open(this));
    }

    void close(Onlooker onlooker) {
        seats.each(onlooker, Onlooker.Part.PLUGIN_CLOSE, plugin -> plugin.close(this));
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
