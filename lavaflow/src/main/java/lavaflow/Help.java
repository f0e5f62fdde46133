package lavaflow;

import java.util.ArrayList;
import java.util.List;

/** What {@code lava help} prints, for terminals of 80 columns. */
final class Help {
    private static final int WIDTH = 80;
    /** Where descriptions of options begin. */
    private static final int COLUMN = 25;

    private static final String PURPOSE = "Machine-learning batch jobs on one machine or on Kubernetes.";
    private static final String EXAMPLE = """
            Begin with:
              lava run examples/tfjob-digits.yaml   trains a model, and starts what it needs
              lava up --detach                      starts a cluster for kubectl\
            """;

    private Help() {}

    /** Commands that belong together, by the words they begin with. */
    private record Topic(String title, List<String> words) {}

    private static final List<Topic> TOPICS = List.of(
            new Topic("Jobs", List.of("run", "job", "logs", "watch", "explain", "vcctl")),
            new Topic("Queues and nodes", List.of("queue", "top")),
            new Topic(
                    "The cluster on this machine",
                    List.of("up", "down", "status", "kubeconfig", "backup", "restore", "reset", "image")),
            new Topic("Beside any Kubernetes API server", List.of("node", "scheduler", "controllers", "webhooks")),
            new Topic("This program", List.of("version", "completion")));

    /** All commands, by topic. */
    static String overview(List<Command> commands) {
        StringBuilder text = new StringBuilder(PURPOSE)
                .append("\n\nUsage: lava COMMAND [OPTIONS]\n\n")
                .append(EXAMPLE)
                .append('\n');
        List<Command> left = new ArrayList<>(commands);
        for (Topic topic : TOPICS) {
            text.append('\n').append(topic.title()).append(":\n");
            for (String word : topic.words()) {
                List<Command> its = left.stream()
                        .filter(command -> command.name().split(" ", 2)[0].equals(word))
                        .toList();
                left.removeAll(its);
                list(its, text);
            }
        }
        if (!left.isEmpty()) {
            throw new IllegalStateException(left.getFirst().name() + " has no topic");
        }
        return text.append("\nMore: lava help COMMAND").toString();
    }

    /** The commands that begin with one word. */
    static String family(String word, List<Command> commands) {
        StringBuilder text = new StringBuilder("Usage: lava " + word + " COMMAND [OPTIONS]\n\nCommands:\n");
        list(commands, text);
        return text.append("\nMore: lava help ").append(word).append(" COMMAND").toString();
    }

    private static void list(List<Command> commands, StringBuilder text) {
        for (Command command : commands) {
            text.append(String.format("  %-13s %s%n", command.name(), command.summary()));
        }
    }

    static String of(Command command) {
        StringBuilder text =
                new StringBuilder(command.summary()).append("\n\nUsage: lava ").append(command.name());
        command.parameters().forEach(parameter -> text.append(' ').append(parameter));
        command.optionalParameters()
                .forEach(parameter -> text.append(" [").append(parameter).append(']'));
        text.append(" [OPTIONS]").append(command.rest().isEmpty() ? "" : " [-- " + command.rest() + "]");
        text.append("\n\nOptions:\n");
        for (Command.Option option : command.options()) {
            if (option.hidden()) {
                continue;
            }
            String left = (option.letter() == null ? "" : option.letter() + ", ")
                    + option.name()
                    + (option.isFlag() ? "" : " " + option.value());
            describe(left, option.description(), text);
        }
        describe("-v, --verbose", "Say of an error where it comes from.", text);
        describe("-h, --help", "Show this.", text);
        return text.toString().stripTrailing();
    }

    /** What is too long for its column has a line of its own. */
    private static void describe(String option, String description, StringBuilder text) {
        String line = "  " + option;
        if (line.length() >= COLUMN) {
            text.append(line).append('\n');
            line = "";
        }
        line = line + " ".repeat(COLUMN - line.length());
        boolean begun = false;
        for (String word : description.split(" ", -1)) {
            if (begun && line.length() + 1 + word.length() > WIDTH) {
                text.append(line).append('\n');
                line = " ".repeat(COLUMN);
                begun = false;
            }
            line += begun ? " " + word : word;
            begun = true;
        }
        text.append(line).append('\n');
    }
}
