package lavaflow.node;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * What becomes of a pod as time passes, by the rules of the kubelet: init containers in order, sidecars that go on,
 * restarts with pauses, deadlines, and an end in good time. A function of the pod, how far it is, the time and a seed.
 */
final class PodSimulation {
    private static final int SUCCESS = 0;
    /** Ended by a signal it obeyed, and by one nobody can refuse. */
    private static final int TERMINATED = 143;

    private static final int KILLED = 137;
    /** Containers that end as soon as they start must not keep a turn going for ever. */
    private static final int MOST_MOVES = 64;

    /**
     * How far a pod is now.
     *
     * @param wakeAt when to look again although nothing happens; null if never
     * @param gone nothing of it runs any more and its end was asked for
     */
    record Next(PodRun run, @Nullable Instant wakeAt, boolean gone) {}

    private final SimPod pod;
    private final long seed;
    private final Instant now;
    private final List<ContainerRun> inits;
    private final List<ContainerRun> mains;
    private @Nullable Instant wakeAt;
    private boolean moved;

    private PodSimulation(SimPod pod, PodRun run, Instant now, long seed) {
        this.pod = pod;
        this.seed = seed;
        this.now = now;
        this.inits = new ArrayList<>(run.inits());
        this.mains = new ArrayList<>(run.mains());
    }

    static Next advance(SimPod pod, PodRun run, Instant now, long seed) {
        if (phase(pod, run).isOver()) {
            return new Next(run, null, pod.deletedAt() != null);
        }
        if (pod.deletedAt() != null) {
            return stop(pod, run.toldToStop(), pod.deletedAt(), now);
        }
        PodRun begun = run.startTime() == null ? run.started(now) : run;
        Instant startTime = begun.startTime() == null ? now : begun.startTime();
        Instant deadline = pod.activeDeadline() == null ? null : startTime.plus(pod.activeDeadline());
        if (deadline != null && !deadline.isAfter(now)) {
            PodRun stopped = endAll(begun, deadline, KILLED)
                    .ended("DeadlineExceeded", "Pod was active on the node longer than the specified deadline");
            return new Next(stopped, null, false);
        }
        Instant startAt = begun.seen().plus(pod.startDelay());
        if (!begun.sandbox() && startAt.isAfter(now)) {
            return new Next(begun, earlier(startAt, deadline), false);
        }
        PodSimulation simulation = new PodSimulation(pod, begun.inSandbox(), now, seed);
        simulation.move();
        PodRun moved = begun.inSandbox().with(simulation.inits, simulation.mains);
        return phase(pod, moved).isOver()
                ? new Next(endSidecars(pod, moved, now), null, false)
                : new Next(moved, earlier(deadline, simulation.wakeAt), false);
    }

    private static @Nullable Instant earlier(@Nullable Instant one, @Nullable Instant other) {
        if (one == null || other == null) {
            return one == null ? other : one;
        }
        return one.isBefore(other) ? one : other;
    }

    // ---- the end ----

    private static Next stop(SimPod pod, PodRun run, Instant asked, Instant now) {
        boolean tooSlow = pod.stopDelay().compareTo(pod.grace()) > 0;
        Instant stopAt = asked.plus(tooSlow ? pod.grace() : pod.stopDelay());
        boolean runs = run.inits().stream().anyMatch(ContainerRun::isRunning)
                || run.mains().stream().anyMatch(ContainerRun::isRunning);
        if (runs && stopAt.isAfter(now)) {
            return new Next(run, stopAt, false);
        }
        PodRun ended = endAll(run, now, tooSlow ? KILLED : TERMINATED);
        // Whoever counts ends must find one, also where nothing has ever run.
        List<ContainerRun> mains =
                ended.mains().stream().map(ContainerRun::leftBehind).toList();
        return new Next(ended.with(ended.inits(), mains), null, true);
    }

    private static PodRun endAll(PodRun run, Instant at, int exitCode) {
        return run.with(ended(run.inits(), at, exitCode), ended(run.mains(), at, exitCode));
    }

    private static List<ContainerRun> ended(List<ContainerRun> runs, Instant at, int exitCode) {
        return runs.stream()
                .map(each -> each.isRunning() ? each.end(at, exitCode) : each)
                .toList();
    }

    /** Sidecars serve the others: they end after them, and how does not matter. */
    private static PodRun endSidecars(SimPod pod, PodRun run, Instant now) {
        List<ContainerRun> inits = new ArrayList<>();
        for (int i = 0; i < run.inits().size(); i++) {
            ContainerRun each = run.inits().get(i);
            inits.add(pod.inits().get(i).sidecar() && each.isRunning() ? each.end(now, SUCCESS) : each);
        }
        return run.with(inits, run.mains());
    }

    // ---- life ----

    private void move() {
        for (int moves = 0; moves < MOST_MOVES; moves++) {
            moved = false;
            wakeAt = null;
            if (moveInits()) {
                for (int i = 0; i < mains.size(); i++) {
                    moveContainer(
                            mains, i, pod.mains().get(i), !pod.restartPolicy().equals("Never"));
                }
            }
            if (!moved) {
                return;
            }
        }
        wake(now.plusSeconds(1));
    }

