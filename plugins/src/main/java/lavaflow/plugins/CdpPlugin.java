package lavaflow.plugins;

import java.time.Instant;
import java.util.List;

import lavaflow.gang.Member;
import lavaflow.gang.Plugin;
import lavaflow.gang.Session;
import lavaflow.gang.Stage;
import lavaflow.kube.GoDuration;
import lavaflow.kube.Json;
import lavaflow.kube.MalformedException;

import org.jspecify.annotations.Nullable;

/** Cooldown protection: who has just got its place keeps it for as long as it says. */
final class CdpPlugin implements Plugin, Plugin.Victims, Plugin.Timed {
    private static final String COOLDOWN = "volcano.sh/cooldown-time";

    private final Session session;
    /** When the first of those that were spared in this round may have to go. */
    private @Nullable Instant next;

    CdpPlugin(Session session) {
        this.session = session;
    }

    @Override
    public void open(Session opened) {
        next = null;
    }

    /** Until when a pod keeps its place; null if it need not. */
    private static @Nullable Instant protectedUntil(Member member) {
        Instant scheduled = member.spec().scheduled();
        String label = Json.textAt(member.type().labels(), COOLDOWN);
        String text = label.isEmpty() ? Json.textAt(member.spec().annotations(), COOLDOWN) : label;
        if (scheduled == null || text.isEmpty() || member.stage() != Stage.RUNNING) {
            return null;
        }
        try {
            return scheduled.plus(GoDuration.parse(text));
        } catch (MalformedException e) {
            return null;
        }
    }

    private List<Member> unprotected(List<Member> candidates) {
        return candidates.stream()
                .filter(each -> {
                    Instant until = protectedUntil(each);
                    if (until == null || !until.isAfter(session.now())) {
                        return true;
                    }
                    next = Timed.first(next, until);
                    return false;
                })
                .toList();
    }

    @Override
    public List<Member> preemptable(Member by, List<Member> candidates) {
        return unprotected(candidates);
    }

    @Override
    public List<Member> reclaimable(Member by, List<Member> candidates) {
        return unprotected(candidates);
    }

    @Override
    public @Nullable Instant nextChange() {
        return next;
    }
}
