package lavaflow.controller;

import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

import lavaflow.kube.ApiException;
import lavaflow.kube.GoTime;
import lavaflow.kube.Json;
import lavaflow.kube.MergePatch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

import static lavaflow.controller.TestingObjects.check;
import static lavaflow.controller.TestingObjects.hasFinalizers;
import static lavaflow.controller.TestingObjects.isDeleting;
import static lavaflow.controller.TestingObjects.isHeld;
import static lavaflow.controller.TestingObjects.key;
import static lavaflow.controller.TestingObjects.strategic;
import static lavaflow.controller.TestingObjects.view;

/**
 * A small API server in memory: revisions, watches that can lose the past, preconditions, finalizers, propagation
 * policies, pods that take their time. It writes down every request, and fails those it is told to.
 */
public final class TestingKubeApi implements KubeApi {
    private static final Kind NAMESPACES = Kind.clusterWide("namespaces");
    private static final Instant NOW = Instant.parse("2030-01-02T03:04:05Z");

    private final Map<String, Kind> byTypeName = new HashMap<>();
    private final Map<Kind, SortedMap<String, ObjectNode>> objects = new LinkedHashMap<>();
    private final TestingHistory history = new TestingHistory(this);
    private final List<String> requests = new ArrayList<>();
    private final Map<String, Deque<RuntimeException>> failures = new HashMap<>();
    private final Map<String, ObjectNode> answers = new HashMap<>();
    private final Map<String, ObjectNode> applied = new HashMap<>();
    /** Called without the lock: they may ask for kinds on other threads. */
    private final List<Runnable> kindListeners = new CopyOnWriteArrayList<>();

    private long uids;
    private @Nullable InstantSource tokenClock;
    private long tokens;

    /** Serves a kind. */
    public TestingKubeApi serve(Kind kind, String kindName) {
        synchronized (this) {
            objects.put(kind, new TreeMap<>());
            String apiVersion = kind.group().isEmpty() ? kind.version() : kind.group() + "/" + kind.version();
            byTypeName.put(apiVersion + "/" + kindName, kind);
        }
        kindListeners.forEach(Runnable::run);
        return this;
    }

    /** Serves a kind no more; its objects are gone. */
    public void withdraw(Kind kind) {
        synchronized (this) {
            objects.remove(kind);
            byTypeName.values().remove(kind);
            notifyAll();
        }
        kindListeners.forEach(Runnable::run);
    }

    @Override
    public void onKindsChange(Runnable listener) {
        kindListeners.add(listener);
    }

    /** Makes the next request like this fail: {@code "list configmaps"}, {@code "update configmaps team/a"}. */
    public synchronized void fail(String request, RuntimeException failure) {
        failures.computeIfAbsent(request, _ -> new ArrayDeque<>()).add(failure);
    }

    /** Forgets the past: watches that are behind end with 410. */
    public synchronized void compact() {
        history.compact();
    }

    /** What was asked since the last call, changes only, in order. */
    public synchronized List<String> takeWrites() {
        List<String> writes = requests.stream()
                .filter(request -> !request.startsWith("find") && !request.startsWith("list"))
                .toList();
        requests.clear();
        return writes;
    }

    /** How many requests there were since writes were last taken; waiting for changes is none. */
    public synchronized int requestCount() {
        return requests.size();
    }

    public synchronized long revision() {
        return history.revision();
    }

    private void note(String request) {
        requests.add(request);
        failIfPlanned(request);
    }

    private void failIfPlanned(String request) {
        Deque<RuntimeException> planned = failures.get(request);
        if (planned != null && !planned.isEmpty()) {
            throw planned.removeFirst();
        }
    }

    private SortedMap<String, ObjectNode> bucket(Kind kind) {
        SortedMap<String, ObjectNode> bucket = objects.get(kind);
        if (bucket == null) {
            throw ApiException.noSuchPath();
        }
        return bucket;
    }

    @Override
    public synchronized List<Kind> kinds() {
        return List.copyOf(objects.keySet());
    }

    @Override
    public synchronized Optional<Kind> findKind(String apiVersion, String kindName) {
        return Optional.ofNullable(byTypeName.get(apiVersion + "/" + kindName));
    }

    @Override
    public synchronized Optional<ObjectNode> find(Kind kind, String namespace, String name) {
        note("find " + kind + " " + key(namespace, name));
        return Optional.ofNullable(bucket(kind).get(key(namespace, name))).map(ObjectNode::deepCopy);
    }

    /** The object, which must be there. */
    public ObjectNode get(Kind kind, String namespace, String name) {
        return find(kind, namespace, name).orElseThrow();
    }

    public synchronized boolean has(Kind kind, String namespace, String name) {
        return bucket(kind).containsKey(key(namespace, name));
    }

    @Override
    public synchronized long list(Kind kind, String namespace, View view, Consumer<ObjectNode> each) {
        note("list " + kind);
        for (ObjectNode object : List.copyOf(bucket(kind).values())) {
            if (namespace.isEmpty()
                    || Json.textAt(object, "metadata", "namespace").equals(namespace)) {
                each.accept(view(object, view));
            }
        }
        return history.revision();
    }

