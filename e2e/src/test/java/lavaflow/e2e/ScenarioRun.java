package lavaflow.e2e;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;

import lavaflow.controller.KubeApi;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * Does the steps of a scenario in a namespace of its own, and plays the nodes meanwhile: pods become ready, succeed, fail or
 * stay as they are, as their annotation {@code play} says.
 */
final class ScenarioRun implements AutoCloseable {
    private static final KubeApi.Kind NAMESPACES = KubeApi.Kind.clusterWide("namespaces");
    private static final KubeApi.Kind PODS = KubeApi.Kind.core("pods");
    private static final Duration PATIENCE = Duration.ofMinutes(5);
    private static final Duration QUIET = Duration.ofSeconds(5);

    private final KubeApi api;
    private final String namespace;
    private final Scope scope;
    private final AtomicInteger addresses = new AtomicInteger();
    private final Thread nodes;
    private volatile boolean over;

    ScenarioRun(KubeApi api, String namespace, Scope scope) {
        this.api = api;
        this.namespace = namespace;
        this.scope = scope;
        ObjectNode made = Json.object();
        made.putObject("metadata").put("name", namespace);
        api.create(NAMESPACES, "", made);
        this.nodes = Thread.ofVirtual().start(this::playNodes);
    }

    /** Before it has an account no pod can be made in a namespace, and who tries says so in an event. */
    void awaitAccount() throws InterruptedException {
        until(Json.object()
                .put("kind", "v1 ServiceAccount")
                .put("name", "default")
                .put("path", "/metadata/name"));
    }

    /** Things outside the namespace are named after it: {@code @namespace} stands for its name. */
    void perform(ObjectNode template) throws InterruptedException {
        JsonNode step = Json.parse(Json.string(template).replace("@namespace", namespace));
        for (Map.Entry<String, JsonNode> each : step.properties()) {
            JsonNode what = each.getValue();
            switch (each.getKey()) {
                case "create" -> create((ObjectNode) what);
                case "patch" ->
                    api.patch(
                            kind(what),
                            where(kind(what)),
                            Json.textAt(what, "name"),
                            Json.textAt(what, "subresource"),
                            KubeApi.Merge.PLAIN,
                            (ObjectNode) what.get("patch"));
                case "delete" -> delete(what);
                case "end" -> end(what);
                case "begin" -> begin(what);
                case "containers" -> new JobSteps(api, namespace).containers(what);
                case "bindClaims" -> new JobSteps(api, namespace).bindClaims();
                case "scale" -> new JobSteps(api, namespace).scale(what);
                case "until" -> until(what);
                case "settle" -> settle();
                default -> throw new IllegalArgumentException("there is no step " + each.getKey());
            }
        }
    }

    private KubeApi.Kind kind(JsonNode what) {
        String[] words = Json.textAt(what, "kind").split(" ", -1);
        return api.findKind(words[0], words[1]).orElseThrow();
    }

    /** By name, or the first of its kind there is, where chance or the clock names it; empty where there is none. */
    private String name(JsonNode what) {
        KubeApi.Kind kind = kind(what);
        return Json.flagAt(what, "first")
                ? api.list(kind, where(kind), KubeApi.View.METADATA).items().stream()
                        .map(object -> Json.textAt(object, "metadata", "name"))
                        .sorted()
                        .findFirst()
                        .orElse("")
                : Json.textAt(what, "name");
    }

    private Optional<ObjectNode> find(JsonNode what) {
        String name = name(what);
        KubeApi.Kind kind = kind(what);
        return name.isEmpty() ? Optional.empty() : api.find(kind, where(kind), name);
    }

    private String where(KubeApi.Kind kind) {
        return kind.namespaced() ? namespace : "";
    }

    /** A namespace is not usable at once: its accounts come later. */
    private void create(ObjectNode object) throws InterruptedException {
        KubeApi.Kind kind = api.findKind(Json.textAt(object, "apiVersion"), Json.textAt(object, "kind"))
                .orElseThrow();
        Json.listAt(object, "metadata", "ownerReferences").forEach(this::resolve);
        resolve(object.path("target"));
        Instant deadline = Instant.now().plus(PATIENCE);
        while (true) {
            try {
                api.create(kind, where(kind), object);
                return;
            } catch (ApiException e) {
                boolean early =
                        e.code() == 403 && String.valueOf(e.getMessage()).contains("serviceaccount");
                if (!early || Instant.now().isAfter(deadline)) {
                    throw e;
                }
                Thread.sleep(scope.look());
            }
        }
    }

