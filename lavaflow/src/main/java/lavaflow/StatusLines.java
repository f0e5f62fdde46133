package lavaflow;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import lavaflow.cli.Palette;
import lavaflow.kube.HumanDuration;
import lavaflow.scheduler.ClusterTally;

import org.jspecify.annotations.Nullable;

/** How a cluster is, in as few lines as a terminal has room for; a function of what it is told. */
record StatusLines(Palette palette, int columns) {
    private static final String GAP = "   ";
    private static final String INDENT = "  ";
    /** More would take the place of what is logged. */
    private static final int MOST_LINES = 3;
    /** Where there is no room for a word and a number, nothing is shown. */
    private static final int LEAST_COLUMNS = 20;

    /** What is told together, and never torn apart unless it is longer than a line. */
    private record Part(String plain, String painted) {}

    /** @param cluster null where nobody knows */
    List<String> of(@Nullable ClusterTally cluster, ProgramUse program, Instant now) {
        if (columns < LEAST_COLUMNS) {
            return List.of();
        }
        List<Part> parts = new ArrayList<>();
        boolean calm = true;
        if (cluster != null) {
            calm = cluster.readyNodes() == cluster.nodes() && cluster.waitingPods() + cluster.waitingGangs() == 0;
            addCluster(parts, cluster, now);
        }
        parts.add(part("processor", HumanDuration.format(program.processor())));
        parts.add(part("memory", Sizes.of(program.memory())));
        return filled(parts, calm ? palette.green("●") : palette.yellow("●"));
    }

    private void addCluster(List<Part> parts, ClusterTally cluster, Instant now) {
        String ready = cluster.readyNodes() + "/" + cluster.nodes();
        String label = "nodes ";
        boolean all = cluster.readyNodes() == cluster.nodes();
        parts.add(new Part(label + ready, palette.dim(label) + (all ? ready : palette.yellow(ready))));
        parts.add(counted("pods", cluster.placedPods(), "placed", cluster.waitingPods()));
        parts.add(counted("gangs", cluster.runningGangs(), "running", cluster.waitingGangs()));
        ClusterTally.Waiting longest = cluster.longest();
        if (longest != null) {
            Duration since = Duration.between(longest.since(), now);
            parts.add(part(
                    "longest",
                    longest.key() + ", " + HumanDuration.format(since.isNegative() ? Duration.ZERO : since)));
        }
        if (cluster.queues() > 1) {
            parts.add(part("queues", Integer.toString(cluster.queues())));
        }
    }

    private Part part(String label, String value) {
        return new Part(label + " " + value, palette.dim(label) + " " + value);
    }

    private Part counted(String label, int busy, String how, int waiting) {
        Part some = part(label, busy + " " + how);
        String rest = waiting + " waiting";
        return waiting == 0 ? some : new Part(some.plain + ", " + rest, some.painted + ", " + palette.yellow(rest));
    }

    /** As many parts on a line as fit; the last column stays free, or terminals would begin another line. */
    private List<String> filled(List<Part> parts, String mark) {
        int room = columns - 1 - INDENT.length();
        List<String> lines = new ArrayList<>();
        StringBuilder line = new StringBuilder(mark + " ");
        int used = 0;
        for (Part part : parts) {
            int length = part.plain.length();
            if (used > 0 && used + GAP.length() + length > room) {
                lines.add(line.toString());
                if (lines.size() == MOST_LINES) {
                    return lines;
                }
                line = new StringBuilder(INDENT);
                used = 0;
            }
            if (used > 0) {
                line.append(GAP);
                used += GAP.length();
            }
            line.append(length <= room ? part.painted : part.plain.substring(0, room - 1) + "…");
            used += Math.min(length, room);
        }
        lines.add(line.toString());
        return lines;
    }
}
