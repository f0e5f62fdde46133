package lavaflow.kubelet;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

/** What a pod knows of one of its containers. Guarded by its pod. */
final class ContainerLife {
    final String name;
    final List<Attempt> attempts = new ArrayList<>();
    PodFacts.Work work = PodFacts.Work.NONE;
    PodFacts.@Nullable Failure failure;

    @Nullable
    BackOff backOff;
    /** For the image. */
    @Nullable
    BackOff pullBackOff;

    String pullError = "";
    boolean started;
    boolean ready;
    PodFacts.Verdict verdict = PodFacts.Verdict.NONE;
    /** Changes with every start: who holds an older one has been given up. */
    int token;
    /** Whether what is being done may be given up at any time. */
    boolean mayBeGivenUp;
    /** When its end began, and how long it may take; null while it does not end. */
    @Nullable
    Instant stoppingSince;

    long stopGrace;

    ContainerLife(String name) {
        this.name = name;
    }

    @Nullable
    Attempt last() {
        return attempts.isEmpty() ? null : attempts.getLast();
    }

    /** Puts a changed life in the place of what it was. */
    boolean replace(Attempt attempt) {
        for (int i = 0; i < attempts.size(); i++) {
            if (attempts.get(i).id().equals(attempt.id())) {
                attempts.set(i, attempt);
                return true;
            }
        }
        return false;
    }

    @Nullable
    Attempt find(String id) {
        for (Attempt each : attempts) {
            if (each.id().equals(id)) {
                return each;
            }
        }
        return null;
    }

    /**
     * Forgets lives that nobody is told of any more; returns their ids. Two are told of, and one that begins may come to
     * nothing: whoever goes on after this process needs the two before it.
     */
    List<String> forgetOld() {
        int kept = work == PodFacts.Work.STARTING ? 3 : 2;
        List<String> old = new ArrayList<>();
        while (attempts.size() > kept) {
            old.add(attempts.removeFirst().id());
        }
        return old;
    }

    /**
     * Its pod begins anew.
     *
     * @param reason whether it was its own end that wanted this
     */
    void beginAnew(boolean reason, Instant now) {
        Attempt last = last();
        if (last != null) {
            Attempt.Exit exit = last.exit();
            if (reason && exit != null) {
                backOff = BackOff.next(backOff, exit.at(), now);
            }
            attempts.set(attempts.size() - 1, last.removed(now));
        }
        failure = null;
        started = false;
        ready = false;
        verdict = PodFacts.Verdict.NONE;
    }

    PodFacts.ContainerFacts facts(String hash) {
        return new PodFacts.ContainerFacts(
                List.copyOf(attempts), work, failure, backOff, hash, started, ready, verdict);
    }
}