    /** The scenario made what is referred to, and nobody knows its uid beforehand. */
    private void resolve(JsonNode reference) {
        if (reference instanceof ObjectNode known && !known.has("uid") && known.has("apiVersion")) {
            KubeApi.Kind kind = api.findKind(Json.textAt(known, "apiVersion"), Json.textAt(known, "kind"))
                    .orElseThrow();
            ObjectNode found =
                    api.find(kind, where(kind), Json.textAt(known, "name")).orElseThrow();
            known.put("uid", Json.textAt(found, "metadata", "uid"));
        }
    }

    private void delete(JsonNode what) {
        JsonNode policy = Json.at(what, "policy");
        api.delete(
                kind(what),
                where(kind(what)),
                name(what),
                new KubeApi.Deletion(null, null, policy == null ? null : policy.textValue()));
    }

    /** Ends a pod that runs, with a code of its containers. */
    private void end(JsonNode what) throws InterruptedException {
        ObjectNode pod = Json.object()
                .put("kind", "v1 Pod")
                .put("name", Json.textAt(what, "pod"))
                .put("first", Json.flagAt(what, "first"));
        until(pod.put("path", "/status/phase").put("is", "Running"));
        String name = name(pod);
        ObjectNode patch = Json.object();
        patch.set("status", ended(api.find(PODS, namespace, name).orElseThrow(), Json.longAt(what, 0, "exitCode")));
        api.patch(PODS, namespace, name, "status", KubeApi.Merge.PLAIN, patch);
    }

    /** Lets a pod run whose part was to wait. */
    private void begin(JsonNode what) {
        String name = Json.textAt(what, "pod");
        ObjectNode patch = Json.object();
        patch.set("status", status(api.find(PODS, namespace, name).orElseThrow(), ""));
        api.patch(PODS, namespace, name, "status", KubeApi.Merge.PLAIN, patch);
    }

    /** Waits until a field has a value, or any, or until an object is gone. */
    private void until(JsonNode what) throws InterruptedException {
        Instant deadline = Instant.now().plus(PATIENCE);
        while (!holds(what, find(what))) {
            if (Instant.now().isAfter(deadline)) {
                throw new AssertionError("in " + PATIENCE.toSeconds() + " s it did not come to: " + what);
            }
            Thread.sleep(scope.look());
        }
    }

    private static boolean holds(JsonNode what, Optional<ObjectNode> object) {
        if (Json.flagAt(what, "gone")) {
            return object.isEmpty();
        }
        if (object.isEmpty()) {
            return false;
        }
        JsonNode found = object.get().at(Json.textAt(what, "path"));
        if (Json.flagAt(what, "missing")) {
            return found.isMissingNode();
        }
        if (what.has("isNot")) {
            return !found.isMissingNode() && !found.equals(what.get("isNot"));
        }
        return what.has("is") ? found.equals(what.get("is")) : !found.isMissingNode();
    }

    /** Waits until nothing changes any more. */
    private void settle() throws InterruptedException {
        Instant deadline = Instant.now().plus(PATIENCE);
        Map<String, String> before = Map.of();
        Instant since = Instant.now();
        while (Duration.between(since, Instant.now()).compareTo(QUIET) < 0) {
            if (Instant.now().isAfter(deadline)) {
                throw new AssertionError("something changes all the time");
            }
            Thread.sleep(scope.look().multipliedBy(2));
            Map<String, String> now = revisions();
            if (!now.equals(before)) {
                before = now;
                since = Instant.now();
            }
        }
    }

    private Map<String, String> revisions() {
        Map<String, String> revisions = new TreeMap<>();
        for (KubeApi.Kind kind : api.kinds()) {
            if (kind.namespaced()
                    && scope.kinds().test(kind)
                    && !kind.resource().equals("leases")
                    && !kind.resource().equals("events")) {
                api.list(
                        kind,
                        namespace,
                        KubeApi.View.METADATA,
                        object -> revisions.put(
                                Json.textAt(object, "metadata", "uid"),
                                Json.textAt(object, "metadata", "resourceVersion")));
            }
        }
        return revisions;
    }

