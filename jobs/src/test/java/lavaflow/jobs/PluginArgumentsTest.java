package lavaflow.jobs;

import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class PluginArgumentsTest {
    private static final Map<String, Object> DEFAULTS = Map.of("master", "master", "port", 22L, "wait", false);

    private static PluginArguments read(String... words) {
        return new PluginArguments(List.of(words), DEFAULTS);
    }

    @Test
    void holdsDefaultsWhereNothingIsSaid() {
        PluginArguments arguments = read();
        assertThat(arguments.text("master")).isEqualTo("master");
        assertThat(arguments.number("port")).isEqualTo(22);
        assertThat(arguments.flag("wait")).isFalse();
        assertThat(arguments.problem()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"--master=chief,''", "-master=chief,''", "--master,chief", "-master,chief"})
    void takesOneDashOrTwoAndAValueHereOrInTheNextWord(String first, String second) {
        PluginArguments arguments = second.isEmpty() ? read(first) : read(first, second);
        assertThat(arguments.text("master")).isEqualTo("chief");
    }

    @ParameterizedTest
    @CsvSource({
        "--wait,true",
        "--wait=true,true",
        "--wait=T,true",
        "--wait=1,true",
        "--wait=false,false",
        "--wait=0,false"
    })
    void takesFlagsWithOrWithoutAValue(String word, boolean expected) {
        assertThat(read(word).flag("wait")).isEqualTo(expected);
    }

    @Test
    void readsNumbersAsGoDoes() {
        assertThat(read("--port=0x10").number("port")).isEqualTo(16);
        assertThat(read("--port", "2222").number("port")).isEqualTo(2222);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--unknown=1|flag provided but not defined: -unknown",
                "--port|flag needs an argument: -port",
                "--port=many|invalid value \"many\" for flag -port: parse error",
                "--wait=maybe|invalid boolean value \"maybe\" for -wait: parse error",
                "--=x|bad flag syntax: --=x",
                "---port=1|bad flag syntax: ---port=1",
                "--help|flag: help requested"
            })
    void saysWhatMakesNoSenseInGosWords(String word, String problem) {
        PluginArguments arguments = read("--master=chief", word);
        assertThat(arguments.problem()).isEqualTo(problem);
        assertThat(arguments.text("master")).as("what came before holds").isEqualTo("chief");
    }

    @Test
    void doesNotLookAtWhatFollowsNonsense() {
        assertThat(read("--unknown", "--port=1").number("port")).isEqualTo(22);
        assertThat(read("word", "--port=1").number("port")).isEqualTo(22);
        assertThat(read("--", "--port=1").number("port")).isEqualTo(22);
        assertThat(read("-", "--port=1").problem()).isEmpty();
        assertThat(read("", "--port=1").problem()).isEmpty();
    }
}
