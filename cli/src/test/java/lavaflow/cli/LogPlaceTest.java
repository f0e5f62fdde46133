package lavaflow.cli;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** A log that is read again from a whole second shows no line twice and leaves none out. */
class LogPlaceTest {
    private final LogPlace place = new LogPlace();

    private String read(String line) {
        LogPlace.Line read = place.read(line);
        return read == null ? "-" : read.text();
    }

    @Test
    void theTimeIsTakenOff() {
        assertThat(place.read("2030-01-02T03:04:05.100Z hello  world"))
                .isEqualTo(new LogPlace.Line("2030-01-02T03:04:05.100Z", "hello  world"));
        assertThat(read("2030-01-02T03:04:05.200Z")).isEmpty();
        assertThat(read("no time at all")).isEqualTo("no time at all");
    }

    @Test
    void whatWasReadOfASecondIsLeftOutTheNextTime() {
        assertThat(place.again()).isEmpty();
        read("2030-01-02T03:04:05.100Z a");
        read("2030-01-02T03:04:05.200Z b");
        assertThat(place.again()).isEqualTo("2030-01-02T03:04:05Z");
        assertThat(read("2030-01-02T03:04:05.100Z a")).isEqualTo("-");
        assertThat(read("2030-01-02T03:04:05.200Z b")).isEqualTo("-");
        assertThat(read("2030-01-02T03:04:05.300Z c")).isEqualTo("c");
    }

    @Test
    void linesOfTheSameMomentAreCounted() {
        read("2030-01-02T03:04:05.100Z a");
        read("2030-01-02T03:04:05.100Z b");
        place.again();
        assertThat(read("2030-01-02T03:04:05.100Z a")).isEqualTo("-");
        assertThat(read("2030-01-02T03:04:05.100Z b")).isEqualTo("-");
        assertThat(read("2030-01-02T03:04:05.100Z c")).isEqualTo("c");
        place.again();
        assertThat(read("2030-01-02T03:04:05.100Z a")).isEqualTo("-");
        assertThat(read("2030-01-02T03:04:05.100Z b")).isEqualTo("-");
        assertThat(read("2030-01-02T03:04:05.100Z c")).isEqualTo("-");
        assertThat(read("2030-01-02T03:04:05.100Z d")).isEqualTo("d");
    }
}
