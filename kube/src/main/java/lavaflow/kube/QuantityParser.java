package lavaflow.kube;

import java.math.BigDecimal;
import java.math.BigInteger;

/**
 * Reads the text of a {@link Quantity}.
 *
 * <p>Upstream's scanner is laxer than its documented grammar ({@code Ki}, {@code .} and {@code -} are zero) and keeps
 * the text of some quantities that are not canonical; both are visible to clients, so both are matched.
 */
final class QuantityParser {
    private static final String FORMAT_WRONG =
            "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
    private static final String NUMBER_WRONG = "unable to parse numeric part of quantity";
    private static final String SUFFIX_WRONG = "unable to parse quantity's suffix";

    private static final String SUFFIX_LETTERS = "eEinumkKMGTP";
    private static final String[] BINARY = {"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
    private static final String[] DECIMAL = {"n", "u", "m", "", "k", "M", "G", "T", "P", "E"};
    /** Most decimal digits that always fit a long. */
    private static final int LONG_DIGITS = 18;
    /** More digits than this are refused: reading them costs quadratic time and nothing is that large. */
    private static final int MOST_DIGITS = 1_000;

    private final String text;
    private boolean negative;
    /** Digits before the point without leading zeros, but at least one. */
    private String whole = "0";
    /** Digits after the point. */
    private String fraction = "";

    private String suffix = "";
    private boolean hasDigits;
    private Quantity.Format format = Quantity.Format.DECIMAL_SI;
    private int exponent;

    private QuantityParser(String text) {
        this.text = text;
    }

    static String binarySuffix(int thousands) {
        return BINARY[thousands];
    }

    /** The suffix for a power of ten; upstream prints none where it knows none. */
    static String decimalSuffix(long exponent) {
        long index = exponent / 3 + 3;
        return index < 0 || index >= DECIMAL.length ? "" : DECIMAL[(int) index];
    }

    static Quantity parse(String text) {
        if (text.isEmpty()) {
            throw new MalformedException(FORMAT_WRONG);
        }
        if (text.equals("0")) {
            return Quantity.ZERO;
        }
        QuantityParser parser = new QuantityParser(text);
        parser.split();
        parser.interpretSuffix();
        return parser.amount();
    }

    private void split() {
        int position = 0;
        char first = text.charAt(0);
        if (first == '-' || first == '+') {
            negative = first == '-';
            position++;
        }
        int start = position;
        while (position < text.length() && text.charAt(position) == '0') {
            position++;
        }
        int end = digitsEnd(position);
        if (end > position) {
            whole = text.substring(position, end);
        }
        if (end < text.length() && text.charAt(end) == '.') {
            int point = end;
            end = digitsEnd(point + 1);
            fraction = text.substring(point + 1, end);
            hasDigits = point > start || !fraction.isEmpty();
        } else {
            hasDigits = end > start;
        }
        suffix = text.substring(end);
        checkSuffixShape(end);
    }

    private void checkSuffixShape(int start) {
        int position = start;
        while (position < text.length() && SUFFIX_LETTERS.indexOf(text.charAt(position)) >= 0) {
            position++;
        }
        if (position < text.length() && (text.charAt(position) == '-' || text.charAt(position) == '+')) {
            position++;
        }
        if (digitsEnd(position) < text.length()) {
            throw new MalformedException(FORMAT_WRONG);
        }
    }

    private int digitsEnd(int start) {
        int position = start;
        while (position < text.length() && text.charAt(position) >= '0' && text.charAt(position) <= '9') {
            position++;
        }
        return position;
    }

    private void interpretSuffix() {
        for (int i = 0; i < DECIMAL.length; i++) {
            if (suffix.equals(DECIMAL[i])) {
                exponent = (i - 3) * 3;
                return;
            }
        }
        for (int i = 1; i < BINARY.length; i++) {
            if (suffix.equals(BINARY[i])) {
                format = Quantity.Format.BINARY_SI;
                exponent = i * 10;
                return;
            }
        }
        if (suffix.charAt(0) != 'e' && suffix.charAt(0) != 'E') {
            throw new MalformedException(SUFFIX_WRONG);
        }
        format = Quantity.Format.DECIMAL_EXPONENT;
        try {
            // Upstream, too, lets the exponent wrap around 32 bits.
            exponent = (int) Long.parseLong(suffix, 1, suffix.length(), 10);
        } catch (NumberFormatException e) {
            throw new MalformedException(SUFFIX_WRONG);
        }
    }

    private Quantity amount() {
        boolean binary = format == Quantity.Format.BINARY_SI;
        int scale = (binary ? 0 : exponent) - fraction.length();
        boolean fast = binary
                ? fraction.isEmpty() && whole.length() + exponent * 3 / 10 < 15
                : whole.length() + fraction.length() <= LONG_DIGITS && scale >= -9;
        return fast ? fastAmount(binary, scale) : exactAmount(binary);
    }

    private Quantity fastAmount(boolean binary, int scale) {
        String digits = whole + fraction;
        long number = Long.parseLong(digits);
        long amount = binary ? number << exponent : number;
        boolean keepText =
                binary ? (number & 7) != 0 : scale % 3 == 0 && !digits.endsWith("000") && digits.charAt(0) != '0';
        return Quantity.small(negative ? -amount : amount, scale, format, keepText ? text : null);
    }

    private Quantity exactAmount(boolean binary) {
        if (!hasDigits || whole.length() > MOST_DIGITS) {
            throw new MalformedException(NUMBER_WRONG);
        }
        BigDecimal number = new BigDecimal(whole + "." + shortFraction());
        BigDecimal amount = binary
                ? number.multiply(new BigDecimal(BigInteger.ONE.shiftLeft(exponent)))
                : atExponent(number, exponent);
        return Quantity.big(negative ? amount.negate() : amount, format);
    }

    /** Digits far behind the point matter only by being there: the amount is rounded up to nano. */
    private String shortFraction() {
        if (fraction.length() <= MOST_DIGITS) {
            return fraction;
        }
        return fraction.substring(0, MOST_DIGITS) + "1";
    }

    private static BigDecimal atExponent(BigDecimal number, int exponent) {
        long digits = (long) number.precision() - number.scale() + exponent;
        if (number.signum() == 0 || digits < -9) {
            return number.signum() == 0 ? number : BigDecimal.valueOf(1, 9);
        }
        return number.scaleByPowerOfTen(exponent);
    }
}
