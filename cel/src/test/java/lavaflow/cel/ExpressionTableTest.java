package lavaflow.cel;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tables of expressions with what Kubernetes 1.36 makes of them: the text of compile errors, or type, estimated cost, and
 * value or error with its actual cost. A line may name data ({@code self}), a schema, and how both are used.
 */
class ExpressionTableTest {
    /** Answers by verb, and says in the reason what it was asked. */
    private static final CelAuthorizer AUTHORIZER = check -> switch (check.verb()) {
        case "delete" -> new CelAuthorizer.Decision(false, "denied", null);
        case "fail" -> new CelAuthorizer.Decision(false, "r", "authz broke");
        default -> new CelAuthorizer.Decision(true, asked(check), null);
    };

    private static String asked(CelAuthorizer.Check check) {
        CelAuthorizer.ServiceAccount account = check.serviceAccount();
        String user = account == null ? "me" : "system:serviceaccount:" + account.namespace() + ":" + account.name();
        String path = check.path() == null ? "" : check.path();
        return String.join(
                "|",
                user,
                check.verb(),
                check.group(),
                check.resource(),
                check.subresource(),
                check.namespace(),
                check.name(),
                path);
    }

    @TestFactory
    Stream<DynamicTest> syntax() throws IOException {
        return table("syntax");
    }

    @TestFactory
    Stream<DynamicTest> language() throws IOException {
        return table("language");
    }

    @TestFactory
    Stream<DynamicTest> schema() throws IOException {
        return table("schema");
    }

    @TestFactory
    Stream<DynamicTest> combined() throws IOException {
        return table("combined");
    }

    private static Stream<DynamicTest> table(String name) throws IOException {
        try (InputStream in = ExpressionTableTest.class.getResourceAsStream(name + ".jsonl")) {
            String text = new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
            Map<String, JsonNode> shared = new HashMap<>();
            return text.lines().filter(line -> !line.isBlank()).toList().stream()
                    .map(Json::parse)
                    .filter(line -> !isShared(line, shared))
                    .map(line ->
                            DynamicTest.dynamicTest("`" + Json.textAt(line, "expr") + "`", () -> check(line, shared)))
                    .toList()
                    .stream();
        }
    }

    /** Lines {@code {"define": name, ...}} give names to data and schemas that other lines use. */
    private static boolean isShared(JsonNode line, Map<String, JsonNode> shared) {
        if (!line.has("define")) {
            return false;
        }
        shared.put(Json.textAt(line, "define"), line.get("as"));
        return true;
    }

    private static void check(JsonNode line, Map<String, JsonNode> shared) {
        ObjectNode expected = Json.object();
        for (String field : new String[] {"issues", "instantiation", "type", "min", "max", "value", "error", "cost"}) {
            if (line.has(field)) {
                expected.set(field, line.get(field));
            }
        }
        assertThat(Json.pretty(actual(line, shared))).isEqualTo(Json.pretty(expected));
    }

    private static JsonNode given(JsonNode line, String field, Map<String, JsonNode> shared) {
        JsonNode value = line.get(field);
        return value != null && value.isTextual() && shared.containsKey(value.textValue())
                ? shared.get(value.textValue())
                : value;
    }

    private static ObjectNode actual(JsonNode line, Map<String, JsonNode> shared) {
        String mode = Json.textAt(line, "mode");
        CelEnvironment.Builder environment = CelEnvironment.kubernetes();
        if (mode.equals("mutation")) {
            environment.library(CelLibrary.MUTATION);
        }
        Map<String, Object> variables = new HashMap<>();
        JsonNode self = given(line, "self", shared);
        variables.put("self", self == null ? CelValues.NULL : self);
        if (line.has("schema")) {
            DeclaredType type = Objects.requireNonNull(
                            DeclaredType.ofSchema(given(line, "schema", shared), mode.equals("root")))
                    .named("selfType");
            environment.variable("self", type);
            JsonNode oldSelf = given(line, "oldSelf", shared);
            if (mode.equals("optionalOldSelf")) {
                environment.optionalVariable("oldSelf", type);
                variables.put("oldSelf", oldSelf == null ? CelOptional.NONE : oldSelf);
            } else {
                environment.variable("oldSelf", type);
                variables.put("oldSelf", oldSelf == null ? variables.get("self") : oldSelf);
            }
        } else {
            environment.variable("self", CelType.DYN).variable("authorizer", CelType.AUTHORIZER);
            variables.put("authorizer", CelValues.authorizer(AUTHORIZER));
        }
        long limit = Json.longAt(line, Long.MAX_VALUE, "limit");
        return result(environment.build().compile(Json.textAt(line, "expr")), variables, limit);
    }

    private static ObjectNode result(CelCompilation compilation, Map<String, Object> variables, long limit) {
        ObjectNode result = Json.object();
        switch (compilation) {
            case CelCompilation.Failed failed ->
                result.put(failed.instantiation() ? "instantiation" : "issues", failed.text());
            case CelCompilation.Compiled compiled -> {
                CelProgram program = compiled.program();
                result.put("type", program.resultType().toString());
                CostEstimate estimate = program.estimatedCost();
                result.put("min", estimate.min()).put("max", estimate.max());
                CelResult answer = program.evaluate(Bindings.of(variables), new CelBudget(limit));
                switch (answer) {
                    case CelResult.Value value -> result.put("value", Rendered.of(value.value()));
                    case CelResult.Failure failure -> result.put("error", failure.message());
                }
                result.put("cost", answer.cost());
            }
        }
        return result;
    }
}
