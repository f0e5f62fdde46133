package lavaflow;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

import lavaflow.access.User;
import lavaflow.controller.KubeApi;
import lavaflow.kube.ApiException;
import lavaflow.kube.DecodingException;
import lavaflow.kube.Json;
import lavaflow.kube.Yaml;
import lavaflow.node.SimShape;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Those who work on the kinds of Volcano and Kubeflow may do what they have to, as users without any right but their roles'; and who may
 * edit a namespace may use these kinds in it.
 */
@Timeout(600)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class OwnRightsTest {
    private static final KubeApi.Kind PODS = KubeApi.Kind.core("pods");
    private static final KubeApi.Kind SERVICES = KubeApi.Kind.core("services");
    private static final KubeApi.Kind CLAIMS = KubeApi.Kind.core("persistentvolumeclaims");
    private static final KubeApi.Kind SECRETS = KubeApi.Kind.core("secrets");
    private static final KubeApi.Kind MAPS = KubeApi.Kind.core("configmaps");
    private static final KubeApi.Kind JOBS = volcano("batch.volcano.sh", "v1alpha1", "jobs");
    private static final KubeApi.Kind GROUPS = volcano("scheduling.volcano.sh", "v1beta1", "podgroups");
    private static final KubeApi.Kind QUEUES = new KubeApi.Kind("scheduling.volcano.sh", "v1beta1", "queues", false);
    private static final KubeApi.Kind BINDINGS =
            new KubeApi.Kind("rbac.authorization.k8s.io", "v1", "rolebindings", true);

    private TestingAllInOne testing;

    private static KubeApi.Kind volcano(String group, String version, String resource) {
        return new KubeApi.Kind(group, version, resource, true);
    }

    private static KubeApi.Kind training(String resource) {
        return new KubeApi.Kind("kubeflow.org", "v1", resource, true);
    }

    @BeforeAll
    void start(@TempDir Path directory) throws Exception {
        testing = new TestingAllInOne(
                directory.resolve("data"), AllInOne.Options.usual(true, List.of(SimShape.usual(2))));
    }

    @AfterAll
    void stop() throws Exception {
        testing.close();
    }

    private static ObjectNode object(String yaml) {
        try {
            return (ObjectNode)
                    Yaml.parse(yaml.getBytes(StandardCharsets.UTF_8)).root();
        } catch (DecodingException e) {
            throw new IllegalArgumentException(e);
        }
    }

    private void create(KubeApi.Kind kind, String yaml) {
        testing.api.create(kind, "default", object(yaml));
    }

    private void awaitText(KubeApi.Kind kind, String name, String wanted, String... path) throws InterruptedException {
        testing.await(
                kind,
                "default",
                name,
                found -> found.isPresent() && Json.textAt(found.get(), path).equals(wanted));
    }

    private static String job(String name, String more) {
        return """
                apiVersion: batch.volcano.sh/v1alpha1
                kind: Job
                metadata: {name: %s}
                spec:
                  minAvailable: 1
                  schedulerName: volcano
                  %s
                  tasks:
                  - name: work
                    replicas: 1
                    template:
                      metadata: {annotations: {sim.lavaflow.io/duration: 0s}}
                      spec:
                        restartPolicy: Never
                        containers: [{name: c, image: busybox}]
                """.formatted(name, more);
    }

    private static String waiting(String job) {
        return job.replace("sim.lavaflow.io/duration: 0s", "a: b");
    }

    @Test
    void jobsWithAllThatGoesWithThem() throws Exception {
        create(JOBS, waiting(job("full", """
                plugins: {env: [], svc: ["--disable-network-policy=false"], ssh: []}
                  volumes: [{mountPath: /data, volumeClaim: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Mi}}}}]
                """.stripTrailing())));
        awaitText(JOBS, "full", "Running", "status", "state", "phase");
        testing.awaitThere(SERVICES, "default", "full");
        testing.awaitThere(MAPS, "default", "full-svc");
        testing.awaitThere(volcano("networking.k8s.io", "v1", "networkpolicies"), "default", "full");
        ObjectNode running = testing.api.find(JOBS, "default", "full").orElseThrow();
        String claim = Json.textAt(Json.listAt(running, "spec", "volumes").get(0), "volumeClaimName");
        testing.awaitThere(CLAIMS, "default", claim);
        String uid = Json.textAt(running, "metadata", "uid");
        testing.awaitThere(SECRETS, "default", "full-ssh");
        testing.awaitThere(GROUPS, "default", "full-" + uid);
        create(volcano("bus.volcano.sh", "v1alpha1", "commands"), """
                apiVersion: bus.volcano.sh/v1alpha1
                kind: Command
                metadata: {name: stop}
                action: AbortJob
                target: {apiVersion: batch.volcano.sh/v1alpha1, kind: Job, name: full, uid: %s}
                """.formatted(uid));
        awaitText(JOBS, "full", "Aborted", "status", "state", "phase");
        testing.awaitGone(PODS, "default", "full-work-0");
        testing.awaitGone(volcano("bus.volcano.sh", "v1alpha1", "commands"), "default", "stop");
        testing.api.delete(JOBS, "default", "full", KubeApi.Deletion.ofUid(uid));
        testing.awaitGone(SERVICES, "default", "full");
        testing.awaitGone(GROUPS, "default", "full-" + uid);
    }

    @Test
    void jobsThatGoWhenTheyAreDone() throws Exception {
        create(JOBS, job("brief", "ttlSecondsAfterFinished: 0"));
        testing.awaitGone(JOBS, "default", "brief");
    }

    @Test
    void flowsAndTheirJobs() throws Exception {
        create(
                volcano("flow.volcano.sh", "v1alpha1", "jobtemplates"),
                job("step", "queue: default")
                        .replace(
                                "batch.volcano.sh/v1alpha1\nkind: Job", "flow.volcano.sh/v1alpha1\nkind: JobTemplate"));
        create(volcano("flow.volcano.sh", "v1alpha1", "jobflows"), """
                apiVersion: flow.volcano.sh/v1alpha1
                kind: JobFlow
                metadata: {name: chain}
                spec: {jobRetainPolicy: delete, flows: [{name: step}]}
                """);
        awaitText(volcano("flow.volcano.sh", "v1alpha1", "jobflows"), "chain", "Succeed", "status", "state", "phase");
        testing.awaitGone(JOBS, "default", "chain-step");
    }

    @Test
    void queuesThatClose() throws Exception {
        testing.api.create(QUEUES, "", object("""
                apiVersion: scheduling.volcano.sh/v1beta1
                kind: Queue
                metadata: {name: shut}
                spec: {weight: 1}
                """));
        testing.awaitQueue("shut", "Open");
        create(volcano("bus.volcano.sh", "v1alpha1", "commands"), """
                apiVersion: bus.volcano.sh/v1alpha1
                kind: Command
                metadata: {name: shut-it}
                action: CloseQueue
                target: {apiVersion: scheduling.volcano.sh/v1beta1, kind: Queue, name: shut, uid: %s}
                """.formatted(
                        Json.textAt(testing.api.find(QUEUES, "", "shut").orElseThrow(), "metadata", "uid")));
        testing.awaitQueue("shut", "Closed");
    }

    @Test
    void plainPodsOfTheGangScheduler() throws Exception {
        create(PODS, """
                apiVersion: v1
                kind: Pod
                metadata: {name: alone}
                spec: {schedulerName: volcano, containers: [{name: c, image: busybox}]}
                """);
        awaitText(PODS, "alone", "Running", "status", "phase");
    }

    @Test
    void launchersOfMpiWithRightsOfTheirOwn() throws Exception {
        create(training("mpijobs"), """
                apiVersion: kubeflow.org/v1
                kind: MPIJob
                metadata: {name: ring}
                spec:
                  runPolicy: {cleanPodPolicy: All, ttlSecondsAfterFinished: 0}
                  mpiReplicaSpecs:
                    Launcher:
                      replicas: 1
                      template:
                        metadata: {annotations: {sim.lavaflow.io/duration: 0s}}
                        spec: {containers: [{name: mpi, image: mpi}]}
                    Worker:
                      replicas: 1
                      template: {spec: {containers: [{name: mpi, image: mpi}]}}
                """);
        testing.awaitThere(BINDINGS, "default", "ring-launcher");
        testing.awaitGone(training("mpijobs"), "default", "ring");
        testing.awaitGone(BINDINGS, "default", "ring-launcher");
    }

    @Test
    void elasticJobsWithTheirAutoscalers() throws Exception {
        create(training("pytorchjobs"), """
                apiVersion: kubeflow.org/v1
                kind: PyTorchJob
                metadata: {name: elastic}
                spec:
                  elasticPolicy: {minReplicas: 1, maxReplicas: 2, metrics: [{type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 80}}}]}
                  pytorchReplicaSpecs:
                    Worker:
                      replicas: 1
                      restartPolicy: ExitCode
                      template: {spec: {containers: [{name: pytorch, image: torch}]}}
                """);
        testing.awaitThere(volcano("autoscaling", "v2", "horizontalpodautoscalers"), "default", "elastic");
        testing.awaitThere(SERVICES, "default", "elastic-worker-0");
        testing.awaitThere(GROUPS, "default", "elastic");
        testing.await(
                training("pytorchjobs"),
                "default",
                "elastic",
                found -> found.isPresent()
                        && found.get().path("status").toString().contains("JobRunning"));
    }

    @Test
    void trainJobsOfARuntime() throws Exception {
        KubeApi.Kind runtimes = new KubeApi.Kind("trainer.kubeflow.org", "v1alpha1", "clustertrainingruntimes", false);
        KubeApi.Kind trainJobs = volcano("trainer.kubeflow.org", "v1alpha1", "trainjobs");
        for (String runtime : List.of("torch-distributed", "deepspeed-distributed")) {
            testing.awaitThere(runtimes, "", runtime);
            String name = runtime.substring(0, runtime.indexOf('-'));
            create(trainJobs, """
                    apiVersion: trainer.kubeflow.org/v1alpha1
                    kind: TrainJob
                    metadata: {name: %s}
                    spec: {runtimeRef: {name: %s}, trainer: {numNodes: 2, command: ["true"]}}
                    """.formatted(name, runtime));
            testing.awaitThere(volcano("jobset.x-k8s.io", "v1alpha2", "jobsets"), "default", name);
            testing.awaitThere(volcano("batch", "v1", "jobs"), "default", name + "-node-0");
            testing.awaitThere(SERVICES, "default", name);
            testing.api.delete(trainJobs, "default", name, KubeApi.Deletion.PLAIN);
            testing.awaitGone(volcano("jobset.x-k8s.io", "v1alpha2", "jobsets"), "default", name);
        }
    }

    @Test
    void whoMayEditANamespaceMayUseTheKindsInIt() throws Exception {
        testing.api.create(BINDINGS, "default", object("""
                apiVersion: rbac.authorization.k8s.io/v1
                kind: RoleBinding
                metadata: {name: mia}
                subjects: [{kind: User, name: mia, apiGroup: rbac.authorization.k8s.io}]
                roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: edit}
                """));
        KubeApi mia = testing.cluster.api(new User("mia", List.of(User.AUTHENTICATED)));
        testing.await(BINDINGS, "default", "mia", _ -> mayCreate(mia));
        assertThat(mia.find(JOBS, "default", "hers")).isPresent();
        assertThatThrownBy(() -> mia.create(QUEUES, "", object("""
                        apiVersion: scheduling.volcano.sh/v1beta1
                        kind: Queue
                        metadata: {name: hers}
                        spec: {weight: 1}
                        """)))
                .isInstanceOfSatisfying(
                        ApiException.class,
                        refused -> assertThat(refused.code()).isEqualTo(403));
    }

    /** Rights are known a moment after they were given. */
    private static boolean mayCreate(KubeApi mia) {
        try {
            mia.create(JOBS, "default", object(job("hers", "queue: default")));
            return true;
        } catch (ApiException e) {
            assertThat(e.code()).isEqualTo(403);
            return false;
        }
    }
}
