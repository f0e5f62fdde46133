package lavaflow.image;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Which images a rule of the table is about. {@code *} stands for any text, also with slashes. Names may be written in full or
 * as people write them, with or without a tag.
 */
record NamePattern(String text) {
    boolean matches(Reference reference) {
        return star(reference) != null;
    }

    /** What the last star stands for, or the empty text; null where the pattern does not match. */
    @Nullable
    String star(Reference reference) {
        for (String name : namesOf(reference)) {
            String found = star(text, name);
            if (found != null) {
                return found;
            }
        }
        return null;
    }

    /** The shorter forms first, so that a star stands for the repository rather than for the repository and its tag. */
    private static List<String> namesOf(Reference reference) {
        String tag = reference.tag() == null ? "" : ":" + reference.tag();
        return List.of(
                reference.name(),
                reference.familiarName(),
                reference.name() + tag,
                reference.familiarName() + tag,
                reference.toString(),
                reference.familiar(),
                half(reference.name()),
                half(reference.name() + tag));
    }

    /** A registry without the directory that people leave out there. */
    private static String half(String name) {
        return name.startsWith("docker.io/library/") ? name.replaceFirst("library/", "") : name;
    }

    /** Goes back to the last star only, so that no pattern takes longer than its length times that of the name. */
    private static @Nullable String star(String pattern, String name) {
        int p = 0;
        int n = 0;
        int star = -1;
        int begin = 0;
        int end = 0;
        while (n < name.length()) {
            if (p < pattern.length() && pattern.charAt(p) == '*') {
                star = p++;
                begin = n;
                end = n;
            } else if (p < pattern.length() && pattern.charAt(p) == name.charAt(n)) {
                p++;
                n++;
            } else if (star >= 0) {
                p = star + 1;
                n = ++end;
            } else {
                return null;
            }
        }
        while (p < pattern.length() && pattern.charAt(p) == '*') {
            p++;
        }
        if (p < pattern.length()) {
            return null;
        }
        return star < 0 ? "" : name.substring(begin, end);
    }
}
