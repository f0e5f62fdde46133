package lavaflow.apiserver;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.DumperOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeId;
import org.yaml.snakeyaml.nodes.Tag;
import org.yaml.snakeyaml.representer.Representer;
import org.yaml.snakeyaml.resolver.Resolver;

/** Writes trees as YAML the way upstream does: block style, keys sorted. */
public final class YamlText {
    private YamlText() {}

    public static String of(JsonNode node) {
        DumperOptions options = new DumperOptions();
        options.setDefaultFlowStyle(DumperOptions.FlowStyle.BLOCK);
        options.setIndicatorIndent(0);
        options.setSplitLines(false);
        return new Yaml(new Quoting(options), options).dump(plain(node));
    }

    /** Text that would be read as something else, such as a number, stands between double quotes. */
    private static final class Quoting extends Representer {
        private static final Resolver RESOLVER = new Resolver();

        Quoting(DumperOptions options) {
            super(options);
        }

        @Override
        protected Node representScalar(Tag tag, String value, DumperOptions.ScalarStyle style) {
            boolean ambiguous = tag.equals(Tag.STR)
                    && style == DumperOptions.ScalarStyle.PLAIN
                    && !RESOLVER.resolve(NodeId.scalar, value, true).equals(Tag.STR);
            return super.representScalar(tag, value, ambiguous ? DumperOptions.ScalarStyle.DOUBLE_QUOTED : style);
        }
    }

    private static @Nullable Object plain(JsonNode node) {
        return switch (node.getNodeType()) {
            case OBJECT -> {
                Map<String, @Nullable Object> map = new TreeMap<>();
                node.properties().forEach(field -> map.put(field.getKey(), plain(field.getValue())));
                yield map;
            }
            case ARRAY -> {
                List<@Nullable Object> list = new ArrayList<>();
                node.forEach(element -> list.add(plain(element)));
                yield list;
            }
            case STRING -> node.textValue();
            case BOOLEAN -> node.booleanValue();
            case NUMBER -> number(node);
            case NULL, MISSING, BINARY, POJO -> null;
        };
    }

    private static Object number(JsonNode node) {
        if (node.isIntegralNumber()) {
            return node.numberValue();
        }
        return node.doubleValue();
    }
}
