package lavaflow.kube;

import java.time.Duration;

/** Lengths of time as Go writes them: {@code 1h15m30.5s}. */
public final class GoDuration {
    private static final long SECOND = 1_000_000_000L;

    private GoDuration() {}

    public static String format(Duration duration) {
        return formatNanos(duration.toNanos());
    }

    /** Go's form of a number of nanoseconds: no leading zero units, fractions only at the end. */
    public static String formatNanos(long nanos) {
        if (nanos == 0) {
            return "0s";
        }
        String sign = nanos < 0 ? "-" : "";
        // The most negative long has no positive counterpart; unsigned arithmetic reads it right.
        long size = nanos < 0 ? -nanos : nanos;
        if (Long.compareUnsigned(size, SECOND) < 0) {
            if (size < 1_000) {
                return sign + size + "ns";
            }
            return size < 1_000_000
                    ? sign + withFraction(size, 1_000) + "µs"
                    : sign + withFraction(size, 1_000_000) + "ms";
        }
        long seconds = Long.divideUnsigned(size, SECOND);
        long rest = Long.remainderUnsigned(size, SECOND);
        StringBuilder text = new StringBuilder(sign);
        if (seconds >= 3_600) {
            text.append(seconds / 3_600).append('h');
        }
        if (seconds >= 60) {
            text.append(seconds / 60 % 60).append('m');
        }
        return text.append(withFraction(seconds % 60 * SECOND + rest, SECOND))
                .append('s')
                .toString();
    }

    private static String withFraction(long amount, long unit) {
        long rest = amount % unit;
        if (rest == 0) {
            return Long.toString(amount / unit);
        }
        String digits = Long.toString(unit + rest).substring(1);
        int end = digits.length();
        while (digits.charAt(end - 1) == '0') {
            end--;
        }
        return amount / unit + "." + digits.substring(0, end);
    }

    public static Duration parse(String text) throws MalformedException {
        return Duration.ofNanos(parseNanos(text));
    }

    /** Reads Go's form into nanoseconds. */
    public static long parseNanos(String text) throws MalformedException {
        return new Reader(text).read();
    }

    /** How package time quotes text in its messages: bytes outside ASCII are escaped. */
    static String quote(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        for (byte b : text.getBytes(java.nio.charset.StandardCharsets.UTF_8)) {
            char c = (char) (b & 0xff);
            if (c == '"' || c == '\\') {
                quoted.append('\\').append(c);
            } else if (c < ' ' || c >= 0x80) {
                quoted.append(String.format("\\x%02x", (int) c));
            } else {
                quoted.append(c);
            }
        }
        return quoted.append('"').toString();
    }

    private static final class Reader {
        private final String text;
        private int position;

        Reader(String text) {
            this.text = text;
        }

        long read() {
            boolean negative = text.startsWith("-");
            if (negative || text.startsWith("+")) {
                position++;
            }
            if (text.substring(position).equals("0")) {
                return 0;
            }
            if (position == text.length()) {
                throw invalid();
            }
            long total = 0;
            while (position < text.length()) {
                total = bounded(total + term());
            }
            if (!negative && total < 0) {
                throw invalid();
            }
            return negative ? -total : total;
        }

        private MalformedException invalid() {
            return complaint("invalid duration");
        }

        private MalformedException complaint(String what) {
            return new MalformedException("time: " + what + " " + quote(text));
        }

        /** Magnitudes go up to 2^63, the size of the most negative duration. */
        private long bounded(long magnitude) {
            if (Long.compareUnsigned(magnitude, Long.MIN_VALUE) > 0) {
                throw invalid();
            }
            return magnitude;
        }

        private long term() {
            if (!isDigitAt(position) && text.charAt(position) != '.') {
                throw invalid();
            }
            int start = position;
            long whole = leadingInteger();
            boolean digits = position > start;
            long fraction = 0;
            double scale = 1;
            if (position < text.length() && text.charAt(position) == '.') {
                position++;
                boolean full = false;
                for (; isDigitAt(position); position++) {
                    digits = true;
                    long longer = fraction * 10 + text.charAt(position) - '0';
                    full |= fraction > Long.MAX_VALUE / 10 || longer < 0;
                    if (!full) {
                        fraction = longer;
                        scale *= 10;
                    }
                }
            }
            if (!digits) {
                throw invalid();
            }
            long unit = unit();
            if (Long.compareUnsigned(whole, Long.divideUnsigned(Long.MIN_VALUE, unit)) > 0) {
                throw invalid();
            }
            return bounded(whole * unit + (long) (fraction * (unit / scale)));
        }

        private boolean isDigitAt(int index) {
            return index < text.length() && NameScan.isDigit(text.charAt(index));
        }

        private long leadingInteger() {
            long number = 0;
            for (; isDigitAt(position); position++) {
                if (Long.compareUnsigned(number, Long.divideUnsigned(Long.MIN_VALUE, 10)) > 0) {
                    throw invalid();
                }
                number = bounded(number * 10 + text.charAt(position) - '0');
            }
            return number;
        }

        private long unit() {
            int start = position;
            while (position < text.length() && text.charAt(position) != '.' && !isDigitAt(position)) {
                position++;
            }
            String unit = text.substring(start, position);
            return switch (unit) {
                case "ns" -> 1;
                case "us", "µs", "μs" -> 1_000;
                case "ms" -> 1_000_000;
                case "s" -> SECOND;
                case "m" -> 60 * SECOND;
                case "h" -> 3_600 * SECOND;
                case "" -> throw complaint("missing unit in duration");
                default -> throw complaint("unknown unit " + quote(unit) + " in duration");
            };
        }
    }
}
