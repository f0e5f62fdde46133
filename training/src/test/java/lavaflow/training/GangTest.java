package lavaflow.training;

import java.time.Duration;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class GangTest {
    private final TestingCluster cluster = TestingCluster.whole(Gang.VOLCANO);
    private final ObjectNode job = TestingJobs.job("TFJob", "PS=2", "Worker=4");

    private ObjectNode group() {
        return cluster.api.get(Gang.VOLCANO_GROUPS, "team", "digits");
    }

    @Test
    void namesOfSchedulers() {
        assertThat(Gang.named("")).isEqualTo(Gang.NONE);
        assertThat(Gang.named("None")).isEqualTo(Gang.NONE);
        assertThat(Gang.named("Volcano")).isEqualTo(Gang.VOLCANO);
        assertThat(Gang.named("kube-batch")).isEqualTo(new Gang(Gang.Sort.VOLCANO, "kube-batch"));
        assertThat(Gang.named("my-scheduler")).isEqualTo(new Gang(Gang.Sort.PLUGINS, "my-scheduler"));
    }

    @Test
    void podsWaitForTheirGroup() {
        cluster.submit(job);
        assertThat(Json.longAt(group(), 0, "spec", "minMember")).isEqualTo(6);
        assertThat(Json.textAt(group(), "spec", "queue")).isEqualTo("default");
        assertThat(group().path("spec").path("minResources")).hasToString("{}");
        assertThat(cluster.pods()).isEmpty();
        assertThat(cluster.names(Training.SERVICES)).isEmpty();
        assertThat(cluster.conditions(job)).isEqualTo("Created");
        assertThat(cluster.status(job).has("startTime")).isFalse();
        cluster.groupPhase("digits", "Pending");
        assertThat(cluster.pods()).isEmpty();
        cluster.groupPhase("digits", "Inqueue");
        assertThat(cluster.pods()).hasSize(6);
        assertThat(cluster.status(job).has("startTime")).isTrue();
    }

    private void waits(String why) {
        cluster.api.edit(Gang.VOLCANO_GROUPS, "team", "digits", group -> {
            Json.ensureObject(group, "status")
                    .put("phase", "Pending")
                    .putArray("conditions")
                    .addObject()
                    .put("type", "Unschedulable")
                    .put("status", "True")
                    .put("message", why);
            return group;
        });
        cluster.settle();
    }

    @Test
    void whyTheGangWaitsIsSaidInTheCondition() {
        cluster.submit(job);
        waits("overused cpu");
        assertThat(cluster.message(job))
                .isEqualTo("TFJobCreated: TFJob digits is created. Its gang waits: overused cpu."
                        + " What would free it says: lava explain tfjob/digits");
        waits("overused memory");
        assertThat(cluster.message(job)).as("not with every look").contains("overused cpu");
        cluster.pass(Duration.ofSeconds(10));
        cluster.settle();
        assertThat(cluster.message(job)).contains("overused memory");
        cluster.groupPhase("digits", "Running");
        assertThat(cluster.message(job)).isEqualTo("TFJobCreated: TFJob digits is created.");
    }

    @Test
    void aGroupThatFallsBackDoesNotHideWhatBecomesOfTheJob() {
        cluster.submit(job);
        cluster.groupPhase("digits", "Running");
        cluster.all("digits", "Running");
        cluster.groupPhase("digits", "Pending");
        cluster.exit("digits-worker-0", 0);
        assertThat(cluster.conditions(job)).endsWith("Succeeded");
    }

    @Test
    void theGroupGoesWithTheEnd() {
        cluster.submit(job);
        cluster.groupPhase("digits", "Inqueue");
        cluster.exit("digits-worker-0", 0);
        assertThat(cluster.names(Gang.VOLCANO_GROUPS)).isEmpty();
        assertThat(cluster.events()).contains("SuccessfulDeletePodGroup: Deleted PodGroup: digits");
    }

    @Test
    void theGroupFollowsTheJobAndKeepsWhatOthersAdded() {
        cluster.submit(job);
        cluster.api.edit(Gang.VOLCANO_GROUPS, "team", "digits", group -> {
            Json.ensureObject(group, "spec").put("queue", "elsewhere").put("networkTopology", "x");
            return group;
        });
        cluster.api.takeWrites();
        cluster.change(job, found -> TestingJobs.replica(found, "Worker").put("replicas", 2));
        assertThat(Json.longAt(group(), 0, "spec", "minMember")).isEqualTo(4);
        assertThat(Json.textAt(group(), "spec", "queue")).isEqualTo("elsewhere");
        assertThat(group().path("spec").has("networkTopology")).isTrue();
        assertThat(cluster.api.takeWrites())
                .filteredOn(write -> write.contains("podgroups"))
                .hasSize(1);
        cluster.change(
                job,
                found -> Json.ensureObject(TestingJobs.policy(found), "schedulingPolicy")
                        .put("minAvailable", 3));
        assertThat(Json.longAt(group(), 0, "spec", "minMember")).isEqualTo(3);
    }

    @Test
    void aUsersGroupIsRespected() {
        ObjectNode own = Json.object();
        own.putObject("metadata").put("name", "digits");
        own.putObject("spec").put("minMember", 2);
        cluster.api.create(Gang.VOLCANO_GROUPS, "team", own);
        cluster.submit(job);
        assertThat(cluster.pods()).isEmpty();
        assertThat(Json.longAt(group(), 0, "spec", "minMember")).isEqualTo(2);
        cluster.groupPhase("digits", "Inqueue");
        assertThat(cluster.pods()).hasSize(6);
        cluster.exit("digits-worker-0", 0);
        assertThat(cluster.names(Gang.VOLCANO_GROUPS)).containsExactly("digits");
    }

    @Test
    void podsOfAnotherSchedulerAreNoGangOfOurs() {
        for (String type : new String[] {"PS", "Worker"}) {
            ObjectNode template = Json.ensureObject(TestingJobs.replica(job, type), "template");
            Json.ensureObject(template, "metadata", "annotations").put(Gang.GROUP_NAME, "tfjob-group");
            Json.ensureObject(template, "spec").put("schedulerName", "kube-batch");
        }
        cluster.submit(job);
        assertThat(cluster.names(Gang.VOLCANO_GROUPS)).isEmpty();
        assertThat(cluster.pods()).hasSize(6);
        ObjectNode pod = cluster.api.get(Training.PODS, "team", "digits-ps-0");
        assertThat(Json.textAt(pod, "metadata", "annotations", Gang.GROUP_NAME)).isEqualTo("tfjob-group");
        assertThat(Json.textAt(pod, "spec", "schedulerName")).isEqualTo("kube-batch");
    }

    @Test
    void aSchedulerForTheWholeJobIsThatOfItsPods() {
        Json.ensureObject(job, "spec").put("schedulerName", "volcano");
        cluster.submit(job);
        cluster.groupPhase("digits", "Inqueue");
        ObjectNode pod = cluster.api.get(Training.PODS, "team", "digits-ps-0");
        assertThat(Json.textAt(pod, "spec", "schedulerName")).isEqualTo("volcano");
        TestingCluster plain = TestingCluster.whole(Gang.NONE);
        plain.submit(job);
        assertThat(Json.textAt(plain.api.get(Training.PODS, "team", "digits-ps-0"), "spec", "schedulerName"))
                .isEqualTo("volcano");
    }

    @Test
    void onePodElsewhereIsToldOf() {
        Json.ensureObject(TestingJobs.replica(job, "PS"), "template", "spec").put("schedulerName", "default-scheduler");
        cluster.submit(job);
        cluster.groupPhase("digits", "Inqueue");
        assertThat(cluster.events())
                .contains("SetPodTemplateSchedulerName: Another scheduler is specified when gang-scheduling is enabled"
                        + " and it will not be overwritten");
    }

    @Test
    void suspensionTakesTheGroup() {
        cluster.submit(job);
        cluster.groupPhase("digits", "Inqueue");
        cluster.change(job, found -> TestingJobs.policy(found).put("suspend", true));
        assertThat(cluster.names(Gang.VOLCANO_GROUPS)).isEmpty();
        assertThat(cluster.pods()).isEmpty();
        cluster.change(job, found -> TestingJobs.policy(found).put("suspend", false));
        assertThat(cluster.names(Gang.VOLCANO_GROUPS)).containsExactly("digits");
        assertThat(cluster.pods()).isEmpty();
    }

    @Test
    void withoutTheKindOfGroupsJobsWaitAndSayWhy() {
        TestingCluster bare = new TestingCluster(Gang.VOLCANO);
        bare.api.serve(TestingCluster.kind(job), "TFJob");
        bare.settle();
        bare.submit(job);
        assertThat(bare.pods()).isEmpty();
        assertThat(bare.events())
                .anyMatch(event -> event.startsWith("FailedCreatePodGroup: Error creating: the server does not serve"));
        bare.api.serve(Gang.VOLCANO_GROUPS, "PodGroup");
        bare.settle();
        assertThat(bare.names(Gang.VOLCANO_GROUPS)).containsExactly("digits");
    }

    @Test
    void aThousandWorkersCostFewWrites() {
        ObjectNode big = TestingJobs.job("PyTorchJob", "Master=1", "Worker=999");
        cluster.api.takeWrites();
        cluster.submit(big);
        cluster.groupPhase("digits", "Inqueue");
        int given = 2; // the job and the phase of its group
        int pods = 1000;
        cluster.all("digits", "Running");
        given += pods;
        cluster.pass(Duration.ofSeconds(1));
        cluster.exit("digits-master-0", 0);
        given++;
        assertThat(cluster.conditions(big)).endsWith("Succeeded");
        assertThat(cluster.api.takeWrites().size() - given).isBetween(2 * pods, 2 * pods + 10);
    }
}
