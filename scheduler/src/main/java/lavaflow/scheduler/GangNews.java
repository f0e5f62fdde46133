package lavaflow.scheduler;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.PriorityQueue;

import lavaflow.gang.Decision;
import lavaflow.gang.Gang;
import lavaflow.gang.GroupPhase;
import lavaflow.gang.GroupStatus;

import org.jspecify.annotations.Nullable;

/**
 * What is told of gangs, and no more often than it is worth: another phase or condition at once, numbers alone after a while. That the
 * pods of a gang wait for the rest of it is not told while the rest is being made.
 */
final class GangNews {
    /**
     * How long numbers may be other than was told, and that a gang is through: whoever made it tells that at once; and that it has
     * too few pods left: most that go are made anew in a moment, and whoever hears of it may end the rest.
     */
    static final Duration PAUSE = Duration.ofSeconds(1);
    /** Before it is told that a gang is scheduled: it runs as soon as its pods have their nodes, which is told then. */
    static final Duration BINDING = Duration.ofSeconds(1);
    /** Pods that are made one after the other are no further apart. */
    static final Duration APART = Duration.ofSeconds(1);
    /** Somebody who makes pods for longer is no reason to keep silent. */
    static final Duration LONGEST = Duration.ofSeconds(30);

    /** Who writes. */
    interface Sink {
        /**
         * Writes the status of a gang.
         *
         * @param round which round found it out
         */
        void status(Gang gang, GroupStatus status, String round);

        void waits(Decision.Wait wait);
    }

    /** What is known of a gang, and what is to be told of it. */
    private static final class News {
        private Gang gang;
        private @Nullable GroupStatus told;
        private @Nullable GroupStatus next;
        /** When there first was something else to tell. */
        private Instant otherSince = Instant.MIN;

        private Instant since = Instant.MIN;
        private String round = "";
        private final Map<String, Decision.Wait> waits = new LinkedHashMap<>();
        private @Nullable Instant due;

        News(Gang gang) {
            this.gang = gang;
        }
    }

    /** When pods of a gang came. */
    private record Arrivals(Instant first, Instant last) {
        Instant end() {
            Instant end = last.plus(APART);
            Instant patience = first.plus(LONGEST);
            return end.isBefore(patience) ? end : patience;
        }
    }

    private record Due(Instant time, String key) {}

    private final Sink sink;
    private final Map<String, News> all = new HashMap<>();
    private final PriorityQueue<Due> dues =
            new PriorityQueue<>(Comparator.comparing(Due::time).thenComparing(Due::key));
    /** Of gangs whose pods came just now, the one whose last is longest ago first. */
    private final LinkedHashMap<String, Arrivals> arrivals = new LinkedHashMap<>();

    GangNews(Sink sink) {
        this.sink = sink;
    }

    /** A gang has a pod more. */
    void came(String key, Instant now) {
        Arrivals before = arrivals.remove(key);
        Instant first = before != null && before.last.plus(APART).isAfter(now) ? before.first : now;
        arrivals.put(key, new Arrivals(first, now));
    }

    /** Whether a gang lacks pods and they are being made. */
    private boolean isComing(Gang gang, Instant now) {
        Arrivals came = arrivals.get(gang.spec().key());
        boolean complete =
                gang.members().size() >= gang.spec().minMember() && gang.areRolesValid() && gang.areSubGroupsValid();
        return came != null && came.end().isAfter(now) && !complete;
    }

    void status(Gang gang, GroupStatus status, String round, Instant now) {
        News news = of(gang);
        GroupStatus before = news.next;
        boolean held = before != null;
        if (!held) {
            news.otherSince = now;
        }
        if (before == null || !saysTheSame(before.condition(), status.condition())) {
            news.since = now;
        }
        news.next = status;
        news.round = round;
        if (held && status.equals(news.told)) {
            news.next = null; // as it was
        } else {
            due(news, now);
        }
    }

    void waits(Decision.Wait wait, Instant now) {
        News news = of(wait.member().gang());
        String uid = wait.member().spec().pod().uid();
        if (isComing(news.gang, now)) {
            news.waits.put(uid, wait);
            due(news, now);
        } else {
            news.waits.remove(uid);
            sink.waits(wait);
        }
    }

