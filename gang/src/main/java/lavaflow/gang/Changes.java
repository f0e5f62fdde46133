package lavaflow.gang;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/** What has happened since gangs were looked at: whether it may help who waits, who has to be put into a line again, of whom something is to be told. */
final class Changes {
    private final Predicate<Gang> known;
    /** Gangs that are to be put into lines. */
    private final List<Gang> unlined = new ArrayList<>();

    private final List<Line> left = new ArrayList<>();
    /** Gangs that were tried or changed since they were told of. */
    private final Set<Gang> touched = new LinkedHashSet<>();

    private long helps;
    private boolean deciding;

    /** @param known whether a gang is still there */
    Changes(Predicate<Gang> known) {
        this.known = known;
    }

    /** Changes with everything that could help somebody who waits: room that is given back, nodes, limits, turns. */
    long helps() {
        return helps;
    }

    void help() {
        if (!deciding) {
            helps++;
        }
    }

    /** Also where it is decided here. */
    void helpAlways() {
        helps++;
    }

    /** What happened since helps nobody. */
    void unhelp(long before) {
        helps = before;
    }

    /** While something is decided, room is taken and given back all the time. */
    void deciding(boolean now) {
        deciding = now;
    }

    /** Has to be called before anything changes that decides where a gang waits: it has to be found in its line. */
    void disturb(Gang gang) {
        Line line = gang.line;
        if (line != null) {
            line.gangs.remove(gang);
            gang.line = null;
            if (line.gangs.isEmpty()) {
                left.add(line);
            }
            if (!deciding && line.single) {
                line.failedAt = -1;
            }
        }
        if (!gang.unlined) {
            gang.unlined = true;
            unlined.add(gang);
        }
    }

    /** What is told of a gang may have to be told anew. */
    void touch(Gang gang) {
        touched.add(gang);
    }

    /** Gangs that have to be put into lines. */
    List<Gang> takeUnlined() {
        List<Gang> taken = List.copyOf(unlined);
        unlined.clear();
        taken.forEach(gang -> gang.unlined = false);
        return taken.stream().filter(known).toList();
    }

    /** Lines that were left by all. */
    List<Line> takeLeft() {
        List<Line> taken = List.copyOf(left);
        left.clear();
        return taken;
    }

    /** Gangs of which something may have to be told. */
    List<Gang> takeTouched() {
        List<Gang> taken = new ArrayList<>(touched);
        touched.clear();
        taken.removeIf(known.negate());
        return taken;
    }

    /** Changes something in a gang that counts for its queue. */
    void count(Gang gang, Runnable change) {
        disturb(gang);
        Queue queue = gang.queue;
        if (queue != null) {
            queue.count(gang, -1);
        }
        change.run();
        if (queue != null) {
            queue.count(gang, 1);
        }
    }
}
