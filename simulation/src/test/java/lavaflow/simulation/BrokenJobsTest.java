package lavaflow.simulation;

import java.io.IOException;

import lavaflow.batch.Batch;
import lavaflow.controller.KubeApi;
import lavaflow.jobs.Volcano;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;

/** What must be true of Volcano's Jobs is worth something if a controller that does wrong is found out. */
class BrokenJobsTest {
    private final Exposure exposure = new Exposure(GangJobWorld::new);

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
    void podsOfAnotherVersion() throws IOException {
        exposure.expect("is made of version", api -> new BrokenApi(api) {
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
        exposure.expect("retries at once", api -> new BrokenApi(api) {
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
        exposure.expect("pods have (Succeeded|Failed), and", api -> new BrokenApi(api) {
            @Override
            void written(KubeApi.Kind kind, String subresource, ObjectNode object) {
                if (kind.equals(Volcano.JOBS) && subresource.equals("status")) {
                    Json.ensureObject(object, "status").remove("taskStatusCount");
                }
            }
        });
    }
}
