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

    private static String bash() {
        StringBuilder script = new StringBuilder("_lava() {\n  local word=${COMP_WORDS[COMP_CWORD]}\n");
        script.append("  if [ \"$COMP_CWORD\" = 1 ]; then\n    COMPREPLY=($(compgen -W \"help");
        Lava.commands().forEach(command -> script.append(' ').append(command.name()));
        script.append("\" -- \"$word\"))\n    return\n  fi\n  case ${COMP_WORDS[1]} in\n");
        for (Command command : Lava.commands()) {
            script.append("    ").append(command.name()).append(") COMPREPLY=($(compgen -f -W \"");
            script.append(visibleOptions(command)).append(" --help\" -- \"$word\")) ;;\n");
        }
        return script.append("  esac\n}\ncomplete -F _lava lava").toString();
    }

    private static String fish() {
        StringBuilder script = new StringBuilder();
        for (Command command : Lava.commands()) {
            script.append("complete -c lava -n __fish_use_subcommand -f -a ").append(command.name());
            script.append(" -d '").append(command.summary().replace("'", "")).append("'\n");
            for (Option option : command.options()) {
                if (!option.hidden()) {
                    script.append("complete -c lava -n '__fish_seen_subcommand_from ")
                            .append(command.name());
                    script.append("' -l ").append(option.name().substring(2)).append('\n');
                }
            }
        }
        return script.toString().stripTrailing();
    }
}
