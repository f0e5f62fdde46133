package lavaflow.jobs;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class JobUpdateRulesTest {
    private static final String FIXED = "job updates may not change fields other than `minAvailable`,"
            + " `tasks[*].replicas under spec` and `PriorityClassName`";
    private static final String POD =
            "template: {spec: {containers: [{name: c, image: i, resources: {limits: {cpu: 1000m}}}]}}";
    private static final String OLD = "{minAvailable: 2, queue: q, tasks: [{name: t, replicas: 2, minAvailable: 2, "
            + POD + "}], volumes: [{mountPath: /a, volumeClaim: {accessModes: [ReadWriteOnce]}}]}";

    private static String refusal(String spec) {
        return JobUpdateRules.refusal(
                TestingManifests.job(spec).object(), TestingManifests.job(OLD).object());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "minAvailable: 2|minAvailable: 2",
                "minAvailable: 2|minAvailable: 1",
                "queue: q|queue: q, priorityClassName: high",
                "replicas: 2|replicas: 5",
                "replicas: 2, minAvailable: 2|replicas: 3",
                "volumeClaim:|volumeClaimName: made-for-it, volumeClaim:",
                "cpu: 1000m|cpu: 1",
                "queue: q|queue: q, policies: [], plugins: {}"
            })
    void letsPodsAndPriorityChangeAndTheControllerNameClaims(String was, String is) {
        assertThat(OLD).contains(was);
        assertThat(refusal(OLD.replaceFirst(was.replace("{", "\\{"), is))).isEmpty();
    }

    @Test
    void aManifestThatIsAppliedAgainLeavesOpenWhatWasFilledIn() {
        ObjectNode stored = TestingManifests.job(OLD).object();
        JobDefaults.completeTasks(stored);
        ObjectNode applied = TestingManifests.job(
                        OLD.replace("minAvailable: 2, template", "template").replace("replicas: 2", "replicas: 3"))
                .object();

        assertThat(JobUpdateRules.refusal(applied, stored)).isEmpty();
        JobDefaults.completeTasks(applied);
        assertThat(JobUpdateRules.refusal(applied, stored)).isEmpty();
        assertThat(Json.listAt(applied, "spec", "tasks")
                        .path(0)
                        .path("minAvailable")
                        .asLong())
                .isEqualTo(3);
        assertThat(Json.listAt(applied, "spec", "tasks")
                        .path(0)
                        .path("maxRetry")
                        .asLong())
                .isEqualTo(3);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "queue: q|queue: r",
                "queue: q|queue: q, maxRetry: 4",
                "queue: q|queue: q, plugins: {env: []}",
                "name: t|name: u",
                "image: i|image: j",
                "cpu: 1000m|cpu: 2",
                "/a|/b",
                "ReadWriteOnce|ReadWriteMany"
            })
    void letsNothingElseChange(String was, String is) {
        assertThat(refusal(OLD.replace(was, is))).isEqualTo(FIXED);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "replicas: 2|replicas: -1|'replicas' must be >= 0 in task: t",
                "replicas: 2, minAvailable: 2|replicas: 2, minAvailable: -1|'minAvailable' must be >= 0 in task: t",
                "replicas: 2, minAvailable: 2|replicas: 2, minAvailable: 3|'minAvailable' must be <= 'replicas' in task: t",
                "{minAvailable: 2|{minAvailable: 3|job 'minAvailable' must not be greater than total replicas",
                "{minAvailable: 2|{minAvailable: -1|job 'minAvailable' must be >= 0",
                "queue: q|queue: q, networkTopology: {highestTierAllowed: 1, highestTierName: x}|must not specify 'highestTierAllowed' and 'highestTierName' in networkTopology simultaneously",
                "replicas: 2|partitionPolicy: {totalPartitions: 2, partitionSize: 2}, replicas: 2|'Replicas' are not equal to TotalPartitions*PartitionSize in task: t, job: train"
            })
    void countsAsForNewJobs(String was, String is, String expected) {
        assertThat(OLD).contains(was);
        assertThat(refusal(OLD.replace(was, is))).isEqualTo(expected);
    }

    @Test
    void letsNoTaskComeOrGo() {
        String two = OLD.replace("tasks: [", "tasks: [{name: u, replicas: 1, " + POD + "}, ");
        assertThat(refusal(two)).isEqualTo("job updates may not add or remove tasks");
    }
}
