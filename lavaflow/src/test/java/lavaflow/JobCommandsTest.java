package lavaflow;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import lavaflow.cli.VolcanoObjects;
import lavaflow.kube.Json;
import lavaflow.node.SimShapes;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static java.time.Duration.ofMinutes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** What people do with jobs by command, on a server that runs everything. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(900)
class JobCommandsTest {
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

    private static List<String> lines(Said said) {
        return said.text()
                .lines()
                .map(line -> line.strip().replaceAll(" +", " "))
                .toList();
    }

    private Path file(String name, String duration) throws IOException {
        return Files.writeString(directory.resolve(name + ".yaml"), """
                apiVersion: batch.volcano.sh/v1alpha1
                kind: Job
                metadata: {name: %s}
                spec:
                  minAvailable: 1
                  schedulerName: volcano
                  policies: [{event: TaskCompleted, action: CompleteJob}]
                  tasks:
                  - name: only
                    replicas: 1
                    template:
                      metadata: {annotations: {sim.lavaflow.io/duration: %s}}
                      spec: {restartPolicy: Never, containers: [{name: main, image: any}]}
                """.formatted(name, duration));
    }

    @Test
    void aJobIsMadeListedSuspendedResumedAndDeleted() throws InterruptedException {
        assertThat(lava("job", "run", "gang", "--replicas", "2", "-R", "cpu=100m", "--", "sleep", "-v", "-h")
                        .code())
                .isZero();
        JsonNode spec =
                Json.parse(lava("job", "get", "gang", "-o", "json").text()).path("spec");
        assertThat(Json.longAt(spec, 0, "minAvailable")).isEqualTo(2);
        assertThat(Json.string(spec.path("tasks")
                        .path(0)
                        .path("template")
                        .path("spec")
                        .path("containers")
                        .path(0)
                        .path("command")))
                .isEqualTo("[\"sleep\",\"-v\",\"-h\"]");
        assertThat(lava("job", "wait", "gang", "--for", "Running", "--timeout", "10m"))
                .isEqualTo(new Said(0, "Job gang is Running\n"));
        assertThat(lines(lava("job", "ls")).getFirst()).isEqualTo("NAME KIND PHASE QUEUE PODS MIN RETRIES RUNS AGE");
        assertThat(lines(lava("job", "ls", "-A", "-o", "wide")))
                .anyMatch(line ->
                        line.startsWith("default gang Job Running default ") && line.endsWith("worker:2 busybox"));
        assertThat(lines(lava("job", "ls", "-o", "name"))).contains("job.batch.volcano.sh/gang");
        assertThat(lines(lava("job", "get", "gang")))
                .contains("Name gang", "Phase Running", "Gang min 2, retries 0 of 3");
        assertThat(lava("job", "suspend", "gang")).isEqualTo(new Said(0, "Job gang is Aborted\n"));
        assertThat(lava("job", "suspend", "gang").text()).isEqualTo("Job gang is suspended already: Aborted\n");
        assertThat(lava("job", "resume", "gang").code()).isZero();
        assertThat(lava("job", "delete", "gang")).isEqualTo(new Said(0, "Deleted job gang\n"));
        testing.awaitGone(VolcanoObjects.JOBS, "default", "gang");
    }

    @Test
    void aJobIsWatchedToItsEnd() throws IOException {
        Said watched = lava("job", "run", "-f", file("brief", "1s").toString(), "--watch");
        assertThat(watched.code()).isZero();
        List<String> said =
                watched.text().lines().map(line -> line.substring(10)).toList();
        assertThat(said).anyMatch(line -> line.startsWith("only-0 "));
        assertThat(said.getLast()).isNotBlank();
        assertThat(watched.text()).contains("job/brief Completed after ");
        assertThat(lava("watch", "job/brief").code()).isZero();
        assertThat(lava("job", "wait", "brief")).isEqualTo(new Said(0, "Job brief is Completed\n"));
        assertThat(lava("job", "suspend", "brief").code()).isEqualTo(Lava.FAILED);
        assertThat(lava("job", "resume", "brief").code()).isEqualTo(Lava.FAILED);
    }

    @Test
    void whoCannotBeResumedIsNotWaitedFor() throws IOException {
        Path once = Files.writeString(
                directory.resolve("once.yaml"),
                Files.readString(file("once", "10m")).replace("minAvailable: 1", "minAvailable: 1\n  maxRetry: 1"));
        lava("job", "run", "-f", once.toString());
        assertThat(lava("job", "wait", "once", "--for", "Running").code()).isZero();
        assertThat(lava("job", "suspend", "once").code()).isZero();
        assertThat(lava("job", "resume", "once").code()).isEqualTo(Lava.FAILED);
        assertThat(lines(lava("job", "get", "once"))).contains("Phase Failed: it may not restart again (maxRetry 1)");
    }

