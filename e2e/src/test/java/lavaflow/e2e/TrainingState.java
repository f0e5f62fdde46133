package lavaflow.e2e;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import lavaflow.controller.KubeApi;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * What there is of training jobs in a namespace, without what cannot be the same twice. Pods are shown without their statuses, which the suite
 * wrote, and every event once.
 */
final class TrainingState {
    private static final String GROUP = "kubeflow.org";
    private static final List<KubeApi.Kind> OFTEN = List.of(
            KubeApi.Kind.core("pods"),
            KubeApi.Kind.core("services"),
            new KubeApi.Kind("scheduling.volcano.sh", "v1beta1", "podgroups", true),
            new KubeApi.Kind("scheduling.x-k8s.io", "v1alpha1", "podgroups", true));
    private static final List<KubeApi.Kind> SELDOM = List.of(
            KubeApi.Kind.core("configmaps"),
            KubeApi.Kind.core("serviceaccounts"),
            KubeApi.Kind.core("secrets"),
            new KubeApi.Kind("rbac.authorization.k8s.io", "v1", "roles", true),
            new KubeApi.Kind("rbac.authorization.k8s.io", "v1", "rolebindings", true),
            new KubeApi.Kind("autoscaling", "v2", "horizontalpodautoscalers", true),
            new KubeApi.Kind("batch", "v1", "jobs", true));
    private static final List<KubeApi.Kind> TRAIN_JOBS = List.of(
            new KubeApi.Kind("trainer.kubeflow.org", "v1alpha1", "trainjobs", true),
            new KubeApi.Kind("jobset.x-k8s.io", "v1alpha2", "jobsets", true));
    /** What these are made of, beside pods and services. */
    private static final List<KubeApi.Kind> PARTS =
            List.of(new KubeApi.Kind("batch", "v1", "jobs", true), KubeApi.Kind.core("persistentvolumeclaims"));

    private static final Pattern TIME = Pattern.compile("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?Z");
    private static final Pattern UID = Pattern.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");
    /** Ends of the names of a Job's pods. */
    private static final Pattern GENERATED = Pattern.compile("(-\\d+-\\d+)-[bcdfghjklmnpqrstvwxz2456789]{5}\\b");

    private static final Pattern TOKENS = Pattern.compile("kube-api-access-[a-z0-9]{5}");
    /** One event may tell of several pods or services. */
    private static final Pattern SEVERAL =
            Pattern.compile("((?:Created|Deleted) (?:pod|service))s: ([^ ]+(?:, [^ ]+)*)");

    private final KubeApi api;
    private final String namespace;
    private final List<KubeApi.Kind> jobs;

    TrainingState(KubeApi api, String namespace, String operator) {
        this.api = api;
        this.namespace = namespace;
        this.jobs = jobs(operator);
    }

    /** The kinds of jobs an operator has to do with. */
    static List<KubeApi.Kind> jobs(String operator) {
        return switch (operator) {
            case "trainer" -> TRAIN_JOBS;
            case "mpi" -> List.of(new KubeApi.Kind(GROUP, "v2beta1", "mpijobs", true));
            default ->
                Stream.of("tfjobs", "pytorchjobs", "xgboostjobs", "paddlejobs", "jaxjobs", "mpijobs")
                        .map(resource -> new KubeApi.Kind(GROUP, "v1", resource, true))
                        .toList();
        };
    }

    /** What changes while something happens. */
    ObjectNode glance() {
        ObjectNode often = read(OFTEN);
        often.setAll(read(jobs));
        if (jobs.equals(TRAIN_JOBS)) {
            often.setAll(read(PARTS));
        }
        return often;
    }

    ObjectNode whole() {
        ObjectNode whole = glance();
        whole.setAll(read(SELDOM));
        whole.set("events", events());
        return whole;
    }

    private ObjectNode read(List<KubeApi.Kind> kinds) {
        ObjectNode state = Json.object();
        for (KubeApi.Kind kind : kinds) {
            TreeMap<String, JsonNode> found = new TreeMap<>();
            List<ObjectNode> listed = new ArrayList<>();
            api.list(kind, namespace, KubeApi.View.WHOLE, listed::add);
            // By names the order of those whose names the server ended would be left to chance.
            listed.sort(Comparator.comparing(object -> Json.textAt(object, "metadata", "creationTimestamp")));
            for (ObjectNode object : listed) {
                if (!isOfEveryNamespace(object)) {
                    found.put(title(object, found.keySet()), shown(kind, object));
                }
            }
            if (!found.isEmpty()) {
                ObjectNode all = state.putObject(
                        kind.group().isEmpty() ? kind.resource() : kind.resource() + "." + kind.group());
                found.forEach(all::set);
            }
        }
        return state;
    }

