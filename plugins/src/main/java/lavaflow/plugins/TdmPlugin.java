package lavaflow.plugins;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import lavaflow.gang.Arguments;
import lavaflow.gang.Gang;
import lavaflow.gang.Member;
import lavaflow.gang.Plugin;
import lavaflow.gang.Session;
import lavaflow.gang.Stage;
import lavaflow.kube.GoDuration;
import lavaflow.kube.Json;
import lavaflow.kube.MalformedException;

import org.jspecify.annotations.Nullable;

/** Time division: nodes that belong to somebody else take pods at certain hours, and only such that can be taken away again. */
final class TdmPlugin
        implements Plugin,
                Plugin.Filter,
                Plugin.MemberScore,
                Plugin.Victims,
                Plugin.Shuffle,
                Plugin.GangOrder,
                Plugin.Readiness,
                Plugin.Starvation,
                Plugin.Timed {
    static final String ZONE = "volcano.sh/revocable-zone";
    private static final String PREEMPTABLE = "volcano.sh/preemptable";
    private static final String ARGUMENT = "tdm.revocable-zone.";
    private static final Duration USUAL_PERIOD = Duration.ofMinutes(1);
    private static final double SCORE = 100;

    /** Hours of a day in which a zone takes pods; those that end before they begin go over midnight. */
    record Window(LocalTime from, LocalTime to) {
        /** Null for what is none. */
        static @Nullable Window parse(String text) {
            int dash = text.indexOf('-');
            try {
                return dash < 0
                        ? null
                        : new Window(
                                LocalTime.parse(text.substring(0, dash).strip()),
                                LocalTime.parse(text.substring(dash + 1).strip()));
            } catch (DateTimeParseException e) {
                return null;
            }
        }

        boolean contains(Instant time) {
            LocalTime now = time.atOffset(ZoneOffset.UTC).toLocalTime();
            boolean begun = !now.isBefore(from);
            return to.isAfter(from) ? begun && now.isBefore(to) : begun || now.isBefore(to);
        }

        /** When it begins or ends next. */
        Instant nextEdge(Instant time) {
            Instant begins = next(from, time);
            Instant ends = next(to, time);
            return begins.isBefore(ends) ? begins : ends;
        }

        private static Instant next(LocalTime edge, Instant time) {
            LocalDate today = time.atOffset(ZoneOffset.UTC).toLocalDate();
            Instant candidate = today.atTime(edge).toInstant(ZoneOffset.UTC);
            return candidate.isAfter(time)
                    ? candidate
                    : today.plusDays(1).atTime(edge).toInstant(ZoneOffset.UTC);
        }
    }

    private final Session session;
    private final Map<String, Window> windows = new LinkedHashMap<>();
    private final Duration period;
    private @Nullable Instant evicted;

    TdmPlugin(Session session, Arguments arguments) {
        this.session = session;
        for (String key : arguments.keys(ARGUMENT)) {
            Window window = Window.parse(arguments.text(key, ""));
            if (window != null) {
                windows.put(key.substring(ARGUMENT.length()), window);
            }
        }
        this.period = period(arguments.text("tdm.evict.period", ""));
    }

    private static Duration period(String text) {
        try {
            return text.isEmpty() ? USUAL_PERIOD : GoDuration.parse(text);
        } catch (MalformedException e) {
            return USUAL_PERIOD;
        }
    }

    // ---- who may be where ----

    /** The zone of a node; empty if it is nobody else's. */
    private String zone(int slot) {
        return slot < 0 ? "" : Json.textAt(session.nodes().node(slot).labels(), ZONE);
    }

    private boolean isOpen(String zone) {
        Window window = windows.get(zone);
        return window != null && window.contains(session.now());
    }

    /** Whether a pod says that it may be taken away again; one that does not speak of zones but may have to go does. */
    private static boolean isRevocable(Member member) {
        String own = Json.textAt(member.spec().annotations(), ZONE);
        if (!own.isEmpty()) {
            return own.equals("*");
        }
        String group = Json.textAt(member.gang().spec().annotations(), ZONE);
        return group.isEmpty()
                ? Json.textAt(member.spec().annotations(), PREEMPTABLE).equals("true")
                : group.equals("*");
    }

    @Override
    public Scope scope(Member member) {
        return Scope.alike(List.of(
                isRevocable(member),
                windows.keySet().stream().filter(this::isOpen).toList()));
    }

    @Override
    public @Nullable Refusal refusal(Member member, int slot) {
        String zone = zone(slot);
        if (zone.isEmpty()) {
            return null;
        }
        if (!isOpen(zone)) {
            return new Refusal("node(s) were in a revocable zone outside of its time", false);
        }
        return isRevocable(member) ? null : new Refusal("node(s) were in a revocable zone the pod is not for", false);
    }

    @Override
    public double score(Member member, int slot) {
        return isOpen(zone(slot)) && isRevocable(member) ? SCORE : 0;
    }

    // ---- who comes first ----

    private static boolean isPreemptable(Gang gang) {
        return gang.spec().mark(PREEMPTABLE).equals("true");
    }

    @Override
    public int compareGangs(Gang one, Gang other) {
        return Boolean.compare(isPreemptable(one), isPreemptable(other));
    }

    @Override
    public boolean isReady(Gang gang) {
        return true;
    }

    @Override
    public Vote isPipelined(Gang gang) {
        return gang.isPipelined() ? Vote.YES : Vote.NO;
    }

    @Override
    public boolean isStarving(Gang gang) {
        return !isPreemptable(gang) && gang.tally().of(Stage.PENDING) > 0;
    }

    // ---- who has to go ----

    @Override
    public boolean countsVictims() {
        return true;
    }

    @Override
    public List<Member> preemptable(Member by, List<Member> candidates) {
        if (by.spec().preemptable() || isRevocable(by)) {
            return List.of();
        }
        return withinBudgets(candidates.stream()
                .filter(each -> mayGo(each) && zone(each.slot()).isEmpty())
                .toList());
    }

    private static boolean mayGo(Member member) {
        return member.stage() == Stage.RUNNING && member.spec().preemptable();
    }

    @Override
    public List<Member> toShuffle(List<Member> running) {
        Instant now = session.now();
        if (evicted != null && evicted.plus(period).isAfter(now)) {
            return List.of();
        }
        List<Member> victims = withinBudgets(running.stream()
                .filter(each -> mayGo(each) && isOver(zone(each.slot())))
                .toList());
        if (!victims.isEmpty()) {
            evicted = now;
        }
        return victims;
    }

    private boolean isOver(String zone) {
        return windows.containsKey(zone) && !isOpen(zone);
    }

    private static List<Member> withinBudgets(List<Member> members) {
        Map<Gang, Integer> left = new LinkedHashMap<>();
        List<Member> within = new ArrayList<>();
        for (Member each : members) {
            int allowed = left.computeIfAbsent(each.gang(), DisruptionLimit::of);
            if (allowed > 0) {
                left.put(each.gang(), allowed - 1);
                within.add(each);
            }
        }
        return within;
    }

    @Override
    public @Nullable Instant nextChange() {
        Instant now = session.now();
        Instant next = evicted != null && evicted.plus(period).isAfter(now) ? evicted.plus(period) : null;
        for (Window window : windows.values()) {
            next = Timed.first(next, window.nextEdge(now));
        }
        return next;
    }
}
