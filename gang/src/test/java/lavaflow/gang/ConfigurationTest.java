package lavaflow.gang;

import lavaflow.kube.MalformedException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The configuration file. */
class ConfigurationTest {
    private static Arguments arguments(String text) {
        return Configuration.parse("actions: allocate\ntiers:\n- plugins:\n  - name: p\n    arguments:\n      " + text)
                .tiers()
                .getFirst()
                .getFirst()
                .arguments();
    }

    @Test
    void withoutAFileTheUsualPluginsAnswer() {
        Configuration usual = Configuration.usual();

        assertThat(usual.actions()).containsExactly("enqueue", "allocate", "backfill");
        assertThat(usual.tiers()).hasSize(2);
        assertThat(usual.tiers().getFirst())
                .extracting(Configuration.Entry::name)
                .containsExactly("priority", "gang", "conformance");
        assertThat(usual.tiers().getLast())
                .extracting(Configuration.Entry::name)
                .containsExactly("overcommit", "drf", "predicates", "proportion", "nodeorder");
    }

    @Test
    void aCallbackCanBeTurnedOffForOnePlugin() {
        Configuration file = Configuration.parse("""
                actions: "enqueue, allocate, backfill"
                tiers:
                - plugins:
                  - name: gang
                    enablePreemptable: false
                  - name: capacity
                    enableHierarchy: true
                configurations:
                - name: allocate
                  arguments: {predicateErrorCacheEnable: false}
                """);

        assertThat(file.tiers().getFirst().getFirst().answers(Callback.PREEMPTABLE))
                .isFalse();
        assertThat(file.tiers().getFirst().getFirst().answers(Callback.RECLAIMABLE))
                .isTrue();
        assertThat(file.tiers().getFirst().getFirst().answers(Callback.HIERARCHY))
                .isFalse();
        assertThat(file.tiers().getFirst().getLast().answers(Callback.HIERARCHY))
                .isTrue();
        assertThat(file.argumentsOf("allocate").flag("predicateErrorCacheEnable", true))
                .isFalse();
        assertThat(file.argumentsOf("preempt").flag("predicateErrorCacheEnable", true))
                .isTrue();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            actions: "allocate, elect"                     | failed to find Action elect
            actions: ""                                    | failed to find Action
            [1, 2]                                         | the configuration must be a mapping with actions and tiers
            {a: [}                                         | yaml
            """)
    void aBrokenFileIsRefusedWithItsReason(String text, String reason) {
        assertThatThrownBy(() -> Configuration.parse(text))
                .isInstanceOf(MalformedException.class)
                .hasMessageContaining(reason);
    }

    @Test
    void proportionAndHierarchicalFairnessDoNotGoTogether() {
        assertThatThrownBy(() -> Configuration.parse("""
                        actions: allocate
                        tiers:
                        - plugins:
                          - name: proportion
                          - name: drf
                            enableHierarchy: true
                        """))
                .hasMessage("proportion and drf with hierarchy enabled conflicts");
    }

    @Test
    void aWholeNumberMustBeWrittenAsOne() {
        assertThat(arguments("w: 5").integer("w", 1)).isEqualTo(5);
        assertThat(arguments("w: \"5\"").integer("w", 1)).isEqualTo(1);
        assertThat(arguments("w: 5.5").integer("w", 1)).isEqualTo(1);
        Arguments wrong = arguments("w: \"5\"");
        assertThat(wrong.integer("w", 1)).isEqualTo(1);
        assertThat(wrong.complaints())
                .containsExactly("plugin p: argument w must be a whole number, not \"5\"; 1 is used instead");
    }

    @Test
    void otherNumbersMayBeWholeAndFlagsMayBeText() {
        assertThat(arguments("w: 5").number("w", 1)).isEqualTo(5.0);
        assertThat(arguments("w: 1.5").number("w", 1)).isEqualTo(1.5);
        assertThat(arguments("w: \"true\"").flag("w", false)).isTrue();
        assertThat(arguments("w: false").flag("w", true)).isFalse();
        assertThat(arguments("w: maybe").flag("w", true)).isTrue();
        assertThat(arguments("w: \"a, b,,c\"").names("w")).containsExactly("a", "b", "c");
    }
}
