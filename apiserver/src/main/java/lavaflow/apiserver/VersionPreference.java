package lavaflow.apiserver;

import java.util.Comparator;

/** Which version of a group is preferred: stable before beta before alpha, then the higher number, then other names. */
final class VersionPreference {
    private record Rank(int stability, String major, String minor) {
        static final Rank NONE = new Rank(3, "", "");

        /** Without regular expressions: whatever lists all kinds compares thousands of versions. */
        static Rank of(String version) {
            int end = numberEnd(version, 1);
            if (end < 0 || version.charAt(0) != 'v') {
                return NONE;
            }
            String major = version.substring(1, end);
            if (end == version.length()) {
                return new Rank(0, major, "");
            }
            String stage = version.startsWith("alpha", end) ? "alpha" : "beta";
            int number = end + stage.length();
            boolean staged = version.startsWith(stage, end) && numberEnd(version, number) == version.length();
            return staged ? new Rank(stage.equals("beta") ? 1 : 2, major, version.substring(number)) : NONE;
        }

        /** Where a number without leading zeros ends, -1 where none begins. */
        private static int numberEnd(String text, int from) {
            int end = from;
            while (end < text.length() && text.charAt(end) >= '0' && text.charAt(end) <= '9') {
                end++;
            }
            return end == from || text.charAt(from) == '0' ? -1 : end;
        }
    }

    /** Numbers of any length: the longer is the higher. */
    private static final Comparator<String> NUMBERS =
            Comparator.comparingInt(String::length).thenComparing(Comparator.naturalOrder());

    /** The preferred version first. */
    static final Comparator<String> ORDER = Comparator.comparing(
                    Rank::of,
                    Comparator.comparingInt(Rank::stability)
                            .thenComparing(Rank::major, NUMBERS.reversed())
                            .thenComparing(Rank::minor, NUMBERS.reversed()))
            .thenComparing(Comparator.naturalOrder());

    private VersionPreference() {}
}
