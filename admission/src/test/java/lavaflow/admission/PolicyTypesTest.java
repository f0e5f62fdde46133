package lavaflow.admission;

import java.nio.charset.StandardCharsets;
import java.util.List;

import lavaflow.apiserver.KindSchemas;
import lavaflow.apiserver.ResourceTable;
import lavaflow.kube.DecodingException;
import lavaflow.kube.Json;
import lavaflow.kube.Yaml;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** The texts are those of kube-controller-manager 1.36.3; more of them are in the contract's topic admission-types. */
class PolicyTypesTest {
    private static final String DEPLOYMENTS =
            "matchConstraints: {resourceRules: [{apiGroups: [apps], apiVersions: [v1], resources: [deployments]}]}";

    private final PolicyTypes types = new PolicyTypes(new KindSchemas(ResourceTable.builtin()::catalogue));

    private List<String> fields(String spec) throws DecodingException {
        return warnings(spec).findValuesAsText("fieldRef");
    }

    private JsonNode warnings(String spec) throws DecodingException {
        ObjectNode policy = Json.object();
        policy.set("spec", Yaml.parse(spec.getBytes(StandardCharsets.UTF_8)).root());
        return types.warnings(policy);
    }

    @Test
    void aFieldThatTheKindDoesNotHave() throws DecodingException {
        JsonNode warnings = warnings("{" + DEPLOYMENTS + ", validations: [{expression: 'object.foo < 5'}]}");
        assertThat(warnings).hasSize(1);
        assertThat(warnings.get(0).path("fieldRef").asText()).isEqualTo("spec.validations[0].expression");
        assertThat(warnings.get(0).path("warning").asText()).isEqualTo("""
                        apps/v1, Kind=Deployment: ERROR: <input>:1:7: undefined field 'foo'
                         | object.foo < 5
                         | ......^
                        """);
    }

    @Test
    void quantitiesCannotBeReadAndPortsAreOfEitherType() throws DecodingException {
        String container = "object.spec.template.spec.containers[0]";
        assertThat(fields("{" + DEPLOYMENTS + ", validations: [{expression: '" + container
                        + ".resources.limits.cpu == 1'}, {expression: '" + container
                        + ".livenessProbe.httpGet.port == 1'}]}"))
                .containsExactly("spec.validations[0].expression");
    }

    @Test
    void aSchemaInsideItselfIsAnObjectOfNoFields() throws DecodingException {
        String schema = "object.spec.versions[0].schema.openAPIV3Schema";
        assertThat(warnings("{matchConstraints: {resourceRules: [{apiGroups: [apiextensions.k8s.io], apiVersions: [v1],"
                                + " resources: [customresourcedefinitions]}]}, validations: [{expression: '" + schema
                                + ".not.not.foo == 1'}]}")
                        .get(0)
                        .path("warning")
                        .asText())
                .contains("undefined field 'not'");
    }

    @Test
    void messagesAreCheckedConditionsAndAnnotationsAreNot() throws DecodingException {
        assertThat(fields("{" + DEPLOYMENTS + ", matchConditions: [{name: m, expression: object.no}],"
                        + " auditAnnotations: [{key: a, valueExpression: object.no}], variables: [{name: v, expression: object.no}],"
                        + " validations: [{expression: 'variables.v == 1', messageExpression: 'string(object.no)'}]}"))
                .containsExactly("spec.validations[0].messageExpression");
    }

    @Test
    void rulesWithStarsAndSubresourcesNameNoKind() throws DecodingException {
        assertThat(fields(
                        "{matchConstraints: {resourceRules: [{apiGroups: ['*'], apiVersions: [v1], resources: [pods]},"
                                + " {apiGroups: [''], apiVersions: [v1], resources: [pods/status]}]},"
                                + " validations: [{expression: 'object.foo == 1'}]}"))
                .isEmpty();
    }
}
