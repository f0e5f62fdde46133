package lavaflow.kubelet;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import lavaflow.kube.GoDuration;

import org.jspecify.annotations.Nullable;

/** What to do for a pod next: a function of what is known of it, by the rules of the kubelet. */
final class PodDecision {
    static final String CRASH_LOOP = "CrashLoopBackOff";

    /** Something to do. */
    sealed interface Action {}

    /** Make the pod's place: volumes, network, namespaces. */
    record Prepare() implements Action {}

    /** Get the image of a container, make it and start it. */
    record Start(PodView.Container container, int number) implements Action {}

    /** Note that a container has to wait before it is started again. */
    record Hold(PodView.Container container, PodFacts.Failure failure) implements Action {}

    /**
     * End a container.
     *
     * @param message what an event says about it
     * @param verdict the probe that wants it, whose own grace counts
     * @param atOnce whether there is no time for grace
     */
    record Stop(PodView.Container container, Attempt attempt, String message, PodFacts.Verdict verdict, boolean atOnce)
            implements Action {
        Stop(PodView.Container container, Attempt attempt, String message, PodFacts.Verdict verdict) {
            this(container, attempt, message, verdict, false);
        }
    }

    /** Forget what all containers did, since they begin anew. */
    record Reset() implements Action {}

    /** Nothing runs and nothing will: tell how it ended, then take everything away. */
    record Finish() implements Action {}

    /**
     * What is to be done now.
     *
     * @param wakeAt when to decide again although nothing happens; null if never
     */
    record Decision(List<Action> actions, @Nullable Instant wakeAt) {}

    private final PodFacts facts;
    private final PodView pod;
    private final List<Action> actions = new ArrayList<>();
    private @Nullable Instant wakeAt;

    private PodDecision(PodFacts facts) {
        this.facts = facts;
        this.pod = facts.pod();
    }

    static Decision decide(PodFacts facts) {
        PodDecision decision = new PodDecision(facts);
        if (facts.isEnding()
                || DecidedPhase.decided(facts).isOver()
                || facts.pod().isOver()) {
            decision.end();
        } else if (facts.restartsAll()) {
            decision.restartAll();
        } else {
            decision.live();
        }
        return new Decision(List.copyOf(decision.actions), decision.wakeAt);
    }

    /** What ends everything that runs, and nothing else. */
    static Decision suspend(PodFacts facts) {
        PodDecision decision = new PodDecision(facts);
        decision.end();
        return new Decision(
                decision.actions.stream().filter(Stop.class::isInstance).toList(), null);
    }

    private void wake(Instant at) {
        if (wakeAt == null || at.isBefore(wakeAt)) {
            wakeAt = at;
        }
    }

    // ---- the end ----

    /** Sidecars serve the others to their end, and each other in the order they were started. */
    private void end() {
        if (facts.busy()) {
            return;
        }
        boolean anything = false;
        for (PodView.Container each : pod.containers()) {
            if (!each.isSidecar()) {
                anything |= stop(each);
            }
        }
        for (PodView.Container each : pod.containers(PodView.Role.INIT).reversed()) {
            if (each.isSidecar() && !anything) {
                anything = stop(each);
            }
        }
        if (!anything) {
            actions.add(new Finish());
        }
    }

    /** True if the container is still there. */
    private boolean stop(PodView.Container container) {
        PodFacts.ContainerFacts known = facts.of(container);
        Attempt last = known.last();
        if (known.work() == PodFacts.Work.NONE && last != null && last.isRunning()) {
            actions.add(new Stop(container, last, "Stopping container " + container.name(), PodFacts.Verdict.NONE));
        }
        return known.isBusy() || known.isRunning();
    }

    // ---- the same pod once more ----

    /**
     * Ends what runs, at once as kubelets do, and forgets it; then the pod begins as a new one does. Ephemeral containers are
     * not part of that. Where it happens again and again there are the usual pauses, for which kubelets have nothing.
     */
    private void restartAll() {
        if (facts.busy()) {
            return;
        }
        boolean anything = false;
        Instant from = facts.now();
        for (PodView.Container each : pod.containers()) {
            PodFacts.ContainerFacts known = facts.of(each);
            if (each.role() == PodView.Role.EPHEMERAL) {
                continue;
            }
            Attempt last = known.last();
            if (!known.isBusy() && last != null && last.isRunning()) {
                actions.add(new Stop(each, last, "killing", PodFacts.Verdict.NONE, true));
            }
            anything |= known.isBusy() || known.isRunning();
            Attempt.Exit exit = known.exit();
            if (exit != null && facts.restartsAll(each)) {
                Instant mayTryAt = BackOff.mayTryAt(known.backOff(), exit.at());
                if (mayTryAt.isAfter(facts.now())) {
                    hold(each, known.backOff(), mayTryAt);
                    from = mayTryAt.isAfter(from) ? mayTryAt : from;
                }
            }
        }
        if (!anything && !from.isAfter(facts.now())) {
            actions.add(new Reset());
        }
    }

