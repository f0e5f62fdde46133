package lavaflow.kube;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.events.AliasEvent;
import org.yaml.snakeyaml.events.CollectionStartEvent;
import org.yaml.snakeyaml.events.Event;
import org.yaml.snakeyaml.events.NodeEvent;
import org.yaml.snakeyaml.events.ScalarEvent;
import org.yaml.snakeyaml.parser.ParserImpl;
import org.yaml.snakeyaml.reader.StreamReader;

/**
 * Reads the first document of a YAML stream into the JSON tree that upstream's converter makes of it: YAML 1.1 booleans
 * and numbers, keys turned into strings, merge keys applied, keys of every mapping sorted.
 *
 * <p>SnakeYAML only scans; nodes are built here, because what a plain scalar means, which repeated keys are reported and
 * how far aliases may multiply must be upstream's rules.
 */
public final class Yaml {
    /**
     * What was read.
     *
     * @param root the tree; JSON null for an empty stream
     * @param repeatedKeys {@code line 7: key "a" already set in map}, in the order of the document
     */
    public record Parsed(JsonNode root, List<String> repeatedKeys) {}

    /** Aliases may make up 99 % of a document with up to so many nodes, less of larger ones. */
    private static final int GENEROUS_NODES = 400_000;

    private static final int STRICT_NODES = 4_000_000;

    private final ParserImpl events;
    private final Map<String, @Nullable Anchored> anchors = new HashMap<>();
    private final List<String> repeatedKeys = new ArrayList<>();
    private int depth;
    private int nodes;
    private int aliasedNodes;

    /** A value under a name, with the number of nodes in it. */
    private record Anchored(JsonNode value, int size) {}

    private Yaml(String text) {
        LoaderOptions options = new LoaderOptions();
        options.setCodePointLimit(Integer.MAX_VALUE); // bodies are bounded before they come here
        events = new ParserImpl(new StreamReader(text), options);
    }

    /** Parses the first document; mistakes are told in upstream's words. */
    public static Parsed parse(byte[] bytes) throws DecodingException {
        String text;
        try {
            text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new DecodingException("yaml: invalid leading UTF-8 octet");
        }
        try {
            Yaml reader = new Yaml(text);
            return new Parsed(reader.document(), reader.repeatedKeys);
        } catch (YAMLException e) {
            throw YamlProblem.of(e);
        } catch (NumberFormatException | IndexOutOfBoundsException e) {
            // The scanner trips over escapes that the end of the stream cuts short.
            throw new DecodingException("yaml: did not find expected hexdecimal number");
        }
    }

    private JsonNode document() throws DecodingException {
        events.getEvent(); // start of stream
        if (events.checkEvent(Event.ID.StreamEnd)) {
            return NullNode.getInstance();
        }
        events.getEvent(); // start of document
        JsonNode root = node();
        events.getEvent(); // end of document, which may complain about what follows
        return root;
    }

    private JsonNode node() throws DecodingException {
        count(1, 0);
        NodeEvent event = (NodeEvent) events.getEvent();
        if (event instanceof AliasEvent) {
            return alias(event.getAnchor());
        }
        int before = nodes;
        String anchor = event.getAnchor();
        if (anchor != null) {
            anchors.put(anchor, null);
        }
        JsonNode value = switch (event.getEventId()) {
            case Scalar -> YamlScalar.resolve((ScalarEvent) event);
            case SequenceStart -> sequence();
            case MappingStart -> mapping();
            default -> throw new DecodingException("yaml: unknown problem parsing YAML content");
        };
        if (anchor != null) {
            anchors.put(anchor, new Anchored(value, nodes - before + 1));
        }
        return value;
    }

    private JsonNode alias(String name) throws DecodingException {
        if (!anchors.containsKey(name)) {
            throw new DecodingException("yaml: unknown anchor '" + name + "' referenced");
        }
        Anchored anchored = anchors.get(name);
        if (anchored == null) {
            throw new DecodingException("yaml: anchor '" + name + "' value contains itself");
        }
        count(anchored.size, anchored.size);
        if (depth + depthOf(anchored.value) > Json.MAX_DEPTH) {
            throw tooDeep();
        }
        return anchored.value.deepCopy();
    }

