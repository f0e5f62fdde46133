package lavaflow.jobs;

import java.util.ArrayList;
import java.util.List;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

import static lavaflow.jobs.TestingManifests.yaml;
import static org.assertj.core.api.Assertions.assertThat;

/** Every reason for which a new Job is refused, in the words of Volcano's webhook. */
class JobRulesTest {
    private static final String POD =
            "template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c, image: busybox}]}}";
    private static final String TASK = "tasks: [{name: t, replicas: 1, " + POD + "}]";
    private static final String VALID =
            " valid events are [* PodFailed PodEvicted PodPending Unknown TaskCompleted TaskFailed JobUpdated], valid"
                    + " actions are [AbortJob RestartJob RestartTask RestartPod RestartPartition TerminateJob CompleteJob"
                    + " ResumeJob];";

    private final List<ObjectNode> queues =
            new ArrayList<>(List.of(queue("default", "root", "Open"), queue("root", "", "Open")));

    private static ObjectNode queue(String name, String parent, String state) {
        return yaml(
                "{metadata: {name: " + name + "}, spec: {parent: '" + parent + "'}, status: {state: '" + state + "'}}");
    }

    private String refusal(String spec) {
        return JobRules.refusal(TestingManifests.job(spec).object(), queues);
    }

    private static String task(String more) {
        return "tasks: [{name: t, replicas: 4, " + POD + ", " + more + "}]";
    }

    @Test
    void acceptsAJobThatSaysLittle() {
        assertThat(refusal(TASK)).isEmpty();
    }

    @Test
    void wantsATask() {
        assertThat(refusal("{}")).isEqualTo("No task specified in job spec");
    }

    @ParameterizedTest
    @CsvSource({"a,b,master", "master,b,worker"})
    void wantsTheTasksOfMpi(String first, String second, String missing) {
        String spec = "{plugins: {mpi: []}, tasks: [{name: " + first + ", " + POD + "}, {name: " + second + ", " + POD
                + "}]}";
        assertThat(refusal(spec)).isEqualTo("The specified mpi " + missing + " task was not found");
    }

    @Test
    void knowsTheTasksOfMpiByTheirNames() {
        assertThat(refusal("{plugins: {mpi: [--master=a, --worker=b]}, tasks: [{name: a, " + POD + "}, {name: b, " + POD
                        + "}]}"))
                .isEmpty();
    }

