package lavaflow.kube;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;

import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;

/**
 * A number with a unit, such as {@code 500m} or {@code 1536Mi}: upstream's resource.Quantity.
 *
 * <p>Nearly every quantity is {@code unscaled * 10^scale} in a long; the rest is a BigDecimal. The text a quantity was
 * parsed from is kept where upstream keeps it: {@code 1.500} is printed back as it came, {@code 1.5} as {@code 1500m}.
 */
public final class Quantity implements Comparable<Quantity> {
    /** The family of suffixes a quantity was written in and is printed in. */
    public enum Format {
        /** {@code 12e6} */
        DECIMAL_EXPONENT,
        /** {@code 12Mi} */
        BINARY_SI,
        /** {@code 12M} */
        DECIMAL_SI
    }

    public static final Quantity ZERO = new Quantity(0, 0, null, Format.DECIMAL_SI, "0");

    private static final int NANO = -9;
    private static final BigDecimal MOST = BigDecimal.valueOf(Long.MAX_VALUE);
    private static final BigDecimal KIBI = BigDecimal.valueOf(1024);

    private final long unscaled;
    private final int scale;
    /** The amount where it does not fit above. */
    private final @Nullable BigDecimal big;

    private final Format format;
    /** Printed form: computed at most a few times by racing readers, always to the same text. */
    private @Nullable String text;

    private Quantity(long unscaled, int scale, @Nullable BigDecimal big, Format format, @Nullable String text) {
        this.unscaled = unscaled;
        this.scale = scale;
        this.big = big;
        this.format = format;
        this.text = text;
    }

    static Quantity small(long unscaled, int scale, Format format, @Nullable String text) {
        return new Quantity(unscaled, scale, null, format, text);
    }

    /** An amount beyond the fast form: rounded away from zero to nano, binary ones capped, as upstream does. */
    static Quantity big(BigDecimal amount, Format format) {
        BigDecimal size = amount.abs();
        if (size.scale() > -NANO) {
            size = size.setScale(-NANO, RoundingMode.UP);
        }
        Format kept = format;
        if (format == Format.BINARY_SI) {
            size = size.min(MOST);
            if (size.signum() > 0 && size.compareTo(BigDecimal.ONE) < 0) {
                kept = Format.DECIMAL_SI;
            }
        }
        return new Quantity(0, 0, amount.signum() < 0 ? size.negate() : size, kept, null);
    }

    public static Quantity of(long value, Format format) {
        return new Quantity(value, 0, null, format, null);
    }

    public static Quantity ofMilli(long milli, Format format) {
        return new Quantity(milli, -3, null, format, null);
    }

    /** Reads a quantity. */
    public static Quantity parse(String text) throws MalformedException {
        return QuantityParser.parse(text);
    }

    /** Reads a quantity from JSON, where it may be a number and may have space around it. */
    public static Quantity fromJson(JsonNode node) throws MalformedException {
        return parse(node.asText().strip());
    }

    /** The quantity in a field of a resource list, or zero. */
    public static Quantity at(@Nullable JsonNode resources, String name) {
        JsonNode node = Json.at(resources, name);
        return node == null ? ZERO : fromJson(node);
    }

    public Format format() {
        return format;
    }

    private BigDecimal exact() {
        return big != null ? big : BigDecimal.valueOf(unscaled, -scale);
    }

    public int signum() {
        return big != null ? big.signum() : Long.signum(unscaled);
    }

    public boolean isZero() {
        return signum() == 0;
    }

    /** The amount in whole units, rounded away from zero; too large ones saturate. */
    public long value() {
        return scaled(0);
    }

    /** The amount as the nearest floating-point number. */
    public double approximate() {
        return exact().doubleValue();
    }

    /** The amount in thousandths, rounded away from zero; too large ones saturate. */
    public long milliValue() {
        return scaled(-3);
    }

    /** The amount in units of {@code 10^exponent}, rounded away from zero; too large ones saturate. */
    public long scaled(int exponent) {
        if (big == null && scale == exponent) {
            return unscaled;
        }
        BigDecimal amount = exact();
        long digits = (long) amount.precision() - amount.scale() - exponent;
        if (digits > 19) {
            return saturated(amount.signum());
        }
        if (digits < 0) {
            return amount.signum();
        }
        BigInteger whole =
                amount.scaleByPowerOfTen(-exponent).setScale(0, RoundingMode.UP).toBigInteger();
        return whole.bitLength() < Long.SIZE ? whole.longValue() : saturated(amount.signum());
    }

