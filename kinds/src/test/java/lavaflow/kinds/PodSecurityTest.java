package lavaflow.kinds;

import java.nio.charset.StandardCharsets;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.Json;
import lavaflow.kube.Yaml;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Pods are held to the standard their namespace asks for, and told what they do wrong in upstream's words. */
final class PodSecurityTest {
    private static JsonNode yaml(String text) {
        try {
            return Yaml.parse(text.getBytes(StandardCharsets.UTF_8)).root();
        } catch (lavaflow.kube.DecodingException e) {
            throw new IllegalArgumentException(text, e);
        }
    }

    private static String judged(String level, String spec) {
        PodSecurity.Standard standard = PodSecurity.of(yaml("{pod-security.kubernetes.io/enforce: " + level + "}"))
                .enforce();
        return PodSecurity.described(standard, standard.violations(null, yaml(spec)));
    }

    @Test
    void anEmptyContainerMeetsBaselineOnly() {
        String spec = "{containers: [{name: a}]}";
        assertThat(judged("privileged", spec)).endsWith("\"privileged:latest\": ");
        assertThat(judged("baseline", spec)).endsWith("\"baseline:latest\": ");
        assertThat(judged("restricted", spec))
                .isEqualTo("PodSecurity \"restricted:latest\": allowPrivilegeEscalation != false (container \"a\" must"
                        + " set securityContext.allowPrivilegeEscalation=false), unrestricted capabilities (container"
                        + " \"a\" must set securityContext.capabilities.drop=[\"ALL\"]), runAsNonRoot != true (pod or"
                        + " container \"a\" must set securityContext.runAsNonRoot=true), seccompProfile (pod or"
                        + " container \"a\" must set securityContext.seccompProfile.type to \"RuntimeDefault\" or"
                        + " \"Localhost\")");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            {hostPID: true}                                                                | host namespaces (hostPID=true)
            {volumes: [{name: v, hostPath: {path: /}}]}                                    | hostPath volumes (volume "v")
            {securityContext: {sysctls: [{name: kernel.x}]}}                               | forbidden sysctls (kernel.x)
            {containers: [{name: a, ports: [{hostPort: 8}]}]}                              | hostPort (container "a" uses hostPort 8)
            {containers: [{name: a, securityContext: {procMount: Unmasked}}]}              | procMount (container "a" must not set securityContext.procMount to "Unmasked")
            {hostUsers: false, containers: [{name: a, securityContext: {procMount: Unmasked}}]} | ''
            {containers: [{name: a, livenessProbe: {httpGet: {host: h}}}]}                 | probe or lifecycle host (container "a" uses probe or lifecycle host "h")
            """)
    void baselineRefuses(String spec, String violation) {
        assertThat(judged("baseline", spec)).isEqualTo("PodSecurity \"baseline:latest\": " + violation);
    }

    @Test
    void whatIsEnforcedIsWarnedOfToo() {
        PodSecurity standards = PodSecurity.of(yaml(
                "{pod-security.kubernetes.io/enforce: baseline, pod-security.kubernetes.io/enforce-version: v1.30}"));
        assertThat(standards.warn()).hasToString("baseline:v1.30");
        assertThat(standards.audit()).hasToString("privileged:latest");
    }

    @Test
    void labelsThatMeanNothingAreReported() {
        FieldErrors errors = new FieldErrors();
        PodSecurity.check(
                yaml("{pod-security.kubernetes.io/enforce: strict, pod-security.kubernetes.io/warn-version: v2}"),
                errors);
        assertThat(errors.list()).hasSize(2);
    }

    @Test
    void onlyWhatRunsInAPodCounts() {
        JsonNode pod = yaml("{spec: {containers: [{name: a, image: i}]}}");
        JsonNode labelled = yaml("{metadata: {labels: {a: b}}, spec: {containers: [{name: a, image: i}]}}");
        JsonNode changed = yaml("{spec: {containers: [{name: a, image: j}]}}");
        assertThat(PodSecurity.isSignificant(Json.parseObject(Json.bytes(labelled)), Json.parseObject(Json.bytes(pod))))
                .isFalse();
        assertThat(PodSecurity.isSignificant(Json.parseObject(Json.bytes(changed)), Json.parseObject(Json.bytes(pod))))
                .isTrue();
    }
}
