package lavaflow.cli;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

import lavaflow.controller.KubeApi;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * {@code vcctl jobflow} and {@code vcctl jobtemplate}, which differ in their columns only.
 *
 * @param words what objects are called in messages
 */
record FlowVerbs(KubeApi.Kind kind, String type, String words, boolean flow) {
    private static final String API_VERSION = "flow.volcano.sh/v1alpha1";

    static final FlowVerbs JOB_FLOWS = new FlowVerbs(
            new KubeApi.Kind("flow.volcano.sh", "v1alpha1", "jobflows", true), "JobFlow", "jobflow", true);
    static final FlowVerbs JOB_TEMPLATES = new FlowVerbs(
            new KubeApi.Kind("flow.volcano.sh", "v1alpha1", "jobtemplates", true),
            "JobTemplate",
            "job template",
            false);

    private static final int GAP = 4;

    private String command() {
        return type.toLowerCase(Locale.ROOT);
    }

    Verb family() {
        return Verb.family(
                command(),
                "vcctl command line operation " + command(),
                verb("create", "create a " + command(), List.of(file()), this::create),
                verb("list", "list " + command() + "s", listFlags(), this::list),
                verb("get", "get a " + command(), List.of(name(), namespace()), this::get),
                verb(
                        "describe",
                        "describe a " + command(),
                        List.of(name(), namespace(), Flag.text("format", "o", "yaml", "the format of output")),
                        this::describe),
                verb("delete", "delete a " + command(), List.of(name(), namespace(), file()), this::delete));
    }

    private Verb verb(String name, String summary, List<Flag> flags, Verb.Action action) {
        return Verb.of(name, summary, "Failed to " + name + " " + command(), flags, action);
    }

    private Flag name() {
        return Flag.text("name", "N", "", "the name of " + words);
    }

    private Flag namespace() {
        return Flag.text("namespace", "n", "default", "the namespace of " + words);
    }

    private Flag file() {
        return Flag.text("file", "f", "", "the path to the YAML file containing the " + words);
    }

    private List<Flag> listFlags() {
        return flow
                ? List.of(namespace(), Flag.flag("all-namespaces", "list jobflows in all namespaces"))
                : List.of(namespace());
    }

    // ---- making and deleting

    private void create(Call call) throws IOException {
        for (ObjectNode object : Texts.documents(Texts.read(call.flags().text("file")))) {
            each(call, object, "create", "Created", () -> call.create(kind, namespaceOf(object), typed(object)));
        }
    }

    private void delete(Call call) throws IOException {
        String file = call.flags().text("file");
        if (!file.isEmpty()) {
            for (ObjectNode object : Texts.documents(Texts.read(file))) {
                each(call, object, "delete", "Deleted", () -> call.delete(kind, namespaceOf(object), nameOf(object)));
            }
            return;
        }
        String name = call.mandatory("name", words + " name must be specified");
        String namespace = call.flags().text("namespace");
        call.delete(kind, namespace, name);
        call.line("Deleted " + type + ": " + namespace + "/" + name);
    }

    @FunctionalInterface
    private interface Step {
        void run() throws IOException;
    }

    /** One of several objects of a file; the others go on where it fails. */
    private void each(Call call, ObjectNode object, String verb, String done, Step step) throws IOException {
        try {
            step.run();
            call.line(done + " " + type + ": " + namespaceOf(object) + "/" + nameOf(object));
        } catch (ApiException | Verb.Refusal e) {
            call.line("Failed to " + verb + " " + type + ": " + e.getMessage());
        }
    }

    private ObjectNode typed(ObjectNode object) {
        ObjectNode typed = Json.object().put("apiVersion", API_VERSION).put("kind", type);
        object.properties().forEach(field -> {
            if (!typed.has(field.getKey())) {
                typed.set(field.getKey(), field.getValue());
            }
        });
        return flow ? typed : WrittenOut.job(typed);
    }

    private static String nameOf(ObjectNode object) {
        return Json.textAt(object, "metadata", "name");
    }

    private static String namespaceOf(ObjectNode object) {
        String namespace = Json.textAt(object, "metadata", "namespace");
        return namespace.isEmpty() ? "default" : namespace;
    }

    // ---- showing

    private void list(Call call) throws IOException {
        boolean everywhere = flow && call.flags().isSet("all-namespaces");
        List<ObjectNode> objects =
                call.list(kind, everywhere ? "" : call.flags().text("namespace"));
        call.out().print(objects.isEmpty() ? "No resources found\n" : table(call, objects));
    }

    private void get(Call call) throws IOException {
        String name = call.mandatory("name", "name is mandatory to get the particular " + words + " details");
        call.out().print(table(call, List.of(call.get(kind, call.flags().text("namespace"), name))));
    }

    private String table(Call call, List<ObjectNode> objects) {
        List<String> heads = flow ? List.of("Name", "Namespace", "Phase", "Age") : List.of("Name", "Namespace");
        List<List<String>> rows = new ArrayList<>();
        for (ObjectNode object : objects) {
            List<String> row = new ArrayList<>(List.of(nameOf(object), namespaceOf(object)));
            if (flow) {
                row.add(Json.textAt(object, "status", "state", "phase"));
                row.add(Texts.age(
                        Json.textAt(object, "metadata", "creationTimestamp"),
                        call.surroundings().clock().instant()));
            }
            rows.add(row);
        }
        List<Integer> widths = Columns.widths(heads, rows, GAP);
        StringBuilder text = new StringBuilder(Columns.line(widths, heads));
        rows.forEach(row -> text.append(Columns.line(widths, row)));
        return text.toString();
    }

    private void describe(Call call) throws IOException {
        String name = call.flags().text("name");
        String namespace = call.flags().text("namespace");
        List<ObjectNode> objects =
                name.isEmpty() ? call.list(kind, namespace) : List.of(call.get(kind, namespace, name));
        for (int i = 0; i < objects.size(); i++) {
            call.out().print(described(call, objects.get(i)));
            call.out().print(i < objects.size() - 1 ? "\n\n" : "");
        }
    }

    private String described(Call call, ObjectNode object) {
        ObjectNode shown = typed(object);
        Json.ensureObject(shown, "metadata").remove("managedFields");
        for (JsonNode job : Json.listAt(shown, "status", "jobStatusList")) {
            for (JsonNode history : Json.listAt(job, "runningHistories")) {
                openEnd((ObjectNode) history);
            }
        }
        String format = call.flags().text("format");
        return switch (format) {
            case "json" -> Json.pretty(shown) + "\n";
            case "yaml" -> call.surroundings().yaml().apply(shown);
            default -> "Unsupported format: " + format;
        };
    }

    /** Upstream's type has no way to leave out a time that is not there. */
    private static void openEnd(ObjectNode history) {
        for (String field : List.of("startTimestamp", "endTimestamp")) {
            if (!history.has(field)) {
                history.putNull(field);
            }
        }
    }
}
