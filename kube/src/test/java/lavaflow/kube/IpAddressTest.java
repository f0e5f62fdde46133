package lavaflow.kube;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class IpAddressTest {
    @ParameterizedTest
    @CsvSource({
        "10.9.8.7, 10.9.8.7",
        "010.009.008.007, 10.9.8.7",
        "2001:DB8::FFFF, 2001:db8::ffff",
        "::, ::",
        "::1, ::1",
        "1::, 1::",
        "1:0:0:2:0:0:0:3, 1:0:0:2::3",
        "1:0:0:2:0:0:3:4, 1::2:0:0:3:4",
        "1:2:3:4:5:6:7:0, 1:2:3:4:5:6:7:0",
        "::ffff:1.2.3.4, 1.2.3.4",
        "64:ff9b::1.2.3.4, 64:ff9b::102:304",
        "00001::, 1::"
    })
    void readsAndPrintsTheCanonicalForm(String text, String canonical) {
        assertThat(IpAddress.parse(text)).hasToString(canonical);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "x",
                "1.2.3",
                "1.2.3.4.5",
                "256.1.1.1",
                "1.2.3.-4",
                "1::2::3",
                "1:2:3:4:5:6:7",
                "1:2:3:4:5:6:7:8:9",
                "1:2:3:4:5:6:7::8",
                ":1::2",
                "12345::",
                "::1%eth0",
                "::g",
                "1.2.3.4:1",
                ":",
                ":::"
            })
    void refusesWhatIsNoAddress(String text) {
        assertThat(IpAddress.parse(text)).isNull();
    }

    @Test
    void tellsHowItWasWritten() {
        assertThat(parsed("010.0.0.1").leadingZeros()).isTrue();
        assertThat(parsed("10.0.0.1").leadingZeros()).isFalse();
        assertThat(parsed("::ffff:1.2.3.4").mapped()).isTrue();
        assertThat(parsed("1.2.3.4").mapped()).isFalse();
        assertThat(parsed("::ffff:1.2.3.4").is4()).isTrue();
    }

    @Test
    void knowsSpecialRanges() {
        assertThat(parsed("0.0.0.0").unspecified()).isTrue();
        assertThat(parsed("::").unspecified()).isTrue();
        assertThat(parsed("127.3.2.1").loopback()).isTrue();
        assertThat(parsed("::1").loopback()).isTrue();
        assertThat(parsed("169.254.1.1").linkLocal()).isTrue();
        assertThat(parsed("fe80::1").linkLocal()).isTrue();
        assertThat(parsed("224.0.0.9").linkLocalMulticast()).isTrue();
        assertThat(parsed("ff02::1").linkLocalMulticast()).isTrue();
        assertThat(parsed("10.0.0.1").loopback()).isFalse();
    }

    @Test
    void rangesKnowTheirNetwork() {
        assertThat(range("10.9.8.7/8")).hasToString("10.0.0.0/8");
        assertThat(range("10.9.8.7/8").masked()).isFalse();
        assertThat(range("10.0.0.0/8").masked()).isTrue();
        assertThat(range("2001:db8::1/64")).hasToString("2001:db8::/64");
        assertThat(range("10.0.0.0/08").leadingZeros()).isTrue();
        assertThat(range("10.0.0.0/8").contains(parsed("10.1.2.3"))).isTrue();
        assertThat(range("10.0.0.0/8").contains(parsed("11.1.2.3"))).isFalse();
        assertThat(range("0.0.0.0/0").contains(parsed("11.1.2.3"))).isTrue();
        assertThat(range("::/0").contains(parsed("11.1.2.3"))).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"10.0.0.0", "10.0.0.0/33", "::/129", "10.0.0.0/", "10.0.0.0/x", "/8", "10.0.0.0/-1"})
    void refusesWhatIsNoRange(String text) {
        assertThat(Cidr.parse(text)).isNull();
    }

    private static IpAddress parsed(String text) {
        IpAddress address = IpAddress.parse(text);
        assertThat(address).isNotNull();
        return java.util.Objects.requireNonNull(address);
    }

    private static Cidr range(String text) {
        return java.util.Objects.requireNonNull(Cidr.parse(text));
    }
}
