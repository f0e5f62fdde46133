package lavaflow.cel;

import java.nio.charset.StandardCharsets;
import java.util.Objects;

import lavaflow.kube.Json;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.fasterxml.jackson.databind.JsonNode;

/**
 * Any text is compiled or refused, and what was compiled is priced and evaluated, without ever throwing, looping or
 * giving two different answers.
 *
 * <p>Runs the kept inputs as a test; with {@code JAZZER_FUZZ=1} it looks for new ones.
 */
class ExpressionFuzzTest {
    private static final long BUDGET = 100_000;

    private static final JsonNode SCHEMA = Json.parse("""
            {"type": "object", "properties": {
              "s": {"type": "string"}, "n": {"type": "integer"}, "f": {"type": "number"}, "b": {"type": "boolean"},
              "t": {"type": "string", "format": "date-time"}, "d": {"type": "string", "format": "duration"},
              "l": {"type": "array", "items": {"type": "string"}},
              "m": {"type": "object", "additionalProperties": {"type": "integer"}},
              "o": {"type": "object", "properties": {"x": {"type": "string", "nullable": true}}},
              "i": {"x-kubernetes-int-or-string": true}}}
            """);

    private static final JsonNode SELF = Json.parse("""
            {"s": "text", "n": 5, "f": 1.5, "b": true, "t": "2026-11-15T09:30:00Z", "d": "90s", "l": ["a", "b"],
             "m": {"k": 1}, "o": {"x": null}, "i": "5%"}
            """);

    private static final CelEnvironment ENVIRONMENT = CelEnvironment.kubernetes()
            .library(CelLibrary.MUTATION)
            .library(CelLibrary.BINDINGS)
            .variable(
                    "self",
                    Objects.requireNonNull(DeclaredType.ofSchema(SCHEMA, false)).named("Self"))
            .variable("any", CelType.DYN)
            .variable("authorizer", CelType.AUTHORIZER)
            .build();

    private static final Object AUTHORIZER = CelValues.authorizer(
            check -> new CelAuthorizer.Decision(check.verb().equals("get"), "because", null));

    @FuzzTest(maxDuration = "2m")
    void evaluate(byte[] input) {
        String source = new String(input, StandardCharsets.UTF_8);
        switch (ENVIRONMENT.compile(source)) {
            case CelCompilation.Failed failed -> requireText(failed);
            case CelCompilation.Compiled compiled -> requireAnswers(compiled.program());
        }
    }

    private static void requireText(CelCompilation.Failed failed) {
        require(!failed.issues().isEmpty(), "a refusal without reason");
        for (String issue : failed.issues()) {
            require(failed.instantiation() || issue.startsWith("ERROR: <input>:"), issue);
        }
    }

    private static void requireAnswers(CelProgram program) {
        CostEstimate estimate = program.estimatedCost();
        require(estimate.min() >= 0 && estimate.max() >= 0, "a negative cost");
        String first = answer(program);
        require(first.equals(answer(program)), "two answers to " + program.source());
    }

    private static String answer(CelProgram program) {
        Bindings bindings = name -> switch (name) {
            case "self", "any" -> SELF;
            case "authorizer" -> AUTHORIZER;
            default -> null;
        };
        return switch (program.evaluate(bindings, new CelBudget(BUDGET))) {
            case CelResult.Value value -> value.cost() + " " + Rendered.of(value.value());
            case CelResult.Failure failure -> failure.cost() + " " + failure.message();
        };
    }

    private static void require(boolean holds, String otherwise) {
        if (!holds) {
            throw new AssertionError(otherwise);
        }
    }
}
