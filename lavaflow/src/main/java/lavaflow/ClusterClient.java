package lavaflow;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import lavaflow.apiserver.YamlText;
import lavaflow.batch.Batch;
import lavaflow.cli.LogSource;
import lavaflow.cli.Target;
import lavaflow.cli.VolcanoObjects;
import lavaflow.controller.KubeApi;
import lavaflow.explain.ExplanationForm;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;
import lavaflow.remote.RemoteKubeApi;
import lavaflow.remote.Settings;
import lavaflow.remote.TextStream;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** What commands that ask any cluster have in common: how it is reached, and how what it says is shown. */
final class ClusterClient implements AutoCloseable {
    private static final Command.Option KUBECONFIG = Command.Option.of(
            "--kubeconfig",
            "FILE",
            null,
            "How to reach the cluster ($KUBECONFIG, the local cluster if it runs, ~/.kube/config).");
    private static final Command.Option CONTEXT =
            Command.Option.of("--context", "NAME", null, "Which context of the kubeconfig (the current one).");
    private static final Command.Option OUTPUT =
            new Command.Option("--output", "-o", "FORMAT", "text", "Print for machines: json or yaml.", false);
    private static final Command.Option LIST_OUTPUT = new Command.Option(
            "--output", "-o", "FORMAT", "text", "More columns: wide. For machines: json, yaml or name.", false);

    static final Command.Option NAMESPACE = new Command.Option(
            "--namespace", "-n", "NAME", null, "Namespace (that of the context, or default).", false);
    static final Command.Option ALL_NAMESPACES =
            new Command.Option("--all-namespaces", "-A", null, null, "Of all namespaces.", false);

    /** What every such command takes. */
    static final List<Command.Option> OPTIONS = List.of(KUBECONFIG, CONTEXT, Command.DATA_DIR);

    private final RemoteKubeApi api;

    private ClusterClient(RemoteKubeApi api) {
        this.api = api;
    }

    static List<Command.Option> options(Command.Option... own) {
        List<Command.Option> all = new ArrayList<>(List.of(own));
        all.addAll(OPTIONS);
        return all;
    }

    static List<Command.Option> printingOptions(Command.Option... own) {
        List<Command.Option> all = new ArrayList<>(List.of(own));
        all.add(OUTPUT);
        all.addAll(OPTIONS);
        return all;
    }

    static List<Command.Option> listingOptions(Command.Option... own) {
        List<Command.Option> all = new ArrayList<>(List.of(own));
        all.add(LIST_OUTPUT);
        all.addAll(OPTIONS);
        return all;
    }

    static ClusterClient connect(Arguments arguments) throws IOException {
        Settings settings = settings(arguments);
        try {
            return new ClusterClient(new RemoteKubeApi(settings));
        } catch (IllegalArgumentException e) {
            throw new CommandFailure(Lava.USAGE, String.valueOf(e.getMessage()));
        } catch (ApiException e) {
            if (e.code() == 401 || e.code() == 403) {
                throw new CommandFailure(
                        Lava.FAILED, e.getMessage() + ". The kubeconfig is of a user who may not ask this cluster");
            }
            throw new CommandFailure(
                    Lava.UNREACHABLE,
                    e.getMessage() + ". Start a local cluster with: lava up --detach, or name another one with"
                            + " --kubeconfig FILE");
        }
    }

    private static Settings settings(Arguments arguments) throws IOException {
        return Settings.of(kubeconfig(arguments), "lava/" + Lava.version()).in(arguments.find(CONTEXT));
    }

    /** The namespace that is meant: what is said, else that of the context. */
    static String namespace(Arguments arguments) throws IOException {
        String given = arguments.find(NAMESPACE);
        if (given != null) {
            return given;
        }
        try {
            String usual = RemoteKubeApi.namespace(settings(arguments));
            return usual.isEmpty() ? "default" : usual;
        } catch (IllegalArgumentException | ApiException _) {
            return "default"; // whoever connects is told what is wrong
        }
    }

    /** Whether the user says which kubeconfig is meant. */
    static boolean isNamed(Arguments arguments) {
        return arguments.find(KUBECONFIG) != null || arguments.find(CONTEXT) != null;
    }

    private static @Nullable Path kubeconfig(Arguments arguments) throws IOException {
        String named = arguments.find(KUBECONFIG);
        if (named != null) {
            return Path.of(named);
        }
        String environment = System.getenv("KUBECONFIG");
        boolean ownWish = arguments.find(Command.DATA_DIR) != null;
        if (!ownWish && environment != null && !environment.isEmpty()) {
            return null; // looked for there first
        }
        Home home = arguments.home();
        if (home.running().isPresent()) {
            return home.kubeconfig();
        }
        if (ownWish) {
            throw new CommandFailure(
                    Lava.UNREACHABLE,
                    "Lavaflow is not running in " + home.directory() + ". Start it with: lava up --detach --data-dir "
                            + home.directory());
        }
        return null;
    }

    KubeApi api() {
        return api;
    }

    /** Asks the cluster whether it would take an object exactly as it is written. */
    void rehearse(KubeApi.Kind kind, String namespace, ObjectNode object) {
        api.rehearse(kind, namespace, object);
    }

    /** What the server answers at a path. */
    ObjectNode read(String path) {
        return api.read(path);
    }

    /** Logs of containers. */
    LogSource logs() {
        return path -> {
            TextStream text = api.text(path);
            return new LogSource.LogText() {
                @Override
                public @Nullable String next() throws InterruptedException {
                    return text.next();
                }

                @Override
                public void close() {
                    text.close();
                }
            };
        };
    }

