package lavaflow.kube;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class QuantityTest {
    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "0.0, 0",
        "00, 0",
        "0Ki, 0",
        "0.5, 500m",
        "1000m, 1",
        "1500m, 1500m",
        "1.5, 1500m",
        "100000, 100k",
        "1024Mi, 1Gi",
        "1.5Gi, 1536Mi",
        "0.5Mi, 512Ki",
        "0.5Ki, 512",
        "1Ki, 1Ki",
        "1023, 1023",
        "1024, 1024",
        "2048Ki, 2Mi",
        "1e3, 1e3",
        "12e6, 12e6",
        "1000e3, 1e6",
        "1E2, 100",
        "1e-3, 1e-3",
        "1E6, 1E6",
        "1E, 1E",
        "100m, 100m",
        "0.1m, 100u",
        "1.1u, 1100n",
        "0.1n, 1n",
        "1.5n, 2n",
        "-0.1n, -1n",
        "-1.5Gi, -1536Mi",
        "0.0001Ki, 102400u",
        "0.00000001Ki, 10240n",
        "1.1Ki, 1126400m",
        "9223372036854775807, 9223372036854775807",
        "9223372036854775808, 9223372036854775808",
        "8Ei, 9223372036854775807",
        "9999Ei, 9223372036854775807",
        "-9999Ei, -9223372036854775807",
        "18Pi, 18Pi",
        "1Ei, 1Ei",
        "1.000G, 1G",
        ".5, 500m",
        "Ki, 0",
        "., 0",
        "-, 0",
    })
    void isPrintedInCanonicalForm(String text, String canonical) {
        assertThat(Quantity.parse(text)).hasToString(canonical);
    }

    /** Upstream only recomputes the text where its fast path sees that it must. */
    @ParameterizedTest
    @ValueSource(strings = {"1.500", "1.G", "+1", "01", "01Ki", "2.500k", "1e0", "1E3"})
    void keepsSomeTextsThatAreNotCanonical(String text) {
        assertThat(Quantity.parse(text)).hasToString(text);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "1 ", " 1", "aoeu", "1.1.M", "1+1.0M", "0.1am", "1x", "5mi3x"})
    void refusesWhatHasTheWrongShape(String text) {
        assertThatThrownBy(() -> Quantity.parse(text))
                .isInstanceOf(MalformedException.class)
                .hasMessage(
                        "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
    }

    @ParameterizedTest
    @ValueSource(strings = {"--1", "0.1mi", ".5i", "1i", "-3.01i", "-3.01e-", "1e", "1KK", "1e99999999999999999999"})
    void refusesUnknownSuffixes(String text) {
        assertThatThrownBy(() -> Quantity.parse(text)).hasMessage("unable to parse quantity's suffix");
    }

    @ParameterizedTest
    @ValueSource(strings = {"Ei", ".Pi", "-e-12"})
    void refusesSuffixesWithoutNumber(String text) {
        assertThatThrownBy(() -> Quantity.parse(text)).hasMessage("unable to parse numeric part of quantity");
    }

    @ParameterizedTest
    @CsvSource({
        "1, 1, 1000",
        "1m, 1, 1",
        "1500m, 2, 1500",
        "0.1m, 1, 1",
        "-1500m, -2, -1500",
        "1Gi, 1073741824, 1073741824000",
        "3u, 1, 1",
        "9223372036854775807, 9223372036854775807, 9223372036854775807",
        "1e30, 9223372036854775807, 9223372036854775807",
        "-1e30, -9223372036854775808, -9223372036854775808",
        "1e-2000000000, 1, 1",
        "0e2000000000, 0, 0",
    })
    void roundsAwayFromZeroAndSaturates(String text, long value, long milli) {
        Quantity quantity = Quantity.parse(text);
        assertThat(quantity.value()).isEqualTo(value);
        assertThat(quantity.milliValue()).isEqualTo(milli);
    }

    @ParameterizedTest
    @CsvSource({
        "1, 1, 2, 0",
        "500m, 500m, 1, 0",
        "1Gi, 1Gi, 2Gi, 0",
        "1Gi, 512Mi, 1536Mi, 512Mi",
        "0, 1Gi, 1Gi, -1Gi",
        "1Ki, 1, 1025, 1023",
        "1, 1Ki, 1025, -1023",
        "1Gi, 1m, 1073741824001m, 1073741823999m",
        "9223372036854775807, 1, 9223372036854775808, 9223372036854775806",
        "1k, 1m, 1000001m, 999999m",
    })
    void addsAndSubtracts(String left, String right, String sum, String difference) {
        assertThat(Quantity.parse(left).plus(Quantity.parse(right))).hasToString(sum);
        assertThat(Quantity.parse(left).minus(Quantity.parse(right))).hasToString(difference);
    }

    @ParameterizedTest
    @CsvSource({"1, 1000m, 0", "1Ki, 1024, 0", "1Ki, 1k, 1", "1e3, 1k, 0", "-1, 0, -1", "1e30, 1e31, -1", "1n, 0, 1"})
    void comparesAmountsWhateverTheirForm(String left, String right, int order) {
        Quantity one = Quantity.parse(left);
        Quantity other = Quantity.parse(right);
        assertThat(one.compareTo(other)).isEqualTo(order);
        assertThat(one.equals(other)).isEqualTo(order == 0);
        if (order == 0) {
            assertThat(one).hasSameHashCodeAs(other);
        }
    }

    @Test
    void survivesAbsurdExponents() {
        Quantity huge = Quantity.parse("123456789012345678901e2147483647");
        assertThat(huge).isGreaterThan(Quantity.parse("1e2147483646"));
        assertThat(huge.plus(Quantity.parse("1Ki")).value()).isEqualTo(Long.MAX_VALUE);
        assertThat(Quantity.parse("100e2147483647")).hasToString("1e2147483649");
        assertThatThrownBy(() -> Quantity.parse("9".repeat(100_000))).isInstanceOf(MalformedException.class);
        assertThat(Quantity.parse("0." + "1".repeat(100_000))).hasToString("111111112n");
    }

    @Test
    void readsJsonNumbersAndSpaces() {
        assertThat(Quantity.fromJson(Json.number(2))).hasToString("2");
        assertThat(Quantity.fromJson(Json.text(" 1Gi "))).hasToString("1Gi");
        assertThat(Quantity.at(Json.object().put("cpu", "2"), "cpu").value()).isEqualTo(2);
        assertThat(Quantity.at(null, "cpu")).isEqualTo(Quantity.ZERO);
    }

    @Test
    void printsNumbersOfOurOwn() {
        assertThat(Quantity.of(3L << 30, Quantity.Format.BINARY_SI)).hasToString("3Gi");
        assertThat(Quantity.of(2_000, Quantity.Format.DECIMAL_SI)).hasToString("2k");
        assertThat(Quantity.ofMilli(250, Quantity.Format.DECIMAL_SI)).hasToString("250m");
        assertThat(Quantity.ofMilli(Long.MIN_VALUE, Quantity.Format.DECIMAL_SI).negated())
                .hasToString("9223372036854775808m");
    }
}
