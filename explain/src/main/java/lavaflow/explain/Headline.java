package lavaflow.explain;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import lavaflow.explain.Explanation.Stage;
import lavaflow.explain.Explanation.StageReport;
import lavaflow.explain.Explanation.Verdict;

/** The one sentence that says it. */
final class Headline {
    private Headline() {}

    static String ofPlaced(Explanation.Subject subject, boolean ended) {
        if (ended) {
            return "PodGroup " + subject.key() + " has ended.";
        }
        int pods = subject.pods().entrySet().stream()
                .filter(each -> !each.getKey().equals("waiting"))
                .mapToInt(Map.Entry::getValue)
                .sum();
        int waiting = subject.pods().getOrDefault("waiting", 0);
        return "PodGroup " + subject.key() + " does not wait: " + Amount.count(pods, "pod")
                + (pods == 1 ? " has its node" : " have their nodes") + ", it needs " + subject.minMember()
                + (waiting == 0 ? "." : "; " + waiting + " more would be welcome to it and wait.");
    }

    /** Of a gang that everything but an extender lets run. */
    static Explanation ofUnasked(Explanation.Subject subject, String extender) {
        String why = "the extender at " + extender + " refuses it or does not answer, all others would let it run";
        List<StageReport> stages = new ArrayList<>();
        for (Stage stage : Stage.values()) {
            boolean asked = stage == Stage.NODES;
            Verdict verdict = asked ? Verdict.BLOCKED : Verdict.PASSED;
            boolean reached = stage != Stage.PREEMPTION;
            stages.add(new StageReport(
                    stage,
                    reached ? verdict : Verdict.NOT_REACHED,
                    asked ? List.of(new Finding.Said(why)) : List.of()));
        }
        String headline = "PodGroup " + subject.key() + " waits: " + why + ".";
        return new Explanation(subject, true, headline, stages, List.of(), true);
    }

    static String of(Explanation.Subject subject, List<StageReport> stages) {
        StageReport first = stages.stream()
                .filter(each -> each.verdict() == Verdict.BLOCKED)
                .findFirst()
                .orElse(null);
        String who = "PodGroup " + subject.key();
        if (first == null) {
            return who + " waits for its turn.";
        }
        List<Finding> telling = telling(first);
        String why = String.join(
                "; ", telling.stream().map(Finding::message).distinct().toList());
        return who + " " + verb(first.stage(), subject) + ": " + why + nodes(first, stages) + ".";
    }

    /** Lifting a limit does not help where there is no room either. */
    private static String nodes(StageReport first, List<StageReport> stages) {
        boolean ofQueue = first.stage() == Stage.LIMIT || first.stage() == Stage.SHARE;
        for (StageReport each : stages) {
            if (ofQueue && each.stage() == Stage.NODES && each.verdict() == Verdict.BLOCKED) {
                return "; besides, " + each.findings().getFirst().message();
            }
        }
        return "";
    }

    private static String verb(Stage stage, Explanation.Subject subject) {
        return switch (stage) {
            case QUEUE -> "waits for its queue";
            case ENTRANCE -> "is not let into queue " + subject.queue();
            case PODS -> "waits for its pods";
            case SHARE, LIMIT -> "waits for a larger part of the cluster";
            case NODES, PREEMPTION -> "waits for room";
        };
    }

    /** Numbers say more than the words of a plugin. How little there is counts if somebody refuses it for more than what its queue may have. */
    private static List<Finding> telling(StageReport report) {
        List<Finding> numbers = new ArrayList<>(only(report, Finding.EntranceLimit.class));
        if (only(report, Finding.NotLetIn.class).size() > numbers.size()) {
            numbers.addAll(only(report, Finding.TooLittle.class));
        }
        return numbers.isEmpty() ? report.findings() : numbers;
    }

    private static List<Finding> only(StageReport report, Class<? extends Finding> sort) {
        return report.findings().stream().filter(sort::isInstance).toList();
    }
}
