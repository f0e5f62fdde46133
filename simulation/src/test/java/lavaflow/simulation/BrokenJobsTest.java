package lavaflow.simulation;

import java.io.IOException;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;

import lavaflow.batch.Batch;
import lavaflow.controller.KubeApi;
import lavaflow.jobs.Volcano;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.fail;

/** What must be true of Volcano's Jobs is worth something if a controller that does wrong is found out. */
class BrokenJobsTest {
    private static final long SEEDS = 10;

    private static void expect(String verdict, Function<KubeApi, BrokenApi> broken) throws IOException {
        Set<String> others = new LinkedHashSet<>();
        for (long seed = 1; seed <= SEEDS; seed++) {
            try (Simulation simulation = new Simulation(
                    seed,
                    new GangJobWorld(),
                    (name, api) ->
                            name.equals(GangJobWorld.JOBS) ? broken.apply(api).api() : api)) {
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
    void podsOfAnotherVersion() throws IOException {
        expect("is made of version", api -> new BrokenApi(api) {
            @Override
            void written(KubeApi.Kind kind, String subresource, ObjectNode object) {
                if (kind.equals(Kinds.PODS)) {
                    Json.ensureObject(object, "metadata", "annotations").put("volcano.sh/job-version", "9");
                }
            }
        });
    }

    @Test
    void retriesThatAreCountedTwice() throws IOException {
        expect("retries at once", api -> new BrokenApi(api) {
            @Override
            void written(KubeApi.Kind kind, String subresource, ObjectNode object) {
                long retries = Json.longAt(object, 0, "status", "retryCount");
                if (kind.equals(Volcano.JOBS) && subresource.equals("status") && retries > 0) {
                    Json.ensureObject(object, "status").put("retryCount", retries + 1);
                }
            }
        });
    }

    @Test
    void numbersThatAreWrong() throws IOException {
        expect("pods have (Succeeded|Failed), and", api -> new BrokenApi(api) {
            @Override
            void written(KubeApi.Kind kind, String subresource, ObjectNode object) {
                if (kind.equals(Volcano.JOBS) && subresource.equals("status")) {
                    Json.ensureObject(object, "status").remove("taskStatusCount");
                }
            }
        });
    }
}
