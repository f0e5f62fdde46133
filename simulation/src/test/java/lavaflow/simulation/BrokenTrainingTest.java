package lavaflow.simulation;

import java.io.IOException;

import lavaflow.batch.Batch;
import lavaflow.controller.KubeApi;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;

/** What must be true of training jobs is worth something if a controller that does wrong is found out. */
class BrokenTrainingTest {
    private final Exposure exposure = new Exposure(TrainingWorld::new);

    @Test
    void aGroupThatIsLeft() throws IOException {
        exposure.expect("is left", api -> new BrokenApi(api) {
            @Override
            boolean kept(KubeApi.Kind kind, String namespace, String name) {
                return kind.equals(Batch.POD_GROUPS);
            }
        });
    }

    @Test
    void podsThatAreNotCleaned() throws IOException {
        exposure.expect("is to be cleaned", api -> new BrokenApi(api) {
            @Override
            boolean kept(KubeApi.Kind kind, String namespace, String name) {
                return kind.equals(Kinds.PODS);
            }
        });
    }

    @Test
    void endsThatAreForgotten() throws IOException {
        exposure.expect(
                "was (Succeeded|Failed) and is|does not go on|has ended and is running", api -> new BrokenApi(api) {
                    @Override
                    void written(KubeApi.Kind kind, String subresource, ObjectNode object) {
                        if (TrainingWorld.JOBS.contains(kind)) {
                            for (JsonNode condition : Json.listAt(object, "status", "conditions")) {
                                if (Json.textAt(condition, "type").equals("Running")
                                        && condition instanceof ObjectNode running) {
                                    running.put("status", "True");
                                }
                            }
                        }
                    }
                });
    }
}
