package lavaflow;

import java.util.ArrayList;
import java.util.List;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Explanations for people: the sentence that says it, a table for each stage, and what to do next. */
final class ExplanationText {
    private static final int NAMES = 4;

    private final Console console;

    ExplanationText(Console console) {
        this.console = console;
    }

    void print(ObjectNode document) {
        if (Json.textAt(document, "kind").equals("QueueExplanation")) {
            queue(document);
        } else {
            group(document);
        }
    }

    // ---- PodGroups ----

    private void group(ObjectNode document) {
        boolean waiting = Json.flagAt(document, "waiting");
        boolean troubled = !Json.listAt(document, "troubles").isEmpty();
        String mark = waiting ? console.yellow("●") : troubled ? console.red("●") : console.green("●");
        console.line(mark + " " + Json.textAt(document, "headline"));
        pod(document);
        if (!Json.textAt(document, "queue").isEmpty()) {
            console.line("");
            console.status("Queue", Json.textAt(document, "queue"));
            String phase = Json.textAt(document, "phase");
            if (document.has("minMember")) {
                phase += ", minMember " + Json.longAt(document, 0, "minMember") + ", priority "
                        + Json.longAt(document, 0, "priority");
            }
            console.status("Phase", phase);
            if (document.has("pods")) {
                console.status("Pods", pods(document));
            }
        }
        if (waiting) {
            stages(document);
            nodes(document);
            bystanders(document);
        }
        for (JsonNode task : Json.listAt(document, "laterTasks")) {
            console.line("");
            console.line("Task " + Json.textAt(task, "task") + " waits for " + Json.textAt(task, "waitsFor"));
        }
        troubles(document);
        if (waiting && (!troubled || !Json.listAt(document, "remedies").isEmpty())) {
            remedies(document);
        }
    }

    private void troubles(ObjectNode document) {
        JsonNode troubles = Json.listAt(document, "troubles");
        if (troubles.isEmpty()) {
            return;
        }
        List<List<String>> rows = new ArrayList<>();
        List<String> advice = new ArrayList<>();
        for (JsonNode trouble : troubles) {
            List<String> names = new ArrayList<>();
            Json.listAt(trouble, "pods").forEach(name -> names.add(name.asText()));
            String some = String.join(", ", names.subList(0, Math.min(NAMES, names.size())));
            String more = names.size() > NAMES ? " and " + (names.size() - NAMES) + " more" : "";
            rows.add(List.of(some + more, Json.textAt(trouble, "state"), Json.textAt(trouble, "message")));
            String todo = Json.textAt(trouble, "advice");
            if (!todo.isEmpty() && !advice.contains(todo)) {
                advice.add(todo);
            }
        }
        console.line("");
        console.table(List.of("PODS", "STATE", "WHY"), rows);
        if (!advice.isEmpty()) {
            console.line("");
            console.line("What to do or look at:");
            advice.forEach(each -> console.line("  " + each));
        }
    }

    private void pod(ObjectNode document) {
        JsonNode pod = Json.at(document, "pod");
        if (pod == null) {
            return;
        }
        String node = Json.textAt(pod, "node");
        String nominated = Json.textAt(pod, "nominatedNode");
        String where = !node.isEmpty()
                ? " is on node " + node
                : !nominated.isEmpty() ? " waits for others to leave node " + nominated : " has no node";
        String said = Json.textAt(pod, "message");
        console.line("  Pod " + Json.textAt(pod, "name") + where + (said.isEmpty() ? "" : ": " + said));
    }

    private static String pods(ObjectNode document) {
        List<String> parts = new ArrayList<>();
        JsonNode pods = Json.at(document, "pods");
        if (pods != null) {
            pods.properties().forEach(each -> parts.add(each.getValue().asLong() + " " + each.getKey()));
        }
        return parts.isEmpty() ? "none" : String.join(", ", parts);
    }

