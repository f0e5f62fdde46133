package lavaflow.jobs;

import java.time.Duration;

import lavaflow.batch.Batch;
import lavaflow.kube.Json;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/** A controller that ends at any of its writes, heard by the server or not, is gone on from by the next one. */
class CrashesTest {
    private static final int MORE_WRITES_THAN_THERE_ARE = 200;
    private static final String JOB = """
            minAvailable: 3
            queue: default
            maxRetry: 5
            schedulerName: volcano
            plugins: {svc: [], ssh: []}
            volumes: [{mountPath: /d, volumeClaim: {accessModes: [ReadWriteOnce]}}]
            policies: [{event: PodFailed, action: ACTION}]
            tasks:
            - name: w
              replicas: 3
              minAvailable: 3
              template: {spec: {containers: [{name: main, image: i}]}}
            """;

    /** Lives a whole life; true if the controller crashed in it. */
    private static boolean live(TestingJobs jobs, String action) {
        jobs.submit(JOB.replace("ACTION", action));
        jobs.admit();
        jobs.pods("Running", "j-w-0", "j-w-1", "j-w-2");
        jobs.fail("j-w-1", 1);
        jobs.reap();
        if (action.equals("RestartJob")) {
            jobs.admit();
            jobs.pods("Running", "j-w-0", "j-w-1", "j-w-2");
        } else {
            jobs.pods("Running", "j-w-1");
        }
        assertThat(jobs.phase()).isEqualTo("Running");
        assertThat(jobs.number("retryCount")).isEqualTo(1);
        jobs.pods("Succeeded", "j-w-0");
        jobs.command("AbortJob");
        jobs.reap();
        assertThat(jobs.phase()).isEqualTo("Aborted");
        assertThat(jobs.pods()).containsExactly("j-w-0");
        jobs.command("ResumeJob");
        jobs.admit();
        jobs.pods("Running", "j-w-1", "j-w-2");
        jobs.pods("Succeeded", "j-w-1", "j-w-2");
        jobs.pass(Duration.ofMinutes(1));
        return jobs.hasCrashed();
    }

    @ParameterizedTest
    @ValueSource(strings = {"RestartJob", "RestartPod"})
    void aLifeEndsAlikeWhereverItWasInterrupted(String action) {
        for (boolean heard : new boolean[] {false, true}) {
            int write = 1;
            TestingJobs jobs = new TestingJobs(write, heard);
            while (live(jobs, action)) {
                String where = action + ", write " + write + (heard ? ", heard" : ", not heard");
                assertThat(jobs.phase()).as(where).isEqualTo("Completed");
                assertThat(jobs.number("retryCount")).as(where).isEqualTo(2);
                assertThat(jobs.number("succeeded")).as(where).isEqualTo(3);
                assertThat(jobs.conditions())
                        .as(where)
                        .endsWith("Aborting", "Aborted", "Restarting", "Pending", "Running", "Completed");
                assertThat(jobs.pods()).as(where).containsExactly("j-w-0", "j-w-1", "j-w-2");
                assertThat(jobs.names(Volcano.CLAIMS)).as(where).hasSize(1);
                assertThat(jobs.groups()).as(where).isEmpty();
                assertThat(jobs.names(Volcano.SERVICES)).as(where).isEmpty();
                assertThat(jobs.names(Volcano.CONFIG_MAPS)).as(where).isEmpty();
                assertThat(jobs.names(Volcano.SECRETS)).as(where).isEmpty();
                assertThat(jobs.names(Volcano.NETWORK_POLICIES)).as(where).isEmpty();
                assertThat(jobs.names(Batch.COMMANDS)).as(where).isEmpty();
                assertThat(Json.textAt(jobs.status(), "runningDuration"))
                        .as(where)
                        .isNotEmpty();
                jobs = new TestingJobs(++write, heard);
                assertThat(write).isLessThan(MORE_WRITES_THAN_THERE_ARE);
            }
            assertThat(write).as("writes of a life").isGreaterThan(30);
        }
    }

    /** True if the controller crashed while a Job was stopped and resumed; it was stopped before the next one looked. */
    private static boolean stopMeanwhile(TestingJobs jobs) {
        jobs.meanwhile(() -> jobs.give("AbortJob"));
        jobs.submit(JOB.replace("ACTION", "RestartJob"));
        jobs.command("AbortJob");
        jobs.command("ResumeJob");
        jobs.command("AbortJob");
        return jobs.hasCrashed();
    }

    @Test
    void aJobThatIsStoppedWhileItsControllerIsAwayLeavesNothingOfItsPlugins() {
        for (boolean heard : new boolean[] {false, true}) {
            int write = 1;
            TestingJobs jobs = new TestingJobs(write, heard);
            while (stopMeanwhile(jobs)) {
                String where = "write " + write + (heard ? ", heard" : ", not heard");
                assertThat(jobs.phase()).as(where).isEqualTo("Aborted");
                assertThat(jobs.groups()).as(where).isEmpty();
                assertThat(jobs.names(Volcano.SERVICES)).as(where).isEmpty();
                assertThat(jobs.names(Volcano.CONFIG_MAPS)).as(where).isEmpty();
                assertThat(jobs.names(Volcano.SECRETS)).as(where).isEmpty();
                assertThat(jobs.names(Volcano.NETWORK_POLICIES)).as(where).isEmpty();
                jobs = new TestingJobs(++write, heard);
                assertThat(write).isLessThan(MORE_WRITES_THAN_THERE_ARE);
            }
            assertThat(write).as("writes").isGreaterThan(20);
        }
    }
}
