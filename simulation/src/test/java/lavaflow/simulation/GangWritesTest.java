package lavaflow.simulation;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.BiFunction;

import lavaflow.controller.DefinitionFiles;
import lavaflow.controller.KubeApi;
import lavaflow.gang.Configuration;
import lavaflow.jobs.JobDefinitions;
import lavaflow.jobs.Volcano;
import lavaflow.kube.Json;
import lavaflow.node.SimShape;
import lavaflow.scheduler.Definitions;
import lavaflow.training.TrainingDefinitions;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/** What Jobs of Volcano's and training jobs cost the API beside their pods, until they have ended. Events are told behind everybody's back, and not counted. */
class GangWritesTest {
    private static final int PODS = 50;
    private static final Duration BEAT = Duration.ofMillis(50);
    private static final Set<String> CONTROLLERS =
            Set.of("serviceaccount-controller", "garbage-collector-controller", "node-lifecycle-controller");
    private static final SimShape NODES = new SimShape(
            "sim",
            4,
            Map.of("cpu", "32", "memory", "128Gi", "pods", "200"),
            Map.of(),
            List.of(),
            List.of(),
            SimShape.Defaults.NONE);

    private final VirtualClock clock = new VirtualClock();
    private final List<Component> components = new ArrayList<>();

    /** Whose pods run so long, each for a while longer than the one before. */
    private static ObjectNode job(int apart) {
        StringBuilder tasks = new StringBuilder();
        for (int i = 0; i < PODS; i++) {
            tasks.append("""
                    - name: t%d
                      replicas: 1
                      template:
                        metadata: {annotations: {sim.lavaflow.io/duration: "%dms"}}
                        spec:
                          restartPolicy: Never
                          containers: [{name: c, image: i, resources: {requests: {cpu: 500m}}}]
                    """.formatted(i, 1500 + i * apart));
        }
        return TestingWorld.object("""
                apiVersion: batch.volcano.sh/v1alpha1
                kind: Job
                metadata: {name: j}
                spec:
                  schedulerName: volcano
                  queue: default
                  minAvailable: %d
                  tasks:
                """.formatted(PODS) + tasks.toString().indent(2));
    }

    /** A phase is written at once, numbers of a Job and its group a second after they changed, of queues after two, and of groups in queues after ten. */
    @ParameterizedTest
    @CsvSource({"0, 2", "200, 12"})
    void aGangCostsAsManyWritesAsItHasPhasesAndSeconds(int apart, int seconds) throws IOException {
        try (SimulatedServer server = new SimulatedServer(clock, new SplittableRandom(1))) {
            Map<String, CountedApi> counted = begin(server, JobDefinitions.FILES, BatchComponent::ofJobs);
            server.api().create(Volcano.JOBS, "default", job(apart));
            pass(Duration.ofSeconds(seconds + 3));

            ObjectNode job = server.api().find(Volcano.JOBS, "default", "j").orElseThrow();
            assertThat(Json.textAt(job, "status", "state", "phase")).isEqualTo("Completed");
            Map<String, Integer> made = counted.get("jobs").take();
            Map<String, Integer> scheduled = counted.get("scheduler").take();
            Map<String, Integer> queues = counted.get("queues").take();
            assertThat(made).containsEntry("create pods", PODS).doesNotContainKeys("patch pods", "delete pods");
            assertThat(scheduled).containsEntry("post pods", PODS);
            assertThat(scheduled)
                    .as("nobody is told to wait for pods that are being made")
                    .doesNotContainKeys("patch pods");
            int group = writes(made, "podgroups") + writes(scheduled, "podgroups");
            int own = group + writes(made, "jobs");
            // Made, let in, running, completed, deleted; pending, running, completed.
            assertThat(own).isLessThanOrEqualTo(apart == 0 ? 8 : 8 + 2 * seconds);
            // What its queue and the root have, and how many groups are in which phase.
            assertThat(writes(scheduled, "queues")).isLessThanOrEqualTo(2 * (1 + seconds / 2));
            assertThat(writes(queues, "queues")).isLessThanOrEqualTo(apart == 0 ? 0 : 2);
        }
    }

