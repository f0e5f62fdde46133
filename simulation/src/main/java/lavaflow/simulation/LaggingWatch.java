package lavaflow.simulation;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

import lavaflow.controller.KubeApi;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

/** Tells what happened to one kind in order, but not all of it at once, and breaks now and then. */
final class LaggingWatch implements KubeApi.Watch {
    private final Life life;
    private final KubeApi.Kind kind;
    private final KubeApi.Watch inner;
    private final Deque<KubeApi.Event> untold = new ArrayDeque<>();
    private long reached;

    LaggingWatch(Life life, KubeApi.Kind kind, KubeApi.Watch inner, long reached) {
        this.life = life;
        this.kind = kind;
        this.inner = inner;
        this.reached = reached;
        life.open(this);
    }

    @Override
    public KubeApi.Progress next(Duration timeout) throws InterruptedException {
        life.live();
        if (life.happens(life.faults().broken())) {
            life.tell(Fault.BROKEN_WATCH, "the watch of " + kind + " broke");
            throw life.stage().random().nextBoolean()
                    ? ApiException.expired("too old resource version")
                    : ApiException.of(500, "InternalError", "connection reset");
        }
        KubeApi.Progress progress = inner.next(Duration.ZERO);
        untold.addAll(progress.events());
        int count = untold.size();
        if (count > 0 && life.happens(life.faults().lag())) {
            life.count(Fault.LATE_NEWS);
            count = life.stage().random().nextInt(count);
        }
        List<KubeApi.Event> told = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            KubeApi.Event event = untold.removeFirst();
            reached = revision(event);
            told.add(event);
        }
        if (count > 0 && life.isAheadOfOthers(this, reached)) {
            life.count(Fault.REORDERED_NEWS);
        }
        if (untold.isEmpty()) {
            reached = progress.revision();
        }
        life.heard(kind, reached);
        return new KubeApi.Progress(told, reached);
    }

    /** The revision of the first piece of news that is kept back. */
    long oldestUntold() {
        return untold.isEmpty() ? Long.MAX_VALUE : revision(untold.getFirst());
    }

    private static long revision(KubeApi.Event event) {
        return Long.parseLong(Json.textAt(event.object(), "metadata", "resourceVersion"));
    }

    @Override
    public void wake() {
        inner.wake();
    }

    @Override
    public void close() {
        life.close(this);
        inner.close();
    }
}
