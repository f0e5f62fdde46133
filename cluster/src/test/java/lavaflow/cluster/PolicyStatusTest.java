package lavaflow.cluster;

import lavaflow.controller.KubeApi;
import lavaflow.controller.TestingKubeApi;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static lavaflow.cluster.TestingCluster.named;
import static org.assertj.core.api.Assertions.assertThat;

class PolicyStatusTest {
    private static final KubeApi.Kind POLICIES =
            new KubeApi.Kind("admissionregistration.k8s.io", "v1", "validatingadmissionpolicies", false);

    private final TestingCluster cluster = new TestingCluster();
    private final TestingKubeApi api = cluster.api.serve(POLICIES, "ValidatingAdmissionPolicy");
    private int checks;

    @BeforeEach
    void start() {
        cluster.run(new PolicyStatus(api, cluster.followers, this::warnings, cluster.nanoTime()).controller());
    }

    private ArrayNode warnings(ObjectNode policy) {
        checks++;
        ArrayNode warnings = Json.array();
        if (!Json.textAt(policy, "spec", "bad").isEmpty()) {
            warnings.addObject()
                    .put("fieldRef", "spec.validations[0].expression")
                    .put("warning", "w\n");
        }
        return warnings;
    }

    private void policy(String bad, long generation) {
        ObjectNode policy = named("p");
        policy.putObject("spec").put("bad", bad);
        Json.ensureObject(policy, "metadata").put("generation", generation);
        api.create(POLICIES, "", policy);
        cluster.settle();
    }

    private String status() {
        return Json.string(api.find(POLICIES, "", "p").orElseThrow().path("status"));
    }

    @Test
    void aPolicyThatFitsIsObserved() {
        policy("", 1);
        assertThat(status()).isEqualTo("{\"observedGeneration\":1,\"typeChecking\":{}}");
    }

    @Test
    void warningsAreWrittenDown() {
        policy("yes", 1);
        assertThat(status())
                .isEqualTo("{\"observedGeneration\":1,\"typeChecking\":{\"expressionWarnings\":"
                        + "[{\"fieldRef\":\"spec.validations[0].expression\",\"warning\":\"w\\n\"}]}}");
    }

    @Test
    void aGenerationIsLookedAtOnce() {
        policy("", 1);
        api.edit(POLICIES, "", "p", policy -> {
            Json.ensureObject(policy, "metadata", "labels").put("a", "b");
            return policy;
        });
        cluster.settle();
        assertThat(checks).isOne();

        api.edit(POLICIES, "", "p", policy -> {
            Json.ensureObject(policy, "metadata").put("generation", 2);
            return policy;
        });
        cluster.settle();
        assertThat(checks).isEqualTo(2);
    }
}