    /** True once the other containers may start. */
    private boolean moveInits() {
        boolean mainsBegan = mains.stream().anyMatch(each -> !(each.state() instanceof ContainerRun.Waiting));
        for (int i = 0; i < inits.size(); i++) {
            SimContainer container = pod.inits().get(i);
            boolean again = container.sidecar() || !pod.restartPolicy().equals("Never");
            if (!container.sidecar() && isDone(inits.get(i))) {
                continue;
            }
            moveContainer(inits, i, container, again);
            ContainerRun run = inits.get(i);
            boolean passed = container.sidecar() ? run.started() || mainsBegan : isDone(run);
            if (!passed) {
                return false;
            }
        }
        return true;
    }

    private static boolean isDone(ContainerRun run) {
        return run.state() instanceof ContainerRun.Ended ended && ended.exitCode() == SUCCESS;
    }

    private void moveContainer(List<ContainerRun> runs, int index, SimContainer container, boolean again) {
        ContainerRun run = runs.get(index);
        ContainerRun next = switch (run.state()) {
            case ContainerRun.Waiting() -> container.missing() ? run : run.start(now);
            case ContainerRun.Running(Instant since) -> running(run, container, since);
            case ContainerRun.BackingOff(Instant until, Duration _) -> {
                if (until.isAfter(now)) {
                    wake(until);
                    yield run;
                }
                yield run.start(until);
            }
            case ContainerRun.Ended ended -> restarts(container, ended, again) ? run.again(ended) : run;
            case ContainerRun.Missing() -> run;
        };
        if (!next.equals(run)) {
            runs.set(index, next);
            moved = true;
        }
    }

    /** Init containers are restarted only where they failed, others as the policy says. */
    private boolean restarts(SimContainer container, ContainerRun.Ended ended, boolean again) {
        boolean main = pod.mains().contains(container);
        boolean always = container.sidecar() || (main && pod.restartPolicy().equals("Always"));
        return again && (always || ended.exitCode() != SUCCESS);
    }

    private ContainerRun running(ContainerRun run, SimContainer container, Instant since) {
        Duration duration = container.duration();
        Instant end = duration == null ? null : since.plus(duration);
        if (end != null && !end.isAfter(now)) {
            return run.end(end, exitCode(run, container));
        }
        if (end != null) {
            wake(end);
        }
        Instant started = since.plus(container.startsAfter());
        Instant ready = started.plus(container.readyAfter());
        boolean isStarted = !started.isAfter(now);
        boolean isReady = isStarted && !ready.isAfter(now);
        if (!isStarted) {
            wake(started);
        } else if (!isReady) {
            wake(ready);
        }
        return run.probed(isStarted, isReady);
    }

    private void wake(Instant at) {
        wakeAt = earlier(wakeAt, at);
    }

    private int exitCode(ContainerRun run, SimContainer container) {
        Double probability = container.failProbability();
        if (probability == null) {
            return container.exitCode(run.restarts());
        }
        boolean fails = Chance.of(seed, pod.uid(), container.name(), run.restarts()) < probability;
        return fails ? Math.max(1, container.exitCode(run.restarts())) : SUCCESS;
    }

    /** Whether a container would be running, were its image there: those before it have done their part. */
    static boolean isTurnOf(SimContainer container, SimPod pod, PodRun run) {
        if (!run.sandbox()) {
            return false;
        }
        for (int i = 0; i < run.inits().size(); i++) {
            SimContainer each = pod.inits().get(i);
            ContainerRun its = run.inits().get(i);
            if (each.name().equals(container.name())) {
                return true;
            }
            if (each.sidecar() ? !its.started() && its.last() == null : !isDone(its)) {
                return false;
            }
        }
        return true;
    }

    // ---- the phase ----

    static PodPhase phase(SimPod pod, PodRun run) {
        if (run.end() != null) {
            return PodPhase.FAILED;
        }
        for (int i = 0; i < run.inits().size(); i++) {
            ContainerRun init = run.inits().get(i);
            if (pod.inits().get(i).sidecar()) {
                if (init.state() instanceof ContainerRun.Waiting && !isLeftBehind(run)) {
                    return PodPhase.PENDING;
                }
            } else if (!isDone(init)) {
                boolean failed = init.state() instanceof ContainerRun.Ended
                        && pod.restartPolicy().equals("Never");
                return failed || isLeftBehind(run) ? PodPhase.FAILED : PodPhase.PENDING;
            }
        }
        return phaseOfMains(pod, run.mains());
    }

    /** Whether the pod has ended before anything of it ran. */
    private static boolean isLeftBehind(PodRun run) {
        return run.mains().stream().anyMatch(each -> each.state() instanceof ContainerRun.Missing);
    }

    private static PodPhase phaseOfMains(SimPod pod, List<ContainerRun> mains) {
        int running = 0;
        int failed = 0;
        int ended = 0;
        for (ContainerRun each : mains) {
            switch (each.state()) {
                case ContainerRun.Waiting() -> {
                    return PodPhase.PENDING;
                }
                case ContainerRun.Missing() -> {
                    return PodPhase.FAILED;
                }
                case ContainerRun.Running(Instant _) -> running++;
                case ContainerRun.BackingOff(Instant _, Duration _) -> running++;
                case ContainerRun.Ended end -> {
                    ended++;
                    failed += end.exitCode() == SUCCESS ? 0 : 1;
                }
            }
        }
        boolean stopping = pod.deletedAt() != null;
        if (running > 0 || ended == 0 || (pod.restartPolicy().equals("Always") && !stopping)) {
            return PodPhase.RUNNING;
        }
        if (failed == 0) {
            return PodPhase.SUCCEEDED;
        }
        return pod.restartPolicy().equals("Never") || stopping ? PodPhase.FAILED : PodPhase.RUNNING;
    }
}
