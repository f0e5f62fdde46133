package lavaflow.apiserver;

import java.util.List;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

final class DefinitionStatusTest {
    private static final String NOW = "2030-01-01T00:00:00Z";
    private static final Definition.Names NONE = new Definition.Names("", "", List.of(), "", "", List.of());

    private static Definition.Names names(String plural, String kind, String... shortNames) {
        return new Definition.Names(
                plural, plural.substring(0, plural.length() - 1), List.of(shortNames), kind, kind + "List", List.of());
    }

    private static Definition definition(Definition.Names requested, Definition.Names accepted) {
        return new Definition(
                requested.plural() + ".example.com",
                requested.plural(),
                1,
                1,
                "example.com",
                true,
                requested,
                accepted,
                List.of(),
                Json.object(),
                Json.array(),
                false,
                List.of(),
                null);
    }

    private static String condition(DefinitionStatus.Verdict verdict, String type) {
        for (JsonNode each : verdict.conditions()) {
            if (Json.textAt(each, "type").equals(type)) {
                return Json.textAt(each, "status") + " " + Json.textAt(each, "reason") + ": "
                        + Json.textAt(each, "message");
            }
        }
        return "";
    }

    @Test
    void namesThatNobodyHasAreGranted() {
        Definition.Names names = names("widgets", "Widget", "wg");
        var verdict = DefinitionStatus.judge(definition(names, NONE), List.of(), NOW);

        assertThat(verdict.names()).isEqualTo(names);
        assertThat(verdict.isAccepted()).isTrue();
        assertThat(condition(verdict, "NamesAccepted")).isEqualTo("True NoConflicts: no conflicts found");
        assertThat(condition(verdict, "Established"))
                .isEqualTo("True InitialNamesAccepted: the initial names have been accepted");
    }

    @Test
    void theLastConflictIsTold() {
        Definition.Names taken = names("widgets", "Widget", "wg");
        Definition other = definition(taken, taken);
        var verdict = DefinitionStatus.judge(definition(names("gizmos", "Widget", "wg"), NONE), List.of(other), NOW);

        assertThat(verdict.names().plural()).isEqualTo("gizmos");
        assertThat(verdict.names().kind()).isEmpty();
        assertThat(condition(verdict, "NamesAccepted"))
                .isEqualTo("False ListKindConflict: \"WidgetList\" is already in use");
        assertThat(condition(verdict, "Established")).isEqualTo("False NotAccepted: not all names are accepted");
    }

    @Test
    void namesOnceGrantedStayEvenIfOthersAskForThem() {
        Definition.Names held = names("widgets", "Widget");
        Definition other = definition(names("gizmos", "Widget"), NONE);
        var verdict = DefinitionStatus.judge(definition(held, held), List.of(other), NOW);

        assertThat(verdict.isAccepted()).isTrue();
    }

    @Test
    void manyShortNamesAreToldTogether() {
        Definition.Names taken = names("widgets", "Widget", "a", "b");
        var verdict = DefinitionStatus.judge(
                definition(names("gizmos", "Gizmo", "b", "a"), NONE), List.of(definition(taken, taken)), NOW);

        assertThat(condition(verdict, "NamesAccepted"))
                .isEqualTo("False ShortNamesConflict: [\"b\" is already in use, \"a\" is already in use]");
    }
}
