package lavaflow.cel;

import java.util.ArrayList;
import java.util.List;

import lavaflow.kube.GoQuote;

import org.jspecify.annotations.Nullable;

/** A semantic version, read as strictly as upstream's library reads it and with its complaints. */
record SemanticVersion(long major, long minor, long patch, List<String> preRelease, List<String> build)
        implements TypedValue, Comparable<SemanticVersion> {
    private static final String ALPHANUMERIC = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-0123456789";

    @Override
    public CelType type() {
        return CelType.SEMVER;
    }

    static SemanticVersion parse(String text) {
        if (text.isEmpty()) {
            throw new CelException("Version string empty");
        }
        String[] parts = text.split("\\.", 3);
        if (parts.length != 3) {
            throw new CelException("No Major.Minor.Patch elements found");
        }
        long major = number(parts[0], "Major");
        long minor = number(parts[1], "Minor");
        String patch = parts[2];
        List<String> build = List.of();
        List<String> preRelease = List.of();
        int plus = patch.indexOf('+');
        if (plus >= 0) {
            build = List.of(patch.substring(plus + 1).split("\\.", -1));
            patch = patch.substring(0, plus);
        }
        int minus = patch.indexOf('-');
        if (minus >= 0) {
            preRelease = List.of(patch.substring(minus + 1).split("\\.", -1));
            patch = patch.substring(0, minus);
        }
        long patchNumber = number(patch, "Patch");
        preRelease.forEach(SemanticVersion::checkPreRelease);
        for (String part : build) {
            if (part.isEmpty()) {
                throw new CelException("Build meta data is empty");
            }
            if (!consistsOf(part, ALPHANUMERIC)) {
                throw new CelException("Invalid character(s) found in build meta data " + GoQuote.quote(part));
            }
        }
        return new SemanticVersion(major, minor, patchNumber, preRelease, build);
    }

    /** Reads what is nearly a version: a leading v, leading zeros, parts left out. */
    static SemanticVersion normalized(String text) {
        String bare = text.startsWith("v") ? text.substring(1) : text;
        List<String> parts = new ArrayList<>(List.of(bare.split("\\.", 3)));
        for (int i = 0; i < parts.size(); i++) {
            parts.set(i, withoutLeadingZeros(parts.get(i)));
        }
        if (parts.size() < 3) {
            String last = parts.getLast();
            if (last.indexOf('+') >= 0 || last.indexOf('-') >= 0) {
                throw new CelException("short version cannot contain PreRelease/Build meta data");
            }
            while (parts.size() < 3) {
                parts.add("0");
            }
        }
        return parse(String.join(".", parts));
    }

    private static String withoutLeadingZeros(String part) {
        if (part.length() <= 1) {
            return part;
        }
        int start = 0;
        while (start < part.length() && part.charAt(start) == '0') {
            start++;
        }
        String rest = part.substring(start);
        return rest.isEmpty() || rest.charAt(0) < '0' || rest.charAt(0) > '9' ? "0" + rest : rest;
    }

    private static boolean consistsOf(String text, String characters) {
        return text.chars().allMatch(c -> characters.indexOf(c) >= 0);
    }

    private static boolean isNumber(String text) {
        return consistsOf(text, "0123456789");
    }

    private static long number(String text, String what) {
        if (!isNumber(text)) {
            throw new CelException("Invalid character(s) found in " + what.toLowerCase(java.util.Locale.ROOT)
                    + " number " + GoQuote.quote(text));
        }
        if (text.length() > 1 && text.startsWith("0")) {
            throw new CelException(what + " number must not contain leading zeroes " + GoQuote.quote(text));
        }
        try {
            return Long.parseUnsignedLong(text);
        } catch (NumberFormatException wrong) {
            throw new CelException("strconv.ParseUint: parsing " + GoQuote.quote(text)
                    + (text.isEmpty() ? ": invalid syntax" : ": value out of range"));
        }
    }

    private static void checkPreRelease(String part) {
        if (part.isEmpty()) {
            throw new CelException("Prerelease is empty");
        }
        if (isNumber(part)) {
            if (part.length() > 1 && part.startsWith("0")) {
                throw new CelException(
                        "Numeric PreRelease version must not contain leading zeroes " + GoQuote.quote(part));
            }
        } else if (!consistsOf(part, ALPHANUMERIC)) {
            throw new CelException("Invalid character(s) found in prerelease " + GoQuote.quote(part));
        }
    }

    @Override
    public int compareTo(SemanticVersion other) {
        int order = Long.compareUnsigned(major, other.major);
        if (order == 0) {
            order = Long.compareUnsigned(minor, other.minor);
        }
        if (order == 0) {
            order = Long.compareUnsigned(patch, other.patch);
        }
        return order != 0 ? order : comparePreReleases(preRelease, other.preRelease);
    }

    private static int comparePreReleases(List<String> left, List<String> right) {
        if (left.isEmpty() || right.isEmpty()) {
            return Boolean.compare(left.isEmpty(), right.isEmpty());
        }
        for (int i = 0; i < Math.min(left.size(), right.size()); i++) {
            int order = compareParts(left.get(i), right.get(i));
            if (order != 0) {
                return order;
            }
        }
        return Integer.compare(left.size(), right.size());
    }

    private static int compareParts(String left, String right) {
        boolean leftNumber = isNumber(left);
        if (leftNumber != isNumber(right)) {
            return leftNumber ? -1 : 1;
        }
        if (leftNumber && left.length() != right.length()) {
            return Integer.compare(left.length(), right.length());
        }
        return left.compareTo(right);
    }

    /** Build metadata does not tell versions apart. */
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof SemanticVersion version && compareTo(version) == 0;
    }

    @Override
    public int hashCode() {
        return Long.hashCode(major) * 31 * 31 + Long.hashCode(minor) * 31 + Long.hashCode(patch);
    }

    @Override
    public String toString() {
        String text =
                Long.toUnsignedString(major) + "." + Long.toUnsignedString(minor) + "." + Long.toUnsignedString(patch);
        if (!preRelease.isEmpty()) {
            text += "-" + String.join(".", preRelease);
        }
        return build.isEmpty() ? text : text + "+" + String.join(".", build);
    }
}
