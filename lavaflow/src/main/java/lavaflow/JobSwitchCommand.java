package lavaflow;

import java.io.IOException;
import java.time.Duration;
import java.util.List;

import lavaflow.cli.JobFailure;
import lavaflow.cli.Outcome;
import lavaflow.cli.VolcanoObjects;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** Suspends a job or lets it go on: gives the Command and waits until it is carried out. */
final class JobSwitchCommand implements Command {
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    private final boolean resume;

    /** @param resume whether this is the one that lets jobs go on */
    JobSwitchCommand(boolean resume) {
        this.resume = resume;
    }

    @Override
    public String name() {
        return resume ? "job resume" : "job suspend";
    }

    @Override
    public String summary() {
        return resume ? "Let a suspended job go on." : "Stop a job; its pods go, it can go on later.";
    }

    @Override
    public List<Option> options() {
        return ClusterClient.options(ClusterClient.NAMESPACE);
    }

    @Override
    public List<String> parameters() {
        return List.of("NAME");
    }

    @Override
    public int run(Arguments arguments, Console console) throws IOException, InterruptedException {
        String namespace = ClusterClient.namespace(arguments);
        String name = arguments.parameter(0);
        try (ClusterClient cluster = ClusterClient.connect(arguments)) {
            ObjectNode job = cluster.job(namespace, name);
            String phase = Outcome.phase(job);
            if (isOver(job)) {
                throw new CommandFailure(Lava.FAILED, "job " + name + " has ended: " + phase);
            }
            if (isDone(phase)) {
                console.line("Job " + name + (resume ? " runs already: " : " is suspended already: ") + phase);
                return Lava.DONE;
            }
            cluster.api()
                    .create(
                            VolcanoObjects.COMMANDS,
                            namespace,
                            VolcanoObjects.jobCommand(job, resume ? "ResumeJob" : "AbortJob"));
            if (!resume && Console.isTerminal() && Json.longAt(job, 0, "status", "running") > 0) {
                console.line(console.dim(
                        "Its pods get the time they ask for to end (Ctrl-C does not keep them from it) ..."));
            }
            JobWatching watching = new JobWatching(cluster.api(), namespace, name);
            ObjectNode after = watching.await(
                    PATIENCE,
                    now -> isSettled(Outcome.phase(now)) || isOver(now),
                    "nobody carried the command out within " + PATIENCE.toSeconds()
                            + " s. Does the job controller run? See: kubectl get commands -n " + namespace);
            if (!isDone(Outcome.phase(after))) {
                String why = JobFailure.of(after);
                throw new CommandFailure(
                        Lava.FAILED,
                        "job " + name + " has ended: " + Outcome.phase(after) + (why.isEmpty() ? "" : ": " + why));
            }
            console.line("Job " + name + " is " + JobListCommand.painted(after, console));
        } catch (ApiException e) {
            throw ClusterClient.refused(e);
        }
        return Lava.DONE;
    }

    /** Whether it has ended for good. */
    private static boolean isOver(ObjectNode job) {
        return Outcome.of(job).isEnd() && !Outcome.phase(job).equals("Aborted");
    }

    /** A job that begins anew may turn out to have done so too often. */
    private boolean isSettled(String phase) {
        return isDone(phase) && !phase.equals("Restarting");
    }

    private boolean isDone(String phase) {
        return resume
                ? List.of("Pending", "Running", "Restarting", "Completing", "Completed")
                        .contains(phase)
                : phase.equals("Aborted");
    }
}
