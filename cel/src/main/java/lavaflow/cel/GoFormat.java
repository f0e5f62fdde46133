package lavaflow.cel;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.time.Duration;
import java.time.OffsetDateTime;

/** Text of values as upstream's language prints them. */
final class GoFormat {
    private static final int LARGEST_EXPONENT = 6;

    private GoFormat() {}

    /** A value in an error text. */
    static String value(Object value) {
        return switch (value) {
            case Double real -> general(real);
            case OffsetDateTime time -> Times.format(time);
            case Duration duration -> Times.seconds(duration);
            default -> value.toString();
        };
    }

    /** The shortest digits that read back as the same number, with an exponent below 1e-4 and from 1e6 on (%g). */
    static String general(double value) {
        if (Double.isNaN(value)) {
            return "NaN";
        }
        if (Double.isInfinite(value)) {
            return value > 0 ? "+Inf" : "-Inf";
        }
        if (value == 0) {
            return 1 / value < 0 ? "-0" : "0";
        }
        BigDecimal exact = new BigDecimal(Double.toString(Math.abs(value))).stripTrailingZeros();
        String digits = exact.unscaledValue().toString();
        int exponent = digits.length() - exact.scale() - 1;
        String text =
                exponent < -4 || exponent >= LARGEST_EXPONENT ? scientific(digits, exponent) : exact.toPlainString();
        return value < 0 ? "-" + text : text;
    }

    private static String scientific(String digits, int exponent) {
        String mantissa = digits.length() == 1 ? digits : digits.charAt(0) + "." + digits.substring(1);
        int size = Math.abs(exponent);
        return mantissa + "e" + (exponent < 0 ? "-" : "+") + (size < 10 ? "0" : "") + size;
    }

    /** Fixed point with a number of decimals (%.2f). */
    static String fixed(double value, int decimals) {
        if (Double.isNaN(value)) {
            return "NaN";
        }
        if (Double.isInfinite(value)) {
            return value > 0 ? "∞" : "-∞";
        }
        String text = new BigDecimal(Math.abs(value))
                .setScale(decimals, RoundingMode.HALF_EVEN)
                .toPlainString();
        return Double.doubleToRawLongBits(value) < 0 ? "-" + text : text;
    }

    /** Mantissa with a number of decimals, and the exponent of ten (%.2e). */
    static String[] scientificParts(double value, int decimals) {
        if (value == 0) {
            return new String[] {BigDecimal.ZERO.setScale(decimals).toPlainString(), "0"};
        }
        BigDecimal rounded =
                new BigDecimal(Math.abs(value)).round(new MathContext(decimals + 1, RoundingMode.HALF_EVEN));
        int exponent = rounded.precision() - rounded.scale() - 1;
        BigDecimal mantissa = rounded.scaleByPowerOfTen(-exponent).setScale(decimals, RoundingMode.HALF_EVEN);
        return new String[] {mantissa.toPlainString(), Integer.toString(exponent)};
    }
}
