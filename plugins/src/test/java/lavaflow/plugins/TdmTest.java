package lavaflow.plugins;

import java.time.Instant;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static lavaflow.plugins.TestingGangs.annotated;
import static lavaflow.plugins.TestingGangs.running;
import static org.assertj.core.api.Assertions.assertThat;

/** Nodes that belong to somebody else for some hours of the day. */
class TdmTest {
    private static final String REVOCABLE = annotated("volcano.sh/revocable-zone", "*");
    private static final String LENT = "{\"metadata\":{\"labels\":{\"volcano.sh/revocable-zone\":\"rz1\"}}}";

    private final TestingGangs gangs = new TestingGangs().configured("""
            actions: "allocate, preempt"
            tiers:
            - plugins:
              - name: tdm
                arguments:
                  tdm.revocable-zone.rz1: 10:00-21:00
                  tdm.revocable-zone.rz2: nonsense
                  tdm.evict.period: 2m
              - name: predicates
            """);

    private void at(String time) {
        gangs.now = Instant.parse("2026-11-15T" + time + "Z");
    }

    @ParameterizedTest
    @CsvSource({
        "10:00-21:00, 09:59:59, false",
        "10:00-21:00, 10:00:00, true",
        "10:00-21:00, 20:59:59, true",
        "10:00-21:00, 21:00:00, false",
        "22:00-06:00, 21:00:00, false",
        "22:00-06:00, 23:00:00, true",
        "22:00-06:00, 02:00:00, true",
        "22:00-06:00, 06:00:00, false",
        "08:00-08:00, 03:00:00, true"
    })
    void aWindowHasItsHours(String window, String time, boolean open) {
        assertThat(TdmPlugin.Window.parse(window))
                .isNotNull()
                .satisfies(parsed -> assertThat(parsed.contains(Instant.parse("2026-11-15T" + time + "Z")))
                        .isEqualTo(open));
    }

    @Test
    void whatIsNoWindowIsNone() {
        assertThat(TdmPlugin.Window.parse("nonsense")).isNull();
        assertThat(TdmPlugin.Window.parse("25:00-26:00")).isNull();
    }

    @Test
    void lentNodesTakeOnlyWhatCanBeTakenAwayAgain() {
        at("12:00:00");
        gangs.node("lent", 4, LENT)
                .node("own", 1)
                .group("g", 0)
                .pod("g-0", "g")
                .pod("g-1", "g")
                .pod("g-2", "g", REVOCABLE)
                .pod("g-3", "g", annotated("volcano.sh/preemptable", "true"))
                .pod("g-4", "g", annotated("volcano.sh/revocable-zone", "rz1"));

        assertThat(gangs.bindings()).containsExactly("g-0@own", "g-2@lent", "g-3@lent");
    }

    @Test
    void whatCanBeTakenAwayGoesToLentNodesFirst() {
        at("12:00:00");
        gangs.node("a-own", 4)
                .node("lent", 1, LENT)
                .group("g", 0)
                .pod("g-0", "g", REVOCABLE)
                .pod("g-1", "g", REVOCABLE);

        assertThat(gangs.bindings()).containsExactly("g-0@lent", "g-1@a-own");
    }

    @Test
    void lentNodesTakeNobodyOutsideOfTheirHours() {
        at("09:00:00");
        gangs.node("lent", 4, LENT)
                .node("odd", 4, "{\"metadata\":{\"labels\":{\"volcano.sh/revocable-zone\":\"rz2\"}}}")
                .group("g", 0)
                .pod("g-0", "g", REVOCABLE);

        assertThat(gangs.bindings()).isEmpty();
        assertThat(gangs.core.nextChange()).isEqualTo(Instant.parse("2026-11-15T10:00:00Z"));

        at("10:00:00");
        assertThat(gangs.bindings()).containsExactly("g-0@lent");
        assertThat(gangs.bindings()).as("that was all").isEmpty();
        assertThat(gangs.core.nextChange()).isEqualTo(Instant.parse("2026-11-15T21:00:00Z"));
    }

    @ParameterizedTest
    @CsvSource({
        "'', '', 1",
        "volcano.sh/jdb-max-unavailable, 2, 2",
        "volcano.sh/jdb-max-unavailable, 50%, 2",
        "volcano.sh/jdb-max-unavailable, 0, 0",
        "volcano.sh/jdb-min-available, 1, 3",
        "volcano.sh/jdb-min-available, 75%, 1",
        "volcano.sh/jdb-min-available, many, 1"
    })
    void podsLeaveInTheEveningAsManyAsTheirGangAllows(String key, String value, int expected) {
        at("21:00:00");
        gangs.node("lent", 4, LENT).node("own", 4).group("g", 0, key.isEmpty() ? "{}" : annotated(key, value));
        for (int i = 0; i < 4; i++) {
            gangs.pod("g-" + i, "g", running("lent"));
        }
        gangs.group("other", 0).pod("other-0", "other", running("own"));
        String[] all = {"g-0", "g-1", "g-2", "g-3", "other-0"};

        assertThat(gangs.shuffled("tdm", all)).hasSize(expected).doesNotContain("other-0");
        if (expected > 0) {
            at("21:01:59");
            assertThat(gangs.shuffled("tdm", all)).isEmpty();
            assertThat(gangs.core.nextChange()).isEqualTo(Instant.parse("2026-11-15T21:02:00Z"));
            at("21:02:00");
            assertThat(gangs.shuffled("tdm", all)).hasSize(expected);
        }
    }

    @Test
    void whatMustStayTakesTheOwnNodesOfWhatMayGo() {
        at("12:00:00");
        String fixed = annotated("volcano.sh/preemptable", "false");
        gangs.node("own", 2)
                .node("lent", 2, LENT)
                .group("low", 0, annotated("volcano.sh/preemptable", "true"))
                .pod("low-0", "low", running("own"))
                .pod("low-1", "low", running("own"))
                .pod("low-2", "low", running("lent"))
                .pod("low-3", "low", running("lent"))
                .group("high", 1, fixed)
                .pod("high-0", "high", fixed);

        assertThat(gangs.evicted()).hasSize(1).first().asString().matches("low-[01]");
    }
}
