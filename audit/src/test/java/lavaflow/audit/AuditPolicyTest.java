package lavaflow.audit;

import java.time.Instant;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class AuditPolicyTest {
    private static final String HEAD = "apiVersion: audit.k8s.io/v1\nkind: Policy\n";

    static AuditedRequest request(String user, String verb, String resource, String namespace, String name) {
        String[] parts = resource.split("/", 2);
        boolean core = !parts[0].contains(".");
        String plural = core ? parts[0] : parts[0].substring(0, parts[0].indexOf('.'));
        String group = core ? "" : parts[0].substring(parts[0].indexOf('.') + 1);
        return new AuditedRequest(
                "id",
                Instant.EPOCH,
                verb,
                "/uri",
                "/uri",
                new Asker(user, "", List.of("system:authenticated"), Map.of()),
                List.of("127.0.0.1"),
                "agent",
                new AuditedRequest.Target(
                        true, group, "v1", plural, parts.length > 1 ? parts[1] : "", namespace, name));
    }

    private static AuditedRequest path(String path) {
        return new AuditedRequest(
                "id",
                Instant.EPOCH,
                "get",
                path,
                path,
                new Asker("jane", "", List.of("dev"), Map.of()),
                List.of(),
                "",
                AuditedRequest.Target.NONE);
    }

    private static Level level(String rules, AuditedRequest request) throws AuditPolicyException {
        return AuditPolicy.parse(HEAD + "rules:\n" + rules).decide(request).level();
    }

    @Test
    void theFirstRuleThatMatchesDecides() throws Exception {
        String rules = "- {level: None, users: [jane]}\n- {level: Metadata}\n";

        assertThat(level(rules, request("jane", "get", "pods", "a", ""))).isEqualTo(Level.NONE);
        assertThat(level(rules, request("joe", "get", "pods", "a", ""))).isEqualTo(Level.METADATA);
    }

    @Test
    void whatNoRuleMatchesIsNotAudited() throws Exception {
        assertThat(level("- {level: Request, verbs: [create]}\n", request("jane", "get", "pods", "a", "")))
                .isEqualTo(Level.NONE);
    }

    @ParameterizedTest
    @CsvSource({
        "pods, pods, true",
        "pods, pods/log, false",
        "pods/log, pods/log, true",
        "pods/*, pods/log, true",
        "pods/*, pods, true",
        "'*/scale', replicationcontrollers/scale, true",
        "'*/scale', replicationcontrollers, false",
        "'*', pods/exec, true",
        "services, pods, false",
    })
    void resourcesMatchBySubresource(String pattern, String asked, boolean matches) throws Exception {
        String rules = "- {level: Request, resources: [{group: '', resources: ['" + pattern + "']}]}\n";

        assertThat(level(rules, request("jane", "get", asked, "a", "x")))
                .isEqualTo(matches ? Level.REQUEST : Level.NONE);
    }

    @Test
    void groupsMatchAsAWholeAndByStar() throws Exception {
        AuditedRequest deployment = request("jane", "get", "deployments.apps", "a", "x");

        assertThat(level("- {level: Request, resources: [{group: apps}]}\n", deployment))
                .isEqualTo(Level.REQUEST);
        assertThat(level("- {level: Request, resources: [{group: '*', resources: [deployments]}]}\n", deployment))
                .isEqualTo(Level.REQUEST);
        assertThat(level("- {level: Request, resources: [{group: ''}]}\n", deployment))
                .isEqualTo(Level.NONE);
    }

    @Test
    void namesAndNamespacesNarrowARule() throws Exception {
        String named = "- {level: Request, resources: [{group: '', resources: [configmaps], resourceNames: [a]}]}\n";
        String spaced = "- {level: Request, namespaces: [one, '']}\n";

        assertThat(level(named, request("jane", "get", "configmaps", "n", "a"))).isEqualTo(Level.REQUEST);
        assertThat(level(named, request("jane", "get", "configmaps", "n", "b"))).isEqualTo(Level.NONE);
        assertThat(level(spaced, request("jane", "get", "configmaps", "one", "a")))
                .isEqualTo(Level.REQUEST);
        assertThat(level(spaced, request("jane", "get", "nodes", "", "a"))).isEqualTo(Level.REQUEST);
        assertThat(level(spaced, request("jane", "get", "configmaps", "two", "a")))
                .isEqualTo(Level.NONE);
        assertThat(level(spaced, path("/healthz"))).isEqualTo(Level.NONE);
    }

    @Test
    void pathsMatchExactlyOrByTheirBeginning() throws Exception {
        String rules = "- {level: Metadata, nonResourceURLs: ['/healthz*', /version]}\n";

        assertThat(level(rules, path("/healthz/ping"))).isEqualTo(Level.METADATA);
        assertThat(level(rules, path("/version"))).isEqualTo(Level.METADATA);
        assertThat(level(rules, path("/versions"))).isEqualTo(Level.NONE);
    }

    @Test
    void stagesOmittedByPolicyAndRuleAddUp() throws Exception {
        AuditPolicy.Decision decision = AuditPolicy.parse(
                        HEAD + "omitStages: [RequestReceived]\nrules:\n- {level: Metadata, omitStages: [Panic]}\n")
                .decide(path("/x"));

        assertThat(decision.omitStages()).containsExactlyInAnyOrder(Stage.REQUEST_RECEIVED, Stage.PANIC);
    }

    @Test
    void aRuleOverridesWhetherManagedFieldsAreOmitted() throws Exception {
        AuditPolicy policy = AuditPolicy.parse(HEAD
                + "omitManagedFields: true\nrules:\n- {level: Request, users: [a], omitManagedFields: false}\n"
                + "- {level: Request}\n");

        assertThat(policy.decide(request("a", "get", "pods", "n", "")).omitManagedFields())
                .isFalse();
        assertThat(policy.decide(request("b", "get", "pods", "n", "")).omitManagedFields())
                .isTrue();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "rules: [] | loaded illegal policy with 0 rules",
                "rules: [{users: [a]}] | rules[0].level: Required value",
                "rules: [{level: All}] | rules[0].level: Unsupported value: \"All\": supported values: \"None\","
                        + " \"Metadata\", \"Request\", \"RequestResponse\"",
                "rules: [{level: None, nonResourceURLs: [x]}] | rules[0].nonResourceURLs[0]: Invalid value: \"x\":"
                        + " non-resource URL rules must begin with a '/' character",
                "rules: [{level: None, omitStages: [Soon]}] | rules[0].omitStages[0]: Invalid value: \"Soon\": allowed"
                        + " stages are RequestReceived,ResponseStarted,ResponseComplete,Panic",
                "rules: [{level: None, resources: [{resourceNames: [a]}]}] | rules[0].resources.resourceNames: Invalid"
                        + " value: [\"a\"]: using resourceNames requires at least one resource",
            })
    void mistakesAreTold(String policy, String message) {
        assertThatThrownBy(() -> AuditPolicy.parse(HEAD + policy)).hasMessage(message);
    }

    @Test
    void anotherKindIsRefused() {
        assertThatThrownBy(() -> AuditPolicy.parse("apiVersion: audit.k8s.io/v2\nkind: Policy\n"))
                .hasMessage("no kind \"Policy\" is registered for version \"audit.k8s.io/v2\"");
    }
}
