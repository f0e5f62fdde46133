package lavaflow.cel;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** What callers rely on: variables, results, declared types, conversions. */
class SeamTest {
    private static CelProgram compiled(CelEnvironment environment, String source) {
        return switch (environment.compile(source)) {
            case CelCompilation.Compiled compiled -> compiled.program();
            case CelCompilation.Failed failed -> throw new AssertionError(failed.text());
        };
    }

    private static Object value(CelProgram program, Bindings bindings) {
        return switch (program.evaluate(bindings, CelBudget.unlimited())) {
            case CelResult.Value value -> value.value();
            case CelResult.Failure failure -> throw new AssertionError(failure.message());
        };
    }

    private static DeclaredType declared(String schema) {
        return Objects.requireNonNull(DeclaredType.ofSchema(Json.parse(schema), false));
    }

    @Test
    void programsTellWhichVariablesTheyRead() {
        CelEnvironment environment = CelEnvironment.kubernetes()
                .variable("self", CelType.DYN)
                .variable("oldSelf", CelType.DYN)
                .build();
        CelProgram transition = compiled(environment, "self == oldSelf");
        assertThat(transition.reads("oldSelf")).isTrue();
        CelProgram shadowed = compiled(environment, "[1].all(oldSelf, oldSelf > 0) && self != 'oldSelf'");
        assertThat(shadowed.reads("oldSelf")).isFalse();
        assertThat(shadowed.reads("self")).isTrue();
    }

    @Test
    void unboundVariablesAreErrorsOnlyWhenRead() {
        CelEnvironment environment =
                CelEnvironment.kubernetes().variable("x", CelType.DYN).build();
        CelProgram program = compiled(environment, "true || x");
        assertThat(program.evaluate(name -> null, CelBudget.unlimited()).isTrue())
                .isTrue();
        assertThat(compiled(environment, "x").evaluate(name -> null, CelBudget.unlimited()))
                .isEqualTo(new CelResult.Failure("no such attribute(s): x", false, 1));
    }

    @Test
    void variablesAreAskedForOnce() {
        int[] asked = new int[1];
        CelEnvironment environment =
                CelEnvironment.kubernetes().variable("x", CelType.DYN).build();
        Bindings counting = name -> {
            asked[0]++;
            return 1L;
        };
        assertThat(value(compiled(environment, "x + x + x"), counting)).isEqualTo(3L);
        assertThat(asked[0]).isEqualTo(1);
    }

    @Test
    void lazyObjectsComputeFieldsWhenRead() {
        CelType.ObjectOf type =
                new CelType.ObjectOf("kubernetes.variables", Map.of("a", CelType.INT, "b", CelType.STRING));
        CelEnvironment environment =
                CelEnvironment.kubernetes().variable("variables", type).build();
        CelMap variables = CelValues.lazyObject(type, name -> {
            if (name.equals("a")) {
                return 5L;
            }
            throw new CelException("composited variable \"" + name + "\" fails to evaluate");
        });
        assertThat(value(compiled(environment, "variables.a + 1"), Bindings.of("variables", variables)))
                .isEqualTo(6L);
        assertThat(compiled(environment, "variables.b == ''")
                        .evaluate(Bindings.of("variables", variables), CelBudget.unlimited()))
                .isInstanceOfSatisfying(
                        CelResult.Failure.class,
                        failure ->
                                assertThat(failure.message()).isEqualTo("composited variable \"b\" fails to evaluate"));
        assertThat(environment.compile("variables.c")).isInstanceOf(CelCompilation.Failed.class);
    }

    @Test
    void everySignatureHasAnImplementation() {
        Set<String> planned = Set.of("_&&_", "_||_", "_?_:_", "_[_]", "_[?_]", "_?._", "@not_strictly_false", "or");
        Set<String> special = Set.of("orValue", "cel.@mapInsert");
        FunctionTable all = FunctionTable.of(java.util.EnumSet.allOf(CelLibrary.class));
        List<String> missing = all.functions().stream()
                .filter(function -> !planned.contains(function) && !special.contains(function))
                .flatMap(function -> all.overloads(function).stream())
                .filter(overload ->
                        Implementations.find(overload.function()) == null && Implementations.find(overload) == null)
                .map(Overload::id)
                .collect(Collectors.toList());
        assertThat(missing).isEmpty();
    }

