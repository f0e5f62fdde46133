package lavaflow.kube;

import java.util.List;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ObjectMetaRulesTest {
    private static final String KEY =
            "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an"
                    + " alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation"
                    + " is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
    private static final String NAME = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric"
            + " characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com',"
            + " regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

    private static List<String> messages(FieldErrors errors) {
        return errors.list().stream().map(FieldError::message).toList();
    }

    private static List<String> created(String metadata, boolean namespaced) {
        FieldErrors errors = new FieldErrors();
        ObjectMetaRules.create(Json.parse(metadata), namespaced, Names.SUBDOMAIN, errors);
        return messages(errors);
    }

    private static List<String> updated(JsonNode metadata, JsonNode old) {
        FieldErrors errors = new FieldErrors();
        ObjectMetaRules.update(metadata, old, true, errors);
        return messages(errors);
    }

    @Test
    void acceptsOrdinaryMetadata() {
        assertThat(created("""
                        {"name":"a","generateName":"a-","namespace":"ns","labels":{"app.io/x":"y"},
                         "annotations":{"Example.com/Any":"Case"},"finalizers":["kubernetes","a.io/b"],
                         "ownerReferences":[{"apiVersion":"v1","kind":"Pod","name":"p","uid":"u","controller":true},
                                            {"apiVersion":"v1","kind":"Pod","name":"q","uid":"v"}],
                         "managedFields":[{"manager":"kubectl","operation":"Apply","fieldsType":"FieldsV1"}]}""", true)).isEmpty();
    }

    /** Recorded from the real server. */
    @Test
    void complainsInUpstreamsOrderAndWords() {
        String owners =
                "[{\"apiVersion\":\"v1\",\"kind\":\"Event\",\"name\":\"a\",\"uid\":\"b\",\"controller\":true},{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"name\":\"\",\"uid\":\"\",\"controller\":true}]";
        assertThat(created("""
                        {"name":"A_","generateName":"-x","namespace":"ns","generation":-3,"labels":{"-x":"-y"},
                         "annotations":{"-q":"z"},"finalizers":["x","a b"],"ownerReferences":%s}""".formatted(owners), true))
                .containsExactly(
                        "metadata.generateName: Invalid value: \"-x\": " + NAME,
                        "metadata.name: Invalid value: \"A_\": " + NAME,
                        "metadata.generation: Invalid value: -3: must be greater than or equal to 0",
                        "metadata.labels: Invalid value: \"-x\": " + KEY,
                        "metadata.labels: Invalid value: \"-y\": a valid label must be an empty string or consist of"
                                + " alphanumeric characters, '-', '_' or '.', and must start and end with an"
                                + " alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used"
                                + " for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
                        "metadata.annotations: Invalid value: \"-q\": " + KEY,
                        "metadata.ownerReferences: Invalid value: {\"apiVersion\":\"v1\",\"kind\":\"Event\","
                                + "\"name\":\"a\",\"uid\":\"b\",\"controller\":true}: /v1, Kind=Event is disallowed"
                                + " from being an owner",
                        "metadata.ownerReferences.name: Invalid value: \"\": must not be empty",
                        "metadata.ownerReferences.uid: Invalid value: \"\": must not be empty",
                        "metadata.ownerReferences: Invalid value: " + owners + ": Only one reference can have"
                                + " Controller set to true. Found \"true\" in references for Event/a and Pod/",
                        "metadata.finalizers: Invalid value: \"a b\": " + KEY,
                        "metadata.finalizers[0]: Invalid value: \"x\": name is neither a standard finalizer name nor is"
                                + " it fully qualified",
                        "metadata.finalizers[1]: Invalid value: \"a b\": name is neither a standard finalizer name nor"
                                + " is it fully qualified");
    }

    @Test
    void namesAreRequiredAndNamespacesDependOnScope() {
        assertThat(created("{}", false))
                .containsExactly("metadata.name: Required value: name or generateName is required");
        assertThat(created("{\"name\":\"a\"}", true)).containsExactly("metadata.namespace: Required value");
        assertThat(created("{\"name\":\"a\",\"namespace\":\"b\"}", false))
                .containsExactly("metadata.namespace: Forbidden: not allowed on this type");
    }

    @Test
    void annotationsHaveASizeLimitTogether() {
        ObjectNode metadata = Json.object().put("name", "a").put("namespace", "b");
        metadata.putObject("annotations").put("a", "x".repeat((256 << 10) - 1));
        FieldErrors errors = new FieldErrors();
        ObjectMetaRules.create(metadata, true, Names.SUBDOMAIN, errors);
        assertThat(errors.isEmpty()).isTrue();
        metadata.withObject("annotations").put("b", "");
        ObjectMetaRules.create(metadata, true, Names.SUBDOMAIN, errors);
        assertThat(messages(errors))
                .containsExactly("metadata.annotations: Too long: may not be more than 262144 bytes");
    }

    @Test
    void twoDeletionPoliciesExcludeEachOther() {
        assertThat(created("{\"name\":\"a\",\"finalizers\":[\"foregroundDeletion\",\"orphan\"]}", false))
                .containsExactly("metadata.finalizers: Invalid value: [\"foregroundDeletion\",\"orphan\"]: finalizer"
                        + " orphan and foregroundDeletion cannot be both set");
    }

    @Test
    void customResourcesMayHaveShortFinalizers() {
        FieldErrors errors = new FieldErrors();
        ObjectMetaRules.customCreate(
                Json.parse("{\"name\":\"a\",\"finalizers\":[\"x\"]}"), false, Names.SUBDOMAIN, errors);
        assertThat(errors.isEmpty()).isTrue();
    }

    private static ObjectNode stored() {
        return (ObjectNode) Json.parse("""
                {"name":"a","namespace":"b","uid":"u","resourceVersion":"7","generation":2,
                 "creationTimestamp":"2026-01-01T00:00:00Z"}""");
    }

    @Test
    void identityAndTimestampsAreImmutable() {
        assertThat(updated(stored(), stored())).isEmpty();
        ObjectNode changed = stored().put("name", "b")
                .put("namespace", "c")
                .put("uid", "v")
                .put("generation", 1)
                .put("creationTimestamp", "2026-01-02T00:00:00Z")
                .put("deletionTimestamp", "2026-01-02T00:00:00Z")
                .put("deletionGracePeriodSeconds", 5)
                .put("resourceVersion", "");
        List<String> causes = updated(changed, stored());
        assertThat(causes).hasSize(16);
        assertThat(causes.subList(8, 16)).isEqualTo(causes.subList(0, 8));
        assertThat(causes.subList(0, 8))
                .containsExactly(
                        "metadata.resourceVersion: Invalid value: \"\": must be specified for an update",
                        "metadata.generation: Invalid value: 1: must not be decremented",
                        "metadata.name: Invalid value: \"b\": field is immutable",
                        "metadata.namespace: Invalid value: \"c\": field is immutable",
                        "metadata.uid: Invalid value: \"v\": field is immutable",
                        "metadata.creationTimestamp: Invalid value: \"2026-01-02T00:00:00Z\": field is immutable",
                        "metadata.deletionTimestamp: Invalid value: \"2026-01-02T00:00:00Z\": field is immutable",
                        "metadata.deletionGracePeriodSeconds: Invalid value: 5: field is immutable");
    }

    @Test
    void deletedObjectsTakeNoNewFinalizers() {
        ObjectNode old = stored().put("deletionTimestamp", "2026-01-02T00:00:00Z");
        old.putArray("finalizers").add("a/b");
        ObjectNode fewer = old.deepCopy();
        fewer.remove("finalizers");
        assertThat(updated(fewer, old)).isEmpty();
        ObjectNode more = old.deepCopy();
        more.withArray("finalizers").add("b/d").add("a/c");
        assertThat(updated(more, old))
                .hasSize(2)
                .containsOnly("metadata.finalizers: Forbidden: no new finalizers can be added if the object is being"
                        + " deleted, found new finalizers []string{\"a/c\", \"b/d\"}");
    }

    @Test
    void managedFieldsHaveAShape() {
        FieldErrors errors = new FieldErrors();
        ManagedFieldsRules.check(
                Json.listAt(
                        Json.parse("{\"m\":[{\"operation\":\"Foo\",\"fieldsType\":\"V2\",\"manager\":\"é\\t\"}]}"),
                        "m"),
                FieldPath.of("metadata", "managedFields"),
                errors);
        ManagedFieldsRules.manager("m".repeat(129), FieldPath.of("fieldManager"), errors);
        assertThat(messages(errors))
                .containsExactly(
                        "metadata.managedFields[0].operation: Invalid value: \"Foo\": must be `Apply` or `Update`",
                        "metadata.managedFields[0].fieldsType: Invalid value: \"V2\": must be `FieldsV1`",
                        "metadata.managedFields[0].manager: Invalid value: \"é\\t\": invalid character U+0009 (at position 2)",
                        "fieldManager: Too long: may not be more than 128 bytes");
    }

    @Test
    void selectorsAreChecked() {
        FieldErrors errors = new FieldErrors();
        JsonNode selector = Json.parse("""
                {"matchLabels":{"-":"a"},"matchExpressions":[
                  {"key":"a","operator":"In"},{"key":"a","operator":"Exists","values":["x"]},
                  {"key":"","operator":"Near"},{"key":"a","operator":"NotIn","values":["ok","-"]}]}""");
        LabelSelectorRules.check(selector, FieldPath.of("spec", "selector"), errors);
        assertThat(messages(errors))
                .containsExactly(
                        "spec.selector.matchLabels: Invalid value: \"-\": " + KEY,
                        "spec.selector.matchExpressions[0].values: Required value: must be specified when `operator` is"
                                + " 'In' or 'NotIn'",
                        "spec.selector.matchExpressions[1].values: Forbidden: may not be specified when `operator` is"
                                + " 'Exists' or 'DoesNotExist'",
                        "spec.selector.matchExpressions[2].operator: Invalid value: \"Near\": not a valid selector"
                                + " operator",
                        "spec.selector.matchExpressions[2].key: Invalid value: \"\": name part must be non-empty",
                        "spec.selector.matchExpressions[2].key: Invalid value: \"\": " + KEY,
                        "spec.selector.matchExpressions[3].values[1]: Invalid value: \"-\": "
                                + Names.labelValue("-").getFirst());
        assertThat(LabelSelectorRules.hasOddValues(selector)).isTrue();
        FieldErrors none = new FieldErrors();
        LabelSelectorRules.check(null, FieldPath.of("spec"), none);
        assertThat(none.isEmpty()).isTrue();
    }

    @Test
    void conditionsAreChecked() {
        FieldErrors errors = new FieldErrors();
        ConditionRules.check(Json.listAt(Json.parse("""
                                {"c":[{"type":"A","status":"Maybe","observedGeneration":-1},
                                      {"type":"A","status":"True","reason":"1","lastTransitionTime":"2026-01-01T00:00:00Z"}]}"""), "c"), FieldPath.of("c"), errors);
        assertThat(messages(errors))
                .containsExactly(
                        "c[0].status: Unsupported value: \"Maybe\": supported values: \"False\", \"True\", \"Unknown\"",
                        "c[0].observedGeneration: Invalid value: -1: must be greater than or equal to zero",
                        "c[0].lastTransitionTime: Required value",
                        "c[0].reason: Required value",
                        "c[1].type: Duplicate value: \"A\"",
                        "c[1].reason: Invalid value: \"1\": "
                                + Identifiers.conditionReason("1").getFirst());
    }
}
