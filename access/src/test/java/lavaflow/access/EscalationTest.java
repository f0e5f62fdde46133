package lavaflow.access;

import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class EscalationTest {
    private static Rule rule(List<String> verbs, List<String> resources) {
        return new Rule(verbs, List.of(""), resources, List.of(), List.of());
    }

    @Test
    void severalRulesTogetherMayCoverOne() {
        List<Rule> owned = List.of(rule(List.of("get"), List.of("pods")), rule(List.of("list"), List.of("pods", "x")));
        assertThat(Escalation.uncovered(owned, List.of(rule(List.of("get", "list"), List.of("pods")))))
                .isEmpty();
        assertThat(Escalation.uncovered(owned, List.of(rule(List.of("get"), List.of("x")))))
                .hasSize(1);
    }

    @Test
    void aStarIsMoreThanEverythingThatIsKnown() {
        List<Rule> owned = List.of(rule(List.of("get", "list", "watch", "create", "delete"), List.of("*")));
        assertThat(Escalation.uncovered(owned, List.of(rule(List.of("*"), List.of("pods")))))
                .hasSize(1);
        assertThat(Escalation.uncovered(
                        List.of(rule(List.of("*"), List.of("pods", "secrets"))),
                        List.of(rule(List.of("get"), List.of("*")))))
                .hasSize(1);
    }

    @Test
    void namesNarrow() {
        Rule all = rule(List.of("get"), List.of("pods"));
        Rule one = Rule.ofResource(List.of("get"), "", "pods", List.of("a"));
        assertThat(Escalation.uncovered(List.of(all), List.of(one))).isEmpty();
        assertThat(Escalation.uncovered(List.of(one), List.of(all))).hasSize(1);
    }

    @Test
    void theRefusalJoinsVerbs() {
        List<Rule> missing = Escalation.uncovered(List.of(), List.of(rule(List.of("get", "list"), List.of("pods"))));
        assertThat(Escalation.refusal(new User("bob", List.of("g")), missing, List.of(), "roles"))
                .isEqualTo("user \"bob\" (groups=[\"g\"]) is attempting to grant RBAC permissions not currently held:\n"
                        + "{APIGroups:[\"\"], Resources:[\"pods\"], Verbs:[\"get\" \"list\"]}");
    }
}
