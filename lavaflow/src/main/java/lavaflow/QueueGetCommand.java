package lavaflow;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import lavaflow.batch.Batch;
import lavaflow.batch.QueueState;
import lavaflow.controller.KubeApi;
import lavaflow.kube.Json;
import lavaflow.kube.PodRequests;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Shows one queue: its limits, what it has, and who waits in it for what. */
final class QueueGetCommand implements Command {
    private static final int SHOWN = 10;
    private static final KubeApi.Kind PODS = KubeApi.Kind.core("pods");
    private static final KubeApi.Kind NODES = KubeApi.Kind.clusterWide("nodes");

    @Override
    public String name() {
        return "queue get";
    }

    @Override
    public String summary() {
        return "Show one queue: limits, use, and who waits.";
    }

    @Override
    public List<Option> options() {
        return ClusterClient.printingOptions();
    }

    @Override
    public List<String> parameters() {
        return List.of("NAME");
    }

    @Override
    public int run(Arguments arguments, Console console) throws IOException {
        boolean text = ClusterClient.isText(this, arguments);
        try (ClusterClient cluster = ClusterClient.connect(arguments)) {
            ObjectNode queue = cluster.queue(arguments.parameter(0));
            if (text) {
                List<ObjectNode> groups = cluster.all(Batch.POD_GROUPS);
                ClusterUse use =
                        new ClusterUse(cluster.all(Batch.QUEUES), groups, cluster.all(PODS), cluster.all(NODES));
                use.queues().stream()
                        .filter(each -> each.name().equals(arguments.parameter(0)))
                        .findFirst()
                        .ifPresent(each -> show(each, groups, console));
            } else {
                ClusterClient.print(arguments, console, ClusterClient.shown(queue));
            }
        }
        return Lava.DONE;
    }

    private static void show(ClusterUse.QueueUse use, List<ObjectNode> groups, Console console) {
        ObjectNode queue = use.queue();
        console.status("Name", use.name());
        console.status("State", QueueListCommand.state(queue, console) + hint(queue));
        String parent = Json.textAt(queue, "spec", "parent");
        if (!parent.isEmpty()) {
            console.status("Parent", parent);
        }
        JsonNode reclaimable = Json.at(queue, "spec", "reclaimable");
        console.status(
                "Weight",
                Json.longAt(queue, 1, "spec", "weight") + ", priority " + Json.longAt(queue, 0, "spec", "priority")
                        + (reclaimable == null || reclaimable.asBoolean() ? "" : ", never reclaimed from"));
        limit("Capability", Json.at(queue, "spec", "capability"), console);
        limit("Guarantee", Json.at(queue, "spec", "guarantee", "resource"), console);
        console.status("Deserved", ResourceText.line(use.deserved()));
        console.status("Allocated", ResourceText.line(use.allocated()));
        console.status("Waits for", ResourceText.line(waiting(use)));
        console.status(
                "PodGroups",
                use.groups().pending() + " pending, " + use.groups().inqueue() + " inqueue, "
                        + use.groups().running() + " running, " + use.groups().unknown() + " unknown, "
                        + use.groups().completed() + " completed");
        waiters(use.name(), groups, console);
    }

    private static String hint(ObjectNode queue) {
        String name = Json.textAt(queue, "metadata", "name");
        return switch (QueueState.of(queue)) {
            case OPEN, UNKNOWN -> "";
            case CLOSING -> " (takes no more, and ends with its last PodGroup)";
            case CLOSED -> " (open it with: lava queue open " + name + ")";
        };
    }

    private static void limit(String label, @Nullable JsonNode amounts, Console console) {
        if (amounts != null && !amounts.isEmpty()) {
            console.status(label, ResourceText.line(PodRequests.amounts(amounts)));
        }
    }

    private static Map<String, Long> waiting(ClusterUse.QueueUse use) {
        Map<String, Long> left = new TreeMap<>();
        use.requested().forEach((name, amount) -> {
            long missing = amount - use.allocated().getOrDefault(name, 0L);
            if (missing > 0) {
                left.put(name, missing);
            }
        });
        return left;
    }

    /** The groups that wait, and what the scheduler said of each. */
    private static void waiters(String queue, List<ObjectNode> groups, Console console) {
        List<List<String>> rows = new ArrayList<>();
        for (ObjectNode group : groups) {
            String phase = Json.textAt(group, "status", "phase");
            boolean waits = Json.textAt(group, "spec", "queue").equals(queue)
                    && (phase.isEmpty() || phase.equals("Pending") || phase.equals("Inqueue"));
            if (waits) {
                rows.add(List.of(
                        Json.textAt(group, "metadata", "namespace") + "/" + Json.textAt(group, "metadata", "name"),
                        phase.isEmpty() ? "Pending" : phase,
                        Long.toString(Json.longAt(group, 0, "spec", "minMember")),
                        why(group)));
            }
        }
        if (rows.isEmpty()) {
            return;
        }
        console.line("");
        console.table(List.of("WAITING", "PHASE", "MINMEMBER", "WHY"), rows.subList(0, Math.min(SHOWN, rows.size())));
        if (rows.size() > SHOWN) {
            console.line(console.dim("… and " + (rows.size() - SHOWN) + " more"));
        }
    }

    private static String why(ObjectNode group) {
        String said = "";
        for (JsonNode condition : Json.listAt(group, "status", "conditions")) {
            if (Json.textAt(condition, "type").equals("Unschedulable")
                    && Json.textAt(condition, "status").equals("True")) {
                said = Json.textAt(condition, "message");
            }
        }
        return said.isEmpty() ? "-" : said;
    }
}