    @Test
    void aTrainingJobCostsTenWritesBesideItsPodsAndServices() throws IOException {
        KubeApi.Kind jobs = new KubeApi.Kind("kubeflow.org", "v1", "pytorchjobs", true);
        ObjectNode pytorch = TestingWorld.object("""
                apiVersion: kubeflow.org/v1
                kind: PyTorchJob
                metadata: {name: p}
                spec:
                  pytorchReplicaSpecs:
                    Master: {replicas: 1, template: &pod {metadata: {annotations: {sim.lavaflow.io/duration: 1500ms}}, spec: {containers: [{name: pytorch, image: i}]}}}
                    Worker: {replicas: %d, template: *pod}
                """.formatted(PODS - 1));
        try (SimulatedServer server = new SimulatedServer(clock, new SplittableRandom(1))) {
            Map<String, CountedApi> counted = begin(server, TrainingDefinitions.FILES, BatchComponent::ofTraining);
            server.api().create(jobs, "default", pytorch);
            pass(Duration.ofSeconds(6));

            ObjectNode job = server.api().find(jobs, "default", "p").orElseThrow();
            assertThat(Json.listAt(job, "status", "conditions").valueStream().map(each -> Json.textAt(each, "type")))
                    .contains("Succeeded");
            Map<String, Integer> made = counted.get("jobs").take();
            Map<String, Integer> scheduled = counted.get("scheduler").take();
            assertThat(made)
                    .containsEntry("create pods", PODS)
                    .containsEntry("create services", PODS)
                    .doesNotContainKeys("patch pods", "delete pods");
            assertThat(scheduled).containsEntry("post pods", PODS);
            int rest = made.entrySet().stream()
                    .filter(each -> isWrite(each.getKey())
                            && !Set.of("create pods", "create services", "create events")
                                    .contains(each.getKey()))
                    .mapToInt(Map.Entry::getValue)
                    .sum();
            assertThat(rest + writes(scheduled, "podgroups"))
                    .as("%s, %s", made, scheduled)
                    .isLessThanOrEqualTo(10);
        }
    }

    /** Those whose writes count: of queues, of jobs, and the scheduler. */
    private Map<String, CountedApi> begin(
            SimulatedServer server, DefinitionFiles kinds, BiFunction<KubeApi, VirtualClock, Component> controllers) {
        new Definitions(server.api(), List.of(kinds)).ensureDefined();
        server.serveDefined();
        Map<String, CountedApi> counted = new TreeMap<>();
        List.of("queues", "jobs", "scheduler")
                .forEach(who -> counted.put(who, new CountedApi(CountedApi.withoutEvents(server.api()))));
        components.add(new ControllersComponent(server.api(), server, clock, CONTROLLERS::contains));
        components.add(BatchComponent.ofQueues(counted.get("queues").api(), clock));
        components.add(controllers.apply(counted.get("jobs").api(), clock));
        components.add(new SchedulerComponent(counted.get("scheduler").api(), clock, Configuration.usual()));
        components.add(new NodesComponent(CountedApi.withoutEvents(server.api()), clock, NODES, 3));
        pass(Duration.ofSeconds(3));
        counted.values().forEach(CountedApi::take);
        return counted;
    }

    private static boolean isWrite(String call) {
        return !call.startsWith("find ") && !call.startsWith("list ");
    }

    private static int writes(Map<String, Integer> counts, String kind) {
        return counts.entrySet().stream()
                .filter(each -> each.getKey().contains(" " + kind + ".") && isWrite(each.getKey()))
                .mapToInt(Map.Entry::getValue)
                .sum();
    }

    private void pass(Duration time) {
        for (Duration gone = Duration.ZERO; gone.compareTo(time) < 0; gone = gone.plus(BEAT)) {
            boolean worked = true;
            for (int round = 0; worked; round++) {
                Violation.unless(round < 1_000, () -> "somebody works and works without a pause");
                worked = false;
                for (Component component : components) {
                    worked |= component.catchUp();
                }
            }
            clock.pass(BEAT);
        }
    }
}
