package lavaflow.cel;

/** A least and a greatest size or cost: unsigned numbers that stay at their greatest value rather than overflow. */
record Range(long min, long max) {
    static final Range ZERO = new Range(0, 0);
    /** Nothing is known: any size. */
    static final Range UNKNOWN = new Range(0, -1);

    private static final long MOST = -1;

    static Range of(long value) {
        return new Range(value, value);
    }

    Range plus(Range other) {
        return new Range(sum(min, other.min), sum(max, other.max));
    }

    Range times(Range other) {
        return new Range(product(min, other.min), product(max, other.max));
    }

    Range times(double factor) {
        return new Range(product(min, factor), product(max, factor));
    }

    Range union(Range other) {
        return new Range(
                Long.compareUnsigned(other.min, min) < 0 ? other.min : min,
                Long.compareUnsigned(other.max, max) > 0 ? other.max : max);
    }

    private static long sum(long left, long right) {
        long sum = left + right;
        return Long.compareUnsigned(sum, left) < 0 ? MOST : sum;
    }

    static long product(long left, long right) {
        return Math.unsignedMultiplyHigh(left, right) != 0 ? MOST : left * right;
    }

    static long product(long value, double factor) {
        double product = Math.ceil(Conversions.toDouble(new UnsignedLong(value)) * factor);
        return product >= 0x1p64 ? MOST : product >= 0x1p63 ? unsigned(product) : (long) product;
    }

    private static long unsigned(double value) {
        return new java.math.BigDecimal(value).toBigInteger().longValue();
    }

    /** The number as a signed one, which stops at its greatest value. */
    static long clamped(long value) {
        return value < 0 ? Long.MAX_VALUE : value;
    }
}
