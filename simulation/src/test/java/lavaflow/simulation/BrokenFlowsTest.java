package lavaflow.simulation;

import java.io.IOException;
import java.util.List;

import lavaflow.controller.KubeApi;
import lavaflow.jobs.Volcano;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;

/** What must be true of flows and of Jobs by the clock is worth something if a controller that does wrong is found out. */
class BrokenFlowsTest {
    private final Exposure exposure = new Exposure(FlowWorld::new);

    @Test
    void jobsThatDoNotWaitForOthers() throws IOException {
        exposure.expect("begins before", api -> new BrokenApi(api) {
            @Override
            void seen(KubeApi.Kind kind, ObjectNode object) {
                if (kind.equals(FlowWorld.FLOWS)) {
                    for (JsonNode step : Json.listAt(object, "spec", "flows")) {
                        ((ObjectNode) step).remove("dependsOn");
                    }
                }
            }

            @Override
            List<KubeApi.Kind> disguised() {
                return List.of(FlowWorld.FLOWS);
            }
        });
    }

    @Test
    void flowsThatKeepWhatShouldGo() throws IOException {
        exposure.expect("has succeeded and keeps", api -> new BrokenApi(api) {
            @Override
            boolean kept(KubeApi.Kind kind, String namespace, String name) {
                return kind.equals(Volcano.JOBS);
            }
        });
    }

    @Test
    void flowsThatSayTooEarlyThatAllIsDone() throws IOException {
        exposure.expect("says Succeed, and .* never was", api -> new BrokenApi(api) {
            @Override
            void written(KubeApi.Kind kind, String subresource, ObjectNode object) {
                if (kind.equals(FlowWorld.FLOWS) && subresource.equals("status")) {
                    Json.ensureObject(object, "status", "state").put("phase", "Succeed");
                }
            }
        });
    }

    @Test
    void jobsThatBelongToNobody() throws IOException {
        exposure.expect("is left alone", api -> new BrokenApi(api) {
            @Override
            void written(KubeApi.Kind kind, String subresource, ObjectNode object) {
                if (kind.equals(Volcano.JOBS)) {
                    Json.ensureObject(object, "metadata").remove("ownerReferences");
                }
            }
        });
    }

    @Test
    void jobsByTheClockThatRunBesideEachOther() throws IOException {
        exposure.expect("at once, which its policy does not allow", api -> new BrokenApi(api) {
            @Override
            void seen(KubeApi.Kind kind, ObjectNode object) {
                if (kind.equals(FlowWorld.CRON_JOBS)) {
                    Json.ensureObject(object, "spec").put("concurrencyPolicy", "Allow");
                }
            }

            @Override
            List<KubeApi.Kind> disguised() {
                return List.of(FlowWorld.CRON_JOBS);
            }
        });
    }
}
