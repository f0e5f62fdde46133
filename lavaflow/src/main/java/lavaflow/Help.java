package lavaflow;

import java.util.List;

/** What {@code lava help} prints. */
final class Help {
    private static final int COLUMN = 22;

    private Help() {}

    static String overview(List<Command> commands) {
        StringBuilder text = new StringBuilder("Machine-learning batch jobs on one machine or on Kubernetes.\n\n");
        text.append("Usage: lava COMMAND [OPTIONS]\n\nCommands:\n");
        for (Command command : commands) {
            text.append(String.format("  %-13s %s%n", command.name(), command.summary()));
        }
        text.append("\nMore: lava help COMMAND");
        return text.toString();
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
            text.append(line(left, option.description())).append('\n');
        }
        text.append(line("-v, --verbose", "Say of an error where it comes from."))
                .append('\n');
        return text.append(line("-h, --help", "Show this.")).toString();
    }

    /** What is too long for its column has a line of its own. */
    private static String line(String left, String description) {
        String column =
                left.length() > COLUMN ? left + "\n  " + " ".repeat(COLUMN) : String.format("%-" + COLUMN + "s", left);
        return "  " + column + " " + description;
    }
}
