package lavaflow.cli;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import lavaflow.controller.KubeApi;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** {@code vcctl queue} and {@code vqueues}. */
final class QueueVerbs {
    private static final KubeApi.Kind QUEUES = new KubeApi.Kind("scheduling.volcano.sh", "v1beta1", "queues", false);
    private static final KubeApi.Kind GROUPS = new KubeApi.Kind("scheduling.volcano.sh", "v1beta1", "podgroups", true);
    private static final Flag NAME = Flag.text("name", "n", "", "the name of queue");
    private static final List<String> PHASES = List.of("Inqueue", "Pending", "Running", "Unknown", "Completed");

    private QueueVerbs() {}

    static Verb family() {
        return Verb.family(
                "queue",
                "Queue Operations",
                Verb.of(
                        "create",
                        "creates queue",
                        "Failed to create queue",
                        List.of(
                                Flag.text("name", "n", "test", "the name of queue"),
                                Flag.small("weight", "w", 1, "the weight of the queue"),
                                Flag.text("state", "S", "Open", "the state of queue")),
                        QueueVerbs::create),
                Verb.of(
                        "delete",
                        "delete queue",
                        "Failed to delete queue",
                        List.of(NAME),
                        call -> call.delete(QUEUES, "", call.mandatory("name", "queue name must be specified"))),
                Verb.of(
                        "operate",
                        "operate queue",
                        "Failed to operate queue",
                        List.of(
                                NAME,
                                Flag.small("weight", "w", 0, "the weight of the queue"),
                                Flag.text(
                                        "action",
                                        "a",
                                        "",
                                        "operate action to queue, valid actions are open, close, update")),
                        QueueVerbs::operate),
                Verb.of("list", "lists all the queue", "Failed to list queue", List.of(), call -> all(call, true)),
                Verb.of("get", "get a queue", "Failed to get queue", List.of(NAME), call -> {
                    String name = call.mandatory("name", "name is mandatory to get the particular queue details");
                    one(call, name, true);
                }));
    }

    static Verb program() {
        return Verb.of(
                "vqueues",
                "view information of a queue with specified name or queues from the same namespace",
                "Failed to",
                List.of(NAME),
                call -> {
                    String name = call.flags().text("name");
                    if (name.isEmpty()) {
                        all(call, false);
                    } else {
                        one(call, name, false);
                    }
                });
    }

    private static void create(Call call) throws IOException {
        ObjectNode queue = Json.object();
        queue.put("apiVersion", "scheduling.volcano.sh/v1beta1").put("kind", "Queue");
        queue.putObject("metadata").put("name", call.flags().text("name"));
        ObjectNode spec = queue.putObject("spec").put("weight", call.flags().number("weight"));
        WrittenOut.empty(spec, "guarantee");
        queue.putObject("status").put("state", call.flags().text("state"));
        call.create(QUEUES, "", queue);
    }

    private static void operate(Call call) throws IOException {
        String name = call.mandatory("name", "queue name must be specified");
        String action = call.flags().text("action");
        switch (action) {
            case "open" -> command(call, name, "OpenQueue");
            case "close" -> command(call, name, "CloseQueue");
            case "update" -> {
                long weight = call.flags().number("weight");
                if (weight == 0) {
                    throw new Verb.Refusal("when update queue " + name
                            + ", weight must be specified, the value must be greater than 0");
                }
                ObjectNode patch = Json.object();
                patch.putObject("spec").put("weight", weight);
                call.api().patch(QUEUES, "", name, "", KubeApi.Merge.PLAIN, patch);
            }
            case "" -> throw new Verb.Refusal("action can not be null");
            default ->
                throw new Verb.Refusal("action " + action + " invalid, valid actions are open, close and update");
        }
    }

    private static void command(Call call, String name, String action) throws IOException {
        ObjectNode queue = call.get(QUEUES, "", name);
        call.create(VolcanoObjects.COMMANDS, "default", VolcanoObjects.queueCommand(queue, action));
    }

    private static void all(Call call, boolean whole) throws IOException {
        List<ObjectNode> queues = call.list(QUEUES, "");
        call.out().print(queues.isEmpty() ? "No resources found\n" : table(call, queues, whole));
    }

    private static void one(Call call, String name, boolean whole) throws IOException {
        call.out().print(table(call, List.of(call.get(QUEUES, "", name)), whole));
    }

    /**
     * Numbers of PodGroups are counted for the whole table, and what the status says for the other: upstream does so, and not every
     * controller tells them in the status.
     */
    private static String table(Call call, List<ObjectNode> queues, boolean whole) throws IOException {
        Map<String, Long> counts = new HashMap<>();
        if (whole) {
            for (ObjectNode group : call.list(GROUPS, "")) {
                String phase = Json.textAt(group, "status", "phase");
                counts.merge(Json.textAt(group, "spec", "queue") + "/" + phase, 1L, Long::sum);
            }
        } else {
            for (ObjectNode queue : queues) {
                String name = Json.textAt(queue, "metadata", "name");
                PHASES.forEach(phase -> counts.put(
                        name + "/" + phase, Json.longAt(queue, 0, "status", phase.toLowerCase(Locale.ROOT))));
            }
        }
        return table(queues, counts, whole);
    }

    private static String table(List<ObjectNode> queues, Map<String, Long> counts, boolean whole) {
        List<String> phases = whole ? PHASES : PHASES.subList(0, 4);
        List<String> heads = new ArrayList<>(List.of("Name", "Weight", "State"));
        if (whole) {
            heads.add("Parent");
        }
        heads.addAll(phases);
        List<Integer> widths = new ArrayList<>(List.of(25));
        for (int i = 1; i < heads.size(); i++) {
            widths.add(8);
        }
        StringBuilder text = new StringBuilder(Columns.line(widths, heads));
        for (ObjectNode queue : queues) {
            String name = Json.textAt(queue, "metadata", "name");
            List<String> row = new ArrayList<>(List.of(
                    name,
                    Long.toString(Json.longAt(queue, 0, "spec", "weight")),
                    Json.textAt(queue, "status", "state")));
            if (whole) {
                row.add(Json.textAt(queue, "spec", "parent"));
            }
            for (String phase : phases) {
                row.add(Long.toString(counts.getOrDefault(name + "/" + phase, 0L)));
            }
            text.append(Columns.line(widths, row));
        }
        return text.toString();
    }
}
