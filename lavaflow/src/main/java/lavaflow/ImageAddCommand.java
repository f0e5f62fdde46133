package lavaflow;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;

import lavaflow.image.TableFile;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** Adds a rule to the image table; it holds at once, also for pods that already wait. */
final class ImageAddCommand implements Command {
    private static final Option HOST = Option.flag("--host", "This machine's own programs and files.");
    private static final Option REGISTRY = Option.of(
            "--registry", "HOST[/PATH]", null, "A registry; with a path, what * matched is looked for below it.");
    private static final Option PLAIN = Option.flag("--plain-http", "Ask the registry without encryption.");
    private static final Option AUTHORITY =
            Option.of("--ca-file", "FILE", null, "Certificates to trust for the registry.");
    private static final Option ARCHIVE =
            Option.of("--archive", "FILE", null, "What 'docker save' or an OCI tool wrote.");
    private static final Option LAYOUT = Option.of("--layout", "DIR", null, "A directory in the layout of OCI images.");
    private static final Option DIRECTORY =
            Option.of("--directory", "DIR", null, "A directory that is a root file system.");
    private static final Option RECIPE = Option.of("--recipe", "NAME", null, "A recipe (see lava image build).");
    private static final Option COMMAND =
            Option.of("--command", "WORDS", null, "With --host or --directory: what runs.");
    private static final Option ENVIRONMENT =
            Option.of("--env", "A=B[,C=D]", null, "With --host or --directory: variables.");
    private static final Option USER =
            Option.of("--user", "UID[:GID]", null, "With --host or --directory: who runs it.");
    private static final List<Option> ORIGINS = List.of(HOST, REGISTRY, ARCHIVE, LAYOUT, DIRECTORY, RECIPE);

    @Override
    public String name() {
        return "image add";
    }

    @Override
    public String summary() {
        return "Say where images come from: a mirror, a file, this machine.";
    }

    @Override
    public List<String> parameters() {
        return List.of("PATTERN");
    }

    @Override
    public List<Option> options() {
        return List.of(
                DATA_DIR,
                HOST,
                REGISTRY,
                PLAIN,
                AUTHORITY,
                ARCHIVE,
                LAYOUT,
                DIRECTORY,
                RECIPE,
                COMMAND,
                ENVIRONMENT,
                USER);
    }

    @Override
    public int run(Arguments arguments, Console console) throws IOException {
        List<Option> given = ORIGINS.stream().filter(arguments::has).toList();
        if (given.size() != 1) {
            throw Arguments.wrong(
                    this,
                    "say one of --host, --registry, --archive, --layout, --directory and --recipe"
                            + (given.isEmpty() ? "" : ", not several"));
        }
        ObjectNode rule = rule(arguments, given.getFirst());
        Path file = arguments.home().directory().resolve("images.yaml");
        arguments.home().create();
        try {
            new TableFile(file).put(rule);
        } catch (IllegalArgumentException e) {
            throw new CommandFailure(Lava.FAILED, String.valueOf(e.getMessage()));
        }
        console.line("Images '" + arguments.parameter(0) + "' come from "
                + (given.getFirst().equals(HOST)
                        ? "this machine"
                        : given.getFirst().name().substring(2) + " " + arguments.find(given.getFirst()))
                + " now (" + file + ").");
        return Lava.DONE;
    }

    private ObjectNode rule(Arguments arguments, Option origin) {
        ObjectNode rule = Json.object().put("image", arguments.parameter(0));
        String key = origin.name().substring(2);
        String value = arguments.find(origin);
        if (origin.equals(HOST)) {
            rule.put(key, true);
        } else if (origin.equals(REGISTRY) || origin.equals(RECIPE)) {
            rule.put(key, value);
        } else {
            rule.put(
                    key,
                    Path.of(Objects.requireNonNull(value))
                            .toAbsolutePath()
                            .normalize()
                            .toString());
        }
        if (arguments.has(PLAIN)) {
            rule.put("plainHttp", true);
        }
        String authority = arguments.find(AUTHORITY);
        if (authority != null) {
            rule.put("caFile", Path.of(authority).toAbsolutePath().normalize().toString());
        }
        addRunning(rule, arguments);
        return rule;
    }

    private void addRunning(ObjectNode rule, Arguments arguments) {
        String command = arguments.find(COMMAND);
        if (command != null) {
            List.of(command.strip().split("\\s+", -1)).forEach(rule.putArray("command")::add);
        }
        String environment = arguments.find(ENVIRONMENT);
        if (environment != null) {
            ObjectNode variables = rule.putObject("env");
            for (String variable : environment.split(",", -1)) {
                int equals = variable.indexOf('=');
                if (equals <= 0) {
                    throw Arguments.wrong(this, "--env wants NAME=value, not '" + variable + "'");
                }
                variables.put(variable.substring(0, equals), variable.substring(equals + 1));
            }
        }
        String user = arguments.find(USER);
        if (user != null) {
            rule.put("user", user);
        }
    }
}
