package lavaflow.cel;

import java.util.Map;

import lavaflow.kube.Json;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Nothing anyone writes makes the engine run out of stack, memory or time. */
class LimitsTest {
    private static final CelEnvironment ENVIRONMENT =
            CelEnvironment.kubernetes().variable("self", CelType.DYN).build();

    private static String refusal(String source) {
        return switch (ENVIRONMENT.compile(source)) {
            case CelCompilation.Failed failed -> failed.text();
            case CelCompilation.Compiled compiled -> "compiled";
        };
    }

    private static CelProgram program(String source) {
        return ((CelCompilation.Compiled) ENVIRONMENT.compile(source)).program();
    }

    private static CelResult evaluate(String source, long budget) {
        return program(source).evaluate(Bindings.of(Map.of("self", Json.object())), new CelBudget(budget));
    }

    @Test
    void deepNestingIsRefused() {
        String tooDeep = "ERROR: <input>:-1:0: expression recursion limit exceeded: 250";
        assertThat(refusal("(".repeat(300) + "1" + ")".repeat(300))).isEqualTo(tooDeep);
        assertThat(refusal("[".repeat(40_000))).isEqualTo(tooDeep);
        assertThat(refusal("size(".repeat(300) + ")".repeat(300))).isEqualTo(tooDeep);
        assertThat(refusal("{1:".repeat(300))).isEqualTo(tooDeep);
    }

    @Test
    void longChainsAreRefusedUnlessTheyAreLogic() {
        assertThat(refusal("1" + "+1".repeat(40_000))).isEqualTo("ERROR: <input>:-1:0: max recursion depth exceeded");
        assertThat(refusal("self" + ".a".repeat(40_000)))
                .isEqualTo("ERROR: <input>:-1:0: max recursion depth exceeded");
        assertThat(refusal("true" + " || true".repeat(10_000))).isEqualTo("compiled");
        assertThat(refusal("!".repeat(90_000) + "true")).isEqualTo("compiled");
    }

    @Test
    void longSourcesAreRefused() {
        assertThat(refusal("'" + "a".repeat(100_000) + "'"))
                .isEqualTo("ERROR: <input>:-1:0: expression code point size exceeds limit: size: 100002, limit 100000");
    }

    @Test
    void mistakesAreReportedUpToALimit() {
        assertThat(refusal("( ) ".repeat(1_000)).lines().count()).isLessThan(400);
    }

    @Test
    void loopsEndWithTheBudget() {
        String nested = "lists.range(1000).all(a, lists.range(1000).all(b, lists.range(1000).all(c, true)))";
        assertThat(evaluate(nested, CelLimits.RUNTIME_PER_CALL))
                .isEqualTo(new CelResult.Failure(CelBudget.EXCEEDED, true, CelLimits.RUNTIME_PER_CALL + 1));
    }

    @Test
    void hugeRangesAreNotBuilt() {
        assertThat(evaluate("lists.range(9223372036854775807).size()", CelLimits.RUNTIME_PER_CALL))
                .isInstanceOfSatisfying(
                        CelResult.Failure.class,
                        failure -> assertThat(failure.budgetExceeded()).isTrue());
    }

    @Test
    void errorsCannotCatchTheEndOfTheBudget() {
        assertThat(evaluate("lists.range(100000).all(x, x >= 0) || true", 1_000))
                .isInstanceOfSatisfying(
                        CelResult.Failure.class,
                        failure -> assertThat(failure.message())
                                .isEqualTo("operation cancelled: actual cost limit exceeded"));
    }

    @Test
    void chainsOfOptionalMacrosCompileInTheirLength() {
        String chain = "optional.of(1)" + ".optMap(x, x + 1)".repeat(60);
        assertThat(program(chain).estimatedCost().max()).isGreaterThan(CelLimits.STATIC_RULE_COST);
        assertThat(evaluate(chain, CelLimits.RUNTIME_PER_CALL)).isInstanceOf(CelResult.Failure.class);
    }

    /** A list whose element has 2^60 parts that are all the same one. */
    private static final String SHARED = "[dyn(1)]" + ".map(x, dyn([x, x]))".repeat(60);

    private static String failure(String source) {
        return switch (evaluate(source, CelLimits.RUNTIME_PER_CALL)) {
            case CelResult.Failure failure -> failure.message();
            case CelResult.Value value -> "a value";
        };
    }

    @Test
    void valuesThatShareTheirPartsAreNotVisitedForEver() {
        assertThat(failure(SHARED + " == " + SHARED)).isEqualTo("value is too large");
        assertThat(failure(SHARED + "[0] in " + SHARED)).isEqualTo("value is too large");
        assertThat(failure("'%s'.format(" + SHARED + ")")).isEqualTo("error during formatting: value is too large");
        assertThat(failure(SHARED + ".flatten(100)")).isEqualTo("value is too large");
        assertThat(failure(SHARED + ".indexOf(1)")).isEqualTo(CelBudget.EXCEEDED);
        assertThat(failure("{" + SHARED + "[0]: 1}.size()")).isEqualTo("a value");
        Object value = ((CelResult.Value) evaluate(SHARED, CelLimits.RUNTIME_PER_CALL)).value();
        assertThatThrownBy(() -> CelValues.toJson(value)).hasMessage("value is too large");
    }

    @Test
    void comparingLargeValuesUsesUpTheBudget() {
        String large = "[lists.range(100000).map(x, x)]";
        long cost = evaluate(large + " == " + large, Long.MAX_VALUE).cost();
        long parts = evaluate(large, Long.MAX_VALUE).cost() * 2;
        assertThat(cost - parts).isBetween(100L, 120L);
    }

    @Test
    void listsAndTextCannotDoubleForEver() {
        assertThat(failure("[[1]]" + ".map(x, x + x)".repeat(40))).isEqualTo("list is too long");
        String text = "'" + "a".repeat(10_000) + "'";
        assertThat(failure(text + ".replace('a', " + text + ")")).isEqualTo("text is too long");
    }

    @Test
    void typesThatDoubleAreRefused() {
        assertThat(refusal("[1]" + ".map(x, {x: x})".repeat(60)))
                .isEqualTo("ERROR: <input>:-1:0: expression type is too large");
    }

    @Test
    void patternsRunInLinearTime() {
        String text = "'" + "a".repeat(20_000) + "'";
        assertThat(evaluate(text + ".matches('(a+)+(a+)+(a+)+b')", Long.MAX_VALUE)
                        .isTrue())
                .isFalse();
    }

    @Test
    void oneBudgetServesSeveralEvaluations() {
        CelBudget budget = new CelBudget(100);
        CelProgram program = program("[1, 2, 3].all(x, x > 0)");
        Bindings nothing = name -> null;
        long once = program.evaluate(nothing, budget).cost();
        assertThat(budget.used()).isEqualTo(once);
        while (budget.used() + once <= budget.limit()) {
            assertThat(program.evaluate(nothing, budget).isTrue()).isTrue();
        }
        assertThat(program.evaluate(nothing, budget)).isInstanceOf(CelResult.Failure.class);
    }
}
