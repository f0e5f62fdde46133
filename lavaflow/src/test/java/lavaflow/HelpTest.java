package lavaflow;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

class HelpTest {
    private record Said(int code, String text) {}

    private static Said lava(String... words) {
        StringWriter text = new StringWriter();
        int code = Lava.run(List.of(words), new PrintWriter(text, true));
        return new Said(code, text.toString());
    }

    static Stream<String> commands() {
        return Lava.commands().stream().map(Command::name).filter(name -> !name.equals("vcctl"));
    }

    @Test
    void everyCommandIsInTheOverview() {
        Said said = lava("help");
        assertThat(said.code()).isEqualTo(Lava.DONE);
        commands().forEach(name -> assertThat(said.text()).contains("\n  " + name + " "));
        assertThat(said.text().lines()).allMatch(line -> line.length() <= 80);
    }

    @ParameterizedTest
    @MethodSource("commands")
    void itFitsATerminal(String name) {
        Said said = lava(
                Stream.concat(Stream.of("help"), Stream.of(name.split(" ", -1))).toArray(String[]::new));
        assertThat(said.code()).isEqualTo(Lava.DONE);
        assertThat(said.text()).contains("Usage: lava " + name);
        assertThat(said.text().lines()).allMatch(line -> line.length() <= 80);
    }

    @Test
    void commandsOfTwoWordsSayWhatComesSecond() {
        assertThat(lava("job", "--help").text()).startsWith("Usage: lava job COMMAND [OPTIONS]");
        assertThat(lava("help", "job").text()).contains("  job suspend ").doesNotContain("  queue ");
    }

    @Test
    void helpAboutWhatThereIsNotSaysSo() {
        assertThat(lava("help", "frobnicate").code()).isEqualTo(Lava.USAGE);
        assertThat(lava("help", "job", "frobnicate").code()).isEqualTo(Lava.USAGE);
        assertThat(lava("help", "help").code()).isEqualTo(Lava.DONE);
    }

    @Test
    void programsOfVolcanoHaveTheirOwnHelp() {
        assertThat(lava("help", "vcctl").text()).contains("vcctl [command]");
        assertThat(lava("help", "vsub").text()).contains("vsub [flags]");
    }
}
