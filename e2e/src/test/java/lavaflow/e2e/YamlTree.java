package lavaflow.e2e;

import java.util.Map;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.yaml.snakeyaml.DumperOptions;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.nodes.Tag;
import org.yaml.snakeyaml.representer.Representer;
import org.yaml.snakeyaml.resolver.Resolver;

/** Reads YAML as Kubernetes does: times stay strings. */
final class YamlTree {
    private static final class WithoutTimes extends Resolver {
        @Override
        protected void addImplicitResolvers() {
            addImplicitResolver(Tag.BOOL, BOOL, "yYnNtTfFoO");
            addImplicitResolver(Tag.INT, INT, "-+0123456789");
            addImplicitResolver(Tag.FLOAT, FLOAT, "-+0123456789.");
            addImplicitResolver(Tag.MERGE, MERGE, "<");
            addImplicitResolver(Tag.NULL, NULL, "~nN\0");
            addImplicitResolver(Tag.NULL, EMPTY, null);
        }
    }

    private YamlTree() {}

    static JsonNode parse(String text) {
        LoaderOptions options = new LoaderOptions();
        options.setMaxAliasesForCollections(1_000);
        options.setCodePointLimit(50_000_000);
        DumperOptions dumping = new DumperOptions();
        Yaml yaml =
                new Yaml(new SafeConstructor(options), new Representer(dumping), dumping, options, new WithoutTimes());
        return of(yaml.load(text));
    }

    private static JsonNode of(Object value) {
        return switch (value) {
            case null -> Json.FACTORY.nullNode();
            case String string -> Json.text(string);
            case Boolean flag -> Json.FACTORY.booleanNode(flag);
            case Integer number -> Json.number(number);
            case Long number -> Json.number(number);
            case Number number -> Json.FACTORY.numberNode(number.doubleValue());
            case Map<?, ?> map -> {
                ObjectNode object = Json.object();
                map.forEach((key, child) -> object.set(String.valueOf(key), of(child)));
                yield object;
            }
            case Iterable<?> list -> {
                ArrayNode array = Json.array();
                list.forEach(child -> array.add(of(child)));
                yield array;
            }
            default -> throw new IllegalArgumentException("not YAML of Kubernetes: " + value.getClass());
        };
    }
}
