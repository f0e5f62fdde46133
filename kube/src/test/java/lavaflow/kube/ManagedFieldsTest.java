package lavaflow.kube;

import java.util.List;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/** What the recordings of the peer cannot show: other versions, changed schemas, what is shared and what is not. */
class ManagedFieldsTest {
    private static final String NOW = "2026-01-02T03:04:05Z";
    private static final String LATER = "2026-01-02T03:04:06Z";

    private static final ManagedFields THINGS =
            new ManagedFields(ManagedFields.Endpoint.of(TestingTypes.THINGS, "Thing", "apply.lab/v1", "Thing"));

    private static ObjectNode thing(String spec) {
        return (ObjectNode)
                Json.parse(("{'apiVersion':'apply.lab/v1','kind':'Thing','metadata':{'name':'t'},'spec':" + spec + "}")
                        .replace('\'', '"'));
    }

    private static ObjectNode stored(ObjectNode object) {
        object.withObject("metadata").put("uid", "1");
        return object;
    }

    private static String owned(ObjectNode object) {
        StringBuilder text = new StringBuilder();
        for (var entry : Json.listAt(object, "metadata", "managedFields")) {
            text.append(Json.textAt(entry, "manager"))
                    .append(' ')
                    .append(FieldSet.parse(entry.get("fieldsV1")).toString().replace('\n', ' '))
                    .append('\n');
        }
        return text.toString();
    }

    @Test
    void entriesThatDidNotChangeAreKeptAsTheyAre() {
        ObjectNode live = stored(THINGS.update(null, thing("{'flag':true,'ratio':1}"), "a", NOW));
        ObjectNode object = live.deepCopy();
        object.withObject("spec").put("any", 5);
        THINGS.update(live, object, "b", LATER);
        assertThat(object.at("/metadata/managedFields/0")).isSameAs(live.at("/metadata/managedFields/0"));
        assertThat(owned(object)).isEqualTo("a .spec .spec.flag .spec.ratio\nb .spec.any\n");
    }

    @Test
    void whatIsAppliedSharesNothingWithTheLiveObject() {
        ObjectNode live = stored(THINGS.update(null, thing("{'nested':{'a':1}}"), "a", NOW));
        ObjectNode config = thing("{'map':{'x':'1'}}");
        ObjectNode applied = THINGS.apply(live, config, "b", false, LATER);
        applied.withObject("/spec/nested").put("a", 7);
        applied.withObject("/spec/map").put("x", "7");
        assertThat(live.at("/spec/nested/a").asInt()).isEqualTo(1);
        assertThat(config.at("/spec/map/x").asText()).isEqualTo("1");
    }

    @Test
    void anApplyThatChangesNothingGivesTheLiveObject() {
        ObjectNode first = stored(THINGS.apply(null, thing("{'flag':true}"), "a", false, NOW));
        assertThat(THINGS.apply(first, thing("{'flag':true}"), "a", false, LATER))
                .isEqualTo(first);
    }

    @Test
    void timesAreKeptWhereTheyAreAllThatDiffers() {
        ObjectNode live = stored(THINGS.apply(null, thing("{'flag':true}"), "a", false, NOW));
        ObjectNode later = live.deepCopy();
        ((ObjectNode) later.at("/metadata/managedFields/0")).put("time", LATER);
        ManagedFields.keepTimes(live, later);
        assertThat(later).isEqualTo(live);
        ObjectNode other = live.deepCopy();
        ((ObjectNode) other.at("/metadata/managedFields/0")).put("time", LATER);
        other.withObject("spec").put("flag", false);
        ManagedFields.keepTimes(live, other);
        assertThat(other.at("/metadata/managedFields/0/time").asText()).isEqualTo(LATER);
    }

    @Test
    void anObjectThatDoesNotFitItsSchemaIsWrittenWithoutOwners() {
        ObjectNode live = stored(THINGS.update(null, thing("{'flag':true}"), "a", NOW));
        ObjectNode object = live.deepCopy();
        object.withObject("spec").putArray("items").addNull();
        assertThat(THINGS.update(live, object, "b", LATER)
                        .at("/metadata/managedFields")
                        .isMissingNode())
                .isTrue();
    }

    @Test
    void ownersOfPartsOwnTheWholeOnceTheSchemaSaysSo() {
        Types granular = new TestingTypes("""
                Thing: apiVersion string; kind string; metadata Meta; spec Spec
                Meta: name string; uid string
                Spec: whole {}string; other string
                """);
        ManagedFields before = new ManagedFields(ManagedFields.Endpoint.of(granular, "Thing", "apply.lab/v1", "Thing"));
        ObjectNode live = stored(before.apply(null, thing("{'whole':{'a':'1'}}"), "a", false, NOW));
        assertThat(owned(live)).isEqualTo("a .spec.whole.a\n");
        ApiException conflict = catchThrowableOfType(
                ApiException.class, () -> THINGS.apply(live, thing("{'whole':{'b':'1'}}"), "b", false, LATER));
        assertThat(conflict.getMessage()).isEqualTo("Apply failed with 1 conflict: conflict with \"a\": .spec.whole");
        ObjectNode object = live.deepCopy();
        object.withObject("/spec/whole").put("a", "2");
        assertThat(owned(THINGS.update(live, object, "b", LATER))).isEqualTo("b .spec.whole\n");
    }

