package lavaflow.cli;

import java.io.PrintWriter;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import lavaflow.controller.KubeApi;
import lavaflow.kube.ApiException;

import org.jspecify.annotations.Nullable;

/** Follows jobs to their end, all at once, on one screen. */
public final class RunView {
    /** Says why a PodGroup waits, and what would help. */
    @FunctionalInterface
    public interface Why {
        Optional<String> waits(String namespace, String podGroup);
    }

    private static final Pattern MEASURE = Pattern.compile(
            "\\b((?:(?:test|validation|val|final|eval)[_ ])?(?:accuracy|acc|auc|r2|rmse|mse|error|loss))['\"]?(?:\\s*[:=]|\\s)\\s*"
                    + "([-+]?\\d+(?:\\.\\d+)?(?:[eE][-+]?\\d+)?)",
            Pattern.CASE_INSENSITIVE);

    /** What is told last among several numbers of one line. */
    private static final Pattern LESSER = Pattern.compile(".*(?:loss|error|mse)");

    private final KubeApi api;
    private final LogSource source;
    private final Why why;
    private final Palette palette;
    private final InstantSource clock;
    private final LogLines lines;
    private final boolean several;
    private final Map<String, GangRun> runs = new ConcurrentHashMap<>();
    /** By the label of who said it. */
    private final Map<String, String> measures = new ConcurrentHashMap<>();

    private final Map<String, String> statuses = new TreeMap<>();

    /** @param several whether names of pods do not tell whose they are */
    public RunView(
            KubeApi api,
            LogSource source,
            Why why,
            Palette palette,
            PrintWriter out,
            Supplier<GangWatch.@Nullable Size> terminal,
            InstantSource clock,
            boolean several) {
        this.api = api;
        this.source = source;
        this.why = why;
        this.palette = palette;
        this.clock = clock;
        this.lines = new LogLines(palette, out, true, false, this::heard, terminal);
        this.several = several;
    }

    /** Shows jobs until all have ended, then what came out; in the order they are given. */
    public List<RunResult> follow(Map<Target, Instant> made) throws InterruptedException {
        GangLogs.Wish wish = new GangLogs.Wish(true, -1, -1, false, true);
        List<RunResult> results = new ArrayList<>();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Map<Target, Future<RunResult>> running = new LinkedHashMap<>();
            made.forEach((target, since) -> {
                GangRun run = new GangRun(api, target, this, why, clock, since);
                runs.put(target.name(), run);
                Callable<RunResult> task = () -> run.run(source, wish);
                running.put(target, threads.submit(task));
            });
            try {
                for (Future<RunResult> each : running.values()) {
                    results.add(each.get());
                }
            } catch (ExecutionException e) {
                throw e.getCause() instanceof ApiException refused ? refused : new IllegalStateException(e.getCause());
            } finally {
                running.values().forEach(each -> each.cancel(true));
                clearStatus();
            }
        }
        results.forEach(result -> {
            lines.note("");
            result.summary(measureOf(result.target()), palette).forEach(lines::note);
        });
        return results;
    }

    LogLines lines() {
        return lines;
    }

    Palette palette() {
        return palette;
    }

    /** What stands before the names of a job's pods. */
    String head(Target target) {
        return several ? target.name() + "/" : "";
    }

    void note(String text) {
        lines.note(text.startsWith("\u001b") ? text : palette.dim(text));
    }

    // ---- what pods say

    private void heard(String label, String text) {
        measure(text).ifPresent(told -> measures.merge(head(label), told, RunView::newer));
        GangRun run = several
                ? runs.get(head(label))
                : runs.values().stream().findFirst().orElse(null);
        if (run != null) {
            run.heard(label, text);
        }
    }

    /** The result that a line tells: {@code accuracy 0.97}. */
    static Optional<String> measure(String text) {
        List<String> found = new ArrayList<>();
        Matcher matcher = MEASURE.matcher(text);
        while (matcher.find()) {
            String name = matcher.group(1).toLowerCase(Locale.ROOT);
            found.add(LESSER.matcher(name).matches() ? found.size() : 0, name + " " + matcher.group(2));
        }
        return found.stream().findFirst();
    }

    /** The result of two that counts: the later, but no loss of one pod after the accuracy of another. */
    static String newer(String before, String now) {
        return isLesser(now) && !isLesser(before) ? before : now;
    }

    private static boolean isLesser(String measure) {
        return LESSER.matcher(measure.substring(0, measure.lastIndexOf(' '))).matches();
    }

    private String head(String label) {
        return several ? label.substring(0, label.indexOf('/')) : "";
    }

    private String measureOf(Target target) {
        return measures.getOrDefault(several ? target.name() : "", "");
    }

    // ---- the line below

    synchronized void status(Target target, String line) {
        if (line.isEmpty()) {
            statuses.remove(target.name());
        } else {
            statuses.put(target.name(), line);
        }
        lines.status(String.join("   ", statuses.values()));
    }

    private synchronized void clearStatus() {
        statuses.clear();
        lines.status("");
    }

    static String statusOf(Gang gang, Duration age, Palette palette) {
        double part = gang.part();
        String bar = part < 0 ? "" : " " + new GangView(palette, 80, 24).bar(part, 16) + " " + GangView.percent(part);
        Map<String, Integer> byStatus = new TreeMap<>();
        gang.pods().forEach(pod -> byStatus.merge(pod.status(), 1, Integer::sum));
        List<String> counts = new ArrayList<>();
        byStatus.forEach((status, count) -> counts.add(count + " " + status));
        return GangView.phase(gang, palette) + " " + palette.bold(gang.name()) + " "
                + palette.dim(age.toSeconds() + "s " + String.join(", ", counts)) + bar;
    }
}
