package lavaflow.kube;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * What changed between two values, line by line, as upstream shows it when something may not change.
 *
 * <p>Which of several shortest differences is shown follows the Ratcliff-Obershelp matching of Python's difflib, which
 * upstream's library copies: longest common block first, then left and right of it.
 */
public final class TextDiff {
    private static final int CONTEXT = 3;
    /** In texts longer than this, lines that are very common do not start a block. */
    private static final int LONG_TEXT = 200;

    private record Block(int left, int right, int size) {}

    private record Change(boolean equal, int fromLeft, int toLeft, int fromRight, int toRight) {}

    private final List<String> left;
    private final List<String> right;
    private final Map<String, List<Integer>> places = new HashMap<>();

    private TextDiff(List<String> left, List<String> right) {
        this.left = left;
        this.right = right;
        for (int i = 0; i < right.size(); i++) {
            places.computeIfAbsent(right.get(i), line -> new ArrayList<>()).add(i);
        }
        if (right.size() >= LONG_TEXT) {
            int most = right.size() / 100 + 1;
            places.values().removeIf(found -> found.size() > most);
        }
    }

    /** The difference of two trees, printed with an indent of one space; empty where there is none. */
    public static String ofJson(JsonNode before, JsonNode after) {
        return of(printed(before), printed(after));
    }

    /** The difference of two texts in the unified format, without names of files. */
    public static String of(String before, String after) {
        return new TextDiff(lines(before), lines(after)).unified();
    }

    private static List<String> lines(String text) {
        return List.of(text.split("\n", -1));
    }

    private static String printed(JsonNode node) {
        StringBuilder out = new StringBuilder();
        print(node, "\n", out);
        return out.toString();
    }

    private static void print(JsonNode node, String newLine, StringBuilder out) {
        if (node.isEmpty() || node.isValueNode()) {
            out.append(Json.string(node));
            return;
        }
        String inner = newLine + " ";
        boolean first = true;
        if (node instanceof ObjectNode object) {
            out.append('{');
            for (Map.Entry<String, JsonNode> entry : object.properties()) {
                out.append(first ? "" : ",").append(inner);
                out.append(Json.string(Json.text(entry.getKey()))).append(": ");
                print(entry.getValue(), inner, out);
                first = false;
            }
            out.append(newLine).append('}');
        } else if (node instanceof ArrayNode list) {
            out.append('[');
            for (JsonNode element : list) {
                out.append(first ? "" : ",").append(inner);
                print(element, inner, out);
                first = false;
            }
            out.append(newLine).append(']');
        }
    }

    private Block longest(int fromLeft, int toLeft, int fromRight, int toRight) {
        int bestLeft = fromLeft;
        int bestRight = fromRight;
        int best = 0;
        Map<Integer, Integer> lengths = new HashMap<>();
        for (int i = fromLeft; i < toLeft; i++) {
            Map<Integer, Integer> next = new HashMap<>();
            for (int j : places.getOrDefault(left.get(i), List.of())) {
                if (j < fromRight || j >= toRight) {
                    continue;
                }
                int length = lengths.getOrDefault(j - 1, 0) + 1;
                next.put(j, length);
                if (length > best) {
                    bestLeft = i - length + 1;
                    bestRight = j - length + 1;
                    best = length;
                }
            }
            lengths = next;
        }
        // Common lines do not start a block, but they extend one.
        while (bestLeft > fromLeft
                && bestRight > fromRight
                && left.get(bestLeft - 1).equals(right.get(bestRight - 1))) {
            bestLeft--;
            bestRight--;
            best++;
        }
        while (bestLeft + best < toLeft
                && bestRight + best < toRight
                && left.get(bestLeft + best).equals(right.get(bestRight + best))) {
            best++;
        }
        return new Block(bestLeft, bestRight, best);
    }

    private void match(int fromLeft, int toLeft, int fromRight, int toRight, List<Block> blocks) {
        Block block = longest(fromLeft, toLeft, fromRight, toRight);
        if (block.size == 0) {
            return;
        }
        if (fromLeft < block.left && fromRight < block.right) {
            match(fromLeft, block.left, fromRight, block.right, blocks);
        }
        blocks.add(block);
        int endLeft = block.left + block.size;
        int endRight = block.right + block.size;
        if (endLeft < toLeft && endRight < toRight) {
            match(endLeft, toLeft, endRight, toRight, blocks);
        }
    }

    private List<Change> changes() {
        List<Block> blocks = new ArrayList<>();
        match(0, left.size(), 0, right.size(), blocks);
        blocks.add(new Block(left.size(), right.size(), 0));
        List<Change> changes = new ArrayList<>();
        int i = 0;
        int j = 0;
        for (Block block : blocks) {
            if (i < block.left || j < block.right) {
                changes.add(new Change(false, i, block.left, j, block.right));
            }
            i = block.left + block.size;
            j = block.right + block.size;
            if (block.size > 0) {
                merge(changes, new Change(true, block.left, i, block.right, j));
            }
        }
        return changes;
    }

    /** Neighbouring blocks are one. */
    private static void merge(List<Change> changes, Change equal) {
        if (!changes.isEmpty() && changes.getLast().equal) {
            Change last = changes.removeLast();
            changes.add(new Change(true, last.fromLeft, equal.toLeft, last.fromRight, equal.toRight));
        } else {
            changes.add(equal);
        }
    }

    private String unified() {
        StringBuilder out = new StringBuilder();
        List<Change> hunk = new ArrayList<>();
        List<Change> changes = changes();
        for (int i = 0; i < changes.size(); i++) {
            Change change = changes.get(i);
            int size = change.toLeft - change.fromLeft;
            boolean edge = i == 0 || i == changes.size() - 1;
            if (!change.equal || (!edge && size <= 2 * CONTEXT)) {
                hunk.add(change);
                continue;
            }
            if (i > 0) {
                hunk.add(head(change));
                write(hunk, out);
                hunk.clear();
            }
            if (i < changes.size() - 1) {
                hunk.add(tail(change));
            }
        }
        write(hunk, out);
        return out.toString();
    }

    private static Change head(Change equal) {
        int size = Math.min(CONTEXT, equal.toLeft - equal.fromLeft);
        return new Change(true, equal.fromLeft, equal.fromLeft + size, equal.fromRight, equal.fromRight + size);
    }

    private static Change tail(Change equal) {
        int size = Math.min(CONTEXT, equal.toLeft - equal.fromLeft);
        return new Change(true, equal.toLeft - size, equal.toLeft, equal.toRight - size, equal.toRight);
    }

    private void write(List<Change> hunk, StringBuilder out) {
        if (hunk.stream().allMatch(Change::equal)) {
            return;
        }
        Change first = hunk.getFirst();
        Change last = hunk.getLast();
        out.append("@@ -").append(range(first.fromLeft, last.toLeft));
        out.append(" +").append(range(first.fromRight, last.toRight)).append(" @@\n");
        for (Change change : hunk) {
            if (change.equal) {
                append(' ', left, change.fromLeft, change.toLeft, out);
            } else {
                append('-', left, change.fromLeft, change.toLeft, out);
                append('+', right, change.fromRight, change.toRight, out);
            }
        }
    }

    private static void append(char mark, List<String> lines, int from, int to, StringBuilder out) {
        for (int i = from; i < to; i++) {
            out.append(mark).append(lines.get(i)).append('\n');
        }
    }

    private static String range(int from, int to) {
        int length = to - from;
        return length == 1 ? "" + (from + 1) : (length == 0 ? from : from + 1) + "," + length;
    }
}
