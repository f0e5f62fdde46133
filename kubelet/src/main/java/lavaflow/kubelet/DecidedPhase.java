package lavaflow.kubelet;

import java.util.List;

import lavaflow.node.PodPhase;

import org.jspecify.annotations.Nullable;

/** How a pod stands, by what its containers did. */
final class DecidedPhase {
    private DecidedPhase() {}

    /** What the API may hear: nobody is told that a pod is over while something of it runs. */
    static PodPhase of(PodFacts facts) {
        if (facts.pod().isOver()) {
            return facts.pod().phase().equals("Succeeded") ? PodPhase.SUCCEEDED : PodPhase.FAILED;
        }
        PodPhase phase = facts.end() != null ? PodPhase.FAILED : decided(facts);
        if (facts.isEnding() && !phase.isOver() && !facts.runsAnything()) {
            return atTheEnd(facts);
        }
        if (phase.isOver() && facts.runsAnything()) {
            return facts.pod().phase().equals(PodPhase.PENDING.word()) ? PodPhase.PENDING : PodPhase.RUNNING;
        }
        return phase;
    }

    /** Nothing will be started any more. */
    private static PodPhase atTheEnd(PodFacts facts) {
        List<PodView.Container> mains = facts.pod().containers(PodView.Role.MAIN);
        boolean done = mains.stream().allMatch(each -> {
            Attempt.Exit exit = facts.of(each).exit();
            return exit != null && exit.code() == 0;
        });
        return done ? PodPhase.SUCCEEDED : PodPhase.FAILED;
    }

    /** What the containers alone say, whether or not some sidecar still runs. */
    static PodPhase decided(PodFacts facts) {
        List<PodView.Container> mains = facts.pod().containers(PodView.Role.MAIN);
        boolean begun = mains.stream().anyMatch(each -> facts.of(each).last() != null);
        if (facts.restartsAll() && !facts.isEnding()) {
            return begun ? PodPhase.RUNNING : PodPhase.PENDING;
        }
        PodPhase initial = initial(facts, begun);
        if (initial != null) {
            return initial;
        }
        boolean running = false;
        boolean failed = false;
        boolean again = false;
        for (PodView.Container each : mains) {
            PodFacts.ContainerFacts container = facts.of(each);
            Attempt last = container.last();
            Attempt.Exit exit = container.exit();
            boolean beginning = last != null && container.work() == PodFacts.Work.STARTING && last.number() == 0;
            if (last == null || (beginning && exit == null)) {
                return PodPhase.PENDING;
            }
            running |= exit == null;
            failed |= exit != null && exit.code() != 0;
            again |= exit != null && (exit.isBegunAnew() || each.restartsAfter(exit.code()));
        }
        if (running || (again && !facts.isEnding())) {
            return PodPhase.RUNNING;
        }
        return failed ? PodPhase.FAILED : PodPhase.SUCCEEDED;
    }

    private static @Nullable PodPhase initial(PodFacts facts, boolean begun) {
        boolean pending = false;
        for (PodView.Container each : facts.pod().containers(PodView.Role.INIT)) {
            Attempt.Exit exit = facts.of(each).exit();
            if (each.isSidecar()) {
                pending |= !begun && !facts.of(each).started();
            } else if (exit == null) {
                pending |= !begun;
            } else if (exit.code() != 0) {
                if (!exit.isBegunAnew() && !each.restartsAfter(exit.code())) {
                    return PodPhase.FAILED;
                }
                pending |= !begun;
            }
        }
        return pending ? PodPhase.PENDING : null;
    }
}
