package lavaflow;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import lavaflow.cli.VolcanoObjects;
import lavaflow.controller.KubeApi;
import lavaflow.kube.Json;
import lavaflow.node.SimShapes;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** {@code lava run} on a server that runs everything, with nodes that only say so. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(600)
class RunCommandTest {
    private static final KubeApi.Kind PODS = KubeApi.Kind.core("pods");

    private static final KubeApi.Kind TORCH = new KubeApi.Kind("kubeflow.org", "v1", "pytorchjobs", true);

    private TestingAllInOne testing;
    private Path directory;

    private record Said(int code, String text) {}

    @BeforeAll
    void start(@TempDir Path directory) throws Exception {
        this.directory = directory;
        testing = new TestingAllInOne(directory.resolve("data"), AllInOne.Options.usual(true, SimShapes.ofCount(2)));
        testing.awaitReady("sim-0", "sim-1");
    }

    @AfterAll
    void stop() throws Exception {
        testing.close();
    }

    private Said lava(String... words) {
        StringWriter text = new StringWriter();
        List<String> all = new ArrayList<>(List.of(words));
        int end = all.contains("--") ? all.indexOf("--") : all.size();
        all.addAll(end, List.of("--kubeconfig", testing.home.kubeconfig().toString()));
        int code = Lava.run(all, new PrintWriter(text));
        return new Said(code, text.toString());
    }

    /** What is said on standard error about a file that cannot be run. */
    private Said complaint(String file) {
        PrintStream before = System.err;
        ByteArrayOutputStream errors = new ByteArrayOutputStream();
        System.setErr(new PrintStream(errors, true, StandardCharsets.UTF_8));
        try {
            return new Said(lava("run", file).code(), errors.toString(StandardCharsets.UTF_8));
        } finally {
            System.setErr(before);
        }
    }

    private String file(String name, String text) throws IOException {
        return Files.writeString(directory.resolve(name), text).toString();
    }

    private static String pod(String name, String annotations) {
        return """
                apiVersion: v1
                kind: Pod
                metadata: {name: %s, annotations: {%s}}
                spec: {restartPolicy: Never, containers: [{name: main, image: any}]}
                """.formatted(name, annotations);
    }

    @Test
    void aGangIsRunToItsEndWithWhatItNeeds() throws IOException {
        Said said = lava("run", file("gang.yaml", """
                apiVersion: batch.volcano.sh/v1alpha1
                kind: Job
                metadata: {name: gang}
                spec:
                  minAvailable: 2
                  schedulerName: volcano
                  tasks:
                  - name: worker
                    replicas: 2
                    template:
                      metadata: {annotations: {sim.lavaflow.io/duration: 1s}}
                      spec: {restartPolicy: Never, containers: [{name: main, image: any}]}
                ---
                apiVersion: v1
                kind: ConfigMap
                metadata: {name: settings}
                data: {a: b}
                """));
        assertThat(said.code()).isZero();
        assertThat(said.text())
                .contains("✓ submitted configmap/settings, job/gang\n")
                .contains("✔ job/gang succeeded\n")
                .contains("  Waited ")
                .contains("  Ran ")
                .contains("  Logs      lava logs job/gang\n");
        assertThat(testing.api.find(TestingAllInOne.MAPS, "default", "settings"))
                .isPresent();
    }

    @Test
    void aFailureIsAFailureAndItsNameCanBeUsedAgain() throws IOException {
        Said failed = lava(
                "run",
                file("again.yaml", pod("again", "sim.lavaflow.io/duration: 1s, sim.lavaflow.io/exit-code: '3'")));
        assertThat(failed.code()).isEqualTo(Lava.FAILED);
        assertThat(failed.text()).contains("✖ pod/again failed").contains("exit code 3");
        String first = uid("again");
        Said done = lava("run", file("again.yaml", pod("again", "sim.lavaflow.io/duration: 1s")));
        assertThat(done.code()).isZero();
        assertThat(done.text()).contains("✔ pod/again succeeded");
        assertThat(uid("again")).isNotEqualTo(first);
    }