    private static long saturated(int sign) {
        return sign == 0 ? 0 : sign > 0 ? Long.MAX_VALUE : Long.MIN_VALUE;
    }

    /** The sum; zero takes the other's format, as upstream's Add does. */
    public Quantity plus(Quantity other) {
        Format kept = isZero() ? other.format : format;
        if (big == null && other.big == null) {
            if (other.unscaled == 0) {
                return small(unscaled, scale, kept, null);
            }
            if (unscaled == 0) {
                return small(other.unscaled, other.scale, kept, null);
            }
            if (scale == other.scale) {
                long sum = unscaled + other.unscaled;
                if (((unscaled ^ sum) & (other.unscaled ^ sum)) >= 0) {
                    return small(sum, scale, kept, null);
                }
            }
        }
        return summed(bounded(exact()).add(bounded(other.exact())), kept);
    }

    private static Quantity summed(BigDecimal sum, Format format) {
        return sum.unscaledValue().bitLength() < Long.SIZE
                ? small(sum.unscaledValue().longValue(), -sum.scale(), format, null)
                : new Quantity(0, 0, sum, format, null);
    }

    public Quantity minus(Quantity other) {
        return plus(other.negated());
    }

    public Quantity negated() {
        return big == null && unscaled != Long.MIN_VALUE
                ? small(-unscaled, scale, format, null)
                : new Quantity(0, 0, exact().negate(), format, null);
    }

    /** Adding exact numbers of wildly different size costs memory without bound; nothing real is beyond 10^400. */
    private static BigDecimal bounded(BigDecimal amount) {
        long digits = (long) amount.precision() - amount.scale();
        return digits > 400 ? BigDecimal.valueOf(amount.signum(), -400) : amount;
    }

    @Override
    public int compareTo(Quantity other) {
        if (big == null && other.big == null && scale == other.scale) {
            return Long.compare(unscaled, other.unscaled);
        }
        return exact().compareTo(other.exact());
    }

    /** Equal amounts are equal quantities, however they are written. */
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Quantity quantity && compareTo(quantity) == 0;
    }

    @Override
    public int hashCode() {
        return bounded(exact()).stripTrailingZeros().hashCode();
    }

    /** The form upstream prints: the largest suffix of the family that needs no fraction. */
    @Override
    public String toString() {
        String known = text;
        if (known == null) {
            known = canonical();
            text = known;
        }
        return known;
    }

    private String canonical() {
        BigDecimal amount = exact();
        if (amount.signum() == 0) {
            return "0";
        }
        if (format == Format.BINARY_SI && amount.abs().compareTo(KIBI) >= 0 && isWhole(amount)) {
            return binary(amount.toBigIntegerExact());
        }
        return decimal(amount, format == Format.DECIMAL_EXPONENT);
    }

    private static boolean isWhole(BigDecimal amount) {
        return amount.scale() <= 0 || amount.stripTrailingZeros().scale() <= 0;
    }

    private static String binary(BigInteger amount) {
        int thousands = Math.min(amount.getLowestSetBit() / 10, 6);
        return amount.shiftRight(thousands * 10) + QuantityParser.binarySuffix(thousands);
    }

    private static String decimal(BigDecimal amount, boolean exponentForm) {
        // The scale is kept apart in a long: stripping zeros off 100e2147483647 would overflow BigDecimal's.
        BigDecimal bare = new BigDecimal(amount.unscaledValue()).stripTrailingZeros();
        long exponent = -(long) amount.scale() - bare.scale();
        int excess = (int) Math.floorMod(exponent, 3L);
        BigInteger mantissa = bare.unscaledValue().multiply(BigInteger.TEN.pow(excess));
        long thousands = exponent - excess;
        if (exponentForm) {
            return thousands == 0 ? mantissa.toString() : mantissa + "e" + thousands;
        }
        return mantissa + QuantityParser.decimalSuffix(thousands);
    }
}
