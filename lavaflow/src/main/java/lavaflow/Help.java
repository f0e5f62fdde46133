package lavaflow;

import java.util.List;

/** What {@code lava help} prints. */
final class Help {
    private Help() {}

    static String overview(List<Command> commands) {
        StringBuilder text = new StringBuilder("Machine-learning batch jobs on one machine or on Kubernetes.\n\n");
        text.append("Usage: lava COMMAND [OPTIONS]\n\nCommands:\n");
        for (Command command : commands) {
            text.append(String.format("  %-12s %s%n", command.name(), command.summary()));
        }
        text.append("\nMore: lava help COMMAND");
        return text.toString();
    }

    static String of(Command command) {
        StringBuilder text =
                new StringBuilder(command.summary()).append("\n\nUsage: lava ").append(command.name());
        command.parameters().forEach(parameter -> text.append(' ').append(parameter));
        text.append(" [OPTIONS]\n\nOptions:\n");
        for (Command.Option option : command.options()) {
            if (option.hidden()) {
                continue;
            }
            String left = (option.letter() == null ? "" : option.letter() + ", ")
                    + option.name()
                    + (option.isFlag() ? "" : " " + option.value());
            text.append(String.format("  %-22s %s%n", left, option.description()));
        }
        text.append(String.format("  %-22s %s", "-h, --help", "Show this."));
        return text.toString();
    }
}
