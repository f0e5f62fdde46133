package lavaflow.batch;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class HyperNodeRulesTest {
    private static ObjectNode of(String... patterns) {
        ObjectNode node = Json.object();
        var members = Json.ensureObject(node, "spec").putArray("members");
        for (String pattern : patterns) {
            members.addObject().putObject("selector").putObject("regexMatch").put("pattern", pattern);
        }
        return node;
    }

    @Test
    void wantsMembers() {
        assertThat(HyperNodeRules.refusal(of()))
                .isEqualTo("[].spec.members: Invalid value: null: member must have at least one member");
    }

    @Test
    void wantsPatternsThatMeanSomething() {
        assertThat(HyperNodeRules.refusal(of("^node-[0-9]+$"))).isEmpty();
        assertThat(HyperNodeRules.refusal(of("a", "[")))
                .isEqualTo(
                        "[].spec.members.selector.regexMatch.pattern: Invalid value: \"[\": member regexMatch pattern is"
                                + " invalid: error parsing regexp: missing closing ]: `[`");
        assertThat(HyperNodeRules.refusal(of("[", "(")))
                .startsWith("[[].spec.members")
                .contains(", [].spec.members");
    }
}
