package lavaflow.schema;

import java.time.Duration;
import java.util.List;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

/** Schemas and objects made to exhaust the server. The limits of time are a hundred times what the work takes. */
class SchemaAttackTest {
    private static final Duration LIMIT = Duration.ofSeconds(20);
    private static final FieldPath PATH = FieldPath.of("spec", "validation");

    private static FieldErrors checked(ObjectNode schema) {
        FieldErrors errors = new FieldErrors();
        assertTimeoutPreemptively(LIMIT, () -> StructuralRules.check(schema, false, false, PATH, errors));
        return errors;
    }

    private static FieldErrors judged(ObjectNode schema, ObjectNode object) {
        FieldErrors errors = new FieldErrors();
        assertTimeoutPreemptively(
                LIMIT, () -> new SchemaValidator(StructuralSchema.parse(schema), null).validateCreate(object, errors));
        return errors;
    }

    private static ObjectNode object(String json) {
        return (ObjectNode) Json.parse(json);
    }

    @Test
    void aSchemaWithTenThousandPropertiesIsReadOnce() {
        ObjectNode schema = Json.object().put("type", "object");
        ObjectNode properties = schema.putObject("properties");
        for (int i = 0; i < 10_000; i++) {
            properties.putObject("field" + i).put("type", "string").put("pattern", "^[a-z]{1,20}$");
        }
        assertThat(checked(schema).list()).isEmpty();
        assertThat(StructuralSchema.parse(schema).size()).isEqualTo(10_000);
    }

    @Test
    void deepSchemasAndObjectsFitTheStack() {
        ObjectNode schema = Json.object().put("type", "object");
        ObjectNode value = Json.object();
        ObjectNode innerSchema = schema;
        ObjectNode innerValue = value;
        for (int i = 0; i < 240; i++) {
            innerSchema = innerSchema.putObject("properties").putObject("a").put("type", "object");
            innerValue = innerValue.putObject("a");
        }
        innerValue.put("unknown", 1);
        assertThat(checked(schema).list()).isEmpty();
        List<String> unknown = Pruning.pruneAndReport(value, StructuralSchema.parse(schema));
        assertThat(unknown).hasSize(1);
        assertThat(judged(schema, value).list()).isEmpty();
    }

    @Test
    void patternsTakeTimeLinearInTheText() {
        ObjectNode schema =
                object("{\"type\":\"object\",\"properties\":{\"s\":{\"type\":\"string\",\"pattern\":\"^(a+)+$\"}}}");
        assertThat(checked(schema).list()).isEmpty();
        ObjectNode value = Json.object().put("s", "a".repeat(100_000) + "!");
        assertThat(judged(schema, value).list()).hasSize(1);
    }

    @Test
    void patternsThatWouldGrowWithoutEndAreRefused() {
        ObjectNode schema = object(
                "{\"type\":\"object\",\"properties\":{\"s\":{\"type\":\"string\",\"pattern\":\"((a{1000}){1000}){1000}\"}}}");
        assertThat(checked(schema).list()).isNotEmpty();
    }

    @Test
    void nestedAlternativesDoNotMultiply() {
        ObjectNode schema = Json.object().put("type", "object");
        ObjectNode field = schema.putObject("properties").putObject("s").put("type", "string");
        ObjectNode level = field;
        for (int depth = 0; depth < 12; depth++) {
            ArrayNode choices = level.putArray("allOf");
            ObjectNode first = choices.addObject();
            first.put("minLength", depth);
            choices.addObject().put("maxLength", 100);
            level = first;
        }
        assertThat(checked(schema).list()).isEmpty();
        assertThat(judged(schema, Json.object().put("s", "")).list()).isNotEmpty();
    }

    @Test
    void manyErrorsAreAnsweredWithAFew() {
        ObjectNode schema = object(
                "{\"type\":\"object\",\"properties\":{\"l\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}}}}");
        ObjectNode value = Json.object();
        ArrayNode list = value.putArray("l");
        for (int i = 0; i < 200_000; i++) {
            list.add(Json.number(i));
        }
        assertThat(judged(schema, value).list()).hasSizeLessThanOrEqualTo(1_000);
    }

    @Test
    void unknownFieldsAreNotNamedWithoutEnd() {
        ObjectNode value = Json.object();
        ObjectNode inner = value;
        ObjectNode schema = Json.object().put("type", "object");
        ObjectNode innerSchema = schema;
        String name = "n".repeat(200);
        for (int i = 0; i < 100; i++) {
            inner = inner.putObject(name);
            innerSchema = innerSchema.putObject("properties").putObject(name).put("type", "object");
        }
        innerSchema.putObject("properties").putObject("known").put("type", "string");
        for (int i = 0; i < 50_000; i++) {
            inner.put("u" + i, 1);
        }
        List<String> unknown = Pruning.pruneAndReport(value, StructuralSchema.parse(schema));
        assertThat(unknown.stream().mapToLong(String::length).sum()).isLessThan(2 << 20);
    }

    @Test
    void rulesEndWithTheirBudget() {
        ObjectNode schema = object("{\"type\":\"object\",\"properties\":{\"l\":{\"type\":\"array\",\"maxItems\":700,"
                + "\"x-kubernetes-validations\":[{\"rule\":\"self.all(x, self.all(y, x == y || x != y))\"}],"
                + "\"items\":{\"type\":\"string\",\"maxLength\":10}}}}");
        ObjectNode value = Json.object();
        ArrayNode list = value.putArray("l");
        for (int i = 0; i < 700; i++) {
            list.add("item" + i);
        }
        assertThat(judged(schema, value).list())
                .anySatisfy(error -> assertThat(error.detail()).contains("no further validation rules will be run"));
    }

    @Test
    void pathsThatMultiplyFindNothing() {
        ObjectNode value = Json.object();
        ObjectNode inner = value;
        for (int i = 0; i < 400; i++) {
            inner = inner.putObject("a");
        }
        assertTimeoutPreemptively(
                LIMIT,
                () -> assertThat(JsonPath.parse("..a..a..a..a").find(value)).isEmpty());
    }
}
