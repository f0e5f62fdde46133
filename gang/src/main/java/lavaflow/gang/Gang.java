package lavaflow.gang;

import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.TreeMap;
import java.util.function.ToIntFunction;

import org.jspecify.annotations.Nullable;

/** A PodGroup and its pods: what is placed whole or not at all. */
public final class Gang {
    /** How many pods of a role, or of all, stand where. */
    public static final class Tally {
        private final int[] counts = new int[Stage.COUNT];
        private int waitingBestEffort;

        void count(Stage stage, Member one, int change) {
            counts[stage.place] += change;
            if (stage == Stage.PENDING && one.spec.bestEffort()) {
                waitingBestEffort += change;
            }
        }

        public int of(Stage stage) {
            return counts[stage.place];
        }

        /** Those that have their place, or had it to the end. */
        public int ready() {
            return of(Stage.BOUND) + of(Stage.BINDING) + of(Stage.RUNNING) + of(Stage.ALLOCATED) + of(Stage.SUCCEEDED);
        }

        /** The same without those whose place the API has not confirmed: what is left for sure when others go. */
        public int certain() {
            return of(Stage.BOUND) + of(Stage.RUNNING) + of(Stage.SUCCEEDED);
        }

        /** Those that ask for nothing: they find a place anyhow. */
        public int waitingBestEffort() {
            return waitingBestEffort;
        }

        public int holding() {
            return of(Stage.BOUND) + of(Stage.BINDING) + of(Stage.DELAYED) + of(Stage.RUNNING) + of(Stage.ALLOCATED);
        }

        /** Those that have a place to come: with what others leave, or when their binding is tried again. */
        int expected() {
            return of(Stage.PIPELINED) + of(Stage.DELAYED);
        }

        /** Those that count for a gang that is complete. */
        public int valid() {
            return holding() + of(Stage.SUCCEEDED) + of(Stage.PIPELINED) + of(Stage.PENDING);
        }

        /** Those that wait for a place, or for the API to confirm it. */
        int coming() {
            return of(Stage.PENDING) + expected() + of(Stage.ALLOCATED) + of(Stage.BINDING);
        }

        /** Those that have to go. */
        int leaving() {
            return of(Stage.RELEASING) + of(Stage.LINGERING);
        }

        public int scheduled() {
            return of(Stage.BOUND) + of(Stage.RUNNING) + of(Stage.SUCCEEDED) + of(Stage.FAILED);
        }
    }

    private final SequencedMap<String, Member> members = new LinkedHashMap<>();
    private final Map<String, Tally> roles = new TreeMap<>();
    private final Tally all = new Tally();
    /** What its pods have; see {@link Stage#holdsRoom}. */
    final Amounts allocated = Amounts.none();
    /** What is promised to its pods in this round. */
    final Amounts promised = Amounts.none();
    /** What its pods have and wait for. */
    final Amounts request = Amounts.none();
    /** Of that, what pods wait for that may not be given a node yet. */
    private final Amounts gated = Amounts.none();

    GroupSpec spec;

    /** Null until somebody asks, and again whenever pods come or go. */
    @Nullable
    SubGangs parts;

    /** The same; see {@link Losses}. */
    private @Nullable Losses losses;

    int priority;

    @Nullable
    Queue queue;

    /** How far it is, also when the API has not told yet. */
    GroupPhase phase;
    /** How far it is as the API told last. */
    GroupPhase toldPhase;
    /** What was decided last to tell of it; null if that has to be told anyhow. */
    @Nullable
    GroupStatus status;
    /** Where it waits; null if nowhere, or while it changes. */
    @Nullable
    Line line;
    /** Whether it has to be put into a line again. */
    boolean unlined;
    /** What keeps it from running, as of when it was tried last. */
    List<Waiting> waiting = List.of();
    /** Whether it has what it needs, and leaves the rest for others that are coming; see {@link Surplus}. */
    boolean heldBack;
    /** Why it was not let in, as told last. */
    String refusal = "";

    Gang(GroupSpec spec) {
        this.spec = spec;
        this.phase = GroupPhase.of(spec.phase());
        this.toldPhase = phase;
    }

    public GroupSpec spec() {
        return spec;
    }

    public int priority() {
        return priority;
    }

