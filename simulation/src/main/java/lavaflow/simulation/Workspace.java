package lavaflow.simulation;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;

import lavaflow.controller.KubeApi;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** What people see of a cluster, and how they write to it: always what is there now, and without faults. */
final class Workspace {
    /** A namespace that stays and has room for everything. */
    static final String FREE = "free";
    /** A namespace with a quota that is too small for what is asked for. */
    static final String LIMITED = "limited";

    static final String SIM = "sim.lavaflow.io/";

    private final Stage stage;
    private final KubeApi api;
    private final RandomGenerator random;
    private final List<String> passing = new ArrayList<>();
    private final Set<String> removed = new HashSet<>();
    private int made;

    Workspace(Stage stage) {
        this.stage = stage;
        this.api = stage.api();
        this.random = stage.random();
    }

    Stage stage() {
        return stage;
    }

    KubeApi api() {
        return api;
    }

    /** A number from 0 on, below the bound. */
    int any(int bound) {
        return random.nextInt(bound);
    }

    boolean oneIn(int chances) {
        return random.nextInt(chances) == 0;
    }

    <T> T oneOf(List<T> some) {
        return some.get(random.nextInt(some.size()));
    }

    void say(String what) {
        stage.trace().add("user", what);
    }

    static ObjectNode named(String name) {
        ObjectNode object = Json.object();
        object.putObject("metadata").put("name", name);
        return object;
    }

    static String name(ObjectNode object) {
        return Json.textAt(object, "metadata", "name");
    }

    static String namespace(ObjectNode object) {
        return Json.textAt(object, "metadata", "namespace");
    }

    int next() {
        return ++made;
    }

    String newName(String kind) {
        return kind + "-" + next();
    }

    // ---- namespaces

    /** Where something new goes. */
    String somewhere() {
        if (!passing.isEmpty() && oneIn(3)) {
            return oneOf(passing);
        }
        return oneIn(4) ? LIMITED : FREE;
    }

    /** As the other one, where nothing is limited. */
    String somewhereRoomy() {
        return !passing.isEmpty() && oneIn(3) ? oneOf(passing) : FREE;
    }

    /** Namespaces that come and go. */
    List<String> passing() {
        return passing;
    }

    // ---- objects

    void create(KubeApi.Kind kind, String namespace, ObjectNode object) {
        say("creates " + kind + " " + (namespace.isEmpty() ? "" : namespace + "/") + name(object));
        api.create(kind, namespace, object);
    }

    /** All in people's own namespaces. */
    List<ObjectNode> all(KubeApi.Kind kind) {
        List<String> namespaces = new ArrayList<>(List.of(FREE, LIMITED));
        namespaces.addAll(passing);
        List<ObjectNode> found = new ArrayList<>();
        for (String namespace : namespaces) {
            found.addAll(api.list(kind, namespace, KubeApi.View.WHOLE).items());
        }
        return found;
    }

    List<ObjectNode> all(KubeApi.Kind kind, Predicate<ObjectNode> wanted) {
        return all(kind).stream().filter(wanted).toList();
    }

    List<ObjectNode> clusterWide(KubeApi.Kind kind) {
        return api.list(kind, "", KubeApi.View.WHOLE).items();
    }

    /** One of those there are, if there are any. */
    @Nullable
    ObjectNode pick(KubeApi.Kind kind, Predicate<ObjectNode> wanted) {
        List<ObjectNode> there = all(kind, wanted);
        return there.isEmpty() ? null : oneOf(there);
    }

    void edit(KubeApi.Kind kind, Consumer<ObjectNode> change) {
        ObjectNode object = pick(kind, _ -> true);
        if (object != null) {
            edit(kind, object, change);
        }
    }

    void edit(KubeApi.Kind kind, ObjectNode object, Consumer<ObjectNode> change) {
        ObjectNode before = object.deepCopy();
        change.accept(object);
        if (!before.equals(object)) {
            say("changes " + kind + " " + Observer.place(object));
            api.update(kind, "", object);
        }
    }

    void remove(KubeApi.Kind kind, ObjectNode object, @Nullable String policy) {
        say("deletes " + kind + " " + Observer.place(object) + (policy == null ? "" : " " + policy));
        removed.add(Observer.uid(object));
        api.delete(kind, namespace(object), name(object), new KubeApi.Deletion(null, null, policy));
    }

    /** Whether people have asked for the end of an object. */
    boolean isRemoved(String uid) {
        return removed.contains(uid);
    }

    // ---- templates

    static void select(ObjectNode spec, String app) {
        spec.putObject("selector").putObject("matchLabels").put("app", app);
    }

    /** Adds a template with one container and some habits; returns the spec of its pods. */
    ObjectNode template(ObjectNode spec, String app) {
        ObjectNode template = spec.putObject("template");
        ObjectNode metadata = template.putObject("metadata");
        metadata.putObject("labels").put("app", app);
        ObjectNode behaviour = metadata.putObject("annotations");
        behaviour.put(SIM + "start-delay", any(3) + "s");
        behaviour.put(SIM + "ready-after", any(3) + "s");
        behaviour.put(SIM + "stop-delay", any(3) + "s");
        ObjectNode pod = template.putObject("spec");
        pod.putArray("containers").addObject().put("name", "main").put("image", "example.com/app:" + made);
        return pod;
    }

    void changeImage(ObjectNode object) {
        ((ObjectNode) Json.listAt(object, "spec", "template", "spec", "containers")
                        .get(0))
                .put("image", "example.com/app:v" + next());
    }
}
