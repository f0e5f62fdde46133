package lavaflow.cli;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * What became of a job that was followed.
 *
 * @param outcome null where it was deleted
 * @param why why it failed, as far as somebody says
 * @param waited until as many pods ran as must at once
 * @param ran from then on; null where it never came to that
 * @param artifacts where something may be that outlives its pods
 */
public record RunResult(
        Target target,
        @Nullable Outcome outcome,
        String why,
        Duration waited,
        @Nullable Duration ran,
        List<GangPod> pods,
        List<String> artifacts) {
    public boolean isSuccess() {
        return outcome == Outcome.SUCCEEDED;
    }

    /**
     * The summary for people.
     *
     * @param measure the last result its pods printed; empty where they printed none
     */
    List<String> summary(String measure, Palette palette) {
        List<String> lines = new ArrayList<>();
        String word = Submission.word(target.object());
        lines.add(
                switch (outcome) {
                    case null -> palette.yellow("● ") + palette.bold(word) + " was deleted";
                    case SUCCEEDED -> palette.green("✔ ") + palette.bold(word) + " succeeded";
                    case FAILED ->
                        palette.red("✖ ") + palette.bold(word) + " failed" + (why.isEmpty() ? "" : ": " + why);
                    case RUNNING -> palette.yellow("● ") + palette.bold(word) + " runs";
                });
        line(lines, "Waited", seconds(waited) + (ran == null ? ", and never ran" : " until it ran"), palette);
        if (ran != null) {
            line(lines, "Ran", seconds(ran), palette);
        }
        if (!measure.isEmpty()) {
            line(lines, "Result", palette.bold(measure), palette);
        }
        List<String> bad = pods.stream()
                .filter(GangPod::isBad)
                .map(pod -> pod.label() + " " + pod.status() + (pod.exit().isEmpty() ? "" : " (" + pod.exit() + ")"))
                .toList();
        if (!bad.isEmpty() && outcome != Outcome.SUCCEEDED) {
            line(lines, "Pods", String.join(", ", bad), palette);
        }
        artifacts.forEach(place -> line(lines, "Artifacts", place, palette));
        String where = target.namespace().equals("default") ? "" : " -n " + target.namespace();
        line(lines, "Logs", "lava logs " + word(target) + where, palette);
        return lines;
    }

    /** How commands are told which object is meant. */
    public static String word(Target target) {
        boolean plainJob = target.kind().group().equals("batch");
        return (plainJob ? "job.batch" : target.kind().resource().replaceFirst("s$", "")) + "/" + target.name();
    }

    private static void line(List<String> lines, String head, String text, Palette palette) {
        lines.add("  " + palette.dim(head + " ".repeat(10 - head.length())) + text);
    }

    static String seconds(Duration duration) {
        long millis = Math.max(0, duration.toMillis());
        if (millis < 10_000) {
            return millis / 1000 + "." + millis % 1000 / 100 + " s";
        }
        long seconds = millis / 1000;
        return seconds < 100 ? seconds + " s" : seconds / 60 + " min " + seconds % 60 + " s";
    }
}
