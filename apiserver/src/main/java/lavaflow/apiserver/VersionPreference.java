package lavaflow.apiserver;

import java.util.Comparator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Which version of a group is preferred: stable before beta before alpha, then the higher number, then other names. */
final class VersionPreference {
    private static final Pattern VERSION = Pattern.compile("v([1-9][0-9]*)(?:(alpha|beta)([1-9][0-9]*))?");

    private record Rank(int stability, String major, String minor) {
        static final Rank NONE = new Rank(3, "", "");

        static Rank of(String version) {
            Matcher matcher = VERSION.matcher(version);
            if (!matcher.matches()) {
                return NONE;
            }
            String stage = matcher.group(2);
            int stability = stage == null ? 0 : stage.equals("beta") ? 1 : 2;
            return new Rank(stability, matcher.group(1), stage == null ? "" : matcher.group(3));
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
