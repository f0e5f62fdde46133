package lavaflow;

import java.io.IOException;
import java.util.List;

import lavaflow.cli.GangLogs;
import lavaflow.cli.Target;
import lavaflow.kube.ApiException;

/** Shows the logs of all pods of a job, or of anything else that has pods, as one. */
final class LogsCommand implements Command {
    private static final Option FOLLOW = new Option("--follow", "-f", null, null, "Go on until it has ended.", false);
    private static final Option TAIL = Option.of("--tail", "LINES", null, "At most so many lines of the past of each.");
    private static final Option SINCE = Option.of("--since", "DURATION", null, "Not older than that: 90s, 5m, 2h.");
    private static final Option TIMESTAMPS = Option.flag("--timestamps", "Show when each line was written.");
    private static final Option NO_PREFIX = Option.flag("--no-prefix", "Do not say which pod a line is of.");

    private final boolean ofJob;

    /** @param ofJob whether this is the one that takes the name of a job */
    LogsCommand(boolean ofJob) {
        this.ofJob = ofJob;
    }

    @Override
    public String name() {
        return ofJob ? "job logs" : "logs";
    }

    @Override
    public String summary() {
        return ofJob ? "Show the logs of a job's pods." : "Show the logs of all pods of a job, gang or other owner.";
    }

    @Override
    public List<Option> options() {
        return ClusterClient.options(FOLLOW, TAIL, SINCE, TIMESTAMPS, NO_PREFIX, ClusterClient.NAMESPACE);
    }

    @Override
    public List<String> parameters() {
        return List.of(ofJob ? "NAME" : "KIND/NAME");
    }

    @Override
    public int run(Arguments arguments, Console console) throws IOException, InterruptedException {
        String since = arguments.find(SINCE);
        GangLogs.Wish wish = new GangLogs.Wish(
                arguments.has(FOLLOW),
                arguments.has(TAIL) ? tail(arguments) : -1,
                since == null ? -1 : JobWaitCommand.duration(this, SINCE, since).toSeconds(),
                arguments.has(TIMESTAMPS),
                !arguments.has(NO_PREFIX));
        String word = (ofJob ? "job/" : "") + arguments.parameter(0);
        try (ClusterClient cluster = ClusterClient.connect(arguments)) {
            Target target = cluster.target(ClusterClient.namespace(arguments), word);
            int pods =
                    new GangLogs(cluster.api(), cluster.logs(), target, wish, console.palette(), console.out()).run();
            if (pods == 0) {
                console.error(target.name() + " has no pods" + (wish.follow() ? "" : " yet. Wait for them with -f"));
            }
            return Lava.DONE;
        } catch (ApiException e) {
            throw ClusterClient.refused(e);
        }
    }

    private long tail(Arguments arguments) {
        String lines = arguments.value(TAIL);
        if (!lines.matches("\\d{1,9}")) {
            throw Arguments.wrong(this, TAIL.name() + " wants a number of lines, not '" + lines + "'");
        }
        return Long.parseLong(lines);
    }
}
