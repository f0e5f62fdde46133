package lavaflow.cli;

import java.time.Instant;
import java.util.List;
import java.util.TreeMap;

import lavaflow.kube.Json;
import lavaflow.kube.Quantity;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** A job as {@code vcctl job view} describes it: what stands before a tab, and how far in, is upstream's. */
final class JobView {
    private static final String EVENT = "%-15s\t%-40s\t%-30s\t%-40s\t%s%n";

    private final StringBuilder text = new StringBuilder();
    private final ObjectNode job;

    private JobView(ObjectNode job) {
        this.job = job;
    }

    /** @param conditions whether they are shown; {@code vjobs} leaves them out */
    static String of(ObjectNode job, boolean conditions) {
        JobView view = new JobView(job);
        view.metadata();
        view.spec();
        view.status();
        if (conditions) {
            view.conditions();
        }
        return view.text.toString();
    }

    private void line(int level, String line) {
        text.append("  ".repeat(level)).append(line).append('\n');
    }

    private void line(int level, String head, Object value) {
        line(level, head + value);
    }

    private void metadata() {
        line(0, "Name:       \t", Json.textAt(job, "metadata", "name"));
        line(0, "Namespace:  \t", Json.textAt(job, "metadata", "namespace"));
        line(0, "Labels:     \t", map("labels"));
        line(0, "Annotations:\t", map("annotations"));
        // Upstream's client takes both off what it reads.
        line(0, "API Version:\t");
        line(0, "Kind:       \t");
        line(0, "Metadata:");
        line(1, "Creation Timestamp:\t", Texts.goTime(Json.textAt(job, "metadata", "creationTimestamp")));
        line(1, "Generate Name:     \t", Json.textAt(job, "metadata", "generateName"));
        line(1, "Generation:        \t", Json.longAt(job, 0, "metadata", "generation"));
        line(1, "Resource Version:  \t", Json.textAt(job, "metadata", "resourceVersion"));
        line(1, "UID:               \t", Json.textAt(job, "metadata", "uid"));
    }

    private String map(String field) {
        ObjectNode values = Json.objectAt(job, "metadata", field);
        if (values == null || values.isEmpty()) {
            return "<none>";
        }
        ObjectNode sorted = Json.object();
        TreeMap<String, JsonNode> byKey = new TreeMap<>();
        values.properties().forEach(entry -> byKey.put(entry.getKey(), entry.getValue()));
        byKey.forEach(sorted::set);
        return Json.string(sorted);
    }

    private void spec() {
        line(0, "Spec:");
        line(1, "Min Available:     \t", Json.longAt(job, 0, "spec", "minAvailable"));
        line(1, "Plugins:");
        line(2, "Env:\t", words(Json.listAt(job, "spec", "plugins", "env")));
        line(2, "Ssh:\t", words(Json.listAt(job, "spec", "plugins", "ssh")));
        line(1, "Scheduler Name:    \t", Json.textAt(job, "spec", "schedulerName"));
        line(1, "Tasks:");
        Json.listAt(job, "spec", "tasks").forEach(this::task);
    }

    /** A list as Go prints it. */
    private static String words(JsonNode list) {
        return "[" + String.join(" ", list.valueStream().map(JsonNode::asText).toList()) + "]";
    }

    private void task(JsonNode task) {
        JsonNode annotations = Json.at(task, "template", "metadata", "annotations");
        line(2, "Name:\t", Json.textAt(task, "name"));
        line(2, "Replicas:\t", Json.longAt(task, 0, "replicas"));
        line(2, "Template:");
        line(3, "Metadata:");
        line(4, "Annotations:");
        line(
                5,
                "Cri . Cci . Io / Container - Type:          \t",
                Json.textAt(annotations, "cri.cci.io/container-type"));
        line(
                5,
                "Kubernetes . Io / Availablezone:            \t",
                Json.textAt(annotations, "kubernetes.io/availablezone"));
        line(
                5,
                "Network . Alpha . Kubernetes . Io / Network:\t",
                Json.textAt(annotations, "network.alpha.kubernetes.io/network"));
        String made = Json.textAt(task, "template", "metadata", "creationTimestamp");
        line(4, "Creation Timestamp:\t", Texts.goTime(made));
        line(3, "Spec:");
        line(4, "Containers:");
        Json.listAt(task, "template", "spec", "containers").forEach(this::container);
        line(4, "Image Pull Secrets:");
        Json.listAt(task, "template", "spec", "imagePullSecrets")
                .forEach(secret -> line(5, "Name:     \t", Json.textAt(secret, "name")));
        line(4, "Restart Policy:   \t", Json.textAt(task, "template", "spec", "restartPolicy"));
    }

