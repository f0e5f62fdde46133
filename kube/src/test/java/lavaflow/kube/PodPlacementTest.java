package lavaflow.kube;

import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/** What pods and nodes say about who may go where. */
class PodPlacementTest {
    @ParameterizedTest
    @CsvSource(textBlock = """
            key, Equal,  value, NoSchedule, true
            key, '',     value, NoSchedule, true
            key, Equal,  other, NoSchedule, false
            key, Exists, '',    NoSchedule, true
            key, Exists, '',    '',         true
            key, Exists, '',    NoExecute,  false
            '',  Exists, '',    '',         true
            oth, Exists, '',    '',         false
            """)
    void tolerations(String key, String operator, String value, String effect, boolean tolerates) {
        Toleration toleration = new Toleration(key, operator, value, effect, null);
        assertThat(toleration.tolerates(new Taint("key", "value", "NoSchedule")))
                .isEqualTo(tolerates);
    }

    @ParameterizedTest
    @CsvSource(textBlock = """
            Gt, 5, 7,    true
            Gt, 7, 7,    false
            Lt, 9, 7,    true
            Lt, 9, many, false
            """)
    void tolerationsMayCompareNumbers(String operator, String value, String taint, boolean tolerates) {
        Toleration toleration = new Toleration("level", operator, value, "", null);
        assertThat(toleration.tolerates(new Taint("level", taint, "NoExecute"))).isEqualTo(tolerates);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            {"key":"zone","operator":"In","values":["a","b"]}  | true
            {"key":"zone","operator":"NotIn","values":["a"]}   | false
            {"key":"none","operator":"NotIn","values":["a"]}   | true
            {"key":"zone","operator":"Exists"}                 | true
            {"key":"zone","operator":"DoesNotExist"}           | false
            {"key":"cores","operator":"Gt","values":["7"]}     | true
            {"key":"cores","operator":"Lt","values":["7"]}     | false
            {"key":"zone","operator":"Gt","values":["7"]}      | false
            """)
    void requirementsOnLabels(String requirement, boolean fits) {
        NodeSelectorTerm term = NodeSelectorTerm.of(Json.parse("{\"matchExpressions\":[" + requirement + "]}"));
        assertThat(term.matches("n", Json.parse("{\"zone\":\"a\",\"cores\":\"8\"}")))
                .isEqualTo(fits);
    }

    @Test
    void anEmptyTermFitsNoNode() {
        assertThat(NodeSelectorTerm.of(Json.object()).matches("n", Json.object()))
                .isFalse();
    }

    @Test
    void selectorAndAffinityMustBothFit() {
        NodeAffinity affinity = NodeAffinity.of(Json.parse("""
                {"nodeSelector":{"zone":"a"},"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[
                {"matchFields":[{"key":"metadata.name","operator":"In","values":["n"]}]},{"matchExpressions":[{"key":"x","operator":"Exists"}]}]}}}}"""));
        assertThat(affinity.accepts("n", Json.parse("{\"zone\":\"a\"}"))).isTrue();
        assertThat(affinity.accepts("m", Json.parse("{\"zone\":\"a\"}"))).isFalse();
        assertThat(affinity.accepts("m", Json.parse("{\"zone\":\"a\",\"x\":\"y\"}")))
                .isTrue();
        assertThat(affinity.accepts("n", Json.parse("{\"zone\":\"b\"}"))).isFalse();
    }

    private static Map<String, Long> requests(String spec) {
        return PodRequests.of(Json.parse(spec));
    }

    private static String container(String requests, String more) {
        return "{\"resources\":{\"requests\":" + requests + "}" + more + "}";
    }

    @Test
    void containersNeedTheirSum() {
        String one = container("{\"cpu\":\"500m\",\"memory\":\"1Gi\"}", "");
        assertThat(requests("{\"containers\":[" + one + "," + one + "]}"))
                .isEqualTo(Map.of("cpu", 1000L, "memory", 2L << 30));
    }

    @Test
    void theLargestInitContainerCountsWhereItNeedsMore() {
        String init = container("{\"cpu\":\"3\"}", "");
        String main = container("{\"cpu\":\"1\",\"memory\":\"1Gi\"}", "");
        assertThat(requests("{\"initContainers\":[" + init + "," + init + "],\"containers\":[" + main + "]}"))
                .isEqualTo(Map.of("cpu", 3000L, "memory", 1L << 30));
    }

    @Test
    void sidecarsCountWithTheOthersAndWithLaterInitContainers() {
        String sidecar = container("{\"cpu\":\"1\"}", ",\"restartPolicy\":\"Always\"");
        String init = container("{\"cpu\":\"3\"}", "");
        String main = container("{\"cpu\":\"1\"}", "");
        assertThat(requests("{\"initContainers\":[" + sidecar + "," + init + "],\"containers\":[" + main + "]}"))
                .isEqualTo(Map.of("cpu", 4000L));
        assertThat(requests("{\"initContainers\":[" + init + "," + sidecar + "],\"containers\":[" + main + "]}"))
                .isEqualTo(Map.of("cpu", 3000L));
    }

    @Test
    void overheadComesOnTopAndTheWholePodsRequestsCountInstead() {
        String main = container("{\"cpu\":\"1\",\"nvidia.com/gpu\":\"2\"}", "");
        assertThat(requests("{\"containers\":[" + main + "],\"overhead\":{\"cpu\":\"250m\"}}"))
                .isEqualTo(Map.of("cpu", 1250L, "nvidia.com/gpu", 2L));
        assertThat(requests("{\"containers\":[" + main + "],\"resources\":{\"requests\":{\"cpu\":\"4\"}}}"))
                .containsEntry("cpu", 4000L);
    }

    @Test
    void taintsOfANodeAreRead() {
        assertThat(Taint.of(Json.parse("{\"spec\":{\"taints\":[{\"key\":\"k\",\"effect\":\"NoExecute\"}]}}")))
                .isEqualTo(List.of(new Taint("k", "", "NoExecute")));
    }
}
