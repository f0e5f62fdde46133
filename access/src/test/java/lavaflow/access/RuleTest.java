package lavaflow.access;

import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class RuleTest {
    private static Rule rule(String resource, List<String> names) {
        return Rule.ofResource(List.of("get"), "", resource, names);
    }

    @ParameterizedTest
    @CsvSource({
        "pods, pods, '', true",
        "pods, pods, log, false",
        "pods/log, pods, log, true",
        "pods/log, pods, '', false",
        "*, pods, log, true",
        "*/log, pods, log, true",
        "*/log, pods, '', false",
        "*/log, pods, blog, false",
        "pods/*, pods, log, false",
        "xpods/log, pods, log, false",
        "pods, podsx, '', false",
    })
    void resourcesAndSubresources(String granted, String resource, String subresource, boolean allowed) {
        Attributes wanted = Attributes.ofResource("get", "", "v1", resource, subresource, "n", "x");
        assertThat(rule(granted, List.of()).allows(wanted)).isEqualTo(allowed);
    }

    @Test
    void namesDoNotCoverCollections() {
        Rule one = rule("pods", List.of("a"));
        assertThat(one.allows(Attributes.ofResource("get", "", "v1", "pods", "", "n", "a")))
                .isTrue();
        assertThat(one.allows(Attributes.ofResource("get", "", "v1", "pods", "", "n", "b")))
                .isFalse();
        assertThat(one.allows(Attributes.ofResource("get", "", "v1", "pods", "", "n", "")))
                .isFalse();
    }

    @ParameterizedTest
    @CsvSource({
        "/healthz, /healthz, true",
        "/healthz, /healthz/x, false",
        "/healthz/*, /healthz/x, true",
        "/healthz/*, /healthz, false",
        "/h*, /healthz, true",
        "*, /anything, true",
        "/*/x, /a/x, false",
    })
    void paths(String granted, String path, boolean allowed) {
        assertThat(Rule.ofPath(List.of("get"), granted).allows(Attributes.ofPath("get", path)))
                .isEqualTo(allowed);
    }

    @Test
    void aRuleForPathsSaysNothingOfResources() {
        Rule paths = Rule.ofPath(List.of("*"), "*");
        assertThat(paths.allows(Attributes.ofResource("get", "", "v1", "pods", "", "", "")))
                .isFalse();
        Rule everything = new Rule(List.of("*"), List.of("*"), List.of("*"), List.of(), List.of());
        assertThat(everything.allows(Attributes.ofPath("get", "/metrics"))).isFalse();
    }
}
