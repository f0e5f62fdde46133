package lavaflow;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import lavaflow.batch.Batch;
import lavaflow.batch.QueueState;
import lavaflow.kube.HumanDuration;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** Shows the queues of a cluster, each below its parent. */
final class QueueListCommand implements Command {
    @Override
    public String name() {
        return "queue ls";
    }

    @Override
    public String summary() {
        return "Show queues, their state and what is in them.";
    }

    @Override
    public List<Option> options() {
        return ClusterClient.listingOptions();
    }

    @Override
    public int run(Arguments arguments, Console console) throws IOException {
        String format = ClusterClient.listFormat(this, arguments);
        try (ClusterClient cluster = ClusterClient.connect(arguments)) {
            cluster.requireQueues();
            List<ObjectNode> queues = cluster.all(Batch.QUEUES);
            if (format.equals("text") || format.equals("wide")) {
                table(new ClusterUse(queues, cluster.all(Batch.POD_GROUPS), List.of(), List.of()).queues(), console);
            } else {
                ClusterClient.printList(arguments, console, Batch.QUEUES, queues);
            }
        }
        return Lava.DONE;
    }

    private static void table(List<ClusterUse.QueueUse> queues, Console console) {
        List<List<String>> rows = new ArrayList<>();
        Instant now = Instant.now();
        for (ClusterUse.QueueUse each : queues) {
            ObjectNode queue = each.queue();
            rows.add(List.of(
                    "  ".repeat(each.depth()) + each.name(),
                    state(queue, console),
                    Long.toString(Json.longAt(queue, 1, "spec", "weight")),
                    Long.toString(Json.longAt(queue, 0, "spec", "priority")),
                    Long.toString(each.groups().pending()),
                    Long.toString(each.groups().inqueue()),
                    Long.toString(each.groups().running()),
                    Long.toString(each.groups().unknown()),
                    Long.toString(each.groups().completed()),
                    HumanDuration.since(Json.textAt(queue, "metadata", "creationTimestamp"), now)));
        }
        console.table(
                List.of(
                        "NAME",
                        "STATE",
                        "WEIGHT",
                        "PRIORITY",
                        "PENDING",
                        "INQUEUE",
                        "RUNNING",
                        "UNKNOWN",
                        "COMPLETED",
                        "AGE"),
                rows);
    }

    static String state(ObjectNode queue, Console console) {
        QueueState state = QueueState.of(queue);
        return switch (state) {
            case OPEN -> console.green(state.word());
            case CLOSING, UNKNOWN -> console.yellow(state.word());
            case CLOSED -> console.red(state.word());
        };
    }
}