    private void container(JsonNode container) {
        line(5, "Command:");
        Json.listAt(container, "command").forEach(word -> line(6, word.asText()));
        line(5, "Image:\t", Json.textAt(container, "image"));
        line(5, "Name: \t", Json.textAt(container, "name"));
        line(5, "Ports:");
        for (JsonNode port : Json.listAt(container, "ports")) {
            line(6, "Container Port:\t", Json.longAt(port, 0, "containerPort"));
            line(6, "Name:          \t", Json.textAt(port, "name"));
        }
        line(5, "Resources:");
        line(6, "Limits:");
        amounts(Json.at(container, "resources", "limits"));
        line(6, "Requests:");
        amounts(Json.at(container, "resources", "requests"));
        line(6, "Working Dir:\t", Json.textAt(container, "workingDir"));
    }

    private void amounts(@Nullable JsonNode resources) {
        line(7, "Cpu:   \t", Quantity.at(resources, "cpu"));
        line(7, "Memory:\t", Quantity.at(resources, "memory"));
    }

    private void status() {
        line(0, "Status:");
        count("Succeeded:    ", "succeeded");
        count("Pending:      ", "pending");
        count("Running:      ", "running");
        count("Failed:       ", "failed");
        count("Terminating:  ", "terminating");
        count("Unknown:      ", "unknown");
        count("RetryCount:   ", "retryCount");
        count("Min Available:", "minAvailable");
        count("Version:      ", "version");
        line(1, "State:");
        line(2, "Phase:\t", Json.textAt(job, "status", "state", "phase"));
        ObjectNode controlled = Json.objectAt(job, "status", "controlledResources");
        if (controlled != null && !controlled.isEmpty()) {
            line(1, "Controlled Resources:");
            // Upstream's come in no order.
            TreeMap<String, String> byKey = new TreeMap<>();
            controlled
                    .properties()
                    .forEach(entry -> byKey.put(entry.getKey(), entry.getValue().asText()));
            byKey.forEach((key, value) -> line(2, key + ": \t" + value));
        }
    }

    private void count(String head, String field) {
        long number = Json.longAt(job, 0, "status", field);
        if (number > 0) {
            line(1, head + "\t", number);
        }
    }

    private void conditions() {
        JsonNode conditions = Json.listAt(job, "status", "conditions");
        if (conditions.isEmpty()) {
            return;
        }
        line(1, "Conditions:");
        line(2, "Status\tTransitionTime");
        for (JsonNode condition : conditions) {
            String time = Json.textAt(condition, "lastTransitionTime");
            line(2, Json.textAt(condition, "status") + " \t" + (time.isEmpty() ? "<nil>" : Texts.goTime(time)) + " ");
        }
    }

    static String events(List<ObjectNode> events, Instant now) {
        if (events.isEmpty()) {
            return "Events: \t<none>\n";
        }
        StringBuilder text = new StringBuilder("Events:\n");
        text.append(String.format(EVENT, "Type", "Reason", "Age", "Form", "Message"));
        text.append(String.format(EVENT, "-------", "-------", "-------", "-------", "-------"));
        for (ObjectNode event : events) {
            String first = Texts.age(Json.textAt(event, "firstTimestamp"), now);
            long count = Json.longAt(event, 0, "count");
            String age = count > 1
                    ? Texts.age(Json.textAt(event, "lastTimestamp"), now) + " (x" + count + " over " + first + ")"
                    : first;
            String host = Json.textAt(event, "source", "host");
            text.append(String.format(
                    EVENT,
                    Json.textAt(event, "type"),
                    Json.textAt(event, "reason"),
                    age,
                    Json.textAt(event, "source", "component") + (host.isEmpty() ? "" : ", " + host),
                    Json.textAt(event, "message").strip()));
        }
        return text.toString();
    }
}
