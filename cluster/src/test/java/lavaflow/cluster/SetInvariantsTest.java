package lavaflow.cluster;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

import lavaflow.controller.Fanout;
import lavaflow.controller.KubeApi;
import lavaflow.controller.Mirror;
import lavaflow.controller.TestingKubeApi;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static lavaflow.cluster.TestingCluster.DAEMON_SETS;
import static lavaflow.cluster.TestingCluster.NODES;
import static lavaflow.cluster.TestingCluster.PODS;
import static lavaflow.cluster.TestingCluster.REVISIONS;
import static lavaflow.cluster.TestingCluster.STATEFUL_SETS;
import static lavaflow.cluster.TestingCluster.named;
import static org.assertj.core.api.Assertions.assertThat;

/** What StatefulSets and DaemonSets promise, held against everything they do while users, nodes and the API misbehave. */
class SetInvariantsTest {
    private static final int STEPS = 80;

    private final TestingCluster cluster = new TestingCluster();
    private final TestingKubeApi api = cluster.api;

    private Mirror<TemplateRevision> templates() {
        return new Mirror<>(cluster.followers, REVISIONS, TemplateRevision::of, TemplateRevision::words);
    }

    private List<ObjectNode> pods() {
        return api.list(PODS, "team", KubeApi.View.WHOLE).items();
    }

    private static ObjectNode set(String name) {
        ObjectNode set = named(name);
        Json.ensureObject(set, "metadata").put("generation", 1);
        ObjectNode spec = set.putObject("spec");
        spec.put("revisionHistoryLimit", 2);
        Json.ensureObject(spec, "updateStrategy").put("type", "RollingUpdate");
        Json.ensureObject(spec, "selector", "matchLabels").put("app", name);
        Json.ensureObject(spec, "template", "metadata", "labels").put("app", name);
        Json.ensureObject(spec, "template", "spec")
                .putArray("containers")
                .addObject()
                .put("name", "main")
                .put("image", "0");
        return set;
    }

    private void edit(KubeApi.Kind kind, String name, java.util.function.Consumer<ObjectNode> change) {
        api.edit(kind, "team", name, set -> {
            change.accept(Json.ensureObject(set, "spec"));
            ObjectNode metadata = Json.ensureObject(set, "metadata");
            metadata.put("generation", metadata.path("generation").asLong() + 1);
            return set;
        });
    }

    private static void image(ObjectNode spec, int image) {
        ((ObjectNode) spec.at("/template/spec/containers/0")).put("image", Integer.toString(image));
    }

    /** Something happens to a pod: its node reports, loses or ends it. */
    private void disturbPod(Random random) {
        List<ObjectNode> all = pods();
        if (all.isEmpty()) {
            return;
        }
        String name = Objects.name(all.get(random.nextInt(all.size())));
        switch (random.nextInt(8)) {
            case 0 -> cluster.report("team", name, "Running", false);
            case 1 -> cluster.report("team", name, random.nextBoolean() ? "Failed" : "Succeeded", false);
            case 2 -> api.delete(PODS, "team", name, KubeApi.Deletion.PLAIN);
            case 3 -> api.delete(PODS, "team", name, KubeApi.Deletion.PLAIN.atOnce());
            default -> {
                if (!PodState.of(api.get(PODS, "team", name)).isFinished()) {
                    String target = DaemonPod.of(api.get(PODS, "team", name)).target();
                    cluster.place("team", name, target.isEmpty() ? "node" : target);
                    cluster.report("team", name, "Running", true);
                }
            }
        }
    }

    /** Nodes do their work from now on, and nobody else does anything. */
    private void calmDown() {
        for (int i = 0; i < 40; i++) {
            for (ObjectNode pod : pods()) {
                // Two that ended and are too many wait for each other, as upstream has it, until somebody cleans up.
                if (Objects.isDeleting(pod) || PodState.of(pod).isFinished()) {
                    api.delete(PODS, "team", Objects.name(pod), KubeApi.Deletion.PLAIN.atOnce());
                } else if (!PodState.of(pod).isReady()) {
                    cluster.report("team", Objects.name(pod), "Running", true);
                }
            }
            cluster.pass(Duration.ofMinutes(2));
        }
    }

    private static boolean isWell(ObjectNode pod) {
        PodState state = PodState.of(pod);
        return state.isReady() && !state.deleting() && state.phase().equals("Running");
    }

    // ---- StatefulSets

    /** In order: nothing starts before all below it are well, nothing healthy ends while one above it is not. */
    private void checkCreated(ObjectNode made) {
        int ordinal = StatefulPod.ordinalOf(Objects.name(made));
        List<String> well = pods().stream()
                .filter(SetInvariantsTest::isWell)
                .map(Objects::name)
                .toList();
        for (int i = 0; i < ordinal; i++) {
            assertThat(well).as("before web-%s starts", ordinal).contains("web-" + i);
        }
    }