    private void playNodes() {
        try {
            while (!over) {
                try {
                    api.list(PODS, namespace, KubeApi.View.WHOLE).items().forEach(this::play);
                } catch (ApiException e) {
                    // The server has too much to do; nodes wait.
                }
                Thread.sleep(scope.look());
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    private void play(ObjectNode pod) {
        String name = Json.textAt(pod, "metadata", "name");
        try {
            if (!Json.textAt(pod, "metadata", "deletionTimestamp").isEmpty()) {
                api.delete(PODS, namespace, name, KubeApi.Deletion.PLAIN.atOnce());
                return;
            }
            String part = Json.textAt(pod, "metadata", "annotations", "play");
            boolean begun = !Json.textAt(pod, "status", "phase").equals("Pending");
            boolean placed = !Json.textAt(pod, "spec", "nodeName").isEmpty();
            boolean scheduled = !Json.textAt(pod, "spec", "schedulerName").equals("default-scheduler");
            if (!begun && !part.equals("pending") && (placed || !scheduled)) {
                if (!placed) {
                    bind(name);
                }
                ObjectNode patch = Json.object();
                patch.set("status", status(pod, part));
                api.patch(PODS, namespace, name, "status", KubeApi.Merge.PLAIN, patch);
            }
        } catch (ApiException e) {
            // Gone, changed, or the server has too much to do: the next look tells.
        }
    }

    private void bind(String name) {
        ObjectNode binding = Json.object().put("apiVersion", "v1").put("kind", "Binding");
        binding.putObject("metadata").put("name", name);
        binding.putObject("target").put("kind", "Node").put("name", PlayedNode.NAME);
        api.post(PODS, namespace, name, "binding", binding);
    }

    private ObjectNode status(ObjectNode pod, String part) {
        if (part.equals("succeed") || part.startsWith("fail")) {
            // "fail" alone is the end that programs know best.
            return ended(pod, part.equals("succeed") ? 0 : part.equals("fail") ? 1 : Long.parseLong(part.substring(5)));
        }
        String now = Instant.now().truncatedTo(ChronoUnit.SECONDS).toString();
        boolean ready = !part.equals("unready");
        ObjectNode status = begun("Running", now, ready);
        String address = nextAddress();
        status.put("podIP", address).putArray("podIPs").addObject().put("ip", address);
        ArrayNode containers = status.putArray("containerStatuses");
        for (JsonNode container : Json.listAt(pod, "spec", "containers")) {
            container(containers, container, ready)
                    .put("started", true)
                    .putObject("state")
                    .putObject("running")
                    .put("startedAt", now);
        }
        return status;
    }

    private String nextAddress() {
        int number = addresses.incrementAndGet();
        return "10.1." + number / 250 + "." + (number % 250 + 1);
    }

    private ObjectNode ended(ObjectNode pod, long exitCode) {
        String now = Instant.now().truncatedTo(ChronoUnit.SECONDS).toString();
        ObjectNode status = begun(exitCode == 0 ? "Succeeded" : "Failed", now, false);
        if (Json.textAt(pod, "status", "podIP").isEmpty()) {
            String address = nextAddress();
            status.put("podIP", address).putArray("podIPs").addObject().put("ip", address);
        }
        ArrayNode containers = status.putArray("containerStatuses");
        for (JsonNode container : Json.listAt(pod, "spec", "containers")) {
            container(containers, container, false)
                    .put("started", false)
                    .putObject("state")
                    .putObject("terminated")
                    .put("exitCode", exitCode)
                    .put("startedAt", now)
                    .put("finishedAt", now);
        }
        return status;
    }

    private static ObjectNode begun(String phase, String now, boolean ready) {
        ObjectNode status = Json.object().put("phase", phase).put("startTime", now);
        ArrayNode conditions = status.putArray("conditions");
        for (String type : new String[] {"PodScheduled", "Initialized", "ContainersReady", "Ready"}) {
            boolean holds = ready || type.equals("PodScheduled") || type.equals("Initialized");
            conditions
                    .addObject()
                    .put("type", type)
                    .put("status", holds ? "True" : "False")
                    .put("lastTransitionTime", now);
        }
        return status;
    }

    private static ObjectNode container(ArrayNode containers, JsonNode container, boolean ready) {
        ObjectNode shown = containers.addObject();
        shown.put("name", Json.textAt(container, "name")).put("image", "i").put("imageID", "");
        return shown.put("ready", ready).put("restartCount", 0);
    }

    /** The namespace stays for whoever wants to look. */
    @Override
    public void close() {
        over = true;
        boolean interrupted = Thread.interrupted();
        try {
            nodes.join();
        } catch (InterruptedException _) {
            interrupted = true;
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
