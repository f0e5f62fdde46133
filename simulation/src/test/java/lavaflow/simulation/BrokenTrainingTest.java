package lavaflow.simulation;

import java.io.IOException;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;

import lavaflow.batch.Batch;
import lavaflow.controller.KubeApi;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.fail;

/** What must be true of training jobs is worth something if a controller that does wrong is found out. */
class BrokenTrainingTest {
    private static final long SEEDS = 10;

    private static void expect(String verdict, Function<KubeApi, BrokenApi> broken) throws IOException {
        Set<String> others = new LinkedHashSet<>();
        for (long seed = 1; seed <= SEEDS; seed++) {
            try (Simulation simulation = new Simulation(
                    seed,
                    new TrainingWorld(),
                    (name, api) -> name.equals(TrainingWorld.TRAINING)
                            ? broken.apply(api).api()
                            : api)) {
                simulation.run();
            } catch (Violation e) {
                String said = String.valueOf(e.getMessage());
                if (Pattern.compile(verdict).matcher(said).find()) {
                    return;
                }
                others.add(said);
            }
        }
        fail("in %d runs nobody says \"%s\", but: %s", SEEDS, verdict, others);
    }

    @Test
    void aGroupThatIsLeft() throws IOException {
        expect("is left", api -> new BrokenApi(api) {
            @Override
            boolean kept(KubeApi.Kind kind, String namespace, String name) {
                return kind.equals(Batch.POD_GROUPS);
            }
        });
    }

    @Test
    void podsThatAreNotCleaned() throws IOException {
        expect("is to be cleaned", api -> new BrokenApi(api) {
            @Override
            boolean kept(KubeApi.Kind kind, String namespace, String name) {
                return kind.equals(Kinds.PODS);
            }
        });
    }

    @Test
    void endsThatAreForgotten() throws IOException {
        expect("was (Succeeded|Failed) and is|does not go on|has ended and is running", api -> new BrokenApi(api) {
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
