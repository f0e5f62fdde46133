package lavaflow.store;

import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The names of the files of a store. A segment is named after the first revision it may hold, a snapshot after the
 * revision it shows; files become what they are by a rename, so {@code *.tmp} files are leftovers of a crash.
 */
record Layout(Path directory) {

    static final String TEMPORARY = ".tmp";
    private static final Pattern SEGMENT = Pattern.compile("log-(\\d{20})");
    private static final Pattern SNAPSHOT = Pattern.compile("snapshot-(\\d{20})");

    Path path(String name) {
        return directory.resolve(name);
    }

    Path lock() {
        return path("lock");
    }

    /** The segment that starts after a revision. */
    Path segment(long base) {
        return path(String.format(Locale.ROOT, "log-%020d", base + 1));
    }

    Path snapshot(long revision) {
        return path(String.format(Locale.ROOT, "snapshot-%020d", revision));
    }

    /** The revisions after which the segments among the names start, in order. */
    static List<Long> segmentBases(List<String> names) {
        return revisions(names, SEGMENT).stream().map(first -> first - 1).toList();
    }

    static List<Long> snapshotRevisions(List<String> names) {
        return revisions(names, SNAPSHOT);
    }

    private static List<Long> revisions(List<String> names, Pattern pattern) {
        return names.stream()
                .map(pattern::matcher)
                .filter(Matcher::matches)
                .map(matcher -> Long.parseLong(matcher.group(1)))
                .sorted()
                .toList();
    }

    @Override
    public String toString() {
        return directory.toString();
    }
}
