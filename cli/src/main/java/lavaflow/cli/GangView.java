package lavaflow.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import lavaflow.kube.Json;

import org.jspecify.annotations.Nullable;

/** Draws a gang for a terminal of some size. Pure. */
final class GangView {
    private static final Pattern COLOUR = Pattern.compile("\u001b\\[[0-9;]*m");
    private static final int BAR = 24;
    private static final int SMALL_BAR = 12;
    private static final int REASON_LINES = 4;
    private static final int LATER_LINES = 4;
    private static final String[] EIGHTHS = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};

    private final Palette palette;
    private final int columns;
    private final int rows;

    /** @param rows how many lines there are; the last one is the cursor's */
    GangView(Palette palette, int columns, int rows) {
        this.palette = palette;
        this.columns = columns;
        this.rows = rows;
    }

    List<String> draw(Gang gang) {
        List<String> lines = new ArrayList<>();
        lines.add(head(gang));
        double part = gang.part();
        if (part >= 0) {
            lines.add("  " + bar(part, BAR) + " " + palette.bold(percent(part)) + palette.dim(whose(gang)));
        }
        String why = gang.why();
        if (!why.isEmpty()) {
            String sign = gang.outcome() == Outcome.FAILED ? palette.red("✖ ") : palette.yellow("… ");
            reason(sign, why, lines);
        }
        lines.add("");
        String next = next(gang);
        List<String> later = later(gang);
        lines.addAll(table(gang, rows - lines.size() - later.size() - (next.isEmpty() ? 2 : 4)));
        lines.addAll(later);
        if (!next.isEmpty()) {
            lines.add("");
            lines.add(palette.dim(next));
        }
        return lines.stream().map(line -> fitted(line, columns)).toList();
    }

    /** Tasks that have not begun, and what they wait for. */
    private List<String> later(Gang gang) {
        List<String> lines = new ArrayList<>();
        List<TaskWait> waits = gang.later();
        for (TaskWait wait : waits.subList(0, Math.min(LATER_LINES, waits.size()))) {
            lines.add("  " + palette.yellow("… ") + wait.task()
                    + palette.dim(" (" + wait.replicas() + (wait.replicas() == 1 ? " pod)" : " pods)"))
                    + " waits for " + wait.reason());
        }
        if (waits.size() > LATER_LINES) {
            lines.add(palette.dim("  … and " + (waits.size() - LATER_LINES) + " more tasks wait for others"));
        }
        return lines;
    }

    /** Over several lines, at spaces: the point is often at the end. */
    private void reason(String sign, String why, List<String> lines) {
        int room = Math.max(10, columns - 4);
        StringBuilder line = new StringBuilder();
        List<String> parts = new ArrayList<>();
        for (String word : why.split(" ", -1)) {
            if (!line.isEmpty() && line.length() + 1 + word.length() > room) {
                parts.add(line.toString());
                line.setLength(0);
            }
            line.append(line.isEmpty() ? "" : " ").append(word);
        }
        parts.add(line.toString());
        for (int i = 0; i < Math.min(parts.size(), REASON_LINES); i++) {
            boolean more = i == REASON_LINES - 1 && parts.size() > REASON_LINES;
            lines.add("  " + (i == 0 ? sign : "  ") + parts.get(i) + (more ? " …" : ""));
        }
    }

    /** What to do or look at once it has ended without success. */
    private static String next(Gang gang) {
        if (gang.outcome() != Outcome.FAILED) {
            return "";
        }
        return gang.kind().equals("job") && gang.phase().equals("Aborted")
                ? "  To let it go on: lava job resume " + gang.name() + inNamespace(gang)
                : "  What its pods said: lava logs " + gang.kind() + "/" + gang.name() + inNamespace(gang);
    }

    private static String inNamespace(Gang gang) {
        String namespace = Json.textAt(gang.object(), "metadata", "namespace");
        return List.of("", "default").contains(namespace) ? "" : " -n " + namespace;
    }

    private String head(Gang gang) {
        StringBuilder line = new StringBuilder(phase(gang, palette) + "  " + palette.bold(gang.name()));
        line.append(palette.dim("  " + gang.duration()));
        String queue = Json.textAt(gang.object(), "spec", "queue");
        if (!queue.isEmpty()) {
            line.append(palette.dim("  queue ")).append(queue);
        }
        long min = Json.longAt(gang.object(), 0, "spec", "minAvailable");
        if (min > 0) {
            line.append(palette.dim("  min ")).append(min);
        }
        long retries = Json.longAt(gang.object(), 0, "status", "retryCount");
        if (retries > 0) {
            line.append(palette.dim("  retries "))
                    .append(palette.yellow(retries + "/" + Json.longAt(gang.object(), 3, "spec", "maxRetry")));
        }
        return line.toString();
    }

    static String phase(Gang gang, Palette palette) {
        String text = gang.phase();
        return switch (gang.outcome()) {
            case SUCCEEDED -> palette.green("✔ " + text);
            case FAILED -> palette.red("✖ " + text);
            case RUNNING -> text.equals("Running") ? palette.green("● " + text) : palette.yellow("● " + text);
        };
    }

    private static String whose(Gang gang) {
        long telling = gang.pods().stream()
                .filter(pod -> gang.progress().containsKey(pod.name()))
                .count();
        return "  as " + telling + (telling == 1 ? " pod says" : " pods say");
    }

    /** The whole only where it is reached. */
    static String percent(double part) {
        return (int) Math.floor(part * 100 + 1e-6) + "%";
    }

    /** Filled by eighths of a letter. */
    String bar(double part, int width) {
        int eighths = (int) Math.round(Math.clamp(part, 0, 1) * width * 8);
        String full = "█".repeat(eighths / 8) + EIGHTHS[eighths % 8];
        return palette.cyan(full) + palette.dim("─".repeat(width - full.length()));
    }

    // ---- pods

    private List<String> table(Gang gang, int room) {
        List<GangPod> shown = gang.pods();
        List<GangPod> rest = List.of();
        if (shown.size() > Math.max(1, room - 1)) {
            int kept = Math.max(1, room - 2);
            rest = shown.subList(kept, shown.size());
            shown = shown.subList(0, kept);
        }
        List<List<String>> cells = new ArrayList<>();
        // Most gangs have none, and progress needs the room.
        boolean restarts = gang.pods().stream().anyMatch(pod -> pod.restarts() > 0);
        cells.add(List.of("POD", "STATUS", "NODE", restarts ? "RESTARTS" : "", "AGE", "PROGRESS"));
        for (GangPod pod : shown) {
            cells.add(List.of(
                    pod.label(),
                    status(pod),
                    pod.node().isEmpty() ? palette.dim("–") : pod.node(),
                    restarts ? restarts(pod) : "",
                    pod.age(),
                    told(pod, gang.progress().get(pod.name()), SMALL_BAR)));
        }
        if (aligned(cells).stream().anyMatch(line -> width(line) > columns)) {
            // Numbers tell more than bars.
            for (int i = 0; i < shown.size(); i++) {
                List<String> row = new ArrayList<>(cells.get(i + 1));
                GangPod pod = shown.get(i);
                row.set(row.size() - 1, told(pod, gang.progress().get(pod.name()), 0));
                cells.set(i + 1, row);
            }
        }
        List<String> lines = aligned(cells);
        if (gang.pods().isEmpty()) {
            lines.set(0, palette.dim("  No pods yet."));
        }
        if (!rest.isEmpty()) {
            lines.add(palette.dim("  … and " + rest.size() + " more: " + counts(rest)));
        }
        return lines;
    }

    private static String counts(List<GangPod> pods) {
        Map<String, Integer> byStatus = new TreeMap<>();
        pods.forEach(pod -> byStatus.merge(pod.status(), 1, Integer::sum));
        List<String> parts = new ArrayList<>();
        byStatus.forEach((status, count) -> parts.add(count + " " + status));
        return String.join(", ", parts);
    }

    private String status(GangPod pod) {
        if (pod.isBad()) {
            return palette.red("✖ " + pod.status());
        }
        return pod.isDone()
                ? palette.green("✔ ") + pod.status()
                : pod.status().equals("Running")
                        ? palette.green("● ") + pod.status()
                        : palette.yellow("○ ") + pod.status();
    }

    private String restarts(GangPod pod) {
        if (pod.restarts() == 0) {
            return palette.dim("0");
        }
        return palette.yellow(Long.toString(pod.restarts()))
                + (pod.exit().isEmpty() ? "" : palette.dim(" " + pod.exit()));
    }

    private String told(GangPod pod, @Nullable Progress progress, int bar) {
        String exit = pod.isBad() && pod.restarts() == 0 ? palette.red(pod.trouble()) : "";
        if (progress == null) {
            return exit;
        }
        String part = progress.part() < 0
                ? ""
                : bar(progress.part(), bar) + String.format("%s%4s  ", bar > 0 ? " " : "", percent(progress.part()));
        return (exit.isEmpty() ? "" : exit + "  ") + part + palette.dim(progress.text());
    }

    private List<String> aligned(List<List<String>> cells) {
        int[] widths = new int[cells.getFirst().size()];
        cells.forEach(row -> {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], width(row.get(i)));
            }
        });
        List<String> lines = new ArrayList<>();
        for (int r = 0; r < cells.size(); r++) {
            StringBuilder line = new StringBuilder("  ");
            for (int i = 0; i < widths.length; i++) {
                String cell = cells.get(r).get(i);
                line.append(cell).append(" ".repeat(widths[i] == 0 ? 0 : widths[i] - width(cell) + 2));
            }
            String text = line.toString().stripTrailing();
            lines.add(r == 0 ? palette.dim(text) : text);
        }
        return lines;
    }

    private static int width(String cell) {
        return COLOUR.matcher(cell).replaceAll("").length();
    }

    /** Cut where the terminal ends: a line that wraps would move everything that is drawn over it. */
    static String fitted(String line, int columns) {
        if (width(line) <= columns) {
            return line;
        }
        StringBuilder text = new StringBuilder();
        Matcher colours = COLOUR.matcher(line);
        int shown = 0;
        int at = 0;
        while (at < line.length() && shown < columns - 1) {
            if (colours.find(at) && colours.start() == at) {
                text.append(colours.group());
                at = colours.end();
            } else {
                text.append(line.charAt(at++));
                shown++;
            }
        }
        return text.append("…")
                .append(line.contains("\u001b") ? "\u001b[0m" : "")
                .toString();
    }
}
