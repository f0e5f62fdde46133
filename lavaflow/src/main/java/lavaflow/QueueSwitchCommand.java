package lavaflow;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

import lavaflow.batch.Batch;
import lavaflow.batch.QueueState;
import lavaflow.controller.KubeApi;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** Opens or closes a queue: gives the Command and waits until it is carried out. */
final class QueueSwitchCommand implements Command {
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    private final boolean open;

    /** @param open whether this is the one that opens */
    QueueSwitchCommand(boolean open) {
        this.open = open;
    }

    @Override
    public String name() {
        return open ? "queue open" : "queue close";
    }

    @Override
    public String summary() {
        return open ? "Open a queue, and those closed with it." : "Close a queue and those below it to new jobs.";
    }

    @Override
    public List<Option> options() {
        return ClusterClient.options();
    }

    @Override
    public List<String> parameters() {
        return List.of("NAME");
    }

    @Override
    public int run(Arguments arguments, Console console) throws IOException, InterruptedException {
        try (ClusterClient cluster = ClusterClient.connect(arguments)) {
            ObjectNode queue = cluster.queue(arguments.parameter(0));
            if (isDone(QueueState.of(queue))) {
                console.line("Queue " + arguments.parameter(0) + " is "
                        + QueueState.of(queue).word().toLowerCase(Locale.ROOT) + " already");
                return Lava.DONE;
            }
            refuseWhatWillNotHappen(cluster, queue);
            long revision = cluster.api().list(Batch.QUEUES, "", KubeApi.View.METADATA, _ -> {});
            cluster.api().create(Batch.COMMANDS, "default", command(queue));
            tell(await(cluster, queue, revision), console);
        }
        return Lava.DONE;
    }

    private boolean isDone(QueueState state) {
        return open ? state == QueueState.OPEN : state == QueueState.CLOSED || state == QueueState.CLOSING;
    }

    private void refuseWhatWillNotHappen(ClusterClient cluster, ObjectNode queue) {
        String name = Json.textAt(queue, "metadata", "name");
        if (!open && name.equals(Batch.ROOT)) {
            throw new CommandFailure(
                    Lava.FAILED, "the root queue cannot be closed; close those below it. Try: lava queue ls");
        }
        String parent = Json.textAt(queue, "spec", "parent");
        if (open && !parent.isEmpty() && !parent.equals(Batch.ROOT)) {
            boolean closed = cluster.api()
                    .find(Batch.QUEUES, "", parent)
                    .filter(found -> QueueState.of(found) != QueueState.OPEN)
                    .isPresent();
            if (closed) {
                throw new CommandFailure(
                        Lava.FAILED,
                        "queue " + name + " cannot be opened while its parent " + parent
                                + " is not. Try: lava queue open " + parent);
            }
        }
    }

    private ObjectNode command(ObjectNode queue) {
        ObjectNode target = Json.object();
        target.put("apiVersion", "scheduling.volcano.sh/v1beta1").put("kind", "Queue");
        target.put("name", Json.textAt(queue, "metadata", "name"));
        target.put("uid", Json.textAt(queue, "metadata", "uid"));
        target.put("controller", true).put("blockOwnerDeletion", true);
        String action = open ? "OpenQueue" : "CloseQueue";
        ObjectNode command = Json.object();
        command.put("apiVersion", "bus.volcano.sh/v1alpha1").put("kind", "Command");
        ObjectNode metadata = command.putObject("metadata");
        metadata.put(
                "generateName", Json.textAt(queue, "metadata", "name") + "-" + action.toLowerCase(Locale.ROOT) + "-");
        metadata.put("namespace", "default");
        metadata.putArray("ownerReferences").add(target);
        command.put("action", action);
        command.set("target", target.deepCopy());
        return command;
    }

    private ObjectNode await(ClusterClient cluster, ObjectNode queue, long revision) throws InterruptedException {
        String name = Json.textAt(queue, "metadata", "name");
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        try (KubeApi.Watch watch = cluster.api().watch(Batch.QUEUES, revision, KubeApi.View.WHOLE)) {
            ObjectNode now = queue;
            while (!isDone(QueueState.of(now))) {
                Duration left = Duration.ofNanos(deadline - System.nanoTime());
                if (!left.isPositive()) {
                    throw new CommandFailure(
                            Lava.TIMED_OUT,
                            "nobody carried the command out within " + PATIENCE.toSeconds()
                                    + " s. Does the queue controller run? See: kubectl get commands -n default");
                }
                for (KubeApi.Event event : watch.next(left).events()) {
                    if (Json.textAt(event.object(), "metadata", "name").equals(name)) {
                        now = event.object();
                    }
                }
            }
            return now;
        }
    }

    private static void tell(ObjectNode queue, Console console) {
        String name = Json.textAt(queue, "metadata", "name");
        console.line(
                switch (QueueState.of(queue)) {
                    case OPEN -> "Queue " + name + " is " + console.green("open");
                    case CLOSED -> "Queue " + name + " is " + console.red("closed");
                    case CLOSING ->
                        "Queue " + name + " is " + console.yellow("closing")
                                + ": it takes no more, and is closed once its last PodGroup is gone";
                    case UNKNOWN -> "Queue " + name + " is in an unknown state";
                });
    }
}