    /** The object that {@code job/train} means. */
    Target target(String namespace, String word) {
        int slash = word.indexOf('/');
        String kind = slash < 0 ? "job" : word.substring(0, slash);
        String name = word.substring(slash + 1);
        return Target.find(api, namespace, kind, name)
                .orElseThrow(() -> new CommandFailure(
                        Lava.FAILED,
                        Target.isKnown(api, kind)
                                ? "there is no " + kind + " '" + name + "' in namespace " + namespace + ". Try: "
                                        + (kind.equals("job") ? "lava job ls -A" : "kubectl get " + kind + " -A")
                                : "this cluster knows nothing called '" + kind
                                        + "'. Try one of: job, tfjob, pytorchjob, podgroup, deployment, pod"));
    }

    /** Why a PodGroup waits: one sentence, and the first thing that would help. Empty where nobody can be asked. */
    Optional<String> why(String namespace, String group) {
        try {
            ObjectNode told = read("/apis/" + ExplanationForm.GROUP + "/" + ExplanationForm.VERSION + "/namespaces/"
                    + namespace + "/podgroups/" + group);
            if (!Json.flagAt(told, "waiting")) {
                return Optional.empty();
            }
            List<String> changes = new ArrayList<>();
            for (JsonNode remedy : Json.listAt(told, "remedies")) {
                if (changes.isEmpty()) {
                    Json.listAt(remedy, "changes").forEach(change -> changes.add(Json.textAt(change, "text")));
                }
            }
            return Optional.of(Json.textAt(told, "headline").replaceFirst("\\.$", "")
                    + (changes.isEmpty() ? "" : ". It would help to: " + String.join(", and ", changes))
                    + ". More: lava explain podgroup/" + group + " -n " + namespace);
        } catch (ApiException _) {
            return Optional.empty(); // not every cluster has somebody to ask
        }
    }

    /** Volcano's job of a name. */
    ObjectNode job(String namespace, String name) {
        requireJobs();
        return api.find(VolcanoObjects.JOBS, namespace, name)
                .orElseThrow(() -> new CommandFailure(
                        Lava.FAILED,
                        "there is no job '" + name + "' in namespace " + namespace + ". Try: lava job ls -A"));
    }

    /** Fails where a cluster does not know Volcano's jobs. */
    void requireJobs() {
        if (!api.kinds().contains(VolcanoObjects.JOBS)) {
            throw new CommandFailure(
                    Lava.FAILED,
                    "this cluster knows no Volcano jobs: neither Volcano nor Lavaflow is installed. 'lava up' brings"
                            + " them");
        }
    }

    /** Fails where a cluster does not know queues. */
    void requireQueues() {
        if (!api.kinds().contains(Batch.QUEUES)) {
            throw new CommandFailure(
                    Lava.FAILED,
                    "this cluster knows no queues: neither Volcano nor Lavaflow is installed. 'lava up' brings them");
        }
    }

    List<ObjectNode> all(KubeApi.Kind kind) {
        return api.kinds().contains(kind)
                ? api.list(kind, "", KubeApi.View.WHOLE).items()
                : List.of();
    }

    ObjectNode queue(String name) {
        requireQueues();
        return api.find(Batch.QUEUES, "", name)
                .orElseThrow(
                        () -> new CommandFailure(Lava.FAILED, "there is no queue '" + name + "'. Try: lava queue ls"));
    }

    /** What a server says of a refusal, without who in it said so. */
    static CommandFailure refused(ApiException e) {
        return new CommandFailure(
                Lava.FAILED,
                String.valueOf(e.getMessage()).replaceFirst("^admission webhook \"[^\"]*\" denied the request: ", ""));
    }

    /** How a list is wanted: text, wide, json, yaml or name. */
    static String listFormat(Command command, Arguments arguments) {
        String format = arguments.value(LIST_OUTPUT);
        if (!List.of("text", "wide", "json", "yaml", "name").contains(format)) {
            throw Arguments.wrong(command, "--output knows wide, json, yaml and name, not '" + format + "'");
        }
        return format;
    }

    /** Prints a list for machines. */
    static void printList(Arguments arguments, Console console, KubeApi.Kind kind, List<ObjectNode> objects) {
        if (arguments.value(LIST_OUTPUT).equals("name")) {
            String type = kind.resource().replaceFirst("s$", "") + (kind.group().isEmpty() ? "" : "." + kind.group());
            objects.forEach(object -> console.line(type + "/" + Json.textAt(object, "metadata", "name")));
            return;
        }
        ObjectNode list = Json.object();
        list.put("apiVersion", "v1").put("kind", "List");
        list.putArray("items");
        objects.forEach(object -> list.withArray("items").add(shown(object)));
        print(arguments, console, list);
    }

    /** Whether text for people is wanted; otherwise the document was printed. */
    static boolean isText(Command command, Arguments arguments) {
        String format = arguments.value(OUTPUT);
        if (!List.of("text", "json", "yaml").contains(format)) {
            throw Arguments.wrong(command, "--output knows json and yaml, not '" + format + "'");
        }
        return format.equals("text");
    }

    static void print(Arguments arguments, Console console, JsonNode document) {
        console.line(
                arguments.value(OUTPUT).equals("yaml") ? YamlText.of(document).stripTrailing() : Json.pretty(document));
    }

    /** An object without what only servers care about. */
    static ObjectNode shown(ObjectNode object) {
        ObjectNode copy = object.deepCopy();
        Json.ensureObject(copy, "metadata").remove("managedFields");
        return copy;
    }

    @Override
    public void close() {
        api.close();
    }
}
