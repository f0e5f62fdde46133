package lavaflow.cel;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** The text of an expression, in code points, and the errors found in it. */
final class Source {
    /** An error, and where it is; line -1 if nowhere in particular. */
    private record Issue(int line, int column, String text) {}

    /** The offset of errors that are nowhere in particular. */
    static final int NOWHERE = -1;

    private static final int MOST_SHOWN = 100;

    private final String text;
    private final int[] codePoints;
    private final List<Integer> lineStarts = new ArrayList<>();
    private final List<Issue> issues = new ArrayList<>();

    Source(String text) {
        this.text = text;
        this.codePoints = text.codePoints().toArray();
        lineStarts.add(0);
        for (int i = 0; i < codePoints.length; i++) {
            if (codePoints[i] == '\n') {
                lineStarts.add(i + 1);
            }
        }
    }

    String text() {
        return text;
    }

    int length() {
        return codePoints.length;
    }

    /** The code point at an offset, or -1 at the end. */
    int at(int offset) {
        return offset < codePoints.length ? codePoints[offset] : -1;
    }

    String text(int start, int end) {
        return new String(codePoints, start, Math.min(end, codePoints.length) - start);
    }

    boolean hasIssues() {
        return !issues.isEmpty();
    }

    void report(int offset, String message) {
        if (offset == NOWHERE) {
            issues.add(new Issue(-1, -1, "ERROR: <input>:-1:0: " + message));
            return;
        }
        int line = lineOf(offset);
        int column = offset - lineStarts.get(line);
        if (codePoints.length == 0) {
            issues.add(new Issue(0, 0, "ERROR: <input>:1:0: " + message));
            return;
        }
        issues.add(new Issue(
                line,
                column,
                "ERROR: <input>:%d:%d: %s%s".formatted(line + 1, column + 1, message, snippet(line, column))));
    }

    private int lineOf(int offset) {
        int line = lineStarts.size() - 1;
        while (lineStarts.get(line) > offset) {
            line--;
        }
        return line;
    }

    private String snippet(int line, int column) {
        int start = lineStarts.get(line);
        int end = start;
        while (end < codePoints.length && codePoints[end] != '\n') {
            end++;
        }
        StringBuilder pointer = new StringBuilder();
        for (int i = start; i < end && i < start + column; i++) {
            pointer.append(codePoints[i] < 0x80 ? '.' : '．');
        }
        boolean wide = start + column < end && codePoints[start + column] >= 0x80;
        pointer.append(wide ? '＾' : '^');
        return "\n | " + text(start, end).replace('\t', ' ') + "\n | " + pointer;
    }

    /** Errors in the order of their places. */
    List<String> issues() {
        return issues.stream()
                .sorted(Comparator.comparingInt(Issue::line).thenComparingInt(Issue::column))
                .limit(MOST_SHOWN)
                .map(Issue::text)
                .toList();
    }
}