    // ---- life ----

    private void live() {
        if (!facts.sandbox()) {
            PodFacts.Failure failure = facts.failure();
            if (failure != null && failure.retryAt().isAfter(facts.now())) {
                wake(failure.retryAt());
            } else if (!facts.busy()) {
                actions.add(new Prepare());
            }
            return;
        }
        for (PodView.Container each : pod.containers(PodView.Role.EPHEMERAL)) {
            if (facts.of(each).last() == null) {
                start(each);
            }
        }
        if (isInitialized()) {
            for (PodView.Container each : pod.containers(PodView.Role.MAIN)) {
                keep(each);
                // One after the other: some rely on the first being up before the second.
                if (facts.of(each).work() == PodFacts.Work.STARTING || isToStart(each)) {
                    break;
                }
            }
        }
    }

    private boolean isToStart(PodView.Container container) {
        return actions.stream()
                .anyMatch(action -> action instanceof Start start
                        && start.container().name().equals(container.name()));
    }

    private boolean hasBegun(PodView.Container container) {
        Attempt last = facts.of(container).last();
        return last != null && !last.hash().isEmpty();
    }

    /** Moves the init containers on; true once all have done their part. */
    private boolean isInitialized() {
        boolean begun = pod.containers(PodView.Role.MAIN).stream().anyMatch(this::hasBegun);
        List<PodView.Container> inits = pod.containers(PodView.Role.INIT);
        for (int i = 0; i < inits.size(); i++) {
            PodView.Container each = inits.get(i);
            boolean passed =
                    begun || inits.subList(i + 1, inits.size()).stream().anyMatch(this::hasBegun);
            PodFacts.ContainerFacts known = facts.of(each);
            if (each.isSidecar()) {
                keep(each);
                if (!passed && !(known.isRunning() && known.started())) {
                    return false;
                }
            } else if (!begun && !isDone(each)) {
                if (!known.isRunning()) {
                    start(each);
                }
                return false;
            }
        }
        return true;
    }

    private boolean isDone(PodView.Container init) {
        Attempt.Exit exit = facts.of(init).exit();
        return exit != null && exit.code() == 0 && hasBegun(init);
    }

    /** Starts a container that should run, and ends one that should not go on as it is. */
    private void keep(PodView.Container container) {
        PodFacts.ContainerFacts known = facts.of(container);
        Attempt last = known.last();
        if (known.isBusy()) {
            return;
        }
        if (last != null && last.isRunning()) {
            String why = complaint(container, known, last);
            if (why != null) {
                String then = container.restartsAfter(137) || isChanged(known, last) ? ", will be restarted" : "";
                actions.add(new Stop(container, last, why + then, known.verdict()));
            }
            return;
        }
        Attempt.Exit exit = known.exit();
        if (exit == null || exit.isBegunAnew() || container.restartsAfter(exit.code()) || isChanged(known, last)) {
            start(container);
        }
    }

    private static boolean isChanged(PodFacts.ContainerFacts known, @Nullable Attempt last) {
        return last != null && !last.hash().isEmpty() && !last.hash().equals(known.hash());
    }

    private static @Nullable String complaint(
            PodView.Container container, PodFacts.ContainerFacts known, Attempt last) {
        if (isChanged(known, last)) {
            return "Container " + container.name() + " definition changed";
        }
        return switch (known.verdict()) {
            case LIVENESS_FAILED -> "Container " + container.name() + " failed liveness probe";
            case STARTUP_FAILED -> "Container " + container.name() + " failed startup probe";
            case NONE -> null;
        };
    }

    private void start(PodView.Container container) {
        PodFacts.ContainerFacts known = facts.of(container);
        if (known.isBusy()) {
            return;
        }
        PodFacts.Failure failure = known.failure();
        if (failure != null && failure.retryAt().isAfter(facts.now())) {
            wake(failure.retryAt());
            return;
        }
        Attempt.Exit exit = known.exit();
        Attempt last = known.last();
        if (exit != null && !exit.isBegunAnew() && !isChanged(known, last)) {
            Instant from = BackOff.mayTryAt(known.backOff(), exit.at());
            if (from.isAfter(facts.now())) {
                hold(container, known.backOff(), from);
                return;
            }
        }
        actions.add(new Start(container, last == null ? 0 : last.number() + 1));
    }

    private void hold(PodView.Container container, @Nullable BackOff backOff, Instant until) {
        String pause = backOff == null ? "" : GoDuration.format(backOff.pause());
        String message =
                "back-off " + pause + " restarting failed container=" + container.name() + " pod=" + pod.title();
        actions.add(new Hold(container, new PodFacts.Failure(CRASH_LOOP, message, until)));
        wake(until);
    }
}