    /** A pod waits no longer. */
    void placed(Gang gang, String uid) {
        News news = all.get(gang.spec().key());
        if (news != null) {
            news.waits.remove(uid);
        }
    }

    void gone(String key) {
        all.remove(key);
    }

    /** What was told last did not get there. */
    void forget(String key) {
        News news = all.get(key);
        if (news != null) {
            news.told = null;
        }
    }

    private News of(Gang gang) {
        News news = all.computeIfAbsent(gang.spec().key(), _ -> new News(gang));
        news.gang = gang;
        return news;
    }

    /** Tells what is due of one gang, and notes when the rest is. */
    private void due(News news, Instant now) {
        boolean coming = isComing(news.gang, now);
        GroupStatus next = news.next;
        if (next != null && !statusDue(news, next, coming, now).isAfter(now)) {
            boolean keepsReason = coming && isUnschedulable(next);
            GroupStatus telling = keepsReason ? withoutReason(next) : next;
            news.told = telling;
            news.next = keepsReason ? next : null;
            sink.status(news.gang, telling, news.round);
        }
        if (!coming) {
            if (!news.gang.isHeldBack()) {
                news.waits.values().forEach(sink::waits);
            }
            news.waits.clear();
        }
        Instant due = news.waits.isEmpty() ? null : comingEnd(news.gang);
        if (news.next != null) {
            due = Gangs.earlier(due, statusDue(news, news.next, coming, now));
        }
        if (due != null && !due.equals(news.due)) {
            dues.add(new Due(due, news.gang.spec().key()));
        }
        news.due = due;
    }

    private Instant comingEnd(Gang gang) {
        Arrivals came = arrivals.get(gang.spec().key());
        return came == null ? Instant.MIN : came.end();
    }

    private Instant statusDue(News news, GroupStatus next, boolean coming, Instant now) {
        GroupStatus told = news.told;
        boolean mayPass = next.phase() == GroupPhase.COMPLETED || next.phase() == GroupPhase.UNKNOWN;
        if (told == null || (told.phase() != next.phase() && !mayPass)) {
            return now;
        }
        if (coming && isUnschedulable(next)) {
            return comingEnd(news.gang);
        }
        if (told.equals(next)) {
            return now; // somebody wrote something else
        }
        if (told.phase() != next.phase() && next.phase() == GroupPhase.UNKNOWN) {
            return news.since.plus(PAUSE);
        }
        if (saysTheSame(told.condition(), next.condition())) {
            return news.otherSince.plus(PAUSE);
        }
        return isUnschedulable(next) ? now : news.since.plus(BINDING);
    }

    private static boolean isUnschedulable(GroupStatus status) {
        GroupStatus.Condition condition = status.condition();
        return condition != null && condition.type().equals("Unschedulable");
    }

    private static GroupStatus withoutReason(GroupStatus status) {
        return new GroupStatus(status.phase(), status.running(), status.succeeded(), status.failed(), null);
    }

    /** But for numbers in its words. */
    private static boolean saysTheSame(GroupStatus.@Nullable Condition one, GroupStatus.@Nullable Condition other) {
        if (one == null || other == null) {
            return one == null && other == null;
        }
        return one.type().equals(other.type())
                && one.reason().equals(other.reason())
                && Objects.equals(withoutNumbers(one.message()), withoutNumbers(other.message()));
    }

    private static String withoutNumbers(String message) {
        return message.replaceAll("[0-9]+", "0");
    }

    /** Tells what was kept back for long enough; false if nothing was. */
    boolean tell(Instant now) {
        while (!arrivals.isEmpty()
                && !arrivals.firstEntry().getValue().last.plus(APART).isAfter(now)) {
            arrivals.pollFirstEntry();
        }
        boolean some = false;
        for (Due next = dues.peek(); next != null && !next.time.isAfter(now); next = dues.peek()) {
            dues.remove();
            News news = all.get(next.key);
            if (news != null && next.time.equals(news.due)) {
                news.due = null;
                due(news, now);
                some = true;
            }
        }
        return some;
    }

    /** When there is something to tell; null if never. */
    @Nullable
    Instant nextDue() {
        Due first = dues.peek();
        return first == null ? null : first.time;
    }
}
