package lavaflow.simulation;

import java.io.IOException;
import java.time.Duration;
import java.util.Map;

import lavaflow.controller.KubeApi;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Thousands of objects that lose their owner or their namespace at once cost a few requests each. */
class MassesTest {
    private static final int MANY = 10_000;

    @ParameterizedTest
    @CsvSource({"Background, 0", "Foreground, 0", "Orphan, 10000"})
    void dependentsOfADeletedOwner(String policy, int left) throws IOException {
        try (TestingWorld world = new TestingWorld(1)) {
            ObjectNode owner = world.create(TestingWorld.MAPS, "metadata: {name: owner}");
            ObjectNode dependent = Json.object();
            ObjectNode metadata = dependent.putObject("metadata").put("generateName", "dependent-");
            metadata.putArray("ownerReferences")
                    .addObject()
                    .put("apiVersion", "v1")
                    .put("kind", "ConfigMap")
                    .put("name", "owner")
                    .put("uid", Observer.uid(owner))
                    .put("blockOwnerDeletion", true);
            for (int i = 0; i < MANY; i++) {
                world.api.create(TestingWorld.MAPS, TestingWorld.HOME, dependent.deepCopy());
            }
            world.settle();
            world.api.delete(TestingWorld.MAPS, TestingWorld.HOME, "owner", new KubeApi.Deletion(null, null, policy));
            Map<String, Integer> requests = world.pass(Duration.ofMinutes(1));
            assertThat(world.api.find(TestingWorld.MAPS, TestingWorld.HOME, "owner"))
                    .isEmpty();
            assertThat(world.all(TestingWorld.MAPS).stream()
                            .filter(map -> Json.textAt(map, "metadata", "name").startsWith("dependent-")))
                    .hasSize(left)
                    .allMatch(map ->
                            Json.listAt(map, "metadata", "ownerReferences").isEmpty());
            // To look at it and at its owner, and to delete it.
            assertThat(TestingWorld.sum(requests)).isLessThan(3 * MANY + 100);
            assertThat(TestingWorld.sum(world.pass(Duration.ofMinutes(1)))).isLessThan(10);
        }
    }

    @Test
    void podsOfADeletedNamespace() throws IOException {
        try (TestingWorld world = new TestingWorld(1)) {
            ObjectNode pod = TestingWorld.object(
                    "metadata: {generateName: pod-}\nspec: {schedulerName: nobody, containers: [{name: a, image: b}]}");
            for (int i = 0; i < MANY; i++) {
                world.api.create(Kinds.PODS, TestingWorld.HOME, pod.deepCopy());
            }
            world.settle();
            world.api.delete(Kinds.NAMESPACES, "", TestingWorld.HOME, KubeApi.Deletion.PLAIN);
            Map<String, Integer> requests = world.pass(Duration.ofMinutes(2));
            assertThat(world.api.find(Kinds.NAMESPACES, "", TestingWorld.HOME)).isEmpty();
            assertThat(world.all(Kinds.PODS)).isEmpty();
            assertThat(TestingWorld.sum(requests)).isLessThan(2 * MANY + 200);
        }
    }
}
