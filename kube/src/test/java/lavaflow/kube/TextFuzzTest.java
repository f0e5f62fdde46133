package lavaflow.kube;

import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

import com.code_intelligence.jazzer.junit.FuzzTest;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Any text is read or refused with a {@link MalformedException}, and what was read survives being printed.
 *
 * <p>Runs the kept inputs as a test; with {@code JAZZER_FUZZ=1} it looks for new ones.
 */
class TextFuzzTest {
    private static String text(byte[] input) {
        return new String(input, StandardCharsets.UTF_8);
    }

    private static <T> Optional<T> read(byte[] input, Function<String, T> parser) {
        try {
            return Optional.of(parser.apply(text(input)));
        } catch (MalformedException refused) {
            assertThat(refused.getMessage()).isNotBlank();
            return Optional.empty();
        }
    }

    @FuzzTest
    void quantity(byte[] input) {
        read(input, Quantity::parse).ifPresent(quantity -> {
            Quantity sum = quantity.plus(Quantity.parse("1Ki"));
            assertThat(sum.minus(quantity).signum()).isNotNegative();
            assertThat(Long.signum(quantity.value())).isEqualTo(quantity.signum());
            assertThat(Long.signum(quantity.milliValue())).isEqualTo(quantity.signum());
            // Upstream has no suffix for such amounts and loses them when it prints; so do we.
            boolean printable = quantity.format() == Quantity.Format.DECIMAL_EXPONENT
                    || (quantity.value() != Long.MAX_VALUE && quantity.value() != Long.MIN_VALUE);
            // Nor does an exponent survive that upstream lets wrap around.
            if (printable && quantity.toString().length() < 30) {
                Quantity again = Quantity.parse(quantity.toString());
                assertThat(again).isEqualTo(quantity).hasSameHashCodeAs(quantity);
                assertThat(again).hasToString(quantity.toString());
            }
        });
    }

    @FuzzTest
    void labelSelector(byte[] input) {
        read(input, LabelSelector::parse).ifPresent(selector -> {
            assertThat(LabelSelector.parse(selector.toString())).hasToString(selector.toString());
            selector.matches(Json.object().put("a", "b").put("n", "5"));
        });
    }

    @FuzzTest
    void fieldSelector(byte[] input) {
        read(input, FieldSelector::parse).ifPresent(selector -> {
            FieldSelector again = FieldSelector.parse(selector.toString());
            assertThat(Set.copyOf(again.requirements())).isEqualTo(Set.copyOf(selector.requirements()));
        });
    }

    @FuzzTest
    void continueToken(byte[] input) {
        read(input, ContinueToken::decode)
                .ifPresent(token ->
                        assertThat(ContinueToken.decode(token.encode())).isEqualTo(token));
        GoJsonSyntax.complaint(input);
    }

    @FuzzTest
    void duration(byte[] input) {
        read(input, GoDuration::parseNanos)
                .ifPresent(nanos -> assertThat(GoDuration.parseNanos(GoDuration.formatNanos(nanos)))
                        .isEqualTo(nanos));
    }

    @FuzzTest
    void time(byte[] input) {
        read(input, GoTime::parseSeconds)
                .filter(time -> time.toString().length() == 20)
                .ifPresent(time ->
                        assertThat(GoTime.parseSeconds(GoTime.seconds(time))).isEqualTo(time));
        read(input, GoTime::parseMicros);
    }

    @FuzzTest
    void names(byte[] input) {
        String name = text(input);
        assertThat(Names.utf8Length(name)).isEqualTo(name.getBytes(StandardCharsets.UTF_8).length);
        assertThat(Names.dns1123Label(name).isEmpty())
                .isEqualTo(name.length() <= 63 && name.matches("[a-z0-9]([-a-z0-9]*[a-z0-9])?"));
        assertThat(Names.labelValue(name).isEmpty())
                .isEqualTo(name.length() <= 63 && name.matches("(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?"));
        if (name.length() < 300) {
            assertThat(Names.dns1123Subdomain(name).isEmpty())
                    .isEqualTo(name.length() <= 253
                            && name.matches("[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*"));
        }
        Names.qualifiedName(name);
        Identifiers.portName(name);
        Identifiers.configMapKey(name);
        Identifiers.envVarName(name);
    }
}