    private String uid(String pod) {
        ObjectNode found = testing.api.find(PODS, "default", pod).orElseThrow();
        return Json.textAt(found, "metadata", "uid");
    }

    @Test
    void whatRunsAlreadyIsFollowedUnlessItIsToBeReplaced() throws IOException {
        String file = file("twice.yaml", pod("twice", ""));
        assertThat(lava("run", file, "--detach")).isEqualTo(new Said(0, """
                ✓ submitted pod/twice
                Follow it with: lava watch pod/twice
                """));
        String first = uid("twice");
        assertThat(lava("run", file, "--detach").text()).contains("pod/twice runs already and is followed");
        assertThat(uid("twice")).isEqualTo(first);
        assertThat(lava("run", file, "--detach", "--replace").code()).isZero();
        assertThat(uid("twice")).isNotEqualTo(first);
    }

    @Test
    void severalJobsAreFollowedTogether() throws IOException {
        Said said = lava(
                "run",
                file(
                        "both.yaml",
                        pod("one", "sim.lavaflow.io/duration: 1s") + "---\n"
                                + pod("two", "sim.lavaflow.io/duration: 1s, sim.lavaflow.io/exit-code: '1'")));
        assertThat(said.code()).isEqualTo(Lava.FAILED);
        assertThat(said.text()).contains("✔ pod/one succeeded").contains("✖ pod/two failed");
    }

    @Test
    void whyAGangWaitsIsToldUntilItIsDeleted() throws Exception {
        String file = file("huge.yaml", """
                apiVersion: batch.volcano.sh/v1alpha1
                kind: Job
                metadata: {name: huge}
                spec:
                  minAvailable: 1
                  schedulerName: volcano
                  tasks:
                  - name: worker
                    replicas: 1
                    template:
                      spec: {containers: [{name: main, image: any, resources: {requests: {cpu: "1000"}}}]}
                """);
        Screen screen = new Screen();
        Thread running = Thread.ofVirtual()
                .start(() -> Lava.run(
                        List.of(
                                "run",
                                file,
                                "--kubeconfig",
                                testing.home.kubeconfig().toString()),
                        new PrintWriter(screen)));
        screen.await("in queue default: one pod is enough");
        // Before the scheduler has looked at it, something else may be told.
        screen.await("More: lava explain podgroup/huge-");
        assertThat(screen.await("… ")).doesNotContain("was deleted");
        testing.api.delete(VolcanoObjects.JOBS, "default", "huge", KubeApi.Deletion.PLAIN);
        screen.await("● job/huge was deleted");
        running.join();
        assertThat(screen.await("")).contains("and never ran");
    }

    @Test
    void aJobWhoseQueueDoesNotExistSaysSo() throws Exception {
        String file = file("unqueued.yaml", """
                apiVersion: kubeflow.org/v1
                kind: PyTorchJob
                metadata: {name: unqueued}
                spec:
                  runPolicy: {schedulingPolicy: {queue: nobodys}}
                  pytorchReplicaSpecs:
                    Worker: {replicas: 1, template: {spec: {containers: [{name: pytorch, image: any}]}}}
                """);
        Screen screen = new Screen();
        Thread running = Thread.ofVirtual()
                .start(() -> Lava.run(
                        List.of(
                                "run",
                                file,
                                "--kubeconfig",
                                testing.home.kubeconfig().toString()),
                        new PrintWriter(screen)));
        screen.await("queue.scheduling.volcano.sh \"nobodys\" not found");
        ObjectNode job = testing.api.find(TORCH, "default", "unqueued").orElseThrow();
        assertThat(job.at("/status/conditions/0/message").asText())
                .startsWith("PyTorchJob unqueued is created. Its PodGroup cannot be made: unable to find queue");
        testing.api.delete(TORCH, "default", "unqueued", KubeApi.Deletion.PLAIN);
        running.join();
    }

