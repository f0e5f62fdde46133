package lavaflow.gang;

import java.util.Arrays;
import java.util.Map;
import java.util.function.DoubleBinaryOperator;

import lavaflow.placement.Columns;

import org.jspecify.annotations.Nullable;

/**
 * Amounts of resources by column, as queues count them. Columns that are not listed have the value of the rest: zero for what is used,
 * without end for limits that say nothing. Fractions occur where something is shared; differences below what can be asked for do not
 * count.
 */
public final class Amounts {
    /** Of processors in thousandths and memory in bytes. */
    private static final double TOLERANCE = 0.1;
    /** Of everything else, in whole units. */
    private static final double UNIT_TOLERANCE = 0.0001;

    private final double rest;
    private double[] values;

    private Amounts(double rest, double[] values) {
        this.rest = rest;
        this.values = values;
    }

    public static Amounts none() {
        return new Amounts(0, new double[0]);
    }

    public static Amounts unlimited() {
        return new Amounts(Double.POSITIVE_INFINITY, new double[0]);
    }

    public static Amounts of(long[] amounts) {
        double[] values = new double[amounts.length];
        for (int column = 0; column < amounts.length; column++) {
            values[column] = amounts[column];
        }
        return new Amounts(0, values);
    }

    /** What is listed; nothing of anything else. */
    public static Amounts of(Map<String, Long> amounts, Columns columns) {
        return none().with(amounts, columns);
    }

    /** What is listed; anything else without end. */
    public static Amounts limit(Map<String, Long> amounts, Columns columns) {
        return unlimited().with(amounts, columns);
    }

    private Amounts with(Map<String, Long> amounts, Columns columns) {
        amounts.forEach((name, amount) -> {
            if (!isOfQuota(name)) {
                set(columns.place(name), amount);
            }
        });
        return this;
    }

    /** What quotas count and nodes do not have. */
    private static boolean isOfQuota(String name) {
        return name.startsWith("count/") || name.startsWith("requests.") || name.startsWith("limits.");
    }

    /** How many columns are listed. */
    public int size() {
        return values.length;
    }

    public double get(int column) {
        return column < values.length ? values[column] : rest;
    }

    public void set(int column, double value) {
        if (column >= values.length) {
            if (value == rest) {
                return;
            }
            widen(column + 1);
        }
        values[column] = value;
    }

    private void widen(int size) {
        int before = values.length;
        values = Arrays.copyOf(values, size);
        Arrays.fill(values, before, size, rest);
    }

    public Amounts copy() {
        return new Amounts(rest, values.clone());
    }

    public Amounts add(Amounts other) {
        return each(other, Double::sum);
    }

    public Amounts subtract(Amounts other) {
        return each(other, (own, theirs) -> own - theirs);
    }

    public Amounts cap(Amounts limit) {
        return each(limit, Math::min);
    }

    public Amounts raise(Amounts floor) {
        return each(floor, Math::max);
    }

    public Amounts add(Amounts other, double times) {
        if (other.values.length > values.length) {
            widen(other.values.length);
        }
        for (int column = 0; column < other.values.length; column++) {
            values[column] += other.values[column] * times;
        }
        for (int column = other.values.length; other.rest != 0 && column < values.length; column++) {
            values[column] += other.rest * times;
        }
        return this;
    }

    private Amounts each(Amounts other, DoubleBinaryOperator operator) {
        if (other.values.length > values.length) {
            widen(other.values.length);
        }
        for (int column = 0; column < values.length; column++) {
            values[column] = operator.applyAsDouble(values[column], other.get(column));
        }
        return this;
    }

    private static double tolerance(int column) {
        return column <= Columns.MEMORY ? TOLERANCE : UNIT_TOLERANCE;
    }

    private static boolean fits(double amount, double limit, int column) {
        return amount < limit + tolerance(column);
    }

    /** Whether everything is within a limit. */
    public boolean within(Amounts limit) {
        return firstBeyond(limit, null) < 0;
    }

    /** Whether all that somebody asks for is within a limit; the rest is not looked at. */
    public boolean within(Amounts limit, Amounts asked) {
        return firstBeyond(limit, asked) < 0;
    }

    /**
     * The first column that is beyond a limit, -1 if none is.
     *
     * @param asked only columns this has something of are looked at; null for all
     */
    public int firstBeyond(Amounts limit, @Nullable Amounts asked) {
        int columns = Math.max(values.length, limit.values.length);
        for (int column = 0; column < columns; column++) {
            boolean counts = asked == null || asked.get(column) > 0;
            if (counts && !fits(get(column), limit.get(column), column)) {
                return column;
            }
        }
        return -1;
    }

    /**
     * The first column that is asked for and, with that, beyond a limit; -1 if none is.
     *
     * @param ignored a column that does not count, as the number of pods does not for queues; -1 if all do
     */
    public int firstBeyondWith(Amounts asked, Amounts limit, int ignored) {
        for (int column = 0; column < asked.values.length; column++) {
            double more = asked.values[column];
            if (more > 0 && column != ignored && !fits(get(column) + more, limit.get(column), column)) {
                return column;
            }
        }
        return -1;
    }

    /**
     * How often something can be added without being beyond a limit; {@link #firstBeyondWith} says of what there is not enough for more.
     *
     * @param most what is enough
     */
    public int timesWithin(Amounts asked, Amounts limit, int ignored, int most) {
        int times = most;
        for (int column = 0; column < asked.values.length; column++) {
            double more = asked.values[column];
            if (more > 0 && column != ignored && !fits(get(column) + more * times, limit.get(column), column)) {
                times = (int) Math.max(0, (limit.get(column) + tolerance(column) - get(column)) / more);
                while (times > 0 && !fits(get(column) + more * times, limit.get(column), column)) {
                    times--;
                }
            }
        }
        return times;
    }

    /** Whether there is practically nothing in a column. */
    public boolean lacks(int column) {
        return get(column) < tolerance(column);
    }

    /** Whether there is more in a column than in that of another. */
    public boolean exceeds(Amounts other, int column) {
        return !fits(get(column), other.get(column), column);
    }

    /** Whether there is practically nothing. */
    public boolean isEmpty() {
        for (int column = 0; column < values.length; column++) {
            if (values[column] >= tolerance(column)) {
                return false;
            }
        }
        return true;
    }

    /** The largest part of a whole: of what the whole has none, anything is all of it. */
    public double shareOf(Amounts whole) {
        double share = 0;
        int columns = Math.max(values.length, whole.values.length);
        for (int column = 0; column < columns; column++) {
            share = Math.max(share, part(get(column), whole.get(column)));
        }
        return share;
    }

    public static double part(double amount, double whole) {
        return whole == 0 ? (amount == 0 ? 0 : 1) : amount / whole;
    }

    /** The same to the last digit: what tells that a computation has come to rest. */
    public boolean sameAs(Amounts other) {
        int columns = Math.max(values.length, other.values.length);
        for (int column = 0; column < columns; column++) {
            if (get(column) != other.get(column)) {
                return false;
            }
        }
        return true;
    }

    @Override
    public String toString() {
        int size = values.length;
        while (size > 0 && values[size - 1] == rest) {
            size--;
        }
        return Arrays.toString(Arrays.copyOf(values, size)) + (rest == 0 ? "" : " and no limit otherwise");
    }
}
