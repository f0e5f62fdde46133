package lavaflow.jobs;

import java.nio.charset.StandardCharsets;
import java.util.Set;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static lavaflow.jobs.TestingManifests.yaml;
import static org.assertj.core.api.Assertions.assertThat;

/** What happens to pods for Volcano's scheduler before they are stored. */
class GangPodRulesTest {
    private static final String MIN = "volcano.sh/jdb-min-available";
    private static final String MAX = "volcano.sh/jdb-max-unavailable";

    private static String refusal(String annotations, String scheduler) {
        ObjectNode pod =
                yaml("{metadata: {annotations: {" + annotations + "}}, spec: {schedulerName: " + scheduler + "}}");
        return GangPodRules.refusal(pod, Set.of("volcano"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "1|~~",
                "50%|~~",
                "0|invalid value <\"0\"> for KEY, it must be a positive integer",
                "-1|invalid value <\"-1\"> for KEY, it must be a positive integer",
                "0%|invalid value <\"0%\"> for KEY, it must be a valid percentage which between 1% ~ 99%",
                "100%|invalid value <\"100%\"> for KEY, it must be a valid percentage which between 1% ~ 99%",
                "many|invalid value strconv.Atoi: parsing \"many\": invalid syntax for KEY"
            })
    void wantsBudgetsThatAreNumbersOrShares(String value, String expected) {
        assertThat(refusal(MIN + ": '" + value + "'", "volcano")).isEqualTo(expected.replace("KEY", MIN));
        assertThat(refusal(MAX + ": '" + value + "'", "volcano")).isEqualTo(expected.replace("KEY", MAX));
        assertThat(refusal(MAX + ": '" + value + "'", "other")).isEmpty();
    }

    @Test
    void wantsOneBudget() {
        assertThat(refusal(MIN + ": '1', " + MAX + ": '1'", "volcano"))
                .isEqualTo("not allow configure multiple annotations <[" + MIN + " " + MAX + "]> at same time");
    }

    @Test
    void lookOnlyAtAnnotations() {
        assertThat(GangPodRules.refusal(yaml("{spec: {schedulerName: volcano}}"), Set.of("volcano")))
                .isEmpty();
    }

    private static final String GROUPS = """
            resourceGroups:
            - resourceGroup: management
              object: {key: namespace, value: [mng-ns-1]}
              schedulerName: default-scheduler
              labels: {volcano.sh/nodetype: management}
            - resourceGroup: cpu
              object: {key: annotation, value: ["volcano.sh/resource-group: cpu"]}
              schedulerName: volcano
              tolerations: [{key: only, operator: Exists}]
            - resourceGroup: gpu
              schedulerName: volcano
              labels: {volcano.sh/nodetype: gpu}
              affinity: '{"nodeAffinity":{}}'
            """;

    private static ObjectNode led(String pod, String namespace) throws Exception {
        ObjectNode made = yaml(pod);
        ResourceGroups.parse(GROUPS.getBytes(StandardCharsets.UTF_8)).complete(made, namespace);
        return (ObjectNode) made.get("spec");
    }

    @Test
    void leadsPodsByTheirNamespace() throws Exception {
        assertThat(led("{spec: {nodeSelector: {a: b}}}", "mng-ns-1"))
                .isEqualTo(yaml(
                        "{nodeSelector: {a: b, volcano.sh/nodetype: management}, schedulerName: default-scheduler}"));
        assertThat(led("{spec: {}}", "other")).isEqualTo(yaml("{}"));
    }

    @Test
    void leadsPodsByTheirAnnotations() throws Exception {
        assertThat(led(
                        "{metadata: {annotations: {volcano.sh/resource-group: cpu}}, spec: {tolerations: [{key: a}]}}",
                        "x"))
                .isEqualTo(yaml("{tolerations: [{key: a}, {key: only, operator: Exists}], schedulerName: volcano}"));
        assertThat(led("{metadata: {annotations: {volcano.sh/resource-group: gpu}}, spec: {}}", "x"))
                .as("without a key by the usual annotation")
                .isEqualTo(
                        yaml(
                                "{nodeSelector: {volcano.sh/nodetype: gpu}, affinity: {nodeAffinity: {}}, schedulerName: volcano}"));
        assertThat(led(
                                "{metadata: {annotations: {volcano.sh/resource-group: gpu}}, spec: {affinity: {podAffinity: {}}}}",
                                "x")
                        .get("affinity"))
                .isEqualTo(yaml("{podAffinity: {}}"));
    }

    @Test
    void leadsNobodyWithoutGroups() {
        ObjectNode pod = yaml("{spec: {}}");
        ResourceGroups.NONE.complete(pod, "x");
        assertThat(pod).isEqualTo(yaml("{spec: {}}"));
    }
}
