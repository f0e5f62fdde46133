package lavaflow.controller;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

import lavaflow.kube.ApiException;
import lavaflow.kube.BuiltinTypes;
import lavaflow.kube.GoTime;
import lavaflow.kube.Json;
import lavaflow.kube.LabelSelector;
import lavaflow.kube.MergePatch;
import lavaflow.kube.StrategicMergePatch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * A small API server in memory: revisions, watches that can lose the past, preconditions, finalizers, propagation
 * policies, pods that take their time. It writes down every request, and fails those it is told to.
 */
public final class TestingKubeApi implements KubeApi {
    private static final Kind NAMESPACES = Kind.clusterWide("namespaces");
    private static final Instant NOW = Instant.parse("2030-01-02T03:04:05Z");

    private record Logged(long revision, Kind kind, Event event) {}

    private final Map<String, Kind> byTypeName = new HashMap<>();
    private final Map<Kind, SortedMap<String, ObjectNode>> objects = new LinkedHashMap<>();
    private final List<Logged> log = new ArrayList<>();
    private final List<String> requests = new ArrayList<>();
    private final Map<String, Deque<RuntimeException>> failures = new HashMap<>();
    private final Map<String, ObjectNode> answers = new HashMap<>();
    private final List<Runnable> kindListeners = new ArrayList<>();
    private long revision = 100;
    private long compacted;
    private long uids;

    /** Serves a kind. */
    public TestingKubeApi serve(Kind kind, String kindName) {
        objects.put(kind, new TreeMap<>());
        String apiVersion = kind.group().isEmpty() ? kind.version() : kind.group() + "/" + kind.version();
        byTypeName.put(apiVersion + "/" + kindName, kind);
        kindListeners.forEach(Runnable::run);
        return this;
    }

