package lavaflow;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import lavaflow.batch.Batch;
import lavaflow.batch.QueueState;
import lavaflow.controller.KubeApi;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Shows who has how much: queues of what they deserve, or pods of what nodes have. */
final class TopCommand implements Command {
    private static final KubeApi.Kind PODS = KubeApi.Kind.core("pods");
    private static final KubeApi.Kind NODES = KubeApi.Kind.clusterWide("nodes");
    private static final int HIGH = 70;
    private static final int FULL = 90;

    private final boolean queues;

    /** @param queues whether this is the one about queues, not nodes */
    TopCommand(boolean queues) {
        this.queues = queues;
    }

    @Override
    public String name() {
        return queues ? "top queues" : "top nodes";
    }

    @Override
    public String summary() {
        return queues ? "Show what queues have, deserve and wait for." : "Show how much of each node is taken.";
    }

    @Override
    public List<Option> options() {
        return ClusterClient.printingOptions();
    }

    @Override
    public int run(Arguments arguments, Console console) throws IOException {
        boolean text = ClusterClient.isText(this, arguments);
        try (ClusterClient cluster = ClusterClient.connect(arguments)) {
            if (queues) {
                cluster.requireQueues();
            }
            ClusterUse use = new ClusterUse(
                    cluster.all(Batch.QUEUES), cluster.all(Batch.POD_GROUPS), cluster.all(PODS), cluster.all(NODES));
            if (!text) {
                ClusterClient.print(
                        arguments, console, queues ? queueDocument(use.queues()) : nodeDocument(use.nodes()));
            } else if (queues) {
                queueTable(use.queues(), console);
            } else {
                nodeTable(use.nodes(), console);
            }
        }
        return Lava.DONE;
    }

    // ---- queues

    private static void queueTable(List<ClusterUse.QueueUse> all, Console console) {
        List<Map<String, Long>> amounts = new ArrayList<>();
        all.forEach(each -> amounts.addAll(List.of(each.allocated(), each.requested(), each.deserved())));
        List<String> columns = ResourceText.columns(amounts);
        List<String> heads = new ArrayList<>(List.of("NAME", "STATE", "WEIGHT", "SHARE", "RUNNING", "WAITING"));
        columns.forEach(column -> heads.add(ResourceText.head(column)));
        List<List<String>> rows = new ArrayList<>();
        for (ClusterUse.QueueUse each : all) {
            List<String> row = new ArrayList<>(List.of(
                    "  ".repeat(each.depth()) + each.name(),
                    QueueListCommand.state(each.queue(), console),
                    Long.toString(Json.longAt(each.queue(), 1, "spec", "weight")),
                    share(each.share(), console),
                    Long.toString(each.groups().running()),
                    waiting(each.waiting(), console)));
            columns.forEach(column -> row.add(part(column, each.allocated(), each.deserved())));
            rows.add(row);
        }
        console.table(heads, rows);
        console.line(console.dim("Resources are allocated/deserved, SHARE is the largest of them, RUNNING and WAITING"
                + " count PodGroups."));
    }

    /** Who has more than it deserves has borrowed it. */
    private static String share(double share, Console console) {
        if (Double.isInfinite(share)) {
            return console.yellow("borrows");
        }
        String text = Math.round(share * 100) + "%";
        return share > 1.005 ? console.yellow(text) : text;
    }

    private static String waiting(long count, Console console) {
        return count == 0 ? "0" : console.yellow(Long.toString(count));
    }

    private static String part(String resource, Map<String, Long> has, Map<String, Long> of) {
        return ResourceText.of(resource, has.getOrDefault(resource, 0L)) + "/"
                + ResourceText.of(resource, of.getOrDefault(resource, 0L));
    }

    private static ObjectNode queueDocument(List<ClusterUse.QueueUse> all) {
        ObjectNode document = Json.object();
        ArrayNode list = document.putArray("queues");
        for (ClusterUse.QueueUse each : all) {
            ObjectNode item = list.addObject();
            item.put("name", each.name())
                    .put("state", QueueState.of(each.queue()).word())
                    .put("parent", Json.textAt(each.queue(), "spec", "parent"))
                    .put("weight", Json.longAt(each.queue(), 1, "spec", "weight"));
            if (Double.isFinite(each.share())) {
                item.put("share", Math.round(each.share() * 10000) / 10000.0);
            }
            ObjectNode groups = item.putObject("podGroups");
            each.groups().byName().forEach(groups::put);
            item.set("allocated", ResourceText.document(each.allocated()));
            item.set("deserved", ResourceText.document(each.deserved()));
            item.set("requested", ResourceText.document(each.requested()));
        }
        return document;
    }

    // ---- nodes

    private static void nodeTable(List<ClusterUse.NodeUse> all, Console console) {
        if (all.isEmpty()) {
            console.line("There are no nodes. 'lava up' brings one; so do: lava node, lava up --sim-nodes N");
            return;
        }
        List<String> columns = ResourceText.columns(
                all.stream().map(ClusterUse.NodeUse::allocatable).toList());
        List<String> heads = new ArrayList<>(List.of("NAME", "STATUS", "PODS"));
        columns.forEach(column -> heads.add(ResourceText.head(column)));
        List<List<String>> rows = new ArrayList<>();
        for (ClusterUse.NodeUse each : all) {
            List<String> row = new ArrayList<>(List.of(
                    Json.textAt(each.node(), "metadata", "name"),
                    status(each.node(), console),
                    each.pods() + "/" + each.allocatable().getOrDefault("pods", 0L)));
            columns.forEach(column -> row.add(taken(column, each, console)));
            rows.add(row);
        }
        console.table(heads, rows);
        console.line(console.dim("Resources are what pods asked for, of what the node can give."));
    }

    private static String taken(String resource, ClusterUse.NodeUse use, Console console) {
        long has = use.allocatable().getOrDefault(resource, 0L);
        if (has == 0) {
            return "-";
        }
        long taken = use.allocated().getOrDefault(resource, 0L);
        long percent = Math.round(100.0 * taken / has);
        String text = part(resource, use.allocated(), use.allocatable()) + " " + percent + "%";
        return percent >= FULL ? console.red(text) : percent >= HIGH ? console.yellow(text) : text;
    }

    private static String status(ObjectNode node, Console console) {
        boolean ready = false;
        for (JsonNode condition : Json.listAt(node, "status", "conditions")) {
            ready |= Json.textAt(condition, "type").equals("Ready")
                    && Json.textAt(condition, "status").equals("True");
        }
        String word = ready ? console.green("Ready") : console.red("NotReady");
        return Json.flagAt(node, "spec", "unschedulable") ? word + console.yellow(",SchedulingDisabled") : word;
    }

    private static ObjectNode nodeDocument(List<ClusterUse.NodeUse> all) {
        ObjectNode document = Json.object();
        ArrayNode list = document.putArray("nodes");
        for (ClusterUse.NodeUse each : all) {
            ObjectNode item = list.addObject();
            item.put("name", Json.textAt(each.node(), "metadata", "name")).put("pods", each.pods());
            item.set("allocated", ResourceText.document(each.allocated()));
            item.set("allocatable", ResourceText.document(each.allocatable()));
        }
        return document;
    }
}
