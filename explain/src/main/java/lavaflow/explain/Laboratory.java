package lavaflow.explain;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Predicate;

import lavaflow.gang.Configuration;
import lavaflow.gang.Decision;
import lavaflow.gang.Gang;
import lavaflow.gang.GangCore;
import lavaflow.gang.GroupPhase;
import lavaflow.gang.Plugin;
import lavaflow.gang.Session;
import lavaflow.gang.Snapshot;

import org.jspecify.annotations.Nullable;

/** Tries changes on copies of a cluster: whether a gang gets what it waits for once the core has decided all there is to decide. */
final class Laboratory {
    /** Rounds that follow each other because room was made in the one before. */
    private static final int ROUNDS = 16;

    private static final int MOST = 400;
    private static final int LEAST = 24;
    /** How many pods and nodes may be copied altogether. */
    private static final int WORK = 2_000_000;

    /** What a gang waits for. */
    enum Goal {
        LET_IN,
        PLACED
    }

    private final Snapshot cluster;
    private final BiFunction<Configuration.Entry, Session, @Nullable Plugin> plugins;
    private final String key;
    private final Goal goal;
    private int left;

    Laboratory(
            Snapshot cluster,
            BiFunction<Configuration.Entry, Session, @Nullable Plugin> plugins,
            String key,
            Goal goal) {
        this.cluster = cluster;
        this.plugins = plugins;
        this.key = key;
        this.goal = goal;
        int size = 1
                + cluster.nodes().size()
                + cluster.members().size()
                + cluster.others().size();
        this.left = Math.clamp(WORK / size, LEAST, MOST);
    }

    Snapshot cluster() {
        return cluster;
    }

    /** Whether there is time for more. */
    boolean goesOn() {
        return left > 0;
    }

    /** A cluster with changes after everything is decided; who has to go is gone. */
    GangCore settled(List<Change> changes) {
        return settled(changed(changes), plugins);
    }

    static GangCore settled(Snapshot cluster, BiFunction<Configuration.Entry, Session, @Nullable Plugin> plugins) {
        GangCore core = cluster.restore(plugins);
        for (int round = 0; round < ROUNDS; round++) {
            boolean some = false;
            for (Decision decision : core.decide(cluster.now())) {
                if (decision instanceof Decision.Evict(var member, String _)) {
                    core.onPodGone(member.spec().pod().uid());
                    some = true;
                }
                some |= decision instanceof Decision.Bind;
            }
            if (!some) {
                break;
            }
        }
        return core;
    }

    private Snapshot changed(List<Change> changes) {
        Snapshot changed = cluster;
        Set<String> groups = new HashSet<>();
        Set<String> pods = new HashSet<>();
        for (Change change : changes) {
            switch (change) {
                case Change.EndJob job -> groups.add(job.podGroup());
                case Change.EndPod pod -> pods.add(pod.uid());
                default -> changed = change.in(changed);
            }
        }
        return groups.isEmpty() && pods.isEmpty() ? changed : changed.without(groups, pods);
    }

    boolean frees(List<Change> changes) {
        left--;
        GangCore core = settled(changes);
        return reached(core, key, goal, cluster);
    }

    static boolean reached(GangCore core, String key, Goal goal, Snapshot cluster) {
        Gang gang = core.findGang(key);
        if (gang == null) {
            return false;
        }
        return switch (goal) {
            case LET_IN -> gang.phase() != GroupPhase.PENDING;
            case PLACED -> core.inquire(cluster.now(), inquiry -> inquiry.isPlaced(gang));
        };
    }

    /**
     * Fewer changes that still free it: none of them can be left out any more, unless time ran out.
     *
     * @param fixed changes that stay
     * @param enough changes that free it together with those
     */
    List<Change> fewest(List<Change> fixed, List<Change> enough) {
        List<Change> needed = new ArrayList<>(enough);
        for (int size = Math.max(1, needed.size() / 2); size >= 1 && goesOn(); size /= 2) {
            for (int from = 0; from < needed.size() && goesOn(); ) {
                List<Change> fewer = new ArrayList<>(needed);
                fewer.subList(from, Math.min(from + size, fewer.size())).clear();
                if (frees(joined(fixed, fewer))) {
                    needed = fewer;
                } else {
                    from += size;
                }
            }
        }
        return needed;
    }

    /** The smallest number that does, above one that does not and up to one that does. */
    long least(long tooLow, long enough, long step, Predicate<Long> does) {
        long low = tooLow / step;
        long high = Math.ceilDiv(enough, step);
        while (high - low > 1 && goesOn()) {
            long middle = low + (high - low) / 2;
            if (does.test(middle * step)) {
                high = middle;
            } else {
                low = middle;
            }
        }
        return high * step;
    }

    static List<Change> joined(List<? extends Change> first, List<? extends Change> second) {
        List<Change> all = new ArrayList<>(first);
        all.addAll(second);
        return all;
    }
}
