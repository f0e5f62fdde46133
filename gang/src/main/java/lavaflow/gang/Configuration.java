package lavaflow.gang;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import lavaflow.kube.DecodingException;
import lavaflow.kube.Json;
import lavaflow.kube.MalformedException;
import lavaflow.kube.Yaml;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * The configuration file of the scheduler, in Volcano's form: actions in their order, plugins in tiers.
 *
 * @param arguments of actions, by their names
 * @param metrics where the use of nodes is measured, as it is written
 */
public record Configuration(
        List<String> actions, List<List<Entry>> tiers, Map<String, Arguments> arguments, ObjectNode metrics) {
    /** The actions there are. */
    static final Set<String> ACTIONS =
            Set.of("enqueue", "allocate", "backfill", "preempt", "reclaim", "shuffle", "gangpreempt", "gangreclaim");

    /** What holds where there is no file. */
    private static final String USUAL = """
            actions: "enqueue, allocate, backfill"
            tiers:
            - plugins:
              - name: priority
              - name: gang
              - name: conformance
            - plugins:
              - name: overcommit
              - name: drf
              - name: predicates
              - name: proportion
              - name: nodeorder
            """;

    /** One plugin of a tier. */
    public record Entry(String name, Set<Callback> callbacks, Arguments arguments) {
        public boolean answers(Callback callback) {
            return callbacks.contains(callback);
        }
    }

    /** What holds where there is no file. */
    public static Configuration usual() {
        return parse(USUAL);
    }

    /** Reads a file; what is wrong with it is told in the exception. */
    public static Configuration parse(String text) {
        JsonNode root;
        try {
            root = Yaml.parse(text.getBytes(StandardCharsets.UTF_8)).root();
        } catch (DecodingException e) {
            throw new MalformedException(String.valueOf(e.getMessage()));
        }
        if (!(root instanceof ObjectNode file)) {
            throw new MalformedException("the configuration must be a mapping with actions and tiers");
        }
        List<List<Entry>> tiers = tiers(file);
        Map<String, Arguments> arguments = new LinkedHashMap<>();
        for (JsonNode each : Json.listAt(file, "configurations")) {
            String name = Json.textAt(each, "name");
            arguments.put(name, new Arguments("action " + name, argumentsOf(each)));
        }
        ObjectNode metrics = Json.objectAt(file, "metrics");
        return new Configuration(actions(file), tiers, arguments, metrics == null ? Json.object() : metrics);
    }

    private static List<String> actions(ObjectNode file) {
        List<String> actions = new ArrayList<>();
        for (String each : Json.textAt(file, "actions").split(",", -1)) {
            String name = each.strip();
            if (!ACTIONS.contains(name)) {
                throw new MalformedException("failed to find Action " + name);
            }
            actions.add(name);
        }
        return List.copyOf(actions);
    }

    private static List<List<Entry>> tiers(ObjectNode file) {
        List<List<Entry>> tiers = new ArrayList<>();
        for (JsonNode tier : Json.listAt(file, "tiers")) {
            List<Entry> entries = new ArrayList<>();
            for (JsonNode plugin : Json.listAt(tier, "plugins")) {
                entries.add(entry(plugin));
            }
            boolean hierarchical =
                    entries.stream().anyMatch(each -> each.name().equals("drf") && each.answers(Callback.HIERARCHY));
            if (hierarchical && entries.stream().anyMatch(each -> each.name().equals("proportion"))) {
                throw new MalformedException("proportion and drf with hierarchy enabled conflicts");
            }
            tiers.add(List.copyOf(entries));
        }
        return List.copyOf(tiers);
    }

    private static Entry entry(JsonNode plugin) {
        String name = Json.textAt(plugin, "name");
        Set<Callback> callbacks = EnumSet.noneOf(Callback.class);
        for (Callback callback : Callback.values()) {
            JsonNode wanted = Json.at(plugin, callback.key);
            if (wanted != null && !wanted.isBoolean()) {
                throw new MalformedException(
                        "plugin " + name + ": " + callback.key + " must be true or false, not " + wanted);
            }
            if (wanted == null ? callback.usual : wanted.asBoolean()) {
                callbacks.add(callback);
            }
        }
        return new Entry(name, callbacks, new Arguments("plugin " + name, argumentsOf(plugin)));
    }

    private static ObjectNode argumentsOf(JsonNode owner) {
        ObjectNode arguments = Json.objectAt(owner, "arguments");
        return arguments == null ? Json.object() : arguments;
    }

    boolean has(String action) {
        return actions.contains(action);
    }

    Arguments argumentsOf(String action) {
        return arguments.getOrDefault(action, Arguments.NONE);
    }
}