    /** Serves a kind no more; its objects are gone. */
    public synchronized void withdraw(Kind kind) {
        objects.remove(kind);
        byTypeName.values().remove(kind);
        kindListeners.forEach(Runnable::run);
        notifyAll();
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
        compacted = revision;
        notifyAll();
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
        return revision;
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

    private static String key(String namespace, String name) {
        return namespace.isEmpty() ? name : namespace + "/" + name;
    }

    private static String key(ObjectNode object) {
        return key(Json.textAt(object, "metadata", "namespace"), Json.textAt(object, "metadata", "name"));
    }

    private SortedMap<String, ObjectNode> bucket(Kind kind) {
        SortedMap<String, ObjectNode> bucket = objects.get(kind);
        if (bucket == null) {
            throw ApiException.noSuchPath();
        }
        return bucket;
    }

    @Override
    public List<Kind> kinds() {
        return List.copyOf(objects.keySet());
    }

    @Override
    public Optional<Kind> findKind(String apiVersion, String kindName) {
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
        return revision;
    }

    private static ObjectNode view(ObjectNode object, View view) {
        ObjectNode copy = object.deepCopy();
        if (view == View.METADATA) {
            copy.retain("kind", "apiVersion", "metadata");
        }
        return copy;
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
        revision++;
        Json.ensureObject(object, "metadata").put("resourceVersion", Long.toString(revision));
        if (gone) {
            bucket(kind).remove(key(object));
        } else {
            bucket(kind).put(key(object), object);
        }
        log.add(new Logged(revision, kind, new Event(gone, object)));
        notifyAll();
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

    /** Owners are not known here: what is applied is merged. */
    @Override
    public synchronized ObjectNode apply(Kind kind, String subresource, String manager, ObjectNode configuration) {
        String namespace = Json.textAt(configuration, "metadata", "namespace");
        String name = Json.textAt(configuration, "metadata", "name");
        return patch(kind, namespace, name, subresource, Merge.PLAIN, configuration);
    }

    private static void check(Kind kind, ObjectNode live, String field, @Nullable JsonNode wanted) {
        check(kind, live, field, wanted == null ? null : wanted.asText());
    }

    private static ObjectNode strategic(ObjectNode live, ObjectNode patch) {
        BuiltinTypes types = BuiltinTypes.instance();
        String[] version = Json.textAt(live, "apiVersion").split("/", 2);
        String group = version.length == 1 ? "" : version[0];
        String struct = types.kinds().struct(group, version[version.length - 1], Json.textAt(live, "kind"));
        return StrategicMergePatch.apply(types, Objects.requireNonNull(struct), live.deepCopy(), patch);
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
        return find(kind, namespace, name).map(TestingKubeApi::scale);
    }

    private static ObjectNode scale(ObjectNode object) {
        ObjectNode scale = Json.object();
        ObjectNode metadata = scale.putObject("metadata");
        for (String field : List.of("name", "namespace", "uid", "resourceVersion")) {
            metadata.put(field, Json.textAt(object, "metadata", field));
        }
        scale.putObject("spec").put("replicas", Json.longAt(object, 0, "spec", "replicas"));
        scale.putObject("status")
                .put("replicas", Json.longAt(object, 0, "status", "replicas"))
                .put(
                        "selector",
                        LabelSelector.fromJson(Json.at(object, "spec", "selector"))
                                .toString());
        return scale;
    }

    /** Binds pods and evicts them; nothing stands in the way of either. */
    @Override
    public synchronized void post(Kind kind, String namespace, String name, String subresource, ObjectNode body) {
        note("post " + kind + "/" + subresource + " " + key(namespace, name));
        ObjectNode live = bucket(kind).get(key(namespace, name));
        if (live == null) {
            throw ApiException.notFound(kind.group(), kind.resource(), name);
        }
        if (subresource.equals("eviction")) {
            delete(kind, namespace, name, Deletion.PLAIN);
            return;
        }
        ObjectNode bound = live.deepCopy();
        Json.ensureObject(bound, "spec").put("nodeName", Json.textAt(body, "target", "name"));
        commit(kind, bound, false);
    }

    /** Changes an object as some client would. */
    public ObjectNode edit(Kind kind, String namespace, String name, UnaryOperator<ObjectNode> edit) {
        return update(kind, "", edit.apply(get(kind, namespace, name)));
    }

    private static boolean isDeleting(ObjectNode object) {
        return Json.at(object, "metadata", "deletionTimestamp") != null;
    }

    /** Finalizers hold an object; so does a node that still runs a pod, until it says so with a grace of nothing. */
    private static boolean isHeld(ObjectNode object) {
        return hasFinalizers(object)
                || !Json.listAt(object, "spec", "finalizers").isEmpty()
                || (Json.textAt(object, "kind").equals("Pod")
                        && !Json.textAt(object, "spec", "nodeName").isEmpty());
    }

    private static boolean hasFinalizers(ObjectNode object) {
        return !Json.listAt(object, "metadata", "finalizers").isEmpty();
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

    private static void check(Kind kind, ObjectNode live, String field, @Nullable String wanted) {
        if (wanted != null && !wanted.equals(Json.textAt(live, "metadata", field))) {
            throw ApiException.conflict(kind.group(), kind.resource(), key(live), "the " + field + " does not match");
        }
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
        return new LogWatch(kind, afterRevision, view);
    }

    private final class LogWatch implements Watch {
        private final Kind kind;
        private final View view;
        private long position;
        private boolean woken;
        private boolean closed;

        LogWatch(Kind kind, long position, View view) {
            this.kind = kind;
            this.position = position;
            this.view = view;
        }

        @Override
        public Progress next(Duration timeout) throws InterruptedException {
            synchronized (TestingKubeApi.this) {
                failIfPlanned("watch " + kind);
                long deadline = System.nanoTime() + timeout.toNanos();
                while (true) {
                    if (closed) {
                        throw new IllegalStateException("closed");
                    }
                    if (position < compacted) {
                        throw ApiException.expired("too old resource version: " + position);
                    }
                    List<Event> events = new ArrayList<>();
                    for (Logged entry : log) {
                        if (entry.revision() > position && entry.kind().equals(kind)) {
                            events.add(new Event(
                                    entry.event().deleted(), view(entry.event().object(), view)));
                        }
                    }
                    long millis = (deadline - System.nanoTime()) / 1_000_000;
                    if (!events.isEmpty() || woken || millis <= 0) {
                        woken = false;
                        position = revision;
                        return new Progress(events, revision);
                    }
                    TestingKubeApi.this.wait(millis);
                }
            }
        }

        @Override
        public void wake() {
            synchronized (TestingKubeApi.this) {
                woken = true;
                TestingKubeApi.this.notifyAll();
            }
        }

        @Override
        public void close() {
            synchronized (TestingKubeApi.this) {
                closed = true;
                TestingKubeApi.this.notifyAll();
            }
        }
    }
}