    @Test
    void programsRunInManyThreads() {
        CelEnvironment environment =
                CelEnvironment.kubernetes().variable("n", CelType.INT).build();
        CelProgram program = compiled(environment, "lists.range(n).map(x, x * n).sum()");
        List<Object> sums = IntStream.range(0, 200)
                .parallel()
                .mapToObj(n -> value(program, Bindings.of("n", (long) n)))
                .toList();
        for (int n = 0; n < 200; n++) {
            assertThat(sums.get(n)).isEqualTo((long) n * n * (n - 1) / 2);
        }
    }

    @Test
    void valuesBecomeJson() {
        CelEnvironment environment = CelEnvironment.kubernetes().build();
        String source =
                "{'a': dyn([dyn(1), dyn(2u), dyn(1.5), dyn(true), dyn(null)]), 'b': dyn(duration('90s')), 'c': dyn(b'hi'), "
                        + "'d': dyn(timestamp('2026-11-15T09:30:00Z')), 'e': dyn({'x': quantity('1Gi')})}";
        assertThat(Json.string(CelValues.toJson(value(compiled(environment, source), name -> null))))
                .isEqualTo("{\"a\":[1,2,1.5,true,null],\"b\":\"90s\",\"c\":\"aGk=\",\"d\":\"2026-11-15T09:30:00Z\","
                        + "\"e\":{\"x\":\"1Gi\"}}");
        assertThatThrownBy(() -> CelValues.toJson(CelOptional.NONE)).isInstanceOf(CelException.class);
    }

    @Test
    void mutationsMakeObjectsAndPatches() {
        CelEnvironment environment =
                CelEnvironment.kubernetes().library(CelLibrary.MUTATION).build();
        Object object = value(
                compiled(environment, "Object{spec: Object.spec{replicas: 3, ?paused: optional.none()}}"),
                name -> null);
        assertThat(CelValues.toJson(object)).isEqualTo(Json.parse("{\"spec\": {\"replicas\": 3}}"));
        Object patches = value(
                compiled(environment, "[JSONPatch{op: 'add', path: '/a/' + jsonpatch.escapeKey('b/c'), value: [1]}]"),
                name -> null);
        assertThat(((CelList) patches).get(0)).isInstanceOfSatisfying(JsonPatchOperation.class, patch -> {
            assertThat(patch.op()).isEqualTo("add");
            assertThat(patch.path()).isEqualTo("/a/b~1c");
            assertThat(CelValues.toJson(Objects.requireNonNull(patch.value()))).isEqualTo(Json.parse("[1]"));
        });
        assertThat(CelEnvironment.kubernetes().build().compile("Object{}")).isInstanceOf(CelCompilation.Failed.class);
    }

    @Test
    void bindingsNameValues() {
        CelEnvironment environment =
                CelEnvironment.kubernetes().library(CelLibrary.BINDINGS).build();
        assertThat(value(compiled(environment, "cel.bind(x, 2 + 3, x * x)"), name -> null))
                .isEqualTo(25L);
        assertThat(value(compiled(environment, "cel.bind(x, 1 / 0, true || x > 1)"), name -> null))
                .isEqualTo(true);
    }

    @Test
    void schemasBoundSizes() {
        DeclaredType type = declared("{\"type\":\"array\",\"maxItems\":10,\"items\":{\"type\":\"string\"}}");
        assertThat(type.type()).hasToString("list(string)");
        assertThat(type.maxElements()).isEqualTo(10);
        assertThat(declared("{\"type\":\"string\",\"maxLength\":5}").maxElements())
                .isEqualTo(20);
        assertThat(declared("{\"type\":\"string\"}").maxElements()).isEqualTo(CelLimits.MAX_REQUEST_BYTES - 2);
        assertThat(declared("{\"type\":\"boolean\"}").minSerializedSize()).isEqualTo(4);
        assertThat(declared("{\"type\":\"integer\"}").maxCardinality()).isEqualTo(CelLimits.MAX_REQUEST_BYTES / 2);
        assertThat(DeclaredType.ofSchema(Json.parse("{\"type\":\"array\"}"), false))
                .isNull();
        assertThat(DeclaredType.ofSchema(Json.parse("{\"x-kubernetes-preserve-unknown-fields\":true}"), false))
                .isNull();
    }

