package lavaflow.kube;

import java.util.ArrayDeque;
import java.util.Deque;

import org.jspecify.annotations.Nullable;

/**
 * How large a regular expression becomes when its repetitions are written out, which is what compiling it costs. The
 * syntax is that of RE2; Go refuses what is too large, and the library that matches here does not.
 */
public final class PatternSize {
    private static final int MOST_REPEATED = 1_000;
    private static final long LARGEST = 1_000_000;

    /** What has been read of a group: its size, the size of its last part, and how often that repeats what is in it. */
    private static final class Level {
        private long size;
        private long last;
        private long repeats = 1;
        private long mostRepeats = 1;
    }

    private final String pattern;
    private final Deque<Level> levels = new ArrayDeque<>();
    private int at;

    private PatternSize(String pattern) {
        this.pattern = pattern;
        levels.push(new Level());
    }

    /** Why the expression is too large, in Go's words; null where it is not. Does not look for other mistakes. */
    public static @Nullable String problem(String pattern) {
        return new PatternSize(pattern).read();
    }

    private @Nullable String read() {
        while (at < pattern.length()) {
            char c = pattern.charAt(at);
            switch (c) {
                case '(' -> {
                    levels.push(new Level());
                    at++;
                }
                case ')' -> close();
                case '[' -> {
                    skipClass();
                    atom();
                }
                case '\\' -> {
                    at += 2;
                    atom();
                }
                case '{' -> {
                    String problem = repeat();
                    if (problem != null) {
                        return problem;
                    }
                }
                default -> {
                    at++;
                    atom();
                }
            }
            if (current().size > LARGEST) {
                return "expression too large: `" + pattern + "`";
            }
        }
        return null;
    }

    private Level current() {
        Level level = levels.peek();
        return level == null ? new Level() : level;
    }

    private void atom() {
        Level level = current();
        level.size++;
        level.last = 1;
        level.repeats = 1;
    }

    private void close() {
        at++;
        if (levels.size() < 2) {
            return;
        }
        Level inner = levels.pop();
        Level outer = current();
        outer.size += inner.size + 2;
        outer.last = inner.size + 2;
        outer.repeats = inner.mostRepeats;
        outer.mostRepeats = Math.max(outer.mostRepeats, inner.mostRepeats);
    }

    private void skipClass() {
        at++;
        if (at < pattern.length() && pattern.charAt(at) == '^') {
            at++;
        }
        boolean first = true;
        while (at < pattern.length() && (first || pattern.charAt(at) != ']')) {
            at += pattern.charAt(at) == '\\' ? 2 : 1;
            first = false;
        }
        at++;
    }

    private @Nullable String repeat() {
        int end = pattern.indexOf('}', at);
        String inside = end < 0 ? "" : pattern.substring(at + 1, end);
        long count = count(inside);
        if (count < 0) {
            at++;
            atom();
            return null;
        }
        at = end + 1;
        Level level = current();
        level.repeats *= Math.max(count, 1);
        level.mostRepeats = Math.max(level.mostRepeats, level.repeats);
        if (level.repeats > MOST_REPEATED) {
            return "invalid repeat count: `{" + inside + "}`";
        }
        level.size += level.last * Math.max(count - 1, 0);
        level.last *= Math.max(count, 1);
        return null;
    }

    /** The largest number of a repetition; -1 where the braces are plain characters. */
    private static long count(String inside) {
        long most = -1;
        for (String part : inside.split(",", -1)) {
            if (part.isEmpty() && most >= 0) {
                continue;
            }
            if (part.isEmpty() || part.length() > 9 || !part.chars().allMatch(c -> c >= '0' && c <= '9')) {
                return -1;
            }
            most = Math.max(most, Long.parseLong(part));
        }
        return most;
    }
}
