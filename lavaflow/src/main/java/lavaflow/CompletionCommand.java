package lavaflow;

import java.util.List;
import java.util.stream.Collectors;

/** Prints a completion script. */
final class CompletionCommand implements Command {
    @Override
    public String name() {
        return "completion";
    }

    @Override
    public String summary() {
        return "Print a completion script for bash, zsh or fish.";
    }

    @Override
    public List<Option> options() {
        return List.of();
    }

    @Override
    public List<String> parameters() {
        return List.of("bash|zsh|fish");
    }

    @Override
    public int run(Arguments arguments, Console console) {
        console.line(
                switch (arguments.parameter(0)) {
                    case "bash" -> bash();
                    case "zsh" -> "autoload -U +X bashcompinit && bashcompinit\n" + bash();
                    case "fish" -> fish();
                    default ->
                        throw Arguments.wrong(this, "there is no completion for '" + arguments.parameter(0) + "'");
                });
        return Lava.DONE;
    }

    private static String visibleOptions(Command command) {
        return command.options().stream()
                .filter(option -> !option.hidden())
                .map(Option::name)
                .collect(Collectors.joining(" "));
    }

    /** Words that may follow {@code lava}, or its first word. */
    private static String words(String first) {
        return Lava.commands().stream()
                .map(Command::name)
                .filter(name -> first.isEmpty() || name.startsWith(first + " "))
                .map(name -> name.split(" ", -1)[first.isEmpty() ? 0 : 1])
                .distinct()
                .collect(Collectors.joining(" "));
    }

    private static String bash() {
        StringBuilder script = new StringBuilder("_lava() {\n  local word=${COMP_WORDS[COMP_CWORD]}\n");
        script.append("  if [ \"$COMP_CWORD\" = 1 ]; then\n    COMPREPLY=($(compgen -W \"help ");
        script.append(words("")).append("\" -- \"$word\"))\n    return\n  fi\n");
        for (String first : words("").split(" ", -1)) {
            String second = words(first);
            if (!second.isEmpty()) {
                script.append("  if [ \"$COMP_CWORD\" = 2 ] && [ \"${COMP_WORDS[1]}\" = ")
                        .append(first);
                script.append(" ]; then\n    COMPREPLY=($(compgen -W \"").append(second);
                script.append("\" -- \"$word\"))\n    return\n  fi\n");
            }
        }
        script.append("  case \"${COMP_WORDS[1]} ${COMP_WORDS[2]}\" in\n");
        for (Command command : Lava.commands()) {
            String name = command.name().contains(" ") ? "\"" + command.name() + "\"" : command.name() + "\\ ";
            script.append("    ").append(name).append("*) COMPREPLY=($(compgen -f -W \"");
            script.append(visibleOptions(command)).append(" --help\" -- \"$word\")) ;;\n");
        }
        return script.append("  esac\n}\ncomplete -F _lava lava").toString();
    }

    private static String fish() {
        StringBuilder script = new StringBuilder();
        for (Command command : Lava.commands()) {
            String[] name = command.name().split(" ", -1);
            String condition = "__fish_use_subcommand";
            String seen = "__fish_seen_subcommand_from " + name[0];
            if (name.length > 1) {
                script.append("complete -c lava -n __fish_use_subcommand -f -a ")
                        .append(name[0])
                        .append('\n');
                condition = "'" + seen + "'";
                seen += "; and __fish_seen_subcommand_from " + name[1];
            }
            script.append("complete -c lava -n ")
                    .append(condition)
                    .append(" -f -a ")
                    .append(name[name.length - 1]);
            script.append(" -d '").append(command.summary().replace("'", "")).append("'\n");
            for (Option option : command.options()) {
                if (!option.hidden()) {
                    script.append("complete -c lava -n '").append(seen);
                    script.append("' -l ").append(option.name().substring(2)).append('\n');
                }
            }
        }
        return script.toString().stripTrailing();
    }
}
