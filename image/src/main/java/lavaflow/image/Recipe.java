package lavaflow.image;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;

import lavaflow.kube.DecodingException;
import lavaflow.kube.Json;
import lavaflow.kube.Yaml;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * How to make an image of this machine's files, a Python environment and some files more; or of another recipe's image and some files more.
 *
 * @param base where it begins: the machine, or the recipe that lies there
 * @param python null where there is no environment, or only that of the base
 * @param programs what this machine must have, and the packages that bring it
 * @param files in the order they are laid over
 * @param text the recipe itself in one form, whatever its layout
 */
public record Recipe(
        String name,
        Base base,
        @Nullable Python python,
        Map<String, String> programs,
        List<Placed> files,
        ImageConfig config,
        String text) {
    private static final Pattern NAME = Pattern.compile("[a-z0-9]([a-z0-9._-]{0,61}[a-z0-9])?");
    private static final Pattern PROGRAM = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._+-]*");
    private static final Set<String> KEYS =
            Set.of("name", "base", "programs", "python", "files", "env", "command", "entrypoint", "user", "workingDir");

    /** What a recipe adds to: this machine where the name is empty, else the recipe of that name, first looked for beside this one. */
    public record Base(String name, Path directory) {
        boolean isHost() {
            return name.isEmpty();
        }
    }

    /** Packages as pip knows them, and the version of Python they are for; empty for the machine's usual one. */
    public record Python(List<String> requirements, String version) {}

    /** A file or directory of this machine and where the image has it. */
    public record Placed(Path source, String target) {}

    /** Reads a recipe; a wrong one is an {@link IllegalArgumentException} in words for whoever wrote it. */
    public static Recipe read(Path file) throws IOException {
        JsonNode root;
        try {
            root = Yaml.parse(Files.readAllBytes(file)).root();
        } catch (DecodingException e) {
            throw new IllegalArgumentException(file + ": " + e.getMessage(), e);
        } catch (NoSuchFileException e) {
            throw new IllegalArgumentException("there is no recipe " + file, e);
        }
        try {
            if (!(root instanceof ObjectNode recipe)) {
                throw new IllegalArgumentException("a recipe is a map with name, python, files, env and command");
            }
            return parse(recipe, Objects.requireNonNull(file.toRealPath().getParent()));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(file + ": " + e.getMessage(), e);
        }
    }

    private static Recipe parse(ObjectNode recipe, Path directory) throws IOException {
        RuleReader.checkKeys(recipe, KEYS);
        String name = Json.textAt(recipe, "name");
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    "'name' must be small letters, digits, '.', '_' and '-', not '" + name + "'");
        }
        Base base = base(Json.textAt(recipe, "base"), directory);
        Python python = python(recipe.get("python"), directory);
        if (python != null && !base.isHost()) {
            throw new IllegalArgumentException(
                    "'python' is the environment of " + base.name() + " already; packages belong into that recipe");
        }
        ImageConfig config = new ImageConfig(
                RuleReader.list(recipe, "entrypoint"),
                RuleReader.list(recipe, "command"),
                RuleReader.environment(recipe.get("env")),
                recipe.has("user") ? recipe.get("user").asText() : "",
                Json.textAt(recipe, "workingDir"),
                List.of(),
                null);
        String text = Json.string(recipe) + (python == null ? "" : python);
        return new Recipe(name, base, python, programs(recipe.get("programs")), files(recipe, directory), config, text);
    }

    private static Base base(String name, Path directory) {
        if (name.isEmpty() || name.equals("host")) {
            return new Base("", directory);
        }
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException("'base' is host or the name of a recipe, not '" + name + "'");
        }
        return new Base(name, directory);
    }

    private static @Nullable Python python(@Nullable JsonNode node, Path directory) throws IOException {
        if (node == null || node.isNull()) {
            return null;
        }
        if (!(node instanceof ObjectNode python)) {
            throw new IllegalArgumentException("'python' is a map with requirements and version");
        }
        RuleReader.checkKeys(python, Set.of("requirements", "requirementsFile", "version"));
        List<String> requirements = new ArrayList<>(RuleReader.list(python, "requirements"));
        String file = Json.textAt(python, "requirementsFile");
        if (!file.isEmpty()) {
            Files.readString(directory.resolve(file), StandardCharsets.UTF_8)
                    .lines()
                    .map(String::strip)
                    .filter(line -> !line.isEmpty() && !line.startsWith("#"))
                    .forEach(requirements::add);
        }
        for (String requirement : requirements) {
            if (requirement.isBlank() || requirement.indexOf('\n') >= 0) {
                throw new IllegalArgumentException("a requirement is one line, such as numpy==2.2");
            }
        }
        JsonNode version = python.get("version");
        return new Python(List.copyOf(requirements), version == null || version.isNull() ? "" : version.asText());
    }

    private static Map<String, String> programs(@Nullable JsonNode node) {
        Map<String, String> programs = new LinkedHashMap<>();
        if (node instanceof ObjectNode map) {
            for (Map.Entry<String, JsonNode> entry : map.properties()) {
                programs.put(entry.getKey(), entry.getValue().asText());
            }
        }
        boolean wrong = node != null && !node.isNull() && !node.isObject();
        for (Map.Entry<String, String> entry : programs.entrySet()) {
            wrong |= !PROGRAM.matcher(entry.getKey()).matches()
                    || !PROGRAM.matcher(entry.getValue()).matches();
        }
        if (wrong) {
            throw new IllegalArgumentException(
                    "'programs' is a map of programs to the packages they come in, such as {mpirun: openmpi-bin}");
        }
        return Collections.unmodifiableMap(programs);
    }

    private static List<Placed> files(ObjectNode recipe, Path directory) {
        List<Placed> files = new ArrayList<>();
        for (JsonNode item : Json.listAt(recipe, "files")) {
            String source = Json.textAt(item, "source");
            String target = Json.textAt(item, "target");
            boolean plain = target.startsWith("/")
                    && target.length() > 1
                    && Path.of(target).normalize().toString().equals(target);
            if (source.isEmpty() || !plain) {
                throw new IllegalArgumentException("'files' are {source: FILE, target: /absolute/path}");
            }
            Path found = directory.resolve(source);
            if (!Files.exists(found)) {
                throw new IllegalArgumentException("there is no file " + found);
            }
            files.add(new Placed(found, target));
        }
        return List.copyOf(files);
    }

    /** Where its environment is seen in containers. */
    String place() {
        return "/opt/lava/" + name;
    }
}