    private static int depthOf(JsonNode node) {
        int deepest = 0;
        for (JsonNode child : node) {
            deepest = Math.max(deepest, depthOf(child));
        }
        return node.isContainerNode() ? deepest + 1 : 0;
    }

    private void count(int more, int aliased) throws DecodingException {
        nodes += more;
        aliasedNodes += aliased;
        double large = Math.clamp((double) (nodes - GENEROUS_NODES) / (STRICT_NODES - GENEROUS_NODES), 0, 1);
        if (aliasedNodes > 100 && nodes > 1_000 && aliasedNodes > nodes * (0.99 - 0.89 * large)) {
            throw new DecodingException("yaml: document contains excessive aliasing");
        }
    }

    private void enter() throws DecodingException {
        if (++depth > Json.MAX_DEPTH) {
            throw tooDeep();
        }
    }

    private static DecodingException tooDeep() {
        return new DecodingException("yaml: exceeded max depth of " + Json.MAX_DEPTH);
    }

    private ArrayNode sequence() throws DecodingException {
        enter();
        ArrayNode list = Json.array();
        while (!events.checkEvent(Event.ID.SequenceEnd)) {
            list.add(node());
        }
        events.getEvent();
        depth--;
        return list;
    }

    private ObjectNode mapping() throws DecodingException {
        enter();
        Map<String, JsonNode> entries = new TreeMap<>();
        Set<String> seen = new HashSet<>();
        while (!events.checkEvent(Event.ID.MappingEnd)) {
            if (events.peekEvent() instanceof ScalarEvent scalar && isMerge(scalar)) {
                events.getEvent();
                int line = line();
                for (ObjectNode source : mergeSources()) {
                    for (Map.Entry<String, JsonNode> entry : source.properties()) {
                        put(entries, seen, YamlKey.ofText(entry.getKey()), entry.getValue(), line);
                    }
                }
                continue;
            }
            JsonNode key = node();
            YamlKey name = YamlKey.of(key);
            int line = line();
            JsonNode value = node();
            if (name.problem() != null) {
                throw new DecodingException(name.problem() + GoSyntax.text(value));
            }
            put(entries, seen, name, value, line);
        }
        events.getEvent();
        depth--;
        return Json.object().setAll(entries);
    }

    /** The line, counted from one, of the node ahead: upstream reports the value, not the key. */
    private int line() {
        return events.peekEvent().getStartMark().getLine() + 1;
    }

    private void put(Map<String, JsonNode> entries, Set<String> seen, YamlKey key, JsonNode value, int line) {
        if (!seen.add(key.shown()) && repeatedKeys.size() < StrictJson.MAX_REPORTED) {
            repeatedKeys.add("line " + line + ": key " + key.shown() + " already set in map");
        }
        entries.put(key.text(), value);
    }

    private static boolean isMerge(ScalarEvent scalar) {
        boolean plain = scalar.isPlain() && scalar.getTag() == null;
        return scalar.getValue().equals("<<") && (plain || "tag:yaml.org,2002:merge".equals(scalar.getTag()));
    }

    /** The mappings of a merge key, the least important first. */
    private List<ObjectNode> mergeSources() throws DecodingException {
        boolean list = events.peekEvent() instanceof CollectionStartEvent start
                && start.getEventId() == Event.ID.SequenceStart;
        JsonNode value = node();
        List<ObjectNode> sources = new ArrayList<>();
        if (value instanceof ObjectNode object) {
            sources.add(object);
        } else if (list) {
            for (JsonNode element : value) {
                if (!(element instanceof ObjectNode object)) {
                    throw noMap();
                }
                sources.addFirst(object);
            }
        } else {
            throw noMap();
        }
        return sources;
    }

    private static DecodingException noMap() {
        return new DecodingException("yaml: map merge requires map or sequence of maps as the value");
    }
}