    /** Its name; where the server chose the end of it, the number of those before it. */
    private static String title(ObjectNode object, Set<String> taken) {
        String name = plain(Json.textAt(object, "metadata", "name"));
        int number = 2;
        String title = name;
        while (taken.contains(title)) {
            title = name + " " + number++;
        }
        return title;
    }

    private static boolean isOfEveryNamespace(ObjectNode object) {
        String name = Json.textAt(object, "metadata", "name");
        return name.equals("kube-root-ca.crt") || name.equals("default");
    }

    private static JsonNode shown(KubeApi.Kind kind, ObjectNode object) {
        ObjectNode copy = object.deepCopy();
        ObjectNode metadata = Json.ensureObject(copy, "metadata");
        metadata.remove(List.of("uid", "resourceVersion", "creationTimestamp", "managedFields", "namespace"));
        Stream.of(metadata, Json.at(copy, "spec", "template", "metadata"))
                .flatMap(each -> Json.listAt(each, "ownerReferences").valueStream())
                .forEach(owner -> ((ObjectNode) owner).remove("uid"));
        if (kind.resource().equals("pods")) {
            copy.set("status", Json.object().put("phase", Json.textAt(object, "status", "phase")));
        }
        if (kind.resource().equals("secrets")) {
            ObjectNode data = Json.ensureObject(copy, "data");
            data.fieldNames().forEachRemaining(name -> data.put(name, "<secret>"));
        }
        if (kind.group().equals(GROUP) || kind.resource().equals("trainjobs")) {
            copy.remove("spec"); // the user's own words
        }
        if (kind.resource().equals("jobsets")) {
            bare(copy);
        }
        if (Json.at(copy, "data", "runtime") != null) {
            Json.ensureObject(copy, "data").set("runtime", kept(Json.textAt(copy, "data", "runtime")));
        }
        return plain(copy);
    }

    /** A runtime that is kept as text: how it is written is not the question. */
    private static JsonNode kept(String text) {
        JsonNode runtime = YamlTree.parse(text);
        Json.ensureObject((ObjectNode) runtime, "metadata")
                .remove(List.of("uid", "resourceVersion", "namespace", "managedFields"));
        bare(runtime);
        return runtime;
    }

    /** Takes away how Go writes what nobody said of pods in templates, and writes amounts as it does. */
    private static void bare(JsonNode node) {
        node.forEach(TrainingState::bare);
        if (node instanceof ObjectNode object) {
            for (String field : List.of("metadata", "resources", "status")) {
                if (object.path(field).isObject() && object.path(field).isEmpty()) {
                    object.remove(field);
                }
            }
            for (String field : List.of("limits", "requests")) {
                if (object.get(field) instanceof ObjectNode amounts) {
                    amounts.properties()
                            .forEach(amount -> amounts.put(
                                    amount.getKey(), amount.getValue().asText()));
                }
            }
        }
    }

    private static JsonNode plain(JsonNode node) {
        return switch (node) {
            case ObjectNode object -> {
                ObjectNode copy = Json.object();
                // Order of fields is the server's; of labels and the like, anybody's.
                TreeMap<String, JsonNode> sorted = new TreeMap<>();
                object.properties().forEach(entry -> sorted.put(entry.getKey(), plain(entry.getValue())));
                sorted.forEach(copy::set);
                yield copy;
            }
            case ArrayNode array -> {
                ArrayNode copy = Json.array();
                array.forEach(item -> copy.add(plain(item)));
                yield copy;
            }
            default -> node.isTextual() ? Json.text(plain(node.textValue())) : node;
        };
    }

    private static String plain(String text) {
        String timeless = TIME.matcher(text).replaceAll("<time>");
        String tokenless = TOKENS.matcher(timeless).replaceAll("kube-api-access-<chance>");
        return GENERATED.matcher(UID.matcher(tokenless).replaceAll("<uid>")).replaceAll("$1-<chance>");
    }

    /** Events have one of two forms. */
    private static String teller(ObjectNode event) {
        String source = Json.textAt(event, "source", "component");
        return source.isEmpty() ? Json.textAt(event, "reportingComponent") : source;
    }

    private ObjectNode events() {
        TreeMap<String, String> said = new TreeMap<>();
        api.list(KubeApi.Kind.core("events"), namespace, KubeApi.View.WHOLE, event -> {
            String who = String.join(
                    " ",
                    Json.textAt(event, "involvedObject", "kind"),
                    Json.textAt(event, "type"),
                    Json.textAt(event, "reason"),
                    teller(event));
            String message = plain(Json.textAt(event, "message"));
            Matcher several = SEVERAL.matcher(message);
            if (several.matches()) {
                for (String name : several.group(2).split(", ", -1)) {
                    said.put(who + ": " + several.group(1) + ": " + name, "told");
                }
            } else {
                said.put(who + ": " + message, "told");
            }
        });
        ObjectNode events = Json.object();
        said.forEach(events::put);
        return events;
    }
}
