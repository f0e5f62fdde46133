package lavaflow;

import java.util.Locale;

/** Amounts of bytes for people. */
final class Sizes {
    private static final String[] UNITS = {"B", "kB", "MB", "GB", "TB"};

    private Sizes() {}

    /** Three digits that matter, in steps of a thousand, as other image tools print it. */
    static String of(long bytes) {
        double amount = bytes;
        int unit = 0;
        while (amount >= 999.5 && unit < UNITS.length - 1) {
            amount /= 1000;
            unit++;
        }
        String digits = unit == 0 || amount >= 99.95
                ? String.format(Locale.ROOT, "%.0f", amount)
                : String.format(Locale.ROOT, "%.1f", amount);
        return digits + " " + UNITS[unit];
    }
}