    /** What keeps it from running, as of when it was tried last; empty if nothing does. */
    public List<Waiting> waiting() {
        return queue == null ? List.of(new Waiting.NoQueue(spec.queue())) : waiting;
    }

    /** How many of its pods had a node when it was tried last. */
    int tried() {
        int count = 0;
        for (Member member : members.values()) {
            count += member.tried >= 0 && member.stage == Stage.PENDING ? 1 : 0;
        }
        return count;
    }

    /** Whether it has what it needs, and leaves the rest for others that are coming. */
    public boolean isHeldBack() {
        return heldBack;
    }

    public GroupPhase phase() {
        return phase;
    }

    /** Null while nobody has told of the queue it names. */
    public @Nullable Queue queue() {
        return queue;
    }

    /** What its pods have; not to be changed. */
    public Amounts allocated() {
        return allocated;
    }

    /** What its pods have and are promised in this round, as shares count it; not to be changed. */
    public Amounts claimed() {
        return promised.isEmpty() ? allocated : allocated.copy().add(promised);
    }

    /** What its pods have and wait for; not to be changed. */
    public Amounts request() {
        return request;
    }

    public Collection<Member> members() {
        return Collections.unmodifiableCollection(members.values());
    }

    /** One of its pods; null if it has none. */
    @Nullable
    Member peer() {
        return members.isEmpty() ? null : members.firstEntry().getValue();
    }

    @Nullable
    Member member(String uid) {
        return members.get(uid);
    }

    public Tally tally() {
        return all;
    }

    public Tally tally(String role) {
        return roles.computeIfAbsent(role, _ -> new Tally());
    }

    /** How it falls into parts. */
    public SubGangs parts() {
        SubGangs known = parts;
        if (known == null) {
            known = SubGangs.of(this);
            parts = known;
        }
        return known;
    }

    /** Whether there are enough parts of each kind to begin with. */
    public boolean areSubGroupsValid() {
        return spec.subGroups().isEmpty() || parts().areValid();
    }

    public boolean areSubGroupsReady() {
        return spec.subGroups().isEmpty() || parts().areReady();
    }

    public boolean areSubGroupsPipelined() {
        return spec.subGroups().isEmpty() || parts().arePipelined();
    }

    void add(Member member) {
        parts = null;
        losses = null;
        members.put(member.uid(), member);
        count(member, 1);
    }

    void remove(Member member) {
        parts = null;
        losses = null;
        members.remove(member.uid());
        count(member, -1);
    }

    /** Moves pods that are alike and stand where the first does. */
    void move(List<Member> alike, Stage stage) {
        Member one = alike.getFirst();
        Stage before = one.stage;
        int count = alike.size();
        for (Tally tally : List.of(all, one.role)) {
            tally.count(before, one, -count);
            tally.count(stage, one, count);
        }
        change(allocated, one, count, before.holdsRoom(), stage.holdsRoom());
        change(promised, one, count, before == Stage.PIPELINED, stage == Stage.PIPELINED);
        change(request, one, count, before.asksForRoom(), stage.asksForRoom());
        if (one.spec.gated()) {
            change(gated, one, count, before == Stage.PENDING, stage == Stage.PENDING);
        }
        for (Member member : alike) {
            member.stage = stage;
        }
    }

    static void change(Amounts amounts, Member one, int count, boolean before, boolean now) {
        if (before != now) {
            amounts.add(one.request, now ? count : -count);
        }
    }

    private void count(Member member, int sign) {
        all.count(member.stage, member, sign);
        member.role.count(member.stage, member, sign);
        if (member.stage.holdsRoom()) {
            allocated.add(member.request, sign);
        }
        if (member.stage == Stage.PIPELINED) {
            promised.add(member.request, sign);
        }
        if (member.stage.asksForRoom()) {
            request.add(member.request, sign);
        }
        if (member.stage == Stage.PENDING && member.spec.gated()) {
            gated.add(member.request, sign);
        }
    }

    // ---- what counts ----

    public boolean isReady() {
        return all.ready() + all.waitingBestEffort() + writtenOff().all() >= spec.minMember();
    }

    /** How many of its pods can be counted on: that have or had their place, or wait for it. */
    public int valid() {
        return all.valid() + writtenOff().all();
    }