    private void checkDeleted(String name) {
        ObjectNode victim = pods().stream()
                .filter(pod -> Objects.name(pod).equals(name))
                .findFirst()
                .orElse(null);
        if (victim == null || !isWell(victim)) {
            return;
        }
        int ordinal = StatefulPod.ordinalOf(name);
        Stream<ObjectNode> above = pods().stream().filter(pod -> StatefulPod.ordinalOf(Objects.name(pod)) > ordinal);
        assertThat(above).as("when %s ends", name).allMatch(SetInvariantsTest::isWell);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20})
    void aStatefulSetKeepsItsOrder(int seed) {
        Random random = new Random(seed);
        WatchedApi watched = new WatchedApi(api, random, this::checkCreated, this::checkDeleted);
        cluster.run(new StatefulSets(
                        watched.api(),
                        cluster.followers,
                        templates(),
                        Fanout.SEQUENTIAL,
                        cluster.clock(),
                        cluster.nanoTime())
                .controller());
        cluster.namespace("team");
        ObjectNode set = set("web");
        Json.ensureObject(set, "spec").put("replicas", 3);
        api.create(STATEFUL_SETS, "team", set);
        long size = 3;
        int version = 0;
        for (int step = 0; step < STEPS; step++) {
            switch (random.nextInt(10)) {
                case 0 -> {
                    size = random.nextInt(6);
                    long replicas = size;
                    edit(STATEFUL_SETS, "web", spec -> spec.put("replicas", replicas));
                }
                case 1 -> {
                    version = random.nextInt(4);
                    int image = version;
                    edit(STATEFUL_SETS, "web", spec -> image(spec, image));
                }
                case 2 -> api.compact();
                default -> disturbPod(random);
            }
            cluster.pass(Duration.ofMillis(random.nextInt(500)));
        }
        watched.calmDown();
        calmDown();

        List<String> expected = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            expected.add("web-" + i + " " + version);
        }
        assertThat(pods())
                .extracting(pod -> Objects.name(pod) + " "
                        + pod.at("/spec/containers/0/image").asText())
                .containsExactlyElementsOf(expected);
        assertThat(Json.longAt(api.get(STATEFUL_SETS, "team", "web"), 0, "status", "readyReplicas"))
                .isEqualTo(size);
        assertThat(api.list(REVISIONS, "team", KubeApi.View.WHOLE).items()).hasSizeLessThanOrEqualTo(3);
    }

    // ---- DaemonSets

    private static final int DAEMONS = 8;
    private static final int MISSING = 2;

    /** Never two living ones for a node. */
    private void checkDaemonCreated(ObjectNode made) {
        String node = DaemonPod.of(made).target();
        assertThat(pods().stream().map(DaemonPod::of))
                .as("when a daemon starts on %s", node)
                .noneMatch(pod -> pod.target().equals(node)
                        && !(pod.isDeleting() && pod.state().isFinished()));
    }

    /** One that works ends only if enough others do. */
    private void checkDaemonDeleted(String name) {
        ObjectNode victim = pods().stream()
                .filter(pod -> Objects.name(pod).equals(name))
                .findFirst()
                .orElse(null);
        if (victim != null && isWell(victim)) {
            assertThat(pods().stream().filter(SetInvariantsTest::isWell))
                    .as("before %s ends", name)
                    .hasSizeGreaterThan(DAEMONS - MISSING);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20})
    void aDaemonSetRunsOnceANodeAndIsNeverMissedTooMuch(int seed) {
        Random random = new Random(seed);
        WatchedApi watched = new WatchedApi(api, random, this::checkDaemonCreated, this::checkDaemonDeleted);
        cluster.run(new DaemonSets(
                        watched.api(),
                        cluster.followers,
                        templates(),
                        Fanout.SEQUENTIAL,
                        cluster.clock(),
                        cluster.nanoTime())
                .controller());
        cluster.namespace("team");
        for (int i = 0; i < DAEMONS; i++) {
            api.create(NODES, "", named("node-" + i));
        }
        ObjectNode set = set("agent");
        Json.ensureObject(set, "spec", "updateStrategy", "rollingUpdate").put("maxUnavailable", MISSING);
        api.create(DAEMON_SETS, "team", set);
        int version = 0;
        for (int step = 0; step < STEPS; step++) {
            switch (random.nextInt(10)) {
                case 0 -> {
                    version = random.nextInt(4);
                    int image = version;
                    edit(DAEMON_SETS, "agent", spec -> image(spec, image));
                }
                case 1 -> api.compact();
                default -> disturbPod(random);
            }
            cluster.pass(Duration.ofMillis(random.nextInt(500)));
        }
        watched.calmDown();
        calmDown();

        List<String> expected = new ArrayList<>();
        for (int i = 0; i < DAEMONS; i++) {
            expected.add("node-" + i + " " + version);
        }
        assertThat(pods().stream()
                        .map(pod -> DaemonPod.of(pod).target() + " "
                                + pod.at("/spec/containers/0/image").asText())
                        .sorted())
                .containsExactlyElementsOf(expected);
        assertThat(Json.longAt(api.get(DAEMON_SETS, "team", "agent"), 0, "status", "numberAvailable"))
                .isEqualTo(DAEMONS);
    }
}
