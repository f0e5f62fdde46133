package lavaflow.kube;

import java.util.Comparator;

import org.jspecify.annotations.Nullable;

/**
 * The version of an API, such as {@code v1beta2}.
 *
 * @param stability 0 alpha, 1 beta, 2 stable
 */
public record Version(int major, int stability, int minor) {
    private static final Comparator<Version> RANK = Comparator.comparingInt(Version::stability)
            .thenComparingInt(Version::major)
            .thenComparingInt(Version::minor);

    /** Highest priority first: v2, v1, v1beta2, v1beta1, v1alpha1, then names that are no versions, by alphabet. */
    public static final Comparator<String> BY_PRIORITY = (left, right) -> -compare(left, right);

    /** Compares as upstream's CompareKubeAwareVersionStrings: positive where the left one has priority. */
    public static int compare(String left, String right) {
        Version one = parse(left);
        Version other = parse(right);
        if (one == null) {
            return other == null ? right.compareTo(left) : -1;
        }
        if (other == null) {
            return 1;
        }
        return RANK.compare(one, other);
    }

    /** Reads {@code v1}, {@code v1alpha1} or {@code v2beta3}; null where the text is something else. */
    public static @Nullable Version parse(String text) {
        int majorEnd = digitsEnd(text, 1);
        if (!text.startsWith("v") || majorEnd == 1) {
            return null;
        }
        if (majorEnd == text.length()) {
            return of(text.substring(1), 2, "0");
        }
        boolean beta = text.startsWith("beta", majorEnd);
        if (!beta && !text.startsWith("alpha", majorEnd)) {
            return null;
        }
        int minor = majorEnd + (beta ? 4 : 5);
        if (minor == text.length() || digitsEnd(text, minor) != text.length()) {
            return null;
        }
        return of(text.substring(1, majorEnd), beta ? 1 : 0, text.substring(minor));
    }

    private static @Nullable Version of(String major, int stability, String minor) {
        try {
            return new Version(Integer.parseInt(major), stability, Integer.parseInt(minor));
        } catch (NumberFormatException e) {
            return null;
        }
    }

    private static int digitsEnd(String text, int start) {
        int end = start;
        while (end < text.length() && NameScan.isDigit(text.charAt(end))) {
            end++;
        }
        return end;
    }
}
