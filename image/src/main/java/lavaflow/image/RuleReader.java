package lavaflow.image;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

import lavaflow.kube.DecodingException;
import lavaflow.kube.Json;
import lavaflow.kube.Yaml;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Reads the rules of an image table from YAML. Every mistake names the rule it is in. */
final class RuleReader {
    private static final List<String> ORIGINS =
            List.of("registry", "archive", "layout", "directory", "host", "recipe", "builtin");
    private static final Set<String> CONFIG =
            Set.of("entrypoint", "command", "env", "user", "workingDir", "stopSignal");

    private final Path directory;

    /**
     * @param directory that relative paths start from
     */
    RuleReader(Path directory) {
        this.directory = directory;
    }

    /** A wrong table is an {@link IllegalArgumentException} in words for whoever wrote it. */
    List<ImageRule> read(byte[] yaml) {
        JsonNode root;
        try {
            root = Yaml.parse(yaml).root();
        } catch (DecodingException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
        if (root.isObject() && root.size() == 1 && root.has("images")) {
            root = root.get("images");
        }
        if (root.isNull()) {
            return List.of();
        }
        if (!root.isArray()) {
            throw new IllegalArgumentException(
                    "a list of rules is expected, such as: - {image: \"gcr.io/*\", registry: mirror.example/gcr}");
        }
        List<ImageRule> rules = new ArrayList<>();
        for (JsonNode item : root) {
            rules.add(rule(item, rules.size() + 1));
        }
        return rules;
    }

    private ImageRule rule(JsonNode item, int number) {
        if (!(item instanceof ObjectNode rule) || Json.textAt(rule, "image").isEmpty()) {
            throw new IllegalArgumentException("rule " + number + ": 'image' is missing: a name, or a pattern with *");
        }
        String pattern = Json.textAt(rule, "image");
        if (hasSpace(pattern)) {
            throw new IllegalArgumentException("rule " + number + " (" + pattern + "): no name has spaces in it");
        }
        try {
            return new ImageRule(pattern, origin(rule), false);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("rule " + number + " (" + pattern + "): " + e.getMessage(), e);
        }
    }

    private Origin origin(ObjectNode rule) {
        List<String> given = ORIGINS.stream().filter(rule::has).toList();
        if (given.size() != 1) {
            throw new IllegalArgumentException("exactly one of " + String.join(", ", ORIGINS) + " is expected"
                    + (given.isEmpty() ? "" : ", not " + given));
        }
        String kind = given.getFirst();
        return switch (kind) {
            case "registry" -> {
                checkKeys(rule, Set.of("image", kind, "plainHttp", "caFile"));
                String authority = Json.textAt(rule, "caFile");
                String place = place(Json.textAt(rule, kind));
                yield new Origin.Registry(
                        place.isEmpty() ? null : place,
                        Json.flagAt(rule, "plainHttp"),
                        authority.isEmpty() ? null : directory.resolve(authority));
            }
            case "archive" -> new Origin.Archive(path(rule, kind));
            case "layout" -> new Origin.Layout(path(rule, kind));
            case "recipe" -> new Origin.FromRecipe(only(rule, kind));
            case "builtin" -> new Origin.Builtin(only(rule, kind));
            case "directory" -> new Origin.Tree(directory.resolve(text(rule, kind)), config(rule, kind));
            default -> new Origin.Host(HostDefaults.completed(config(rule, kind)));
        };
    }

    /** People know registries by their addresses, and nobody would hear of the mistake before a pod waits for an image. */
    private static String place(String written) {
        if (written.contains("://")) {
            String scheme = written.substring(0, written.indexOf("://") + 3);
            throw new IllegalArgumentException("'registry' is HOST/PATH without " + scheme
                    + (scheme.equals("http://")
                            ? "; plainHttp: true (--plain-http) is for registries without encryption"
                            : ""));
        }
        if (hasSpace(written)) {
            throw new IllegalArgumentException("'registry' is HOST/PATH, not '" + written + "'");
        }
        return written;
    }

    private static boolean hasSpace(String text) {
        return text.chars().anyMatch(Character::isWhitespace);
    }

    private Path path(ObjectNode rule, String kind) {
        return directory.resolve(only(rule, kind));
    }

    private static String only(ObjectNode rule, String kind) {
        checkKeys(rule, Set.of("image", kind));
        return text(rule, kind);
    }

    private static String text(ObjectNode rule, String kind) {
        String value = Json.textAt(rule, kind);
        if (value.isEmpty()) {
            throw new IllegalArgumentException("'" + kind + "' needs a value");
        }
        return value;
    }

    /** How to run it stands beside the origin, or inside it where that is an object. */
    private static ImageConfig config(ObjectNode rule, String kind) {
        ObjectNode source = rule;
        if (rule.get(kind) instanceof ObjectNode inner) {
            checkKeys(rule, Set.of("image", kind));
            checkKeys(inner, CONFIG);
            source = inner;
        } else {
            checkKeys(rule, Set.of("image", kind), CONFIG);
        }
        return new ImageConfig(
                list(source, "entrypoint"),
                list(source, "command"),
                environment(source.get("env")),
                scalar(source.get("user")),
                Json.textAt(source, "workingDir"),
                List.of(),
                source.has("stopSignal") ? Json.textAt(source, "stopSignal") : null);
    }

    static List<String> list(ObjectNode source, String key) {
        JsonNode value = source.get(key);
        if (value == null || value.isNull()) {
            return List.of();
        }
        if (!value.isArray()) {
            throw new IllegalArgumentException("'" + key + "' is a list, such as [\"sleep\", \"1d\"]");
        }
        List<String> words = new ArrayList<>();
        value.forEach(word -> words.add(scalar(word)));
        return List.copyOf(words);
    }

    static List<String> environment(@Nullable JsonNode value) {
        List<String> variables = new ArrayList<>();
        if (value instanceof ObjectNode map) {
            for (Map.Entry<String, JsonNode> entry : map.properties()) {
                variables.add(entry.getKey() + "=" + scalar(entry.getValue()));
            }
        } else if (value != null && !value.isNull()) {
            throw new IllegalArgumentException("'env' is a map of names to values");
        }
        return List.copyOf(variables);
    }

    private static String scalar(@Nullable JsonNode value) {
        return value == null || value.isNull() ? "" : value.asText();
    }

    @SafeVarargs
    static void checkKeys(ObjectNode rule, Set<String>... known) {
        for (Map.Entry<String, JsonNode> entry : rule.properties()) {
            boolean found = false;
            for (Set<String> keys : known) {
                found |= keys.contains(entry.getKey());
            }
            if (!found) {
                throw new IllegalArgumentException("'" + entry.getKey() + "' means nothing here");
            }
        }
    }
}
