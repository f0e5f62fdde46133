package lavaflow.cli;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import lavaflow.controller.KubeApi;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * Hands the objects of a file to a cluster: those that are needed are applied, those that run are made, in place of ones of the same name
 * that have ended.
 */
public final class Submission {
    private static final String MANAGER = "lava-run";
    private static final Duration LEAVING = Duration.ofMinutes(2);
    private static final Duration LOOK = Duration.ofSeconds(1);

    /**
     * An object that runs.
     *
     * @param found whether it ran already
     */
    public record Submitted(Target target, boolean found) {}

    /** Asks the cluster whether it would take an object exactly as it is written; throws if not. */
    @FunctionalInterface
    public interface Rehearsal {
        void of(KubeApi.Kind kind, String namespace, ObjectNode object);
    }

    /** What servers put before the fields that nobody knows. */
    private static final Pattern FIELDS = Pattern.compile("strict decoding error: (.*)", Pattern.DOTALL);

    private final KubeApi api;
    private final String namespace;
    private final boolean replace;

    /**
     * @param namespace where those go that do not say
     * @param replace whether those that still run are taken away, too
     */
    public Submission(KubeApi api, String namespace, boolean replace) {
        this.api = api;
        this.namespace = namespace;
        this.replace = replace;
    }

    /** The first object of a kind the cluster does not serve; empty where it serves all. */
    public Optional<ObjectNode> findUnknown(Manifests manifests) {
        return manifests.all().stream().filter(object -> kind(object).isEmpty()).findFirst();
    }

    /** Kinds that somebody may have meant: the same word in another group or version, or spelled otherwise. */
    public List<KubeApi.Kind> resembling(ObjectNode unknown) {
        String word = Json.textAt(unknown, "kind").toLowerCase(Locale.ROOT);
        return api.kinds().stream()
                .filter(kind ->
                        kind.resource().equals(word + "s") || kind.resource().equals(word))
                .sorted(Comparator.comparing(KubeApi.Kind::toString))
                .toList();
    }

    /** What is written in a file that means nothing to the cluster, such as a misspelled field; empty if all means something. */
    public Optional<String> findMisspelled(Manifests manifests, Rehearsal rehearsal) {
        for (ObjectNode object : manifests.all()) {
            KubeApi.Kind kind = kind(object).orElseThrow();
            ObjectNode placed = placed(object, kind);
            try {
                rehearsal.of(kind, Json.textAt(placed, "metadata", "namespace"), placed);
            } catch (ApiException e) {
                // Whatever else is refused may be taken when it is its turn: its namespace may be in the same file.
                Matcher fields = FIELDS.matcher(String.valueOf(e.getMessage()));
                if (fields.find()) {
                    return Optional.of(word(object) + ": " + fields.group(1));
                }
            }
        }
        return Optional.empty();
    }

    private Optional<KubeApi.Kind> kind(ObjectNode object) {
        String version = Json.textAt(object, "apiVersion");
        return api.findKind(version, Json.textAt(object, "kind"))
                // a kind has one entry for all its versions, and this one is wanted
                .map(kind -> new KubeApi.Kind(
                        kind.group(), version.substring(version.indexOf('/') + 1), kind.resource(), kind.namespaced()));
    }

    /** How people call an object. */
    public static String word(ObjectNode object) {
        String name = Json.textAt(object, "metadata", "name");
        return Json.textAt(object, "kind").toLowerCase(Locale.ROOT) + "/"
                + (name.isEmpty() ? Json.textAt(object, "metadata", "generateName") : name);
    }

    public void apply(ObjectNode object) {
        KubeApi.Kind kind = kind(object).orElseThrow();
        ObjectNode placed = placed(object, kind);
        if (Json.textAt(object, "metadata", "name").isEmpty()) {
            api.create(kind, Json.textAt(placed, "metadata", "namespace"), placed);
        } else {
            api.apply(kind, "", MANAGER, placed);
        }
    }

    private ObjectNode placed(ObjectNode object, KubeApi.Kind kind) {
        ObjectNode placed = object.deepCopy();
        if (kind.namespaced() && Json.textAt(placed, "metadata", "namespace").isEmpty()) {
            Json.ensureObject(placed, "metadata").put("namespace", namespace);
        }
        return placed;
    }

    public Submitted run(ObjectNode job) throws InterruptedException {
        KubeApi.Kind kind = kind(job).orElseThrow();
        ObjectNode placed = placed(job, kind);
        String where = Json.textAt(placed, "metadata", "namespace");
        String name = Json.textAt(placed, "metadata", "name");
        Optional<ObjectNode> before = name.isEmpty() ? Optional.empty() : api.find(kind, where, name);
        if (before.isPresent()) {
            if (!replace && !Outcome.of(before.get()).isEnd()) {
                return new Submitted(new Target(kind, before.get()), true);
            }
            delete(new Target(kind, before.get()), LEAVING);
        }
        return new Submitted(new Target(kind, api.create(kind, where, placed)), false);
    }

    /** Takes a job and its pods away, and returns when they are gone. */
    public void delete(Target target, Duration patience) throws InterruptedException {
        KubeApi.Scope scope = KubeApi.Scope.of(target.namespace(), target.name());
        long revision = api.list(target.kind(), scope, KubeApi.View.METADATA, _ -> {});
        String uid = Json.textAt(target.object(), "metadata", "uid");
        api.delete(target.kind(), target.namespace(), target.name(), new KubeApi.Deletion(uid, null, "Foreground"));
        long deadline = System.nanoTime() + patience.toNanos();
        try (KubeApi.Watch watch = api.watch(target.kind(), scope, revision, KubeApi.View.METADATA)) {
            while (System.nanoTime() < deadline
                    && api.find(target.kind(), target.namespace(), target.name())
                            .filter(found ->
                                    Json.textAt(found, "metadata", "uid").equals(uid))
                            .isPresent()) {
                watch.next(LOOK);
            }
        }
    }
}
