package lavaflow.kube;

import java.time.Duration;
import java.time.Instant;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class GoTimeTest {
    @Test
    void printsSecondsAndMicroseconds() {
        Instant time = Instant.parse("2026-11-05T09:03:07.012345678Z");
        assertThat(GoTime.seconds(time)).isEqualTo("2026-11-05T09:03:07Z");
        assertThat(GoTime.micros(time)).isEqualTo("2026-11-05T09:03:07.012345Z");
        assertThat(GoTime.seconds(Instant.parse("0042-01-01T00:00:00Z"))).isEqualTo("0042-01-01T00:00:00Z");
    }

    @ParameterizedTest
    @CsvSource({
        "2026-11-05T09:03:07Z, 2026-11-05T09:03:07Z",
        "2026-11-05T9:03:07Z, 2026-11-05T09:03:07Z",
        "2026-11-05T09:03:07.999Z, 2026-11-05T09:03:07Z",
        "2026-11-05T09:03:07+02:00, 2026-11-05T07:03:07Z",
        "2026-11-05T09:03:07-00:30, 2026-11-05T09:33:07Z",
        "2024-02-29T00:00:00Z, 2024-02-29T00:00:00Z",
    })
    void readsRfc3339(String text, Instant time) {
        assertThat(GoTime.parseSeconds(text)).isEqualTo(time);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "'' | parsing time \"\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"\" as \"2006\"",
                "yesterday | parsing time \"yesterday\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"yesterday\" as \"2006\"",
                "2026 | parsing time \"2026\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"\" as \"-\"",
                "2026-13-05T09:03:07Z | parsing time \"2026-13-05T09:03:07Z\": month out of range",
                "2026-02-30T09:03:07Z | parsing time \"2026-02-30T09:03:07Z\": day out of range",
                "2026-11-05T24:03:07Z | parsing time \"2026-11-05T24:03:07Z\": hour out of range",
                "2026-11-05 09:03:07Z | parsing time \"2026-11-05 09:03:07Z\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \" 09:03:07Z\" as \"T\"",
                "2026-11-05T09:03:07 | parsing time \"2026-11-05T09:03:07\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"\" as \"Z07:00\"",
                "2026-11-05T09:03:07Zé | parsing time \"2026-11-05T09:03:07Z\\xc3\\xa9\": extra text: \"\\xc3\\xa9\"",
            })
    void complainsInGosWords(String text, String message) {
        assertThatThrownBy(() -> GoTime.parseSeconds(text))
                .isInstanceOf(MalformedException.class)
                .hasMessage(message);
    }

    @Test
    void microsecondsNeedSixDigits() {
        assertThat(GoTime.parseMicros("2026-11-05T09:03:07.000042Z"))
                .isEqualTo(Instant.parse("2026-11-05T09:03:07.000042Z"));
        assertThatThrownBy(() -> GoTime.parseMicros("2026-11-05T09:03:07Z"))
                .hasMessage("parsing time \"2026-11-05T09:03:07Z\" as \"2006-01-02T15:04:05.000000Z07:00\":"
                        + " cannot parse \"Z\" as \".000000\"");
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0s",
        "1, 1ns",
        "1100, 1.1µs",
        "2200000, 2.2ms",
        "3300000000, 3.3s",
        "245000000000, 4m5s",
        "245001000000, 4m5.001s",
        "18367001000000, 5h6m7.001s",
        "480000000001, 8m0.000000001s",
        "9223372036854775807, 2562047h47m16.854775807s",
        "-9223372036854775808, -2562047h47m16.854775808s",
        "-1500000000, -1.5s",
    })
    void durationsArePrintedAsGoPrintsThem(long nanos, String text) {
        assertThat(GoDuration.formatNanos(nanos)).isEqualTo(text);
        assertThat(GoDuration.parseNanos(text)).isEqualTo(nanos);
    }

    @ParameterizedTest
    @CsvSource({
        "0, PT0S",
        "-0, PT0S",
        "1h15m30.5s, PT1H15M30.5S",
        "+5s, PT5S",
        "1.5h, PT1H30M",
        ".5s, PT0.5S",
        "5.s, PT5S",
        "1us1µs1μs, PT0.000003S",
        "39h9m14.425s, PT39H9M14.425S",
        "0.3333333333333333333h, PT20M",
        "0.100000000000000000000h, PT6M",
    })
    void durationsAreReadAsGoReadsThem(String text, Duration duration) {
        assertThat(GoDuration.parse(text)).isEqualTo(duration);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "'' | time: invalid duration \"\"",
                "- | time: invalid duration \"-\"",
                "s | time: invalid duration \"s\"",
                ". | time: invalid duration \".\"",
                ".s | time: invalid duration \".s\"",
                "3 | time: missing unit in duration \"3\"",
                "1d | time: unknown unit \"d\" in duration \"1d\"",
                "1hé | time: unknown unit \"h\\xc3\\xa9\" in duration \"1h\\xc3\\xa9\"",
                "9223372036854775808ns | time: invalid duration \"9223372036854775808ns\"",
                "3000000h | time: invalid duration \"3000000h\"",
                "99999999999999999999999s | time: invalid duration \"99999999999999999999999s\"",
            })
    void badDurationsAreRefusedInGosWords(String text, String message) {
        assertThatThrownBy(() -> GoDuration.parse(text)).hasMessage(message);
    }

    @ParameterizedTest
    @CsvSource({
        "-2, <invalid>",
        "-1, 0s",
        "0, 0s",
        "119, 119s",
        "120, 2m",
        "125, 2m5s",
        "599, 9m59s",
        "600, 10m",
        "10799, 179m",
        "10800, 3h",
        "11100, 3h5m",
        "28799, 7h59m",
        "28800, 8h",
        "172799, 47h",
        "172800, 2d",
        "183600, 2d3h",
        "691199, 7d23h",
        "691200, 8d",
        "63071999, 729d",
        "63072000, 2y",
        "63158400, 2y1d",
        "252287999, 7y364d",
        "252288000, 8y",
    })
    void agesAreShort(long seconds, String text) {
        assertThat(HumanDuration.format(Duration.ofSeconds(seconds))).isEqualTo(text);
    }

    @Test
    void agesTruncateTowardsZero() {
        assertThat(HumanDuration.format(Duration.ofMillis(-1_999))).isEqualTo("0s");
        assertThat(HumanDuration.since("", Instant.EPOCH)).isEqualTo("<unknown>");
        assertThat(HumanDuration.since("1970-01-01T00:00:00Z", Instant.ofEpochSecond(90)))
                .isEqualTo("90s");
    }
}
