package lavaflow.plugins;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import lavaflow.gang.Arguments;
import lavaflow.gang.Gang;
import lavaflow.gang.GroupPhase;
import lavaflow.gang.Plugin;
import lavaflow.gang.Queue;
import lavaflow.gang.Session;
import lavaflow.kube.GoDuration;
import lavaflow.kube.Json;
import lavaflow.kube.MalformedException;

import org.jspecify.annotations.Nullable;

/** Nobody waits longer than agreed: who has to be served soonest comes first, and once it is time is let in. */
final class SlaPlugin implements Plugin, Plugin.GangOrder, Plugin.Entrance, Plugin.Readiness, Plugin.Timed {
    private static final String WAITING_TIME = "sla-waiting-time";
    private static final List<String> ANNOTATIONS = List.of("volcano.sh/sla-waiting-time", WAITING_TIME);

    private final Session session;
    private final @Nullable Duration usual;
    private @Nullable Instant next;
    private boolean nextKnown;

    SlaPlugin(Session session, Arguments arguments) {
        this.session = session;
        this.usual = duration(arguments.text(WAITING_TIME, ""));
    }

    /** Null for what is no time to wait. */
    private static @Nullable Duration duration(String text) {
        try {
            Duration duration = text.isEmpty() ? Duration.ZERO : GoDuration.parse(text);
            return duration.isPositive() ? duration : null;
        } catch (MalformedException e) {
            return null;
        }
    }

    /** When a gang has waited long enough; null if it may wait for ever. */
    private @Nullable Instant deadline(Gang gang) {
        Duration patience = usual;
        for (String key : ANNOTATIONS) {
            Duration own = duration(Json.textAt(gang.spec().annotations(), key));
            if (own != null) {
                patience = own;
                break;
            }
        }
        return patience == null ? null : gang.spec().created().plus(patience);
    }

    @Override
    public int compareGangs(Gang one, Gang other) {
        Instant first = deadline(one);
        Instant second = deadline(other);
        if (first == null || second == null) {
            return Boolean.compare(first == null, second == null);
        }
        return first.compareTo(second);
    }

    private Vote vote(Gang gang) {
        Instant deadline = deadline(gang);
        return deadline == null || session.now().isBefore(deadline) ? Vote.ABSTAIN : Vote.YES;
    }

    @Override
    public Vote mayEnter(Gang gang, Refusals refusals) {
        return vote(gang);
    }

    @Override
    public boolean isReady(Gang gang) {
        return true;
    }

    @Override
    public Vote isPipelined(Gang gang) {
        return vote(gang);
    }

    @Override
    public void open(Session opened) {
        nextKnown = false;
    }

    /** Worked out once a round: a new gang is reason enough for another one. */
    @Override
    public @Nullable Instant nextChange() {
        if (!nextKnown) {
            next = nextDeadline();
            nextKnown = true;
        }
        return next;
    }

    private @Nullable Instant nextDeadline() {
        Instant soonest = null;
        for (Queue queue : session.queues()) {
            for (Gang gang : queue.gangs()) {
                boolean waits = gang.phase() == GroupPhase.PENDING || gang.phase() == GroupPhase.INQUEUE;
                Instant deadline = waits ? deadline(gang) : null;
                if (deadline != null && session.now().isBefore(deadline)) {
                    soonest = Timed.first(soonest, deadline);
                }
            }
        }
        return soonest;
    }
}