    @Test
    void resourcesHaveNamesWhateverTheirSchemaSays() {
        JsonNode schema = Json.parse("{\"type\":\"object\",\"properties\":{\"metadata\":{\"type\":\"object\"}}}");
        DeclaredType type =
                Objects.requireNonNull(DeclaredType.ofSchema(schema, true)).named("self");
        CelEnvironment environment =
                CelEnvironment.kubernetes().variable("self", type).build();
        JsonNode object = Json.parse("{\"kind\":\"Job\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"n\"}}");
        CelProgram program = compiled(environment, "self.kind + '/' + self.metadata.name");
        assertThat(value(program, Bindings.of("self", object))).isEqualTo("Job/n");
        assertThat(environment.compile("self.metadata.labels")).isInstanceOf(CelCompilation.Failed.class);
    }

    @Test
    void rulesThatMayCostTooMuchAreTold() {
        DeclaredType unbounded = declared(
                        "{\"type\":\"array\",\"items\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}}}")
                .named("self");
        CelEnvironment environment =
                CelEnvironment.kubernetes().variable("self", unbounded).build();
        String rule = "self.all(x, x.all(y, y.startsWith('a')))";
        assertThat(compiled(environment, rule).estimatedCost().max()).isGreaterThan(CelLimits.STATIC_RULE_COST * 100);
    }

    @Test
    void constantsThatFailAreToldApartFromMistakes() {
        CelEnvironment environment = CelEnvironment.kubernetes().build();
        assertThat(environment.compile("int('x') == 1"))
                .isInstanceOfSatisfying(
                        CelCompilation.Failed.class,
                        failed -> assertThat(failed.detail())
                                .isEqualTo(
                                        "program instantiation failed: type conversion error from 'string' to 'int'"));
        assertThat(environment.compile("1 + 'x'"))
                .isInstanceOfSatisfying(
                        CelCompilation.Failed.class,
                        failed -> assertThat(failed.detail())
                                .startsWith(
                                        "compilation failed: ERROR: <input>:1:3: found no matching overload for '_+_'"));
    }

    @Test
    void authorizersAreAsked() {
        CelEnvironment environment = CelEnvironment.kubernetes()
                .variable("authorizer", CelType.AUTHORIZER)
                .variable("authorizer.requestResource", CelType.RESOURCE_CHECK)
                .build();
        Map<String, Object> variables = new HashMap<>();
        CelAuthorizer authorizer = check -> new CelAuthorizer.Decision(
                check.verb().equals("update") && check.resource().equals("pods"), check.namespace(), null);
        variables.put("authorizer", CelValues.authorizer(authorizer));
        CelAuthorizer.Check request = new CelAuthorizer.Check("", null, "", "pods", "", "ns", "name", null, null, null);
        variables.put("authorizer.requestResource", CelValues.resourceCheck(authorizer, request));
        String source = "authorizer.requestResource.check('update').allowed()"
                + " && !authorizer.requestResource.check('delete').allowed()"
                + " && authorizer.requestResource.check('update').reason() == 'ns'"
                + " && authorizer.group('').resource('pods').check('update').allowed()";
        assertThat(value(compiled(environment, source), Bindings.of(variables))).isEqualTo(true);
    }

    @ParameterizedTest
    @CsvSource({
        "name,name",
        "my-field,my__dash__field",
        "a.b/c,a__dot__b__slash__c",
        "a__b,a__underscores__b",
        "_a,_a",
        "namespace,__namespace__",
        "in,__in__",
    })
    void namesOfPropertiesAreEscaped(String property, String identifier) {
        assertThat(Identifiers.escape(property)).isEqualTo(identifier);
        assertThat(Identifiers.unescape(identifier)).isEqualTo(property);
    }

    @Test
    void someNamesOfPropertiesHaveNoIdentifier() {
        assertThat(Identifiers.escape("1st")).isNull();
        assertThat(Identifiers.escape("$ref")).isNull();
        assertThat(Identifiers.escape("")).isNull();
        assertThat(Identifiers.unescape("a__zzz__b")).isNull();
    }
}
