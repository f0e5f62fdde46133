package lavaflow;

import java.io.PrintWriter;
import java.io.Writer;
import java.util.ArrayList;
import java.util.List;

/**
 * A short tour through what people type all day, against a running cluster, while the JVM records what that loads and links: the start-up
 * cache of commands, as {@link WarmUp} is that of the server. Started by the script {@code lava} alone.
 */
final class CommandTour {
    private static final List<List<String>> WORDS = List.of(
            List.of("version"),
            List.of("status"),
            List.of("queue", "ls"),
            List.of("queue", "get", "default"),
            List.of("top", "nodes"),
            List.of("top", "queues"),
            List.of("job", "run", "tour", "--image", "any", "--replicas", "2", "--requests", "cpu=1", "--", "true"),
            List.of("job", "ls"),
            List.of("job", "ls", "-o", "json"),
            List.of("job", "get", "tour"),
            List.of("explain", "job/tour"),
            List.of("job", "run", "large", "--image", "any", "--requests", "cpu=4000", "--", "true"),
            List.of("explain", "job/large"),
            List.of("explain", "queue/default", "-o", "yaml"),
            List.of("logs", "job/tour"),
            List.of("job", "wait", "tour", "--for", "Running", "--timeout", "20s"),
            List.of("job", "delete", "tour"),
            List.of("job", "delete", "large"));

    private CommandTour() {}

    /** Runs the commands; the only word is the data directory of the cluster. */
    public static void main(String[] words) {
        PrintWriter nobody = new PrintWriter(Writer.nullWriter());
        for (List<String> line : WORDS) {
            List<String> typed = new ArrayList<>(line);
            int at = typed.contains("--") ? typed.indexOf("--") : typed.size();
            if (!line.equals(List.of("version"))) {
                typed.addAll(at, List.of("--data-dir", words[0]));
            }
            Lava.run(typed, nobody);
        }
        System.exit(Lava.DONE);
    }
}