    private void stages(ObjectNode document) {
        List<List<String>> rows = new ArrayList<>();
        for (JsonNode stage : Json.listAt(document, "stages")) {
            String name = Json.textAt(stage, "stage");
            List<String> why = new ArrayList<>();
            for (JsonNode finding : Json.listAt(stage, "findings")) {
                if (!Json.textAt(finding, "reason").equals("Bystander")) {
                    why.add(Json.textAt(finding, "message"));
                }
            }
            if (why.isEmpty() && !Json.listAt(stage, "findings").isEmpty()) {
                why.add("nobody goes for it, see below");
            }
            String verdict = verdict(Json.textAt(stage, "verdict"));
            rows.add(List.of(name, verdict, why.isEmpty() ? "" : why.getFirst()));
            why.stream().skip(1).forEach(more -> rows.add(List.of("", "", more)));
        }
        console.line("");
        console.table(List.of("STAGE", "RESULT", "WHY"), rows);
    }

    private String verdict(String word) {
        return switch (word) {
            case "Passed" -> console.green("passed");
            case "Blocked" -> console.red("blocked");
            default -> console.dim("not reached");
        };
    }

    private void nodes(ObjectNode document) {
        List<List<String>> rows = new ArrayList<>();
        for (JsonNode finding : findings(document, "NoNode")) {
            String role = Json.textAt(finding, "role");
            List<String> first = new ArrayList<>(List.of(
                    role.isEmpty() ? "-" : role,
                    Json.longAt(finding, 0, "fitting") + "/" + Json.longAt(finding, 0, "pods"),
                    amounts(Json.at(finding, "request"))));
            for (JsonNode reason : Json.listAt(finding, "reasons")) {
                List<String> row = new ArrayList<>(first);
                row.add(Json.longAt(reason, 0, "nodes") + "/" + Json.longAt(finding, 0, "nodes"));
                row.add(Json.textAt(reason, "reason"));
                row.add(examples(reason));
                rows.add(row);
                first = new ArrayList<>(List.of("", "", ""));
            }
        }
        if (!rows.isEmpty()) {
            console.line("");
            console.table(List.of("ROLE", "FIT", "EACH ASKS FOR", "NODES", "REFUSE WITH", "FOR EXAMPLE"), rows);
        }
    }

    private static String examples(JsonNode reason) {
        List<String> names = new ArrayList<>();
        Json.listAt(reason, "examples").forEach(each -> names.add(each.asText()));
        long more = Json.longAt(reason, 0, "nodes") - names.size();
        return String.join(", ", names) + (more > 0 ? " and " + more + " more" : "");
    }

    private static String amounts(@Nullable JsonNode amounts) {
        List<String> parts = new ArrayList<>();
        if (amounts != null) {
            amounts.properties()
                    .forEach(each ->
                            parts.add(each.getKey() + " " + each.getValue().asText()));
        }
        return parts.isEmpty() ? "nothing" : String.join(", ", parts);
    }

    private void bystanders(ObjectNode document) {
        List<List<String>> rows = new ArrayList<>();
        for (JsonNode finding : findings(document, "Bystander")) {
            String message = Json.textAt(finding, "message");
            String group = Json.textAt(finding, "job");
            String queue = Json.textAt(finding, "queue");
            rows.add(List.of(
                    group.isEmpty() ? "(no PodGroup)" : group,
                    queue.isEmpty() ? "-" : queue,
                    Long.toString(Json.longAt(finding, 0, "priority")),
                    Long.toString(Json.longAt(finding, 0, "pods")),
                    message.substring(message.indexOf(": ") + 2)));
        }
        if (!rows.isEmpty()) {
            console.line("");
            console.table(List.of("CONSIDERED", "QUEUE", "PRIORITY", "PODS", "WHY THEY STAY"), rows);
        }
    }

    private static List<JsonNode> findings(ObjectNode document, String reason) {
        List<JsonNode> found = new ArrayList<>();
        for (JsonNode stage : Json.listAt(document, "stages")) {
            for (JsonNode finding : Json.listAt(stage, "findings")) {
                if (Json.textAt(finding, "reason").equals(reason)) {
                    found.add(finding);
                }
            }
        }
        return found;
    }

    // ---- what to do ----