    @Test
    void aJobWithATaskThatWaitsForOthersSaysSo() throws IOException {
        Path two = Files.writeString(
                directory.resolve("two.yaml"),
                Files.readString(file("two", "10m"))
                                .replace("image: any", "image: any, resources: {requests: {cpu: 1000}}")
                        + "  - {name: later, replicas: 2, dependsOn: {name: [only]}, template: {spec: {restartPolicy: Never,"
                        + " containers: [{name: main, image: any}]}}}\n");
        lava("job", "run", "-f", two.toString());
        assertThat(lines(lava("job", "get", "two"))).contains("Task later waits for only (0 of 1 ready)");
        await().atMost(ofMinutes(5))
                .untilAsserted(() -> assertThat(lines(lava("explain", "job/two")))
                        .contains("Task later waits for only (0 of 1 ready)"));
        assertThat(lines(lava("explain", "job.batch.volcano.sh/two")))
                .contains("Task later waits for only (0 of 1 ready)");
    }

    @Test
    void whatKeepsAJobFromBeingMadeIsExplained() throws IOException {
        Path claimless = Files.writeString(
                directory.resolve("claimless.yaml"),
                Files.readString(file("claimless", "10m"))
                        .replace(
                                "minAvailable: 1",
                                "minAvailable: 1\n  volumes: [{mountPath: /d, volumeClaimName: nope}]"));
        lava("job", "run", "-f", claimless.toString());
        await().atMost(ofMinutes(5))
                .untilAsserted(() -> assertThat(lines(lava("explain", "job/claimless")))
                        .contains("● Job default/claimless is Pending and has no PodGroup.")
                        .anyMatch(line ->
                                line.startsWith("all PVCError Failed to create PVC, err: pvc nope is not found")));
    }

    @Test
    void aJobThatFailedSaysHowItsPodsEnded() throws IOException {
        lava(
                "job",
                "run",
                "-f",
                file("broken", "1s, sim.lavaflow.io/exit-code: '3'").toString());
        assertThat(lava("job", "wait", "broken").code()).isEqualTo(Lava.FAILED);
        assertThat(lines(lava("job", "get", "broken")))
                .contains("POD STATUS NODE RESTARTS WHY")
                .anyMatch(line -> line.startsWith("only-0 Error sim-") && line.endsWith(" 0 exit code 3"));
    }

    @Test
    void mistakesSayWhatToDo() {
        assertThat(lava("job", "run").code()).isEqualTo(Lava.USAGE);
        assertThat(lava("job", "run", "-f", "/nowhere/job.yaml").code()).isEqualTo(Lava.USAGE);
        assertThat(lava("job", "run", "x", "-R", "cpu").code()).isEqualTo(Lava.USAGE);
        assertThat(lava("job", "run", "x", "--replicas", "2", "--min", "3").code())
                .isEqualTo(Lava.USAGE);
        assertThat(lava("job", "ls", "--phase", "Sleeping"))
                .isEqualTo(new Said(
                        Lava.DONE, "There are no such jobs in namespace default. See all with: lava job ls -A\n"));
        assertThat(lava("job", "get", "nothing").code()).isEqualTo(Lava.FAILED);
        assertThat(lava("job", "wait", "nothing").code()).isEqualTo(Lava.FAILED);
        assertThat(lava("job", "wait", "nothing", "--for", "Runing").code()).isEqualTo(Lava.USAGE);
        assertThat(lava("job", "wait", "nothing", "--timeout", "soon").code()).isEqualTo(Lava.USAGE);
        assertThat(lava("logs", "job/nothing", "--tail", "-3").code()).isEqualTo(Lava.USAGE);
        assertThat(lava("logs", "job/nothing").code()).isEqualTo(Lava.FAILED);
        assertThat(lava("logs", "nothing/nothing").code()).isEqualTo(Lava.FAILED);
        assertThat(lava("watch", "job/nothing").code()).isEqualTo(Lava.FAILED);
        assertThat(lava("job", "ls", "-o", "xml").code()).isEqualTo(Lava.USAGE);
    }

    @Test
    void waitingEndsInTimeWithItsOwnCode() throws IOException {
        lava("job", "run", "-f", file("long", "10m").toString());
        assertThat(lava("job", "wait", "long", "--timeout", "1s").code()).isEqualTo(Lava.TIMED_OUT);
        lava("job", "delete", "long");
    }

    @Test
    void volcanosProgramsAreReachedByTheirNames() {
        assertThat(lava("vqueues").text()).startsWith("Name                     Weight  State");
        assertThat(lava("vcctl", "job", "list", "-n", "kube-system").text()).isEqualTo("No resources found\n");
    }
}
