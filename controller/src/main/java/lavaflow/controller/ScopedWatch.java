package lavaflow.controller;

import java.time.Duration;

/** The part of a watch that a scope holds. What leaves the scope is not told of: its fields are ones that stay. */
record ScopedWatch(KubeApi.Watch whole, KubeApi.Scope scope) implements KubeApi.Watch {
    @Override
    public KubeApi.Progress next(Duration timeout) throws InterruptedException {
        KubeApi.Progress progress = whole.next(timeout);
        return new KubeApi.Progress(
                progress.events().stream()
                        .filter(event -> scope.holds(event.object()))
                        .toList(),
                progress.revision());
    }

    @Override
    public void wake() {
        whole.wake();
    }

    @Override
    public void close() {
        whole.close();
    }
}
