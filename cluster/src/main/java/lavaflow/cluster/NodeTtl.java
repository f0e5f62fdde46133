package lavaflow.cluster;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;

import lavaflow.controller.ControllerRunner;
import lavaflow.controller.Followers;
import lavaflow.controller.KubeApi;
import lavaflow.controller.Mirror;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Tells kubelets for how long they may use the secrets and config maps they know: longer, the more of them ask. */
final class NodeTtl {
    private static final String ANNOTATION = "node.alpha.kubernetes.io/ttl";

    /** Up from which, down to which number of nodes which time holds; they overlap, so that it does not flap. */
    private record Step(int least, int most, int seconds) {}

    private static final List<Step> STEPS = List.of(
            new Step(0, 100, 0),
            new Step(90, 500, 15),
            new Step(450, 1000, 30),
            new Step(900, 2000, 60),
            new Step(1800, 10_000, 300),
            new Step(9000, Integer.MAX_VALUE, 600));

    /** What a mirror keeps of a node. */
    private record Told(String name, String value) {}

    private final KubeApi api;
    private final Mirror<Told> nodes;
    private final ControllerRunner<String> runner;
    private int count;
    private int step;

    NodeTtl(KubeApi api, Followers followers, LongSupplier nanoTime) {
        this.api = api;
        this.runner = new ControllerRunner<>("ttl-controller", followers, 5, this::reconcile, nanoTime);
        this.nodes = new Mirror<>(followers, NodeLifecycle.NODES, NodeTtl::told, _ -> List.of())
                .whenDifferent(this::changed);
    }

    ControllerRunner<String> controller() {
        return runner;
    }

    private static Told told(ObjectNode node) {
        return new Told(Objects.name(node), Json.textAt(node, "metadata", "annotations", ANNOTATION));
    }

    private synchronized void changed(@Nullable Told before, @Nullable Told after) {
        if (before == null) {
            count++;
        }
        if (after == null) {
            count--;
        }
        while (count > STEPS.get(step).most()) {
            step++;
        }
        while (count < STEPS.get(step).least()) {
            step--;
        }
        if (after != null) {
            runner.queue().add(after.name());
        }
    }

    private synchronized String wanted() {
        return Integer.toString(STEPS.get(step).seconds());
    }

    private Optional<Duration> reconcile(String name) {
        Told node = nodes.get("", name);
        String wanted = wanted();
        if (node != null && !node.value().equals(wanted)) {
            ObjectNode patch = Json.object();
            Json.ensureObject(patch, "metadata", "annotations").put(ANNOTATION, wanted);
            api.patch(NodeLifecycle.NODES, "", name, "", KubeApi.Merge.PLAIN, patch);
        }
        return Optional.empty();
    }
}
