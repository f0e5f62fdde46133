package lavaflow.plugins;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.stream.Collectors;

import lavaflow.gang.Configuration;
import lavaflow.gang.Decision;
import lavaflow.gang.Gang;
import lavaflow.gang.GangCore;
import lavaflow.gang.GroupPhase;
import lavaflow.gang.GroupSpec;
import lavaflow.gang.Member;
import lavaflow.gang.MemberSpec;
import lavaflow.gang.Plugin;
import lavaflow.gang.Queue;
import lavaflow.gang.QueueSpec;
import lavaflow.gang.Session;
import lavaflow.gang.Stage;
import lavaflow.kube.Json;
import lavaflow.kube.MergePatch;
import lavaflow.placement.ClusterState;
import lavaflow.placement.NodeTable;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** A scheduler of gangs, fed by hand. */
final class TestingGangs {
    private static final Set<String> SCHEDULERS = Set.of("volcano");

    /** Those of the configuration in use, by name. */
    final Map<String, Plugin> plugins = new TreeMap<>();

    /** What the plugins are asked in. */
    @Nullable
    Session session;

    final ClusterState cluster = new ClusterState();
    private final BiFunction<Configuration.Entry, Session, @Nullable Plugin> factory;
    final GangCore core;
    /** Later than everything that was made so far. */
    Instant now = Instant.parse("2026-11-15T12:00:00Z");

    private final Map<String, ObjectNode> pods = new TreeMap<>();
    private int age;

    static ObjectNode json(String text, String... changes) {
        ObjectNode object = (ObjectNode) Json.parse(text);
        for (String change : changes) {
            object = (ObjectNode) MergePatch.apply(object, Json.parse(change), false);
        }
        return object;
    }

    private String created() {
        age++;
        return "2026-11-15T%02d:%02d:%02dZ".formatted(age / 3600, age / 60 % 60, age % 60);
    }

    private @Nullable Plugin make(Configuration.Entry entry, Session made) {
        Plugin plugin = factory.apply(entry, made);
        session = made;
        if (plugin != null) {
            plugins.put(entry.name(), plugin);
        }
        return plugin;
    }

    TestingGangs() {
        this(Plugins::make);
    }

    TestingGangs(BiFunction<Configuration.Entry, Session, @Nullable Plugin> factory) {
        this.factory = factory;
        this.core = new GangCore(cluster, this::make);
        queue("default");
    }

    TestingGangs configured(String file) {
        plugins.clear();
        core.configure(Configuration.parse(file));
        return this;
    }

    /** A node of some processors, as much memory in Gi, and 100 pods. */
    TestingGangs node(String name, int processors, String... changes) {
        core.onNode(NodeTable.Node.of(json("""
                {"metadata":{"name":"%1$s","labels":{"kubernetes.io/hostname":"%1$s"}},"spec":{},
                 "status":{"allocatable":{"cpu":"%2$d","memory":"%2$dGi","pods":"100"}}}""".formatted(name, processors), changes)));
        return this;
    }

    TestingGangs queue(String name, String... changes) {
        core.onQueue(QueueSpec.of(json("""
                {"metadata":{"name":"%1$s","uid":"queue-%1$s","creationTimestamp":"%2$s"},"spec":{"weight":1},
                 "status":{"state":"Open"}}""".formatted(name, created()), changes)));
        return this;
    }

    TestingGangs group(String name, int minMember, String... changes) {
        core.onGroup(GroupSpec.of(json("""
                {"metadata":{"namespace":"ns","name":"%1$s","uid":"group-%1$s","creationTimestamp":"%2$s"},
                 "spec":{"minMember":%3$d,"queue":"default"},"status":{"phase":"Inqueue"}}""".formatted(name, created(), minMember), changes)));
        return this;
    }

    /** A pod of a group that asks for one processor. */
    TestingGangs pod(String name, String group, String... changes) {
        ObjectNode pod = json("""
                {"metadata":{"namespace":"ns","name":"%1$s","uid":"pod-%1$s","creationTimestamp":"%3$s",
                 "annotations":{"scheduling.k8s.io/group-name":"%2$s"}},
                 "spec":{"schedulerName":"volcano","containers":[{"name":"c","resources":{"requests":{"cpu":"1"}}}]},
                 "status":{"phase":"Pending"}}""".formatted(name, group, created()), changes);
        pods.put(name, pod);
        core.onPod(MemberSpec.of(pod, SCHEDULERS));
        return this;
    }

    /** The API tells that a pod has its node. */
    void bound(Decision.Bind bind) {
        ObjectNode pod =
                Objects.requireNonNull(pods.get(bind.member().spec().pod().name()));
        Json.ensureObject(pod, "spec").put("nodeName", bind.node());
        core.onPod(MemberSpec.of(pod, SCHEDULERS));
    }

