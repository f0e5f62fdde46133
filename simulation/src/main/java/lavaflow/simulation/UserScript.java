package lavaflow.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

import lavaflow.controller.KubeApi;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** What people do to a cluster: make things, change their minds, take things away, and sometimes interfere. */
final class UserScript {
    static final String FREE = "free";
    /** A namespace with a quota that is too small for what is asked for. */
    static final String LIMITED = "limited";

    private static final int LIMIT = 5;
    private static final String SIM = "sim.lavaflow.io/";

    private final KubeApi api;
    private final RandomGenerator random;
    private final Trace trace;
    private final boolean gentle;
    private int made;

    /**
     * @param gentle whether people leave pods and nodes alone
     */
    UserScript(KubeApi api, RandomGenerator random, Trace trace, boolean gentle) {
        this.api = api;
        this.random = random;
        this.trace = trace;
        this.gentle = gentle;
    }

    void begin() {
        for (String name : List.of(FREE, LIMITED)) {
            api.create(Kinds.NAMESPACES, "", named(name));
        }
        ObjectNode quota = named("small");
        quota.putObject("spec").putObject("hard").put("pods", Integer.toString(LIMIT));
        api.create(Kinds.QUOTAS, LIMITED, quota);
    }

    private static ObjectNode named(String name) {
        ObjectNode object = Json.object();
        object.putObject("metadata").put("name", name);
        return object;
    }

    /** Does something; people look at what is there now. */
    void act() {
        try {
            List<Runnable> ideas = new ArrayList<>(List.of(
                    this::deploy,
                    this::deploy,
                    this::replicate,
                    this::number,
                    this::run,
                    this::run,
                    this::serve,
                    () -> edit(Kinds.DEPLOYMENTS, this::changeMind),
                    () -> edit(Kinds.DEPLOYMENTS, this::changeMind),
                    () -> edit(Kinds.DEPLOYMENTS, this::changeMind),
                    () -> edit(Kinds.STATEFUL_SETS, this::changeMind),
                    () -> edit(Kinds.REPLICA_SETS, this::resizeLoose),
                    () -> edit(Kinds.JOBS, this::pauseJob),
                    this::remove));
            if (!gentle) {
                ideas.add(this::deletePod);
                ideas.add(this::orphanPod);
                ideas.add(this::disturbNode);
            }
            ideas.get(random.nextInt(ideas.size())).run();
        } catch (ApiException e) {
            trace.add("user", "was refused: " + e.getMessage());
        }
    }

    private String namespace() {
        return random.nextInt(4) == 0 ? LIMITED : FREE;
    }

    private String name(String kind) {
        return kind + "-" + ++made;
    }

    private void create(KubeApi.Kind kind, String namespace, ObjectNode object) {
        trace.add("user", "creates " + kind + " " + namespace + "/" + Json.textAt(object, "metadata", "name"));
        api.create(kind, namespace, object);
    }

    private ObjectNode template(ObjectNode spec, String app) {
        ObjectNode template = spec.putObject("template");
        ObjectNode metadata = template.putObject("metadata");
        metadata.putObject("labels").put("app", app);
        ObjectNode behaviour = metadata.putObject("annotations");
        behaviour.put(SIM + "start-delay", random.nextInt(3) + "s");
        behaviour.put(SIM + "ready-after", random.nextInt(3) + "s");
        behaviour.put(SIM + "stop-delay", random.nextInt(3) + "s");
        ObjectNode pod = template.putObject("spec");
        pod.putArray("containers").addObject().put("name", "main").put("image", "example.com/app:" + made);
        return pod;
    }

    private static void select(ObjectNode spec, String app) {
        spec.putObject("selector").putObject("matchLabels").put("app", app);
    }

    private void deploy() {
        String name = name("web");
        ObjectNode deployment = named(name);
        ObjectNode spec = deployment.putObject("spec");
        spec.put("replicas", random.nextInt(6));
        select(spec, name);
        template(spec, name);
        if (random.nextInt(5) == 0) {
            spec.putObject("strategy").put("type", "Recreate");
        } else {
            ObjectNode rolling = spec.putObject("strategy").putObject("rollingUpdate");
            boolean surge = random.nextBoolean();
            rolling.put("maxSurge", surge ? 1 + random.nextInt(2) : 0);
            if (surge && random.nextBoolean()) {
                rolling.put("maxUnavailable", "25%");
            } else {
                rolling.put("maxUnavailable", surge ? 0 : 1 + random.nextInt(2));
            }
        }
        create(Kinds.DEPLOYMENTS, namespace(), deployment);
    }

