package lavaflow.training;

import lavaflow.training.Framework.Counts;
import lavaflow.training.Framework.Tally;
import lavaflow.training.Framework.Verdict;

/** What jobs of a master and workers have in common: who decides of success, and what failing means. */
final class Leading {
    private static final String MASTER = "Master";
    private static final String WORKER = "Worker";

    private Leading() {}

    /** The replica that the others meet at. */
    static String type(TrainingJob job) {
        return job.has(MASTER) ? MASTER : WORKER;
    }

    /**
     * Success is the master's, or that of all workers where there is none.
     *
     * @param one whether a single worker is enough where there is no master
     */
    static Verdict judge(TrainingJob job, Tally tally, boolean one) {
        boolean master = job.has(MASTER);
        String leader = type(job);
        TrainingJob.Replica leading = job.find(leader);
        Counts counts = tally.of(leader);
        String kind = job.kind() + " ";
        String place = master ? kind + job.name() : kind + job.namespace() + "/" + job.name();
        boolean enough = !master && one && counts.succeeded() > 0;
        if (leading != null && (counts.succeeded() >= leading.count() || enough)) {
            return new Verdict.Succeeded(place + (master ? " is" : "") + " successfully completed.");
        }
        Verdict failure = failure(job, tally, true);
        if (!failure.equals(Verdict.NOTHING)) {
            return failure;
        }
        return counts.active() > 0 ? new Verdict.Running(place + " is running.") : Verdict.NOTHING;
    }

    /** @param missing whether a failure only counts while replicas are missing */
    static Verdict failure(TrainingJob job, Tally tally, boolean missing) {
        for (TrainingJob.Replica replica : job.replicas()) {
            Counts counts = tally.of(replica.type());
            boolean counted = !missing || replica.count() > counts.succeeded() + counts.active();
            if (counts.failed() > 0 && counted) {
                String what = " because " + counts.failed() + " " + replica.type() + " replica(s) failed.";
                String who = job.kind() + " " + job.name();
                return replica.restarts()
                        ? new Verdict.Restarting(who + " is restarting" + what)
                        : new Verdict.Failed(who + " is failed" + what);
            }
        }
        return Verdict.NOTHING;
    }
}
