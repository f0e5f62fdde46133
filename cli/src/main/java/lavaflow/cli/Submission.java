package lavaflow.cli;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

import lavaflow.controller.KubeApi;
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
    public Optional<String> findUnknown(Manifests manifests) {
        List<ObjectNode> all = new ArrayList<>(manifests.needed());
        all.addAll(manifests.jobs());
        return all.stream()
                .filter(object -> kind(object).isEmpty())
                .map(object -> Json.textAt(object, "kind") + " of " + Json.textAt(object, "apiVersion"))
                .findFirst();
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