    @Test
    void wantsOneTierInOneWord() {
        String both = "{highestTierAllowed: 1, highestTierName: x}";
        String words = "must not specify 'highestTierAllowed' and 'highestTierName' in networkTopology simultaneously";
        assertThat(refusal("networkTopology: " + both + "\n" + TASK)).isEqualTo(words);
        assertThat(refusal(
                        task("partitionPolicy: {totalPartitions: 2, partitionSize: 2, networkTopology: " + both + "}")))
                .isEqualTo(words);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "minAvailable: 5|'minAvailable' is greater than 'replicas' in task: t, job: train;",
                "partitionPolicy: {totalPartitions: 0, partitionSize: 2}|'TotalPartitions' must be greater than 0 in task: t, job: train",
                "partitionPolicy: {totalPartitions: 2, partitionSize: 0}|'PartitionSize' must be greater than 0 in task: t, job: train",
                "partitionPolicy: {totalPartitions: 2, partitionSize: 3}|'Replicas' are not equal to TotalPartitions*PartitionSize in task: t, job: train",
                "partitionPolicy: {totalPartitions: 2, partitionSize: 2, minPartitions: 1}, minAvailable: 3|'MinAvailable' is not equal to MinPartitions*PartitionSize in task: t, job: train",
                "partitionPolicy: {totalPartitions: 2, partitionSize: 2}, minAvailable: 4|~~"
            })
    void countsThePodsOfATask(String more, String expected) {
        assertThat(refusal(task(more))).isEqualTo(expected);
    }

    @Test
    void wantsANameForEachTask() {
        String two = "tasks: [{name: t, " + POD + "}, {name: t, " + POD + "}, {name: t, minAvailable: 9, " + POD + "}]";
        assertThat(refusal(two)).isEqualTo("duplicated task name t;");
    }

    static List<List<String>> policies() {
        String field = "PLACE: Invalid value: ";
        return List.of(
                List.of(
                        "{action: AbortJob, event: PodFailed, exitCode: 1}",
                        "must not specify event and exitCode simultaneously"),
                List.of("{action: AbortJob}", "either event and exitCode should be specified"),
                List.of("{action: AbortJob, event: PodRunning}", field + "\"PodRunning\": invalid policy event"),
                List.of("{action: AbortJob, event: fake}", field + "\"fake\": invalid policy event"),
                List.of("{action: SyncJob, event: PodFailed}", field + "\"SyncJob\": invalid policy action"),
                List.of("{action: fake, event: PodFailed}", field + "\"fake\": invalid policy action"),
                List.of(
                        "{event: PodFailed, action: AbortJob}, {events: [PodEvicted, PodFailed], action: AbortJob}",
                        "duplicate event PodFailed  across different policy"),
                List.of("{action: AbortJob, exitCode: 0}", "0 is not a valid error code"),
                List.of("{action: AbortJob, exitCode: 2}, {action: AbortJob, exitCode: 2}", "duplicate exitCode 2"),
                List.of(
                        "{action: AbortJob, event: '*'}, {action: AbortJob, event: PodFailed}",
                        "if there's * here, no other policy should be here"));
    }

    @ParameterizedTest
    @MethodSource("policies")
    void wantsPoliciesThatMakeSense(List<String> row) {
        String start = "1 error occurred:\n\t* ";
        assertThat(refusal("policies: [" + row.get(0) + "]\n" + TASK))
                .isEqualTo(start + row.get(1).replace("PLACE", "spec.policies") + "\n\n" + VALID);
        assertThat(refusal(task("policies: [" + row.get(0) + "]")))
                .isEqualTo(start + row.get(1).replace("PLACE", "spec.tasks.policies") + "\n\n" + VALID);
    }

    @Test
    void saysMoreThanOneThingOfPolicies() {
        assertThat(refusal(
                        "policies: [{event: '*', action: AbortJob}, {event: PodFailed, action: AbortJob}, {action: AbortJob}]\n"
                                + TASK))
                .isEqualTo("2 errors occurred:\n\t* either event and exitCode should be specified"
                        + "\n\t* if there's * here, no other policy should be here\n\n" + VALID);
    }

    @ParameterizedTest
    @CsvSource({
        "'{event: PodFailed, action: RestartJob}, {event: TaskCompleted, action: CompleteJob}, {exitCode: 3, action: AbortJob}'",
        "'{events: [PodFailed, PodFailed], event: PodFailed, action: RestartTask}'",
        "'{event: PodPending, action: RestartPod, timeout: 1h}, {exitCode: 1}'"
    })
    void acceptsPoliciesThatMakeSense(String policies) {
        assertThat(refusal("policies: [" + policies + "]\n" + TASK)).isEmpty();
    }

    @Test
    void wantsNamesThatPodsCanHave() {
        String name = "a".repeat(58);
        ObjectNode job =
                TestingManifests.job("tasks: [{name: task, " + POD + "}]").object();
        ((ObjectNode) job.get("metadata")).put("name", name);
        assertThat(JobRules.refusal(job, queues))
                .isEqualTo("create pod with name " + name
                        + "-task-0 validate failed [name part must be no more than 63 bytes];");
        ((ObjectNode) job.get("metadata")).put("name", "a".repeat(64));
        assertThat(JobRules.refusal(job, queues))
                .endsWith("create job with name " + "a".repeat(64)
                        + " validate failed [name part must be no more than 63 bytes]");
    }

    @Test
    void judgesTemplatesAsKubernetesDoes() {
        assertThat(refusal("tasks: [{name: t, template: {spec: {containers: [{name: c}]}}}]"))
                .isEqualTo("spec.task[0].template.spec.containers[0].image: Required value.");
        assertThat(refusal("tasks: [{name: t, " + POD + "}, {name: u, template: {spec: {}}}]"))
                .isEqualTo("spec.task[1].template.spec.containers: Required value.");
        assertThat(
                        refusal(
                                "tasks: [{name: t, template: {spec: {restartPolicy: Sometimes, containers: [{name: c, image: i}, {name: c, image: i}]}}}]"))
                .contains("spec.task[0].template.spec.containers[1].name: Duplicate value: \"c\". ")
                .contains("template.spec.restartPolicy: Unsupported value: \"Sometimes\"");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{requests: {cpu: 1500m}, limits: {cpu: 1500m}}|the cpu request isn't  an integer in spec.task[0] container[0].",
                "{}|the cpu request isn't  an integer in spec.task[0] container[0].",
                "{limits: {cpu: '2'}}|''",
                "{requests: {cpu: 2}}|''"
            })
    void wantsWholeProcessorsForNumaPolicies(String resources, String expected) {
        String pod = "template: {spec: {containers: [{name: c, image: i, resources: " + resources + "}]}}";
        for (String policy : List.of("best-effort", "restricted", "single-numa-node")) {
            assertThat(refusal("tasks: [{name: t, topologyPolicy: " + policy + ", " + pod + "}]"))
                    .isEqualTo(expected);
        }
        assertThat(refusal("tasks: [{name: t, topologyPolicy: none, " + pod + "}]"))
                .isEmpty();
    }

    @Test
    void wantsEnoughPodsForAllOfIt() {
        assertThat(refusal("minAvailable: 2\n" + TASK))
                .isEqualTo("job 'minAvailable' should not be greater than total replicas in tasks;");
    }

    @Test
    void wantsPluginsThatExist() {
        assertThat(refusal("plugins: {big: [], env: [], odd: []}\n" + TASK))
                .isEqualTo("unable to find job plugin: big; unable to find job plugin: odd;");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{volumeClaimName: c}|mountPath is required;",
                "{mountPath: /a, volumeClaimName: c}, {mountPath: /a, volumeClaimName: d}|duplicated mountPath: /a;",
                "{mountPath: /a}|either VolumeClaim or VolumeClaimName must be specified;",
                "{mountPath: /a, volumeClaimName: c, volumeClaim: {}}|conflict: If you want to use an existing PVC, just specify VolumeClaimName.If you want to create a new PVC, you do not need to specify VolumeClaimName",
                "{mountPath: /a, volumeClaim: {accessModes: [ReadWriteOnce]}}|''",
                "{mountPath: /a}, {mountPath: /b, volumeClaimName: c}|''",
                "{mountPath: /a, volumeClaimName: c, volumeClaim: {accessModes: [ReadWriteOnce]}}|''"
            })
    void wantsVolumesThatMakeSense(String volumes, String expected) {
        assertThat(refusal("volumes: [" + volumes + "]\n" + TASK)).isEqualTo(expected);
    }

    @Test
    void wantsNamesThatClaimsCanHave() {
        assertThat(refusal("volumes: [{mountPath: /a, volumeClaimName: A_}]\n" + TASK))
                .startsWith("invalid VolumeClaimName A_ : [a lowercase RFC 1123 subdomain must consist of");
    }

    @Test
    void wantsAnOpenQueueWithNoneBelow() {
        assertThat(refusal("queue: none\n" + TASK))
                .isEqualTo("unable to find job queue: queue.scheduling.volcano.sh \"none\" not found;");
        assertThat(refusal("queue: root\n" + TASK)).isEqualTo("can not submit job to root queue;");
        queues.add(queue("shut", "root", "Closed"));
        queues.add(queue("ending", "root", "Closing"));
        queues.add(queue("new", "root", ""));
        assertThat(refusal("queue: shut\n" + TASK))
                .isEqualTo("can only submit job to queue with state `Open`, queue `shut` status is `Closed`;");
        assertThat(refusal("queue: ending\n" + TASK))
                .isEqualTo("can only submit job to queue with state `Open`, queue `ending` status is `Closing`;");
        assertThat(refusal("queue: new\n" + TASK)).as("it will be open").isEmpty();
        queues.add(queue("child", "default", "Open"));
        assertThat(refusal(TASK)).isEqualTo("can only submit job to leaf queue, queue `default` has 1 child queues;");
    }

    @ParameterizedTest
    @CsvSource({"'[b]','[a]',false", "'[]','[a]',true", "'[a]','[]',false", "'[none]','[]',false", "'[]','[a, a]',true"
    })
    void wantsTasksThatCanBegin(String first, String second, boolean fine) {
        String spec = "tasks: [{name: a, dependsOn: {name: " + first + "}, " + POD + "}, {name: b, dependsOn: {name: "
                + second + "}, " + POD + "}]";
        assertThat(refusal(spec))
                .isEqualTo(
                        fine
                                ? ""
                                : "job has dependencies between tasks, but doesn't form a directed acyclic graph(DAG);");
    }

    @Test
    void saysEverythingAtOnce() {
        assertThat(refusal("{queue: none, minAvailable: 9, plugins: {x: []}, " + TASK + "}"))
                .isEqualTo("job 'minAvailable' should not be greater than total replicas in tasks; unable to find job"
                        + " plugin: x; unable to find job queue: queue.scheduling.volcano.sh \"none\" not found;");
    }

    @Test
    void lengthsOfTimeThatAreNoneCannotBeRead() {
        assertThat(JobRules.unreadable(
                        TestingManifests.job("policies: [{event: PodFailed, action: AbortJob, timeout: 5 min}]")
                                .object()))
                .isEqualTo("time: unknown unit \" min\" in duration \"5 min\"");
        assertThat(JobRules.unreadable(
                        TestingManifests.job("runningEstimate: soon").object()))
                .isEqualTo("time: invalid duration \"soon\"");
        assertThat(JobRules.unreadable(TestingManifests.job(
                                "tasks: [{policies: [{event: PodPending, action: AbortJob, timeout: 1h5m}]}]")
                        .object()))
                .isEmpty();
    }
}
