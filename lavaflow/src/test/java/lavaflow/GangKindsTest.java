package lavaflow;

import java.nio.file.Path;
import java.util.List;

import lavaflow.controller.KubeApi;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** The kinds of gangs are there without anybody installing them, and belong to the user from then on. */
@Timeout(600)
class GangKindsTest {
    private static final KubeApi.Kind DEFINITIONS =
            new KubeApi.Kind("apiextensions.k8s.io", "v1", "customresourcedefinitions", false);
    private static final KubeApi.Kind QUEUES = new KubeApi.Kind("scheduling.volcano.sh", "v1beta1", "queues", false);
    private static final KubeApi.Kind GROUPS = new KubeApi.Kind("scheduling.volcano.sh", "v1beta1", "podgroups", true);
    private static final List<String> NAMES = List.of(
            "colocationconfigurations.config.volcano.sh",
            "commands.bus.volcano.sh",
            "cronjobs.batch.volcano.sh",
            "hypernodes.topology.volcano.sh",
            "jobflows.flow.volcano.sh",
            "jobs.batch.volcano.sh",
            "jobtemplates.flow.volcano.sh",
            "nodeshards.shard.volcano.sh",
            "numatopologies.nodeinfo.volcano.sh",
            "podgroups.scheduling.incubator.k8s.io",
            "podgroups.scheduling.volcano.sh",
            "podgroups.scheduling.x-k8s.io",
            "queues.scheduling.incubator.k8s.io",
            "queues.scheduling.volcano.sh");

    private static boolean is(ObjectNode definition, String type) {
        for (JsonNode condition : Json.listAt(definition, "status", "conditions")) {
            if (Json.textAt(condition, "type").equals(type)) {
                return Json.textAt(condition, "status").equals("True");
            }
        }
        return false;
    }

    private static void awaitKinds(TestingAllInOne testing) throws InterruptedException {
        for (String name : NAMES) {
            testing.await(
                    DEFINITIONS,
                    "",
                    name,
                    found -> found.isPresent() && is(found.get(), "Established") && is(found.get(), "NamesAccepted"));
        }
        testing.awaitThere(QUEUES, "", "default");
    }

    @Test
    void kindsAndQueuesAreThereAndStayAsTheUserWantsThem(@TempDir Path directory) throws Exception {
        try (TestingAllInOne testing = new TestingAllInOne(directory.resolve("data"))) {
            awaitKinds(testing);
            assertThat(NAMES).allSatisfy(name -> {
                ObjectNode definition = testing.api.find(DEFINITIONS, "", name).orElseThrow();
                assertThat(is(definition, "NonStructuralSchema")).as(name).isFalse();
            });
            assertThat(NAMES.stream()
                            .map(name -> testing.api.find(DEFINITIONS, "", name).orElseThrow())
                            .flatMap(definition -> Json.listAt(definition, "spec", "names", "shortNames")
                                    .valueStream())
                            .map(JsonNode::asText))
                    .as("kubectl warns of a short name that means two kinds")
                    .contains("pg", "pgs", "vcjob")
                    .doesNotHaveDuplicates();
            ObjectNode root = testing.api.find(QUEUES, "", "root").orElseThrow();
            assertThat(Json.at(root, "spec"))
                    .isEqualTo(Json.parse("{\"dequeueStrategy\":\"traverse\",\"reclaimable\":false,\"weight\":1}"));

            ObjectNode weight = Json.object();
            weight.putObject("spec").put("weight", 7);
            testing.api.patch(QUEUES, "", "default", "", KubeApi.Merge.PLAIN, weight);
            testing.api.delete(DEFINITIONS, "", "commands.bus.volcano.sh", KubeApi.Deletion.PLAIN);
            testing.awaitGone(DEFINITIONS, "", "commands.bus.volcano.sh");
            testing.restart();

            awaitKinds(testing);
            ObjectNode kept = testing.api.find(QUEUES, "", "default").orElseThrow();
            assertThat(Json.longAt(kept, 0, "spec", "weight")).isEqualTo(7);
        }
    }

    @Test
    void aPodGroupGetsItsDefaultsAndTellsItsStatusInItself(@TempDir Path directory) throws Exception {
        try (TestingAllInOne testing = new TestingAllInOne(directory.resolve("data"))) {
            awaitKinds(testing);
            ObjectNode made = testing.api.create(GROUPS, "default", (ObjectNode) Json.parse("""
                    {"apiVersion":"scheduling.volcano.sh/v1beta1","kind":"PodGroup","metadata":{"name":"a"},
                     "spec":{"minMember":2,"networkTopology":{}},"status":{"phase":"Inqueue"}}"""));

            assertThat(Json.textAt(made, "spec", "queue")).isEqualTo("default");
            assertThat(Json.textAt(made, "spec", "networkTopology", "mode")).isEqualTo("hard");
            assertThat(Json.textAt(made, "status", "phase"))
                    .as("there is no subresource that would keep it out")
                    .isEqualTo("Inqueue");
        }
    }
}