    /** A group that wants to be let in and says what it needs. */
    TestingGangs waiting(String name, String minResources, String... changes) {
        String[] all = Arrays.copyOf(changes, changes.length + 1);
        all[changes.length] = "{\"spec\":{\"minResources\":" + minResources + "},\"status\":{\"phase\":\"Pending\"}}";
        return group(name, 1, all);
    }

    /** A gang that must be whole: so many pods, one processor each. */
    TestingGangs gang(String name, int pods, String... changes) {
        group(name, pods, changes);
        for (int i = 0; i < pods; i++) {
            pod(name + "-" + i, name);
        }
        return this;
    }

    /** A gang that runs on a node, with some pods it may be able to do without. */
    TestingGangs runs(String name, int least, int pods, String node, String... changes) {
        group(name, least, changes);
        for (int i = 0; i < pods; i++) {
            pod(name + "-" + i, name, running(node));
        }
        return this;
    }

    static String running(String node) {
        return "{\"spec\":{\"nodeName\":\"" + node + "\"},\"status\":{\"phase\":\"Running\"}}";
    }

    /** Change of a container's requests. */
    static String asking(String requests) {
        return "{\"spec\":{\"containers\":[{\"name\":\"c\",\"resources\":{\"requests\":" + requests + "}}]}}";
    }

    static String spec(String fields) {
        return "{\"spec\":" + fields + "}";
    }

    /** Change of an object that has annotations. */
    static String annotated(String key, String value) {
        return "{\"metadata\":{\"annotations\":{\"" + key + "\":\"" + value + "\"}}}";
    }

    static String queued(String queue) {
        return "{\"spec\":{\"queue\":\"" + queue + "\"}}";
    }

    List<Decision> decide() {
        return core.decide(now);
    }

    /** How many pods of each gang got a node, gangs that got none left out. */
    Map<String, Integer> placed() {
        Map<String, Integer> placed = new TreeMap<>();
        for (Decision decision : decide()) {
            if (decision instanceof Decision.Bind bind) {
                placed.merge(bind.member().gang().spec().name(), 1, Integer::sum);
            }
        }
        return placed;
    }

    private Session session() {
        return Objects.requireNonNull(session);
    }

    Queue queueNamed(String name) {
        return Objects.requireNonNull(session().queue(name));
    }

    Gang gangNamed(String name) {
        return session().queues().stream()
                .flatMap(queue -> queue.gangs().stream())
                .filter(gang -> gang.spec().name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    Member memberNamed(String name) {
        return Objects.requireNonNull(session().member("pod-" + name));
    }

    /** Whether a pod has a node; one that had to go has none. */
    boolean holdsRoom(String name) {
        Member member = session().member("pod-" + name);
        return member != null && (member.stage() == Stage.BOUND || member.stage() == Stage.RUNNING);
    }

    /** What a plugin answers to a gang that wants to be let in, and why not. */
    String entrance(String plugin, String gang) {
        List<String> told = new ArrayList<>();
        Plugin.Vote vote = ((Plugin.Entrance) Objects.requireNonNull(plugins.get(plugin)))
                .mayEnter(gangNamed(gang), (_, message) -> told.add(message));
        return told.isEmpty() ? vote.toString() : vote + ": " + String.join("; ", told);
    }

    /** Names of those of some running pods that a plugin has go although nobody needs their place. */
    List<String> shuffled(String plugin, String... names) {
        decide();
        List<Member> running = new ArrayList<>();
        for (String name : names) {
            running.add(memberNamed(name));
        }
        return ((Plugin.Shuffle) Objects.requireNonNull(plugins.get(plugin)))
                .toShuffle(running).stream()
                        .map(each -> each.spec().pod().name())
                        .toList();
    }

    /** Names of pods that have to go, in the order of decisions. */
    List<String> evicted() {
        return decide().stream()
                .filter(Decision.Evict.class::isInstance)
                .map(each -> ((Decision.Evict) each).member().spec().pod().name())
                .toList();
    }

    /** Gangs that were let into their queues, by queue and age. */
    List<String> letIn() {
        Set<Gang> before = session().queues().stream()
                .flatMap(queue -> queue.gangs().stream())
                .filter(gang -> gang.phase() == GroupPhase.PENDING)
                .collect(Collectors.toCollection(LinkedHashSet::new));
        decide();
        return before.stream()
                .filter(gang -> gang.phase() == GroupPhase.INQUEUE)
                .map(gang -> gang.spec().name())
                .toList();
    }

    /** Which pod got which node, in the order of decisions. */
    List<String> bindings() {
        List<String> bindings = new ArrayList<>();
        for (Decision decision : decide()) {
            if (decision instanceof Decision.Bind bind) {
                bindings.add(bind.member().spec().pod().name() + "@" + bind.node());
            }
        }
        return bindings;
    }

    /** The phases that gangs got. */
    List<String> phases() {
        return decide().stream()
                .filter(Decision.Status.class::isInstance)
                .map(Decision.Status.class::cast)
                .map(each -> each.gang().spec().name() + " " + each.status().phase())
                .toList();
    }
}
