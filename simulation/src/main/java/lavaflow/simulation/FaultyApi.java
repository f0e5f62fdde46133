package lavaflow.simulation;

import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;

import lavaflow.controller.KubeApi;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * The API as one process sees it: slow to tell what happened, sometimes refusing, sometimes silent after it has done what was
 * asked. Once the process has crashed it can do nothing any more.
 */
final class FaultyApi implements KubeApi {
    private final Stage stage;
    private final KubeApi real;
    private final Life life;

    FaultyApi(Stage stage, Life life) {
        this.stage = stage;
        this.real = stage.api();
        this.life = life;
    }

    private <T> T read(Supplier<T> request) {
        life.live();
        if (life.happens(life.faults().crashBeforeQuestion())) {
            life.crash(Fault.CRASH_BEFORE);
        }
        if (life.happens(life.faults().refusal())) {
            life.count(Fault.REFUSAL);
            throw busy();
        }
        return request.get();
    }

    private <T> T write(String what, boolean change, Supplier<T> request) {
        try {
            return tryWriting(what, change, request);
        } catch (ApiException e) {
            life.failed();
            throw e;
        }
    }

    private <T> T tryWriting(String what, boolean change, Supplier<T> request) {
        life.live();
        if (life.happens(life.faults().crashBeforeChange())) {
            life.crash(Fault.CRASH_BEFORE);
        }
        if (life.happens(life.faults().refusal())) {
            life.tell(Fault.REFUSAL, what + ": refused, busy");
            throw busy();
        }
        if (change && life.happens(life.faults().conflict())) {
            life.tell(Fault.CONFLICT, what + ": refused, conflict");
            throw ApiException.of(
                    409, "Conflict", "the object has been modified; please apply your changes to the latest version");
        }
        T answer;
        try {
            answer = request.get();
        } catch (ApiException e) {
            life.trace(what + ": " + e.code() + " " + e.getMessage());
            throw e;
        }
        life.wrote();
        life.trace(what);
        if (life.happens(life.faults().crash())) {
            life.crash(Fault.CRASH_AFTER);
        }
        if (life.happens(life.faults().lostAnswer())) {
            life.tell(Fault.LOST_ANSWER, "the answer was lost");
            throw ApiException.of(504, "Timeout", "request did not complete within the allotted timeout");
        }
        return answer;
    }

    private static ApiException busy() {
        return ApiException.of(429, "TooManyRequests", "the server is busy");
    }

    private static String place(Kind kind, String subresource, String namespace, String name) {
        return kind + (subresource.isEmpty() ? "" : "/" + subresource) + " "
                + (namespace.isEmpty() ? name : namespace + "/" + name);
    }

    private static String place(Kind kind, String subresource, ObjectNode object) {
        return place(
                kind,
                subresource,
                Json.textAt(object, "metadata", "namespace"),
                Json.textAt(object, "metadata", "name"));
    }

    @Override
    public List<Kind> kinds() {
        return real.kinds();
    }

    @Override
    public void onKindsChange(Runnable listener) {
        real.onKindsChange(() -> {
            if (!life.isOver()) {
                listener.run();
            }
        });
    }

    @Override
    public Optional<Kind> findKind(String apiVersion, String kindName) {
        return real.findKind(apiVersion, kindName);
    }

    @Override
    public Optional<ObjectNode> find(Kind kind, String namespace, String name) {
        return read(() -> real.find(kind, namespace, name));
    }

    @Override
    public ObjectNode read(String path) {
        return read(() -> path.startsWith(Meter.PREFIX) ? stage.meter().read(path) : real.read(path));
    }

    @Override
    public Optional<ObjectNode> findScale(Kind kind, String namespace, String name) {
        return read(() -> real.findScale(kind, namespace, name));
    }

    @Override
    public long list(Kind kind, String namespace, View view, Consumer<ObjectNode> each) {
        return read(() -> {
            // Who asks for one namespace wants to know how things are; who asks for all begins to follow them.
            History.Moment stale = namespace.isEmpty() ? life.staleList(kind).orElse(null) : null;
            long revision;
            if (stale == null) {
                revision = real.list(kind, namespace, view, each);
            } else {
                life.tell(Fault.STALE_LIST, "is shown an old list of " + kind);
                stale.objects().forEach(each);
                revision = stale.revision();
            }
            if (namespace.isEmpty()) {
                life.heard(kind, revision);
            }
            return revision;
        });
    }

    @Override
    public ObjectNode create(Kind kind, String namespace, ObjectNode object) {
        if (isEvent(kind)) {
            return object;
        }
        if (kind.equals(Kinds.PODS)) {
            requireAccount(namespace, object);
        }
        String given = Json.textAt(object, "metadata", "name");
        String name = given.isEmpty() ? Json.textAt(object, "metadata", "generateName") + "*" : given;
        return write("create " + place(kind, "", namespace, name), false, () -> real.create(kind, namespace, object));
    }

    /** Some components tell events on threads of their own, which would make runs differ. */
    private static boolean isEvent(Kind kind) {
        return kind.resource().equals("events");
    }

    /** The server waits for the account of a new namespace, in real time and here in vain. */
    private void requireAccount(String namespace, ObjectNode pod) {
        String account = Json.textAt(pod, "spec", "serviceAccountName");
        String name = account.isEmpty() ? "default" : account;
        if (real.find(Kinds.ACCOUNTS, namespace, name).isEmpty()
                && real.find(Kinds.NAMESPACES, "", namespace)
                        .filter(each -> !Observer.isDeleting(each))
                        .isPresent()) {
            life.trace("create pods in " + namespace + ": 403 no account");
            throw ApiException.forbidden(
                    "",
                    "pods",
                    Json.textAt(pod, "metadata", "name"),
                    "error looking up service account " + namespace + "/" + name + ": serviceaccount \"" + name
                            + "\" not found");
        }
    }

    @Override
    public ObjectNode update(Kind kind, String subresource, ObjectNode object) {
        return write("update " + place(kind, subresource, object), true, () -> real.update(kind, subresource, object));
    }

    @Override
    public ObjectNode patch(
            Kind kind, String namespace, String name, String subresource, Merge merge, ObjectNode patch) {
        if (isEvent(kind)) {
            return patch;
        }
        return write(
                "patch " + place(kind, subresource, namespace, name),
                true,
                () -> real.patch(kind, namespace, name, subresource, merge, patch));
    }

    @Override
    public ObjectNode apply(Kind kind, String subresource, String manager, ObjectNode configuration) {
        return write(
                "apply " + place(kind, subresource, configuration),
                true,
                () -> real.apply(kind, subresource, manager, configuration));
    }

    @Override
    public ObjectNode post(Kind kind, String namespace, String name, String subresource, ObjectNode body) {
        return write("post " + place(kind, subresource, namespace, name), false, () -> {
            stage.requests().posted(life.name(), kind, subresource, namespace, name);
            return real.post(kind, namespace, name, subresource, body);
        });
    }

    @Override
    public boolean delete(Kind kind, String namespace, String name, Deletion deletion) {
        return write(
                "delete " + place(kind, "", namespace, name),
                false,
                () -> real.delete(kind, namespace, name, deletion));
    }

    @Override
    public Watch watch(Kind kind, long afterRevision, View view) {
        return read(() -> new LaggingWatch(life, kind, real.watch(kind, afterRevision, view), afterRevision));
    }
}