    private void remedies(ObjectNode document) {
        JsonNode remedies = Json.listAt(document, "remedies");
        console.line("");
        if (remedies.isEmpty()) {
            long missing = findings(document, "TooFewPods").stream()
                    .mapToLong(each -> Json.longAt(each, 0, "missing"))
                    .sum();
            console.line(
                    missing > 0
                            ? "Its pods have to be made first, by its job or by you: " + missing + " more."
                            : console.dim("No change of jobs, limits or nodes that was tried frees it."));
            return;
        }
        boolean several = remedies.size() > 1;
        console.line("What would free it" + (several ? ", each of these alone" : "")
                + console.dim(" (tried on a copy of the cluster)") + ":");
        int number = 1;
        for (JsonNode remedy : remedies) {
            String mark = several ? "  " + number++ + ". " : "  ";
            for (JsonNode change : Json.listAt(remedy, "changes")) {
                console.line(mark + Json.textAt(change, "text"));
                mark = several ? "     and " : "  and ";
                String command = command(change);
                if (!command.isEmpty()) {
                    console.line(console.dim((several ? "     " : "  ") + "  " + command));
                }
            }
        }
        if (!Json.flagAt(document, "thorough")) {
            console.line(console.dim("The cluster is large: not everything was tried, and less may be enough."));
        }
    }

    /** What does a change; empty where that is for its owner to decide. */
    private static String command(JsonNode change) {
        String queue = Json.textAt(change, "queue");
        return switch (Json.textAt(change, "type")) {
            case "CreateQueue" -> "lava queue create " + queue;
            case "OpenQueue" -> "lava queue open " + queue;
            case "Uncordon" -> "kubectl uncordon " + Json.textAt(change, "node");
            case "RaiseWeight" -> patch(queue, Json.object().put("weight", Json.longAt(change, 1, "to")));
            case "RaiseLimit" -> {
                ObjectNode spec = Json.object();
                ObjectNode amounts = spec.putObject(Json.textAt(change, "field"));
                String to = Json.textAt(change, "to");
                if (to.isEmpty()) {
                    amounts.putNull(Json.textAt(change, "resource"));
                } else {
                    amounts.put(Json.textAt(change, "resource"), to);
                }
                yield patch(queue, spec);
            }
            default -> "";
        };
    }

    private static String patch(String queue, ObjectNode spec) {
        ObjectNode patch = Json.object();
        patch.set("spec", spec);
        return "kubectl patch queues.scheduling.volcano.sh " + queue + " --type merge -p '" + Json.string(patch) + "'";
    }

    // ---- queues ----

    private void queue(ObjectNode document) {
        JsonNode waiting = Json.listAt(document, "waiting");
        console.line((waiting.isEmpty() ? console.green("●") : console.yellow("●")) + " "
                + Json.textAt(document, "headline"));
        console.line("");
        console.status("Allocated", amounts(Json.at(document, "allocated")));
        if (Json.at(document, "deserved") != null) {
            console.status("Deserved", amounts(Json.at(document, "deserved")));
        }
        if (Json.at(document, "limit") != null) {
            console.status("Limit now", amounts(Json.at(document, "limit")));
        }
        console.status("Requested", amounts(Json.at(document, "requested")));
        if (waiting.isEmpty()) {
            return;
        }
        List<List<String>> rows = new ArrayList<>();
        for (JsonNode each : waiting) {
            String name = Json.textAt(each, "namespace") + "/" + Json.textAt(each, "name");
            String headline = Json.textAt(each, "headline").replaceFirst("^PodGroup \\S+ ", "");
            rows.add(List.of(
                    name,
                    Json.textAt(each, "queue"),
                    Json.textAt(each, "phase"),
                    Long.toString(Json.longAt(each, 0, "minMember")),
                    headline));
        }
        console.line("");
        console.table(List.of("WAITING", "QUEUE", "PHASE", "MINMEMBER", "WHY"), rows);
        long more = Json.longAt(document, 0, "waiters") - waiting.size();
        if (more > 0) {
            console.line(console.dim("… and " + more + " more"));
        }
        JsonNode first = waiting.get(0);
        console.line(console.dim("What would free one of them: lava explain podgroup/" + Json.textAt(first, "name")
                + " -n " + Json.textAt(first, "namespace")));
    }
}
