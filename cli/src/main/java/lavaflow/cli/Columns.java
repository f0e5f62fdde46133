package lavaflow.cli;

import java.util.ArrayList;
import java.util.List;

/** Lines of a table whose columns are as wide as somebody says. */
final class Columns {
    private Columns() {}

    /** Every cell filled up to the width of its column, the last one, too. */
    static String line(List<Integer> widths, List<String> cells) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < cells.size(); i++) {
            text.append(cells.get(i));
            text.append(" ".repeat(Math.max(0, widths.get(i) - cells.get(i).length())));
        }
        return text.append('\n').toString();
    }

    /**
     * As wide as what is in them and a gap more.
     *
     * @param heads counted, too; empty where only what is below them counts
     */
    static List<Integer> widths(List<String> heads, List<List<String>> rows, int gap) {
        List<Integer> widths = new ArrayList<>();
        int columns = heads.isEmpty() ? rows.getFirst().size() : heads.size();
        for (int i = 0; i < columns; i++) {
            int column = i;
            int widest = rows.stream()
                    .mapToInt(row -> row.get(column).length())
                    .max()
                    .orElse(0);
            widths.add(Math.max(heads.isEmpty() ? 0 : heads.get(i).length(), widest) + gap);
        }
        return widths;
    }
}