    @Override
    public synchronized ObjectNode create(Kind kind, String namespace, ObjectNode object) {
        String name = Json.textAt(object, "metadata", "name");
        note("create " + kind + " " + key(namespace, name));
        if (kind.namespaced() && objects.containsKey(NAMESPACES)) {
            admit(kind, namespace, name);
        }
        return createAnywhere(kind, namespace, object);
    }

    private void admit(Kind kind, String namespace, String name) {
        ObjectNode found = bucket(NAMESPACES).get(namespace);
        if (found == null) {
            throw ApiException.notFound("", "namespaces", namespace);
        }
        if (isDeleting(found)) {
            throw ApiException.forbidden(kind.group(), kind.resource(), name, "it is being terminated")
                    .cause("NamespaceTerminating", "namespace " + namespace + " is being terminated", "");
        }
    }

    /** Creates without asking whether the namespace is there. */
    public synchronized ObjectNode createAnywhere(Kind kind, String namespace, ObjectNode object) {
        ObjectNode created = object.deepCopy();
        ObjectNode metadata = Json.ensureObject(created, "metadata");
        if (!namespace.isEmpty()) {
            metadata.put("namespace", namespace);
        }
        if (Json.textAt(metadata, "name").isEmpty()) {
            metadata.put("name", Json.textAt(metadata, "generateName") + "x" + uids);
        }
        byTypeName.forEach((type, served) -> {
            if (served.equals(kind)) {
                int slash = type.lastIndexOf('/');
                created.put("apiVersion", type.substring(0, slash)).put("kind", type.substring(slash + 1));
            }
        });
        if (bucket(kind).containsKey(key(created))) {
            throw ApiException.alreadyExists(kind.group(), kind.resource(), key(created));
        }
        metadata.put("uid", "uid-" + ++uids).put("creationTimestamp", GoTime.seconds(NOW));
        return commit(kind, created, false);
    }

    private ObjectNode commit(Kind kind, ObjectNode object, boolean gone) {
        Json.ensureObject(object, "metadata").put("resourceVersion", Long.toString(history.advance()));
        if (gone) {
            bucket(kind).remove(key(object));
        } else {
            bucket(kind).put(key(object), object);
        }
        history.add(kind, gone, object);
        return object.deepCopy();
    }

    @Override
    public synchronized ObjectNode update(Kind kind, String subresource, ObjectNode object) {
        note("update " + kind + (subresource.isEmpty() ? "" : "/" + subresource) + " " + key(object));
        ObjectNode live = bucket(kind).get(key(object));
        if (live == null) {
            throw ApiException.notFound(kind.group(), kind.resource(), key(object));
        }
        String version = Json.textAt(object, "metadata", "resourceVersion");
        if (!version.isEmpty() && !version.equals(Json.textAt(live, "metadata", "resourceVersion"))) {
            throw ApiException.conflict(kind.group(), kind.resource(), key(object), "it was changed");
        }
        ObjectNode next = object.deepCopy();
        for (String field : List.of("uid", "creationTimestamp", "deletionTimestamp")) {
            JsonNode kept = Json.at(live, "metadata", field);
            if (kept != null) {
                Json.ensureObject(next, "metadata").set(field, kept);
            }
        }
        if (subresource.equals("scale")) {
            next = live.deepCopy();
            Json.ensureObject(next, "spec").put("replicas", Json.longAt(object, 0, "spec", "replicas"));
        } else if (!subresource.isEmpty()) {
            String part = subresource.equals("finalize") ? "spec" : "status";
            next = live.deepCopy();
            next.set(part, object.path(part).deepCopy());
            JsonNode annotations = Json.at(object, "metadata", "annotations");
            if (annotations != null) {
                Json.ensureObject(next, "metadata").set("annotations", annotations.deepCopy());
            }
        }
        return next.equals(live) ? live.deepCopy() : commit(kind, next, isDeleting(next) && !isHeld(next));
    }

    @Override
    public synchronized ObjectNode patch(
            Kind kind, String namespace, String name, String subresource, Merge merge, ObjectNode patch) {
        note("patch " + kind + (subresource.isEmpty() ? "" : "/" + subresource) + " " + key(namespace, name));
        ObjectNode live = bucket(kind).get(key(namespace, name));
        if (live == null) {
            throw ApiException.notFound(kind.group(), kind.resource(), name);
        }
        check(kind, live, "uid", Json.at(patch, "metadata", "uid"));
        check(kind, live, "resourceVersion", Json.at(patch, "metadata", "resourceVersion"));
        ObjectNode next = merge == Merge.STRATEGIC
                ? strategic(live, patch)
                : (ObjectNode) MergePatch.apply(live.deepCopy(), patch, false);
        return next.equals(live) ? live.deepCopy() : commit(kind, next, isDeleting(next) && !isHeld(next));
    }

