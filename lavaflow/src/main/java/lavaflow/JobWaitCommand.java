package lavaflow;

import java.io.IOException;
import java.time.Duration;
import java.util.List;

import lavaflow.cli.Outcome;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** Waits until a job has ended, or is in a phase. */
final class JobWaitCommand implements Command {
    private static final Option FOR =
            Option.of("--for", "PHASE", null, "A phase to wait for, such as Running (default: the end).");
    private static final Option TIMEOUT =
            Option.of("--timeout", "DURATION", "1h", "How long to wait: 90s, 5m, 2h (1h). Exit code 4 after it.");

    private static final List<String> PHASES = List.of(
            "Pending",
            "Running",
            "Restarting",
            "Aborting",
            "Aborted",
            "Completing",
            "Completed",
            "Terminating",
            "Terminated",
            "Failed");

    @Override
    public String name() {
        return "job wait";
    }

    @Override
    public String summary() {
        return "Wait for a job: exit code 0 if it succeeded, 1 if it failed.";
    }

    @Override
    public List<Option> options() {
        return ClusterClient.options(FOR, TIMEOUT, ClusterClient.NAMESPACE);
    }

    @Override
    public List<String> parameters() {
        return List.of("NAME");
    }

    @Override
    public int run(Arguments arguments, Console console) throws IOException, InterruptedException {
        String namespace = ClusterClient.namespace(arguments);
        String name = arguments.parameter(0);
        String phase = arguments.find(FOR);
        if (phase != null && PHASES.stream().noneMatch(phase::equalsIgnoreCase)) {
            throw Arguments.wrong(
                    this, FOR.name() + " wants one of " + String.join(", ", PHASES) + ", not '" + phase + "'");
        }
        Duration patience = duration(this, TIMEOUT, arguments.value(TIMEOUT));
        try (ClusterClient cluster = ClusterClient.connect(arguments)) {
            cluster.job(namespace, name);
            ObjectNode job = new JobWatching(cluster.api(), namespace, name)
                    .await(
                            patience,
                            now -> Outcome.of(now).isEnd()
                                    || (phase != null && Outcome.phase(now).equalsIgnoreCase(phase)),
                            "job " + name + " did not get there within " + arguments.value(TIMEOUT)
                                    + ". See: lava job get " + name + " -n " + namespace);
            console.line("Job " + name + " is " + JobListCommand.painted(job, console));
            boolean there = phase == null
                    ? Outcome.of(job) == Outcome.SUCCEEDED
                    : Outcome.phase(job).equalsIgnoreCase(phase);
            return there ? Lava.DONE : Lava.FAILED;
        }
    }

    /** A length of time as people write it: a number of seconds, or with a unit. */
    static Duration duration(Command command, Option option, String text) {
        if (text.matches("\\d{1,9}[smhd]?")) {
            char unit = text.charAt(text.length() - 1);
            long number = Long.parseLong(Character.isDigit(unit) ? text : text.substring(0, text.length() - 1));
            return switch (unit) {
                case 'm' -> Duration.ofMinutes(number);
                case 'h' -> Duration.ofHours(number);
                case 'd' -> Duration.ofDays(number);
                default -> Duration.ofSeconds(number);
            };
        }
        throw Arguments.wrong(command, option.name() + " wants a time such as 90s, 5m or 2h, not '" + text + "'");
    }
}
