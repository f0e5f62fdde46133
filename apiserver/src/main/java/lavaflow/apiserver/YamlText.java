package lavaflow.apiserver;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.DumperOptions;
import org.yaml.snakeyaml.Yaml;

/** Writes trees as YAML the way upstream does: block style, keys sorted. */
final class YamlText {
    private YamlText() {}

    static String of(JsonNode node) {
        DumperOptions options = new DumperOptions();
        options.setDefaultFlowStyle(DumperOptions.FlowStyle.BLOCK);
        options.setIndicatorIndent(0);
        options.setSplitLines(false);
        return new Yaml(options).dump(plain(node));
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
