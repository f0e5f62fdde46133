package lavaflow.kubelet;

import java.util.List;
import java.util.Map;
import java.util.Optional;

import lavaflow.volume.VolumeException;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class EnvironmentTest {
    private static final Environment.Objects OBJECTS = new Environment.Objects() {
        @Override
        public Optional<ObjectNode> configMap(String namespace, String name) {
            return name.equals("cm")
                    ? Optional.of(TestingPod.yaml("data: {A: one, 'b=c': x, B: two}"))
                    : Optional.empty();
        }

        @Override
        public Optional<ObjectNode> secret(String namespace, String name) {
            return name.equals("s") ? Optional.of(TestingPod.yaml("data: {K: aGlkZGVu}")) : Optional.empty();
        }
    };

    private static final Environment.Files FILES = (volume, path) -> switch (path) {
        case "good" -> "A='in a file'\nB='more'\n";
        case "bad" -> "A=unquoted\n";
        default -> throw new VolumeException("there is no file " + path);
    };

    private static Environment.Variables variables(String container, Map<String, String> services) throws Exception {
        TestingPod pod = TestingPod.of("nodeName: n1\ncontainers: [{name: a, image: i, " + container + "}]");
        return Environment.of(
                pod.view(), pod.container("a"), OBJECTS, FILES, services, TestingPod.yaml("{cpu: '2', memory: 1Gi}"));
    }

    private static Map<String, String> values(String container) throws Exception {
        return variables(container, Map.of()).values();
    }

    @Test
    void wholeObjectsComeFirstAndSingleVariablesWin() throws Exception {
        assertThat(values("envFrom: [{configMapRef: {name: cm}, prefix: P_}, {configMapRef: {name: cm}}],"
                        + " env: [{name: A, value: mine}]"))
                .containsEntry("P_A", "one")
                .containsEntry("B", "two")
                .containsEntry("A", "mine");
    }

    @Test
    void keysThatCannotBeNamesAreSkippedAndTold() throws Exception {
        assertThat(variables("envFrom: [{configMapRef: {name: cm}}]", Map.of()).skipped())
                .containsExactly("Keys [b=c] from the EnvFrom configMap ns/cm were skipped since they are considered"
                        + " invalid environment variable names.");
    }

    @Test
    void variablesMayUseEarlierOnesAndServices() throws Exception {
        Map<String, String> services = Map.of("DB_SERVICE_HOST", "10.96.0.7");

        assertThat(variables(
                                "env: [{name: X, value: 'at $(DB_SERVICE_HOST)'}, {name: YY, value: '$(X)/$(Z)'},"
                                        + " {name: Z, value: '$$(X)'}]",
                                services)
                        .values())
                .containsEntry("X", "at 10.96.0.7")
                .containsEntry("YY", "at 10.96.0.7/$(Z)")
                .containsEntry("Z", "$(X)")
                .containsEntry("DB_SERVICE_HOST", "10.96.0.7");
    }

    @Test
    void secretsAreDecoded() throws Exception {
        assertThat(values("env: [{name: X, valueFrom: {secretKeyRef: {name: s, key: K}}}]"))
                .containsEntry("X", "hidden");
    }

    private static String inFile(String path, String key, String more) {
        return "env: [{name: X, valueFrom: {fileKeyRef: {volumeName: v, path: " + path + ", key: " + key + more
                + "}}}]";
    }

    @Test
    void variablesStandInFilesOfVolumes() throws Exception {
        assertThat(values(inFile("good", "A", ""))).containsEntry("X", "in a file");
        assertThat(values(inFile("good", "C", ", optional: true"))).doesNotContainKey("X");
    }

    @Test
    void aFileThatDoesNotSayWhatItShouldIsTold() {
        assertThatThrownBy(() -> values(inFile("good", "C", "")))
                .isInstanceOf(ConfigurationException.class)
                .hasMessage("environment variable key \"C\" not found in file \"good\" of volume \"v\"");
        assertThatThrownBy(() -> values(inFile("bad", "A", ", optional: true")))
                .hasMessage("couldn't parse env file: invalid environment variable format at line 1: value must be"
                        + " enclosed in single quotes");
        assertThatThrownBy(() -> values(inFile("none", "A", ", optional: true")))
                .hasMessage("couldn't parse env file: there is no file none");
    }

    @Test
    void fieldsAndResources() throws Exception {
        assertThat(values("""
                        resources: {requests: {cpu: 250m, memory: 1Mi}},
                        env: [{name: NN, valueFrom: {fieldRef: {fieldPath: spec.nodeName}}},
                          {name: C, valueFrom: {resourceFieldRef: {resource: requests.cpu, divisor: 1m}}},
                          {name: D, valueFrom: {resourceFieldRef: {resource: requests.cpu}}},
                          {name: M, valueFrom: {resourceFieldRef: {resource: requests.memory, divisor: 1Ki}}},
                          {name: L, valueFrom: {resourceFieldRef: {resource: limits.cpu}}}]
                        """))
                .containsEntry("NN", "n1")
                .containsEntry("C", "250")
                .containsEntry("D", "1")
                .containsEntry("M", "1024")
                .containsEntry("L", "2");
    }

    @Test
    void whatIsMissingIsToldInKubeletsWords() {
        assertThatThrownBy(() -> values("env: [{name: X, valueFrom: {configMapKeyRef: {name: none, key: A}}}]"))
                .hasMessage("configmap \"none\" not found");
        assertThatThrownBy(() -> values("env: [{name: X, valueFrom: {configMapKeyRef: {name: cm, key: none}}}]"))
                .hasMessage("couldn't find key none in ConfigMap ns/cm");
        assertThatThrownBy(() -> values("env: [{name: X, valueFrom: {secretKeyRef: {name: s, key: none}}}]"))
                .hasMessage("couldn't find key none in Secret ns/s");
        assertThatThrownBy(() -> values("envFrom: [{secretRef: {name: none}}]"))
                .hasMessage("secret \"none\" not found");
    }

    @Test
    void whatIsOptionalMayBeMissing() throws Exception {
        assertThat(values("env: [{name: X, valueFrom: {configMapKeyRef: {name: none, key: A, optional: true}}}],"
                        + " envFrom: [{secretRef: {name: none, optional: true}}]"))
                .isEmpty();
    }

    @Test
    void expansionLeavesAloneWhatItDoesNotKnow() {
        assertThat(Expansion.expand("$(A) $$(A) $A $(NO) $", Map.of("A", "x")::get))
                .isEqualTo("x $(A) $A $(NO) $");
    }

    @Test
    void servicesOfTheNamespaceAndTheApiItself() {
        ObjectNode kubernetes = TestingPod.yaml("metadata: {name: kubernetes, namespace: default}\n"
                + "spec: {clusterIP: 10.96.0.1, ports: [{name: https, port: 443, protocol: TCP}]}");
        ObjectNode web = TestingPod.yaml("metadata: {name: my-web, namespace: ns}\n"
                + "spec: {clusterIP: 10.96.0.9, ports: [{port: 80, protocol: TCP}]}");
        ObjectNode headless =
                TestingPod.yaml("metadata: {name: h, namespace: ns}\nspec: {clusterIP: None, ports: [{port: 1}]}");
        List<ObjectNode> all = List.of(kubernetes, web, headless);

        assertThat(ServiceVariables.of("ns", true, all))
                .containsEntry("KUBERNETES_SERVICE_PORT_HTTPS", "443")
                .containsEntry("MY_WEB_SERVICE_HOST", "10.96.0.9")
                .containsEntry("MY_WEB_PORT", "tcp://10.96.0.9:80")
                .containsEntry("MY_WEB_PORT_80_TCP_PROTO", "tcp")
                .doesNotContainKey("H_SERVICE_HOST");
        assertThat(ServiceVariables.of("ns", false, all))
                .containsKey("KUBERNETES_SERVICE_HOST")
                .hasSize(8);
    }
}