    /** What is applied is merged or made, and what the same manager applied before and leaves out now goes; no owners are known. */
    @Override
    public synchronized ObjectNode apply(Kind kind, String subresource, String manager, ObjectNode configuration) {
        String namespace = Json.textAt(configuration, "metadata", "namespace");
        String name = Json.textAt(configuration, "metadata", "name");
        ObjectNode before = applied.put(
                manager + " " + kind + "/" + subresource + " " + key(namespace, name), configuration.deepCopy());
        ObjectNode patch = configuration.deepCopy();
        if (before != null) {
            TestingObjects.removeMissing(before, patch);
        }
        return subresource.isEmpty() && bucket(kind).get(key(namespace, name)) == null
                ? create(kind, namespace, configuration)
                : patch(kind, namespace, name, subresource, Merge.PLAIN, patch);
    }

    /** Answers a path that no kind stands for. */
    public synchronized void answer(String path, ObjectNode answer) {
        answers.put(path, answer);
    }

    @Override
    public synchronized ObjectNode read(String path) {
        ObjectNode answer = answers.get(path);
        if (answer == null) {
            throw ApiException.noSuchPath();
        }
        return answer.deepCopy();
    }

    @Override
    public synchronized Optional<ObjectNode> findScale(Kind kind, String namespace, String name) {
        if (List.of("pods", "jobs", "daemonsets", "configmaps").contains(kind.resource())) {
            throw ApiException.noSuchPath();
        }
        return find(kind, namespace, name).map(TestingObjects::scale);
    }

    /** Makes up tokens from now on, which tell who asked for the how-manieth. */
    public synchronized void issueTokens(InstantSource clock) {
        tokenClock = clock;
    }

    private ObjectNode token(String namespace, String name, ObjectNode body, InstantSource clock) {
        long seconds = Json.longAt(body, 3600, "spec", "expirationSeconds");
        ObjectNode answer = body.deepCopy();
        Json.ensureObject(answer, "status")
                .put("token", "token-" + ++tokens + " of " + namespace + "/" + name)
                .put("expirationTimestamp", GoTime.seconds(clock.instant().plusSeconds(seconds)));
        return answer;
    }

    /** Binds pods and evicts them; nothing stands in the way of either. */
    @Override
    public synchronized ObjectNode post(Kind kind, String namespace, String name, String subresource, ObjectNode body) {
        note("post " + kind + "/" + subresource + " " + key(namespace, name));
        ObjectNode live = bucket(kind).get(key(namespace, name));
        if (live == null) {
            throw ApiException.notFound(kind.group(), kind.resource(), name);
        }
        if (subresource.equals("token") && tokenClock != null) {
            return token(namespace, name, body, tokenClock);
        }
        ObjectNode done = Json.object().put("kind", "Status").put("status", "Success");
        if (subresource.equals("eviction")) {
            delete(kind, namespace, name, Deletion.PLAIN);
            return done;
        }
        ObjectNode bound = live.deepCopy();
        Json.ensureObject(bound, "spec").put("nodeName", Json.textAt(body, "target", "name"));
        commit(kind, bound, false);
        return done;
    }

    /** Changes an object as some client would. */
    public ObjectNode edit(Kind kind, String namespace, String name, UnaryOperator<ObjectNode> edit) {
        return update(kind, "", edit.apply(get(kind, namespace, name)));
    }

    @Override
    public synchronized boolean delete(Kind kind, String namespace, String name, Deletion deletion) {
        String policy = deletion.propagationPolicy();
        note("delete " + kind + " " + key(namespace, name) + (policy == null ? "" : " " + policy));
        ObjectNode live = bucket(kind).get(key(namespace, name));
        if (live == null) {
            return false;
        }
        check(kind, live, "uid", deletion.uid());
        check(kind, live, "resourceVersion", deletion.resourceVersion());
        ObjectNode next = live.deepCopy();
        ObjectNode metadata = Json.ensureObject(next, "metadata");
        ArrayNode finalizers = Json.array();
        for (JsonNode finalizer : Json.listAt(live, "metadata", "finalizers")) {
            boolean ofPolicy = List.of("orphan", "foregroundDeletion").contains(finalizer.asText());
            if (policy == null || !ofPolicy) {
                finalizers.add(finalizer);
            }
        }
        if ("Orphan".equals(policy)) {
            finalizers.add("orphan");
        } else if ("Foreground".equals(policy)) {
            finalizers.add("foregroundDeletion");
        }
        metadata.set("finalizers", finalizers);
        if (!isHeld(next) || (deletion.gracePeriodSeconds() != null && !hasFinalizers(next))) {
            commit(kind, live.deepCopy(), true);
        } else if (!isDeleting(live)) {
            metadata.put("deletionTimestamp", GoTime.seconds(NOW));
            commit(kind, next, false);
        }
        return true;
    }

    /** Ends a pod that was on a node. */
    public synchronized void finishPod(String namespace, String name) {
        ObjectNode pod = bucket(Kind.core("pods")).get(key(namespace, name)).deepCopy();
        Json.ensureObject(pod, "spec").remove("nodeName");
        update(Kind.core("pods"), "", pod);
    }

    @Override
    public synchronized Watch watch(Kind kind, long afterRevision, View view) {
        note("list " + kind + " from " + afterRevision);
        return history.watch(kind, afterRevision, view, () -> failIfPlanned("watch " + kind));
    }
}