    /**
     * Pods that failed and are written off, because the gang has begun and could not have enough without them, whatever becomes of those that
     * wait: these would wait for ever otherwise. As long as it could have enough, it has to.
     */
    Losses writtenOff() {
        boolean possible = all.of(Stage.FAILED) > 0 && all.coming() > 0;
        if (!possible || !hasEnough(Tally::scheduled) || hasEnough(Tally::valid)) {
            return Losses.NONE;
        }
        Losses known = losses;
        if (known == null) {
            known = Losses.of(members.values());
            losses = known;
        }
        return known;
    }

    private boolean hasEnough(ToIntFunction<Tally> count) {
        return count.applyAsInt(all) >= spec.minMember()
                && rolesHave(count, Losses.NONE)
                && (spec.subGroups().isEmpty() || parts().have(count));
    }

    /** How many more pods it must have. */
    public int missing() {
        return spec.minMember() - all.ready() - all.of(Stage.DELAYED) - all.waitingBestEffort();
    }

    public boolean isPipelined() {
        return all.ready()
                        + all.waitingBestEffort()
                        + all.expected()
                        + writtenOff().all()
                >= spec.minMember();
    }

    public boolean isStarving() {
        return all.ready() + all.expected() + writtenOff().all() < spec.minMember();
    }

    /** Roles only count where their minima together do not exceed that of the whole. */
    private boolean rolesCount() {
        return !spec.minTaskMember().isEmpty()
                && spec.minMember()
                        >= spec.minTaskMember().values().stream()
                                .mapToInt(Integer::intValue)
                                .sum();
    }

    private boolean rolesHave(ToIntFunction<Tally> count, Losses besides) {
        return !rolesCount()
                || spec.minTaskMember().entrySet().stream()
                        .allMatch(each ->
                                count.applyAsInt(tally(each.getKey())) + besides.of(each.getKey()) >= each.getValue());
    }

    public boolean areRolesReady() {
        return rolesHave(role -> role.ready() + role.waitingBestEffort(), writtenOff());
    }

    public boolean areRolesPipelined() {
        return rolesHave(role -> role.ready() + role.waitingBestEffort() + role.expected(), writtenOff());
    }

    public boolean areRolesValid() {
        return rolesHave(Tally::valid, writtenOff());
    }

    /** Whether a role would have enough without some of its pods. */
    boolean canSpare(String role, int pods) {
        return !rolesCount()
                || tally(role).certain() - pods >= spec.minTaskMember().getOrDefault(role, 0);
    }

    /** Whether it would have enough without some of its pods. */
    boolean canSpare(List<Member> some) {
        Map<String, Integer> byRole = new HashMap<>();
        some.forEach(each -> byRole.merge(each.spec.role(), 1, Integer::sum));
        return all.certain() + all.waitingBestEffort() - some.size() >= spec.minMember()
                && byRole.entrySet().stream().allMatch(each -> canSpare(each.getKey(), each.getValue()));
    }

    /** Whether a role has a minimum it is below. */
    boolean needsMoreOf(String role) {
        Integer least = spec.minTaskMember().get(role);
        return least != null
                && tally(role).ready()
                                + tally(role).of(Stage.DELAYED)
                                + writtenOff().of(role)
                        < least;
    }

    /** What it still has to be given of what it was let in for. */
    Amounts outstanding() {
        Map<String, Long> least = spec.minResources();
        boolean counts = least != null
                && (phase == GroupPhase.INQUEUE || (phase == GroupPhase.RUNNING && all.holding() >= spec.minMember()));
        return counts ? minResources().subtract(allocated).subtract(gated).raise(Amounts.none()) : Amounts.none();
    }

    /** What it has beyond what it must have; all of it where it did not say what that is. */
    Amounts elastic() {
        return allocated.copy().subtract(minResources()).raise(Amounts.none());
    }

    private Amounts minimum = Amounts.none();

    public Amounts minResources() {
        return minimum.copy();
    }

    void minResources(Amounts amounts) {
        minimum = amounts;
    }

    /** By age: the older first. */
    static int compareByAge(Gang one, Gang other) {
        int byAge = one.spec.created().compareTo(other.spec.created());
        return byAge != 0 ? byAge : one.spec.uid().compareTo(other.spec.uid());
    }

    @Override
    public String toString() {
        return spec.key() + " " + phase;
    }
}