    private void replicate() {
        String name = name("copy");
        ObjectNode set = named(name);
        ObjectNode spec = set.putObject("spec");
        spec.put("replicas", random.nextInt(5));
        boolean old = random.nextBoolean();
        if (old) {
            spec.putObject("selector").put("app", name);
        } else {
            select(spec, name);
        }
        template(spec, name);
        create(old ? Kinds.REPLICATION_CONTROLLERS : Kinds.REPLICA_SETS, namespace(), set);
    }

    private void number() {
        String name = name("db");
        ObjectNode set = named(name);
        ObjectNode spec = set.putObject("spec");
        spec.put("replicas", random.nextInt(4)).put("serviceName", name);
        if (random.nextInt(3) == 0) {
            spec.put("podManagementPolicy", "Parallel");
        }
        select(spec, name);
        template(spec, name);
        create(Kinds.STATEFUL_SETS, namespace(), set);
    }

    private void run() {
        String name = name("job");
        ObjectNode job = named(name);
        ObjectNode spec = job.putObject("spec");
        spec.put("parallelism", 1 + random.nextInt(3))
                .put("completions", 1 + random.nextInt(5))
                .put("backoffLimit", random.nextInt(4));
        if (random.nextBoolean()) {
            spec.put("completionMode", "Indexed");
        }
        ObjectNode pod = template(spec, name);
        pod.put("restartPolicy", "Never");
        ObjectNode behaviour =
                Json.ensureObject(Json.ensureObject(Json.ensureObject(spec, "template"), "metadata"), "annotations");
        behaviour.put(SIM + "duration", 1 + random.nextInt(5) + "s");
        if (random.nextInt(3) == 0) {
            behaviour.put(SIM + "fail-probability", "0.3");
        }
        create(Kinds.JOBS, namespace(), job);
    }

    private void serve() {
        List<ObjectNode> deployments = all(Kinds.DEPLOYMENTS);
        if (deployments.isEmpty()) {
            return;
        }
        ObjectNode behind = deployments.get(random.nextInt(deployments.size()));
        String name = Json.textAt(behind, "metadata", "name");
        ObjectNode service = named("svc-" + ++made);
        ObjectNode spec = service.putObject("spec");
        spec.putObject("selector").put("app", name);
        spec.putArray("ports").addObject().put("port", 80);
        create(Kinds.SERVICES, Json.textAt(behind, "metadata", "namespace"), service);
    }

    /** What people see: their own namespaces. */
    private List<ObjectNode> all(KubeApi.Kind kind) {
        List<ObjectNode> found = new ArrayList<>();
        for (String namespace : List.of(FREE, LIMITED)) {
            found.addAll(api.list(kind, namespace, KubeApi.View.WHOLE).items());
        }
        return found;
    }

    private void edit(KubeApi.Kind kind, Consumer<ObjectNode> change) {
        List<ObjectNode> there = all(kind);
        if (there.isEmpty()) {
            return;
        }
        ObjectNode object = there.get(random.nextInt(there.size()));
        ObjectNode before = object.deepCopy();
        change.accept(object);
        if (!before.equals(object)) {
            trace.add("user", "changes " + kind + " " + Observer.place(object));
            api.update(kind, "", object);
        }
    }

    private void changeMind(ObjectNode object) {
        ObjectNode spec = Json.ensureObject(object, "spec");
        switch (random.nextInt(4)) {
            case 0 -> spec.put("replicas", random.nextInt(6));
            case 1, 2 ->
                ((ObjectNode) Json.listAt(spec, "template", "spec", "containers")
                                .get(0))
                        .put("image", "example.com/app:v" + ++made);
            default -> {
                if (Json.textAt(object, "kind").equals("Deployment")) {
                    spec.put("paused", !Json.flagAt(spec, "paused"));
                }
            }
        }
    }

