package lavaflow.kubelet;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What is done for a pod beside its turns, because it takes long. Called by turns, which hold the pod's lock. */
final class PodTasks {
    private static final Logger LOG = LoggerFactory.getLogger(PodTasks.class);

    private final PodLife pod;

    PodTasks(PodLife pod) {
        this.pod = pod;
    }

    /** Begins what was decided. */
    void begin(PodDecision.Action action) {
        switch (action) {
            case PodDecision.Prepare() -> {
                pod.busy = true;
                aside("prepare", () -> new PodPlace(pod).prepare());
            }
            case PodDecision.Start(PodView.Container container, int number) -> start(container, number);
            case PodDecision.Hold(PodView.Container container, PodFacts.Failure why) -> hold(container, why);
            case PodDecision.Stop stop -> stop(stop);
            case PodDecision.Reset() -> {
                pod.busy = true;
                aside("begin anew", () -> new FreshStart(pod).run());
            }
            case PodDecision.Finish() -> {
                pod.busy = true;
                aside("finish", () -> new PodPlace(pod).finish());
            }
        }
    }

    /** Does something and asks for a turn when it is through. */
    void aside(String what, Runnable task) {
        Thread.ofVirtual().name(what + " " + pod.uid()).start(() -> {
            try {
                task.run();
            } catch (RuntimeException e) {
                LOG.error("cannot {} pod {}", what, view().title(), e);
            } finally {
                pod.wake();
            }
        });
    }

    private PodView view() {
        return new PodView(pod.object);
    }

    private void start(PodView.Container container, int number) {
        ContainerLife life = pod.life(container.name());
        Attempt last = life.last();
        Attempt.Exit exit = last == null ? null : last.exit();
        if (exit != null && !exit.isBegunAnew()) {
            life.backOff =
                    BackOff.next(life.backOff, exit.at(), pod.around().clock().instant());
        }
        life.work = PodFacts.Work.STARTING;
        life.mayBeGivenUp = true;
        int token = ++life.token;
        PodView view = view();
        aside("start " + container.name() + " of", () -> new ContainerStart(pod, view, container, number, token).run());
    }

    private void hold(PodView.Container container, PodFacts.Failure why) {
        ContainerLife life = pod.life(container.name());
        if (life.failure != null && life.failure.equals(why)) {
            return;
        }
        life.failure = why;
        String message = "Back-off restarting failed container " + container.name() + " in pod " + view().title();
        pod.around().events().warning(view(), container, "BackOff", message);
        pod.wake();
    }

    void stop(PodDecision.Stop stop) {
        ContainerLife life = pod.life(stop.container().name());
        life.work = PodFacts.Work.STOPPING;
        life.stoppingSince = pod.around().clock().instant();
        PodFacts.End end = pod.end;
        boolean atOnce = stop.atOnce() || (end != null && end.atOnce());
        life.stopGrace = atOnce ? 0 : ContainerStop.grace(view(), stop, pod.vanished);
        aside(
                "stop " + stop.container().name() + " of",
                () -> new ContainerStop(pod, stop.container(), stop.attempt()).run(stop.message()));
    }
}
