package lavaflow.explain;

import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Why a gang waits, and what would free it.
 *
 * @param waiting false if it has all it must have
 * @param headline one sentence
 * @param remedies each of them alone is enough; empty if nothing that was tried is
 * @param thorough whether all that there is to try was tried
 */
public record Explanation(
        Subject subject,
        boolean waiting,
        String headline,
        List<StageReport> stages,
        List<Remedy> remedies,
        boolean thorough) {
    /** Not groups of pods that have no Job, which are {@code podgroup-UID}. */
    private static final Pattern JOB_AND_UID =
            Pattern.compile("^(?!\\S+/podgroup-)(\\S+/\\S+)-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$");

    /** The same for somebody who must not know what others' jobs are called. */
    public Explanation seenFrom(String namespace) {
        List<StageReport> seen = stages.stream()
                .map(each -> new StageReport(
                        each.stage,
                        each.verdict,
                        each.findings.stream()
                                .map(finding -> Finding.seenFrom(namespace, finding))
                                .toList()))
                .toList();
        List<Remedy> told = remedies.stream()
                .map(each -> new Remedy(each.changes.stream()
                        .map(change -> Change.seenFrom(namespace, change))
                        .toList()))
                .toList();
        return new Explanation(subject, waiting, headline, seen, told, thorough);
    }

    /** The name of a job or pod; of another namespace only that it is of one. */
    static String seenFrom(String namespace, String place, String what) {
        return place.isEmpty() || place.startsWith(namespace + "/") ? place : "a " + what + " of another namespace";
    }

    /** What people call the job of a PodGroup: those of Volcano's Jobs are named {@code JOB-UID}, which nobody can read. */
    static String job(String podGroup) {
        return JOB_AND_UID.matcher(podGroup).replaceFirst("$1");
    }

    /**
     * What it is about.
     *
     * @param pods how many stand where
     */
    public record Subject(
            String namespace,
            String name,
            String queue,
            String phase,
            int priority,
            int minMember,
            Map<String, Integer> pods) {
        public String key() {
            return namespace + "/" + name;
        }
    }

    /** What a gang has to pass, in this order. */
    public enum Stage {
        /** There is a queue and it is open. */
        QUEUE("Queue"),
        /** It is let in. */
        ENTRANCE("Entrance"),
        /** It has enough pods. */
        PODS("Pods"),
        /** Its queue does not have all it deserves. */
        SHARE("Share"),
        /** Its queue may have as much. */
        LIMIT("Limit"),
        /** Its pods find nodes. */
        NODES("Nodes"),
        /** Others make room for it. */
        PREEMPTION("Preemption");

        private final String word;

        Stage(String word) {
            this.word = word;
        }

        public String word() {
            return word;
        }
    }

    /** What came of a stage. */
    public enum Verdict {
        PASSED("Passed"),
        BLOCKED("Blocked"),
        /** An earlier one has to be passed first. */
        NOT_REACHED("NotReached");

        private final String word;

        Verdict(String word) {
            this.word = word;
        }

        public String word() {
            return word;
        }
    }

    /** One stage. */
    public record StageReport(Stage stage, Verdict verdict, List<Finding> findings) {}

    /**
     * Something that frees it: it was tried, and it did.
     *
     * @param changes all of them are needed
     */
    public record Remedy(List<Change> changes) {
        public String summary() {
            return String.join("; and ", changes.stream().map(Change::text).toList());
        }
    }
}