    /** Only replica sets that no deployment looks after. */
    private void resizeLoose(ObjectNode set) {
        if (Observer.owner(set).isEmpty()) {
            Json.ensureObject(set, "spec").put("replicas", random.nextInt(6));
        }
    }

    private void pauseJob(ObjectNode job) {
        boolean over = Observer.hasCondition(job, "Complete") || Observer.hasCondition(job, "Failed");
        if (!over) {
            ObjectNode spec = Json.ensureObject(job, "spec");
            spec.put("suspend", !Json.flagAt(spec, "suspend"));
        }
    }

    private void remove() {
        List<KubeApi.Kind> kinds = List.of(
                Kinds.DEPLOYMENTS, Kinds.REPLICA_SETS, Kinds.REPLICATION_CONTROLLERS, Kinds.STATEFUL_SETS, Kinds.JOBS);
        KubeApi.Kind kind = kinds.get(random.nextInt(kinds.size()));
        // What somebody else looks after they leave alone.
        List<ObjectNode> there = all(kind).stream()
                .filter(object -> Observer.owner(object).isEmpty())
                .toList();
        if (there.isEmpty()) {
            return;
        }
        ObjectNode object = there.get(random.nextInt(there.size()));
        String policy = List.of("Background", "Foreground", "Orphan").get(random.nextInt(3));
        trace.add("user", "deletes " + kind + " " + Observer.place(object) + " " + policy);
        api.delete(
                kind,
                Json.textAt(object, "metadata", "namespace"),
                Json.textAt(object, "metadata", "name"),
                new KubeApi.Deletion(null, null, policy));
    }

    private void deletePod() {
        List<ObjectNode> pods = all(Kinds.PODS);
        if (pods.isEmpty()) {
            return;
        }
        delete(pods.get(random.nextInt(pods.size())));
    }

    private void delete(ObjectNode pod) {
        trace.add("user", "deletes pods " + Observer.place(pod));
        api.delete(
                Kinds.PODS,
                Json.textAt(pod, "metadata", "namespace"),
                Json.textAt(pod, "metadata", "name"),
                KubeApi.Deletion.PLAIN);
    }

    /** Takes the label away by which somebody knows a pod as theirs. */
    private void orphanPod() {
        edit(
                Kinds.PODS,
                pod -> Json.ensureObject(Json.ensureObject(pod, "metadata"), "labels")
                        .put("app", "nobody"));
    }

    private void disturbNode() {
        List<ObjectNode> nodes = api.list(Kinds.NODES, "", KubeApi.View.WHOLE).items();
        if (nodes.isEmpty()) {
            return;
        }
        ObjectNode node = nodes.get(random.nextInt(nodes.size()));
        String state = List.of("not-ready", "slow", "lost", "ready").get(random.nextInt(4));
        tell(node, state);
    }

    private void tell(ObjectNode node, String state) {
        ObjectNode patch = Json.object();
        patch.putObject("metadata").putObject("annotations").put(SIM + "state", state);
        String name = Json.textAt(node, "metadata", "name");
        trace.add("user", "makes node " + name + " " + state);
        api.patch(Kinds.NODES, "", name, "", KubeApi.Merge.PLAIN, patch);
    }

    /** Puts everything right that keeps the cluster from coming to rest. */
    void makeAmends() {
        api.list(Kinds.NODES, "", KubeApi.View.WHOLE).items().forEach(node -> tell(node, "ready"));
        // Who has nobody's label may still have the name that a numbered set wants to give.
        for (ObjectNode pod : all(Kinds.PODS)) {
            if (Json.textAt(pod, "metadata", "labels", "app").equals("nobody")) {
                delete(pod);
            }
        }
        for (ObjectNode deployment : all(Kinds.DEPLOYMENTS)) {
            if (Json.flagAt(deployment, "spec", "paused")) {
                Json.ensureObject(deployment, "spec").put("paused", false);
                trace.add("user", "resumes " + Observer.place(deployment));
                api.update(Kinds.DEPLOYMENTS, "", deployment);
            }
        }
    }
}
