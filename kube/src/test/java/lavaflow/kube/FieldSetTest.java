package lavaflow.kube;

import java.util.List;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class FieldSetTest {
    private static FieldSet set(String fieldsV1) {
        return FieldSet.parse(Json.parse(fieldsV1.replace('\'', '"')));
    }

    private static String json(FieldSet set) {
        return Json.string(set.toJson());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "{\"f:data\":{\".\":{},\"f:k\":{}},\"f:metadata\":{\"f:finalizers\":{\"v:\\\"a/b\\\"\":{}}}}",
                "{\"f:ports\":{\"k:{\\\"containerPort\\\":80,\\\"protocol\\\":\\\"TCP\\\"}\":{\".\":{},\"f:name\":{}}}}",
                "{\"f:x\":{\"i:0\":{},\"i:10\":{}}}",
                "{\"f:x\":{\"v:1\":{},\"v:2\":{},\"v:10\":{},\"v:\\\"1\\\"\":{},\"v:true\":{}}}",
            })
    void writesWhatItReads(String fieldsV1) {
        assertThat(json(FieldSet.parse(Json.parse(fieldsV1)))).isEqualTo(fieldsV1);
    }

    @Test
    void sortsFieldsThenKeysThenValuesThenIndices() {
        FieldSet sorted =
                set("{'i:0':{},'v:1':{},'k:{\\'name\\':\\'b\\'}':{},'f:b':{},'k:{\\'name\\':\\'a\\'}':{},'f:a':{}}"
                        .replace("\\'", "\\\""));
        assertThat(sorted.toString()).isEqualTo(".a\n.b\n[name=\"a\"]\n[name=\"b\"]\n[=1]\n[0]");
    }

    @Test
    void keysAreTheSameInAnyOrderAndNumbersInAnyForm() {
        ObjectNode twice = Json.object();
        twice.putObject("k:{\"b\":1,\"a\":2}").putObject("f:x");
        twice.set("k:{\"a\":2.0,\"b\":1}", Json.object());
        assertThat(json(FieldSet.parse(twice))).isEqualTo("{\"k:{\\\"a\\\":2,\\\"b\\\":1}\":{\".\":{},\"f:x\":{}}}");
    }

    @Test
    void numbersInsideValuesAreTheSameInAnyForm() {
        assertThat(set("{'v:{\\'b\\':11E0}':{}}")).isEqualTo(set("{'v:{\\'b\\':11}':{}}"));
    }

    @Test
    void halvesOfSurrogatePairsAreReplaced() {
        assertThat(json(set("{'v:\\'a\\\\uDDDD\\'':{}}"))).contains("\uFFFD");
    }

    @Test
    void escapesHtmlInKeysAsUpstreamDoes() {
        FieldSet set = FieldSet.of(List.of(PathStep.value(Json.text("<&>\u2028\"\\\n\u0001"))));
        assertThat(set.toJson().fieldNames().next()).isEqualTo("v:\"\\u003c\\u0026\\u003e\\u2028\\\"\\\\\\n\\u0001\"");
        assertThat(FieldSet.parse(set.toJson())).isEqualTo(set);
    }

    @Test
    void dropsStepsOfUnknownKinds() {
        assertThat(json(set("{'x:y':{'f:a':{}},'f:b':{}}"))).isEqualTo("{\"f:b\":{}}");
    }

    @ParameterizedTest
    @ValueSource(strings = {"5", "[]", "{'f':{}}", "{'fx':{}}", "{'v:':{}}", "{'k:[1]':{}}", "{'i:x':{}}", "{'f:a':5}"})
    void refusesWhatIsNoSet(String fieldsV1) {
        assertThatThrownBy(() -> set(fieldsV1)).isInstanceOf(ApiException.class);
    }

    @Test
    void unionIntersectionAndDifferenceWorkOnPaths() {
        FieldSet left = set("{'f:a':{'.':{},'f:b':{},'f:c':{}},'f:d':{}}");
        FieldSet right = set("{'f:a':{'f:c':{},'f:e':{}},'f:x':{}}");
        assertThat(left.union(right)).hasToString(".a\n.d\n.x\n.a.b\n.a.c\n.a.e");
        assertThat(left.intersection(right)).hasToString(".a.c");
        assertThat(left.difference(right)).hasToString(".a\n.d\n.a.b");
        assertThat(right.difference(left)).hasToString(".x\n.a.e");
    }

    @Test
    void differenceKeepsWhatIsBelowAndRecursiveDifferenceDoesNot() {
        FieldSet fields = set("{'f:a':{'.':{},'f:b':{}}}");
        FieldSet parent = FieldSet.ofFields("a");
        assertThat(fields.difference(parent)).hasToString(".a.b");
        assertThat(fields.recursiveDifference(parent).isEmpty()).isTrue();
        assertThat(parent.difference(FieldSet.ofFields("a.b"))).isEqualTo(parent);
    }

    @Test
    void givesItselfBackWhereNothingChanges() {
        FieldSet fields = FieldSet.ofFields("a.b", "c");
        assertThat(fields.difference(FieldSet.ofFields("x", "a.y"))).isSameAs(fields);
        assertThat(fields.union(FieldSet.EMPTY)).isSameAs(fields);
        assertThat(fields.difference(fields).isEmpty()).isTrue();
    }

    @Test
    void leavesHaveNothingBelowThem() {
        assertThat(set("{'f:a':{'.':{},'f:b':{}},'f:c':{}}").leaves()).hasToString(".c\n.a.b");
    }

    @Test
    void hasOnlyMembers() {
        FieldSet fields = FieldSet.ofFields("a.b");
        assertThat(fields.has(List.of(PathStep.field("a")))).isFalse();
        assertThat(fields.has(List.of(PathStep.field("a"), PathStep.field("b"))))
                .isTrue();
        assertThat(fields.has(List.of())).isFalse();
    }

    @Test
    void filtersExcludeWithAllBelowOrIncludeByPattern() {
        FieldSet fields = set(
                "{'f:spec':{'f:containers':{'i:0':{'f:image':{},'f:resources':{'f:limits':{}}},'i:1':{'f:image':{}}}},"
                        + "'f:status':{'f:phase':{}}}");
        assertThat(FieldFilter.excluding(FieldSet.ofFields("spec")).filter(fields))
                .hasToString(".status.phase");
        assertThat(FieldFilter.including(List.of("spec.containers.*.resources", "spec.x"))
                        .filter(fields))
                .hasToString(".spec.containers[0].resources.limits");
        assertThat(FieldFilter.excluding(FieldSet.EMPTY).filter(fields)).isSameAs(fields);
    }
}
