package lavaflow.placement;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** What a pod's containers ask for, as requests of a claim. */
class ExtendedClaimTest {
    private final ClusterState state = new ClusterState();
    private final ObjectNode pod = Json.object();

    ExtendedClaimTest() {
        pod.putObject("metadata").put("namespace", "default").put("name", "p").put("uid", "uid-p");
        pod.putObject("spec");
    }

    private ExtendedClaimTest container(String field, String name, int count, String policy) {
        ObjectNode container =
                Json.ensureObject(pod, "spec").withArray(field).addObject().put("name", name);
        if (!policy.isEmpty()) {
            container.put("restartPolicy", policy);
        }
        Json.ensureObject(container, "resources", "requests").put("cpu", "1").put("x.io/gpu", String.valueOf(count));
        return this;
    }

    private ExtendedClaim claim() {
        ScheduledPod asking = ScheduledPod.of(pod);
        DeviceClass type = DeviceClass.of(TestingDevices.object("{'metadata': {'name': 'gpu'}}"));
        return ExtendedClaim.of(asking, state.retain(asking.key()), Map.of("x.io/gpu", type));
    }

    private List<String> requests() {
        List<String> told = new ArrayList<>();
        claim().requests()
                .forEach(each -> told.add(Json.textAt(each, "name") + ": " + Json.longAt(each, 0, "exactly", "count")
                        + " of " + Json.textAt(each, "exactly", "deviceClassName")));
        return told;
    }

    private List<String> mappings() {
        List<String> told = new ArrayList<>();
        claim().mappings()
                .forEach(each -> told.add(Json.textAt(each, "containerName") + " uses "
                        + Json.textAt(each, "requestName") + " as " + Json.textAt(each, "resourceName")));
        return told;
    }

    @Test
    void eachContainerHasARequestOfItsOwn() {
        container("containers", "a", 1, "")
                .container("containers", "none", 0, "")
                .container("containers", "b", 2, "");
        assertThat(requests()).containsExactly("container-0-request-1: 1 of gpu", "container-2-request-1: 2 of gpu");
        assertThat(mappings())
                .containsExactly(
                        "a uses container-0-request-1 as x.io/gpu", "b uses container-2-request-1 as x.io/gpu");
    }

    @Test
    void whoEndsBeforeOthersBeginUsesTheirs() {
        container("initContainers", "first", 2, "");
        container("containers", "a", 1, "").container("containers", "b", 2, "");
        assertThat(requests()).containsExactly("container-1-request-1: 1 of gpu", "container-2-request-1: 2 of gpu");
        assertThat(mappings())
                .containsExactly(
                        "a uses container-1-request-1 as x.io/gpu",
                        "b uses container-2-request-1 as x.io/gpu",
                        "first uses container-1-request-1 as x.io/gpu",
                        "first uses container-2-request-1 as x.io/gpu");
    }

    @Test
    void ofThoseWhoNeedMoreOneRequestIsEnough() {
        container("initContainers", "first", 4, "").container("initContainers", "second", 6, "");
        container("containers", "a", 1, "");
        assertThat(requests()).containsExactly("container-1-request-1: 5 of gpu", "container-2-request-1: 1 of gpu");
        assertThat(mappings())
                .containsExactly(
                        "a uses container-2-request-1 as x.io/gpu",
                        "first uses container-2-request-1 as x.io/gpu",
                        "first uses container-1-request-1 as x.io/gpu",
                        "second uses container-2-request-1 as x.io/gpu",
                        "second uses container-1-request-1 as x.io/gpu");
    }

    @Test
    void whatRunsBesideAContainerIsNotLentToIt() {
        container("initContainers", "side", 1, "Always").container("initContainers", "first", 1, "");
        container("containers", "a", 0, "");
        assertThat(requests()).containsExactly("container-0-request-1: 1 of gpu", "container-1-request-1: 1 of gpu");
    }
}
