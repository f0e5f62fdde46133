package lavaflow;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

import lavaflow.cli.VolcanoObjects;
import lavaflow.controller.KubeApi;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** Waits for a job to become something. */
final class JobWatching {
    private final KubeApi api;
    private final String namespace;
    private final String name;

    JobWatching(KubeApi api, String namespace, String name) {
        this.api = api;
        this.namespace = namespace;
        this.name = name;
    }

    /**
     * The job as soon as it is as wanted. Fails with exit code 1 where it is deleted, and 4 after the patience.
     *
     * @param late what to say then
     */
    ObjectNode await(Duration patience, Predicate<ObjectNode> wanted, String late) throws InterruptedException {
        long deadline = System.nanoTime() + patience.toNanos();
        KubeApi.Scope scope = KubeApi.Scope.of(namespace, name);
        List<ObjectNode> found = new ArrayList<>();
        long revision = api.list(VolcanoObjects.JOBS, scope, KubeApi.View.WHOLE, found::add);
        ObjectNode now = found.isEmpty() ? null : found.getFirst();
        try (KubeApi.Watch watch = api.watch(VolcanoObjects.JOBS, scope, revision, KubeApi.View.WHOLE)) {
            while (true) {
                if (now == null) {
                    throw new CommandFailure(Lava.FAILED, "job " + name + " was deleted");
                }
                if (wanted.test(now)) {
                    return now;
                }
                Duration left = Duration.ofNanos(deadline - System.nanoTime());
                if (!left.isPositive()) {
                    throw new CommandFailure(Lava.TIMED_OUT, late);
                }
                for (KubeApi.Event event : watch.next(left).events()) {
                    if (Json.textAt(event.object(), "metadata", "name").equals(name)) {
                        now = event.deleted() ? null : event.object();
                    }
                }
            }
        }
    }
}