    @Test
    void ownersInOtherVersionsAreLeftAloneWithoutAConverter() {
        ObjectNode live = stored(THINGS.update(null, thing("{'flag':true}"), "a", NOW));
        ((ObjectNode) live.at("/metadata/managedFields/0")).put("apiVersion", "apply.lab/v0");
        ObjectNode object = live.deepCopy();
        object.withObject("spec").put("flag", false);
        assertThat(owned(THINGS.update(live, object, "b", LATER))).isEqualTo("a .spec .spec.flag\nb .spec.flag\n");
    }

    /** Version v0 calls {@code flag} {@code old}; other versions do not exist. */
    private static ManagedFields.Versioned convert(ObjectNode object, String apiVersion) {
        ObjectNode copy = object.deepCopy();
        ObjectNode spec = copy.withObject("spec");
        boolean isNew = Json.textAt(object, "apiVersion").endsWith("v1");
        if (apiVersion.endsWith("v2")) {
            return null;
        }
        if (isNew && apiVersion.endsWith("v0") && spec.has("flag")) {
            spec.set("old", spec.remove("flag"));
        } else if (!isNew && apiVersion.endsWith("v1") && spec.has("old")) {
            spec.set("flag", spec.remove("old"));
        }
        copy.put("apiVersion", apiVersion);
        return new ManagedFields.Versioned(apiVersion.endsWith("v0") ? "OldThing" : "Thing", copy);
    }

    private static final Types BOTH = new TestingTypes("""
            Thing: apiVersion string; kind string; metadata Meta; spec Spec
            OldThing: apiVersion string; kind string; metadata Meta; spec OldSpec
            Meta: name string; uid string
            Spec: flag bool; ratio float64
            OldSpec: old bool; ratio float64
            """);

    private static ManagedFields endpoint(String version, String struct) {
        return new ManagedFields(new ManagedFields.Endpoint(
                BOTH, struct, version, "Thing", "", FieldFilter.ALL, ManagedFieldsTest::convert));
    }

    @Test
    void ownersInOtherVersionsLoseWhatChangesInTheirVersion() {
        ManagedFields old = endpoint("apply.lab/v0", "OldThing");
        ManagedFields current = endpoint("apply.lab/v1", "Thing");
        ObjectNode first = thing("{'old':true,'ratio':1}").put("apiVersion", "apply.lab/v0");
        ObjectNode live = convert(stored(old.apply(null, first, "a", false, NOW)), "apply.lab/v1")
                .object();
        assertThat(owned(live)).isEqualTo("a .spec.old .spec.ratio\n");

        ApiException conflict = catchThrowableOfType(
                ApiException.class, () -> current.apply(live, thing("{'flag':false}"), "b", false, LATER));
        assertThat(conflict.getMessage()).isEqualTo("Apply failed with 1 conflict: conflict with \"a\": .spec.old");

        ObjectNode taken = current.apply(live, thing("{'flag':false}"), "b", true, LATER);
        assertThat(owned(taken)).isEqualTo("a .spec.ratio\nb .spec.flag\n");

        ObjectNode moved = current.apply(live, thing("{'ratio':1}"), "a", false, LATER);
        assertThat(owned(moved)).isEqualTo("a .spec.ratio\n");
        assertThat(moved.at("/spec/flag").isMissingNode()).isTrue();
    }

    @Test
    void ownersInVersionsThatAreGoneAreForgotten() {
        ManagedFields current = endpoint("apply.lab/v1", "Thing");
        ObjectNode live = stored(current.update(null, thing("{'flag':true}"), "a", NOW));
        ((ObjectNode) live.at("/metadata/managedFields/0")).put("apiVersion", "apply.lab/v2");
        ObjectNode object = live.deepCopy();
        object.withObject("spec").put("ratio", 2);
        assertThat(owned(current.update(live, object, "b", LATER))).isEqualTo("b .spec.ratio\n");
    }

    @Test
    void aManagerWithoutANameIsUnknown() {
        assertThat(owned(THINGS.update(null, thing("{'flag':true}"), "", NOW))).startsWith("unknown ");
    }

    @Test
    void filtersOfSubresourcesIncludeByPattern() {
        ManagedFields resize = new ManagedFields(new ManagedFields.Endpoint(
                TestingTypes.THINGS,
                "Thing",
                "apply.lab/v1",
                "Thing",
                "resize",
                FieldFilter.including(List.of("spec.items.*.v")),
                null));
        ObjectNode live = stored(THINGS.update(null, thing("{'items':[{'name':'a','v':1}]}"), "a", NOW));
        ObjectNode object = live.deepCopy();
        ((ObjectNode) object.at("/spec/items/0")).put("v", 2).putObject("sub").put("a", 1);
        assertThat(owned(resize.update(live, object, "b", LATER))).isEqualTo("""
                        a .spec .spec.items .spec.items[name="a"] .spec.items[name="a"].name
                        b .spec.items[name="a"].v
                        """);
    }
}
