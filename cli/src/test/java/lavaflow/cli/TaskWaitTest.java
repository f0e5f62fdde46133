package lavaflow.cli;

import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class TaskWaitTest {
    private static final Instant NOW = Instant.parse("2030-01-02T03:06:19Z");

    private static ObjectNode parse(String json) {
        return (ObjectNode) Json.parse(json.replace('\'', '"'));
    }

    private static ObjectNode job(String phase, String iteration) {
        return parse("""
                {'metadata':{'name':'j'},'status':{'state':{'phase':'%s'}},'spec':{'tasks':[
                {'name':'data','replicas':2,'minAvailable':2},{'name':'ps','replicas':3,'minAvailable':1},
                {'name':'train','replicas':4,'minAvailable':4,'dependsOn':{'name':['data','ps']%s}}]}}""".formatted(phase, iteration));
    }

    private static GangPod pod(String task, int index, String phase, boolean ready) {
        return GangPod.of(
                parse("{'metadata':{'name':'j-%1$s-%2$d','labels':{'volcano.sh/task-spec':'%1$s'}},"
                                .formatted(task, index)
                        + "'spec':{'containers':[{'name':'c'}]},'status':{'phase':'" + phase + "',"
                        + "'containerStatuses':[{'name':'c','state':{'running':{}},'ready':" + ready + "}]}}"),
                "j",
                NOW);
    }

    private static List<String> told(ObjectNode job, GangPod... pods) {
        return TaskWait.of(job, List.of(pods)).stream().map(TaskWait::toString).toList();
    }

    @Test
    void aTaskSaysHowManyPodsOfOthersItWaitsFor() {
        assertThat(told(job("Pending", ""), pod("data", 0, "Succeeded", false), pod("data", 1, "Running", false)))
                .containsExactly("train waits for data (1 of 2 ready) and ps (0 of 1 ready)");
    }

    @Test
    void whatIsAsItShouldBeIsNotWaitedFor() {
        GangPod[] ready = {pod("data", 0, "Running", true), pod("ps", 0, "Running", true)};
        assertThat(told(job("Running", ""), ready)).containsExactly("train waits for data (1 of 2 ready)");
        assertThat(told(job("Running", ",'iteration':'any'"), ready)).isEmpty();
        assertThat(told(job("Running", ",'iteration':'any'")))
                .containsExactly("train waits for data (0 of 2 ready) or ps (0 of 1 ready)");
    }

    @Test
    void whoHasItsPodsWaitsForNobody() {
        GangPod[] made = Stream.of(0, 1, 2, 3)
                .map(index -> pod("train", index, "Pending", false))
                .toArray(GangPod[]::new);
        assertThat(told(job("Running", ""), made)).isEmpty();
    }

    @Test
    void nobodyWaitsInAJobThatEnds() {
        assertThat(told(job("Failed", ""))).isEmpty();
        assertThat(told(job("Aborting", ""))).isEmpty();
    }
}
