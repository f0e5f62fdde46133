package lavaflow.cli;

import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/** Tells what changed in a gang, one line each: for files and other places nothing can be drawn over. */
final class GangChanges {
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("HH:mm:ss", Locale.ROOT).withZone(ZoneOffset.UTC);

    /** Progress is told in steps of so much. */
    private static final int TENTHS = 10;

    private String phase = "";
    private String why = "";
    private final Map<String, GangPod> before = new HashMap<>();
    private final Map<String, Integer> told = new HashMap<>();
    private List<TaskWait> later = List.of();

    List<String> since(Gang gang) {
        List<String> lines = new ArrayList<>();
        String subject = gang.kind() + "/" + gang.name();
        if (!gang.phase().equals(phase)) {
            phase = gang.phase();
            lines.add(subject + " " + phase + (gang.outcome().isEnd() ? " after " + gang.duration() : ""));
        }
        if (!gang.why().equals(why)) {
            why = gang.why();
            if (!why.isEmpty()) {
                lines.add(subject + " " + why);
            }
        }
        for (TaskWait wait : gang.later()) {
            if (!later.contains(wait)) {
                lines.add(wait.toString());
            }
        }
        later = gang.later();
        for (GangPod pod : gang.pods()) {
            pod(pod, lines);
            progress(pod, gang.progress().get(pod.name()), lines);
        }
        gone(gang, lines);
        String time = TIME.format(gang.now());
        return lines.stream().map(line -> time + "  " + line).toList();
    }

    private void pod(GangPod pod, List<String> lines) {
        GangPod was = before.put(pod.name(), pod);
        boolean restarted = was != null && pod.restarts() > was.restarts();
        if (restarted) {
            lines.add(pod.label() + " restarted, " + pod.restarts() + (pod.restarts() == 1 ? " time" : " times")
                    + (pod.exit().isEmpty() ? "" : ", " + pod.exit()));
        }
        if (was == null || !was.status().equals(pod.status()) || !was.node().equals(pod.node())) {
            boolean bad = pod.isBad() && !pod.trouble().isEmpty() && !restarted;
            lines.add(pod.label() + " " + pod.status() + (pod.node().isEmpty() ? "" : " on " + pod.node())
                    + (bad ? ", " + pod.trouble() : ""));
        }
    }

    private void progress(GangPod pod, @Nullable Progress progress, List<String> lines) {
        if (progress == null || progress.part() < 0) {
            return;
        }
        int tenths = (int) Math.floor(progress.part() * TENTHS);
        Integer last = told.put(pod.name(), tenths);
        if (last == null || last != tenths) {
            lines.add(pod.label() + " " + GangView.percent(progress.part())
                    + (progress.text().isEmpty() ? "" : " " + progress.text()));
        }
    }

    private void gone(Gang gang, List<String> lines) {
        List<String> there = gang.pods().stream().map(GangPod::name).toList();
        List<String> missing = before.keySet().stream()
                .filter(name -> !there.contains(name))
                .sorted()
                .toList();
        for (String name : missing) {
            GangPod pod = before.remove(name);
            told.remove(name);
            if (pod != null) {
                lines.add(pod.label() + " gone");
            }
        }
    }
}