    /** What was printed so far, for whoever waits for something in it. */
    private static final class Screen extends StringWriter {
        @Override
        public synchronized void write(String text, int offset, int length) {
            super.write(text, offset, length);
            notifyAll();
        }

        @Override
        public synchronized void write(int letter) {
            super.write(letter);
            notifyAll();
        }

        /** The whole line with it, and all before. */
        synchronized String await(String text) throws InterruptedException {
            while (!toString().contains(text) || !toString().endsWith("\n")) {
                wait();
            }
            return toString();
        }
    }

    @Test
    void aProgramInPythonBecomesAJob() throws IOException {
        String script = file("My Train.py", "print('hello')\n");
        Said said = lava("run", script, "--kind", "volcano", "--replicas", "2", "--detach", "--", "--epochs", "3");
        assertThat(said.code()).isZero();
        ObjectNode job =
                testing.api.find(VolcanoObjects.JOBS, "default", "my-train").orElseThrow();
        assertThat(Json.longAt(job, 0, "spec", "minAvailable")).isEqualTo(2);
        assertThat(lava("run", script).code()).isEqualTo(Lava.USAGE);
        assertThat(lava("run", script, "--kind", "fortran").code()).isEqualTo(Lava.USAGE);
    }

    @Test
    void mistakesSayWhatToDo() throws IOException {
        assertThat(lava("run", "/nowhere/job.yaml").code()).isEqualTo(Lava.USAGE);
        assertThat(lava("run", file("empty.yaml", "# nothing\n")).code()).isEqualTo(Lava.USAGE);
        assertThat(lava("run", file("odd.yaml", "{apiVersion: a.b/v1, kind: Odd, metadata: {name: x}}"))
                        .code())
                .isEqualTo(Lava.FAILED);
        assertThat(lava("run", file("wrong.yaml", "{apiVersion: v1, kind: Pod, metadata: {name: x}, spec: {}}"))
                        .code())
                .isEqualTo(Lava.FAILED);
        assertThat(lava("run", file("fine.yaml", pod("x", "")), "--kind", "job").code())
                .isEqualTo(Lava.USAGE);
    }

    @Test
    void aFieldThatNobodyKnowsIsToldBeforeAnythingIsMade() throws IOException {
        String file = file("typo.yaml", """
                apiVersion: v1
                kind: ConfigMap
                metadata: {name: beside-a-typo}
                ---
                apiVersion: kubeflow.org/v1
                kind: PyTorchJob
                metadata: {name: typo}
                spec:
                  pytorchReplicaSpecs:
                    Worker: {replcas: 2, template: {spec: {containers: [{name: pytorch, image: any}]}}}
                """);
        Said said = complaint(file);
        assertThat(said.code()).isEqualTo(Lava.USAGE);
        assertThat(said.text())
                .contains(file + ": pytorchjob/typo: unknown field \"spec.pytorchReplicaSpecs.Worker.replcas\"");
        assertThat(testing.api.find(TestingAllInOne.MAPS, "default", "beside-a-typo"))
                .isEmpty();
    }

    @Test
    void aKindThatNobodyKnowsIsToldWithTheOneThatMayBeMeant() throws IOException {
        String file = file("kind.yaml", "{apiVersion: kubeflow.org/v2, kind: PytorchJob, metadata: {name: x}}");
        Said said = complaint(file);
        assertThat(said.code()).isEqualTo(Lava.FAILED);
        assertThat(said.text())
                .contains(
                        "this cluster knows no PytorchJob of kubeflow.org/v2, but it knows pytorchjobs of kubeflow.org/v1");
    }

    @Test
    void withoutAClusterAndAWayToStartOneItSaysSo() throws IOException {
        StringWriter text = new StringWriter();
        int code = Lava.run(
                List.of(
                        "run",
                        file("nobody.yaml", pod("nobody", "")),
                        "--data-dir",
                        directory.resolve("nothing").toString()),
                new PrintWriter(text));
        assertThat(code).isEqualTo(Lava.UNREACHABLE);
    }
}
