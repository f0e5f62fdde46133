package lavaflow.e2e;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * Replaces what no two servers can agree on (identifiers, revisions, clocks, random choices) by numbered placeholders.
 *
 * <p>Numbers are given in order of appearance within a case and stay with a value: where upstream returns the same
 * resourceVersion twice, so must we, and where it chooses a new address, we must too. Fields are visited in sorted
 * order because key order is not part of the contract.
 */
final class Normalizer {
    private static final Pattern UID = Pattern.compile("[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}");
    private static final Pattern TIME = Pattern.compile("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?Z");
    private static final Pattern CLUSTER_IP = Pattern.compile("10\\.96\\.\\d{1,3}\\.\\d{1,3}");
    private static final Pattern REVISION_IN_TEXT =
            Pattern.compile("(too old resource version: \\d+ \\(|, current: |ResourceVersion in record \\()\\d+");

    /** A patch that makes no sense is answered with the whole patched object, in the order of Go's fields. */
    private static final Pattern ECHO = Pattern.compile("(Invalid value: )\"\\{.*}\"(?=: )");

    /** Whoever the server's own kubeconfig is for. */
    private static final Pattern CLIENT = Pattern.compile("\\b(lava-admin|kubernetes-admin)\\b");

    private static final Pattern FINGERPRINT = Pattern.compile("X509SHA256=[0-9a-f]{64}");
    private static final Pattern TOKEN_VOLUME = Pattern.compile("kube-api-access-[a-z0-9]{5}\\b");
    private static final Pattern AGE = Pattern.compile("(\\d+[smhdy]){1,2}");
    private static final Pattern GENERATED = Pattern.compile("[bcdfghjklmnpqrstvwxz2456789]{5}");
    private static final Pattern TOKEN = Pattern.compile("ey[\\w-]+\\.ey[\\w-]+\\.[\\w-]+");
    private static final Pattern CERTIFICATE =
            Pattern.compile("-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----\\n?");
    private static final Duration RECENT = Duration.ofDays(2);

    private final String authority;
    private final String literal;
    private final Map<String, String> seen = new LinkedHashMap<>();
    private final Map<String, Integer> counts = new LinkedHashMap<>();
    private final Map<String, String> generated = new LinkedHashMap<>();

    /**
     * @param authority the server's own address
     * @param literal the text of the case: a value that stands there was chosen by the case and is compared as it is
     */
    Normalizer(String authority, String literal) {
        this.authority = authority;
        this.literal = literal;
    }

    ObjectNode normalize(ObjectNode answer) {
        learnGenerated(answer);
        return (ObjectNode) normal("", answer, false);
    }

    private void learnGenerated(JsonNode node) {
        JsonNode metadata = node.path("metadata");
        String base = Json.textAt(metadata, "generateName");
        String name = Json.textAt(metadata, "name");
        if (!base.isEmpty()
                && name.startsWith(base)
                && GENERATED.matcher(name.substring(base.length())).matches()) {
            generated.put(name, base + "<generated>");
        }
        node.forEach(this::learnGenerated);
    }

    /** Owners are listed by the second of their last write, which two servers need not share: here by who they are. */
    private static List<JsonNode> inOrder(String key, ArrayNode array) {
        List<JsonNode> items = new ArrayList<>();
        array.forEach(items::add);
        if (key.equals("managedFields")) {
            items.sort(
                    Comparator.comparing(owner -> Json.textAt(owner, "operation") + "/" + Json.textAt(owner, "manager")
                            + "/" + Json.textAt(owner, "subresource") + "/" + Json.textAt(owner, "apiVersion")));
        }
        return items;
    }

    private JsonNode normal(String key, JsonNode node, boolean collection) {
        return switch (node) {
            case ObjectNode object -> fields(object, collection);
            case ArrayNode array -> {
                ArrayNode normal = Json.array();
                inOrder(key, array).forEach(item -> normal.add(normal(key, item, false)));
                yield normal;
            }
            default ->
                node.isTextual()
                        ? Json.text(text(key, node.textValue(), collection))
                        : node.isIntegralNumber() ? number(key, node) : node;
        };
    }

    private ObjectNode fields(ObjectNode object, boolean metadataOfCollection) {
        Map<String, JsonNode> sorted = new TreeMap<>();
        object.properties().forEach(field -> sorted.put(field.getKey(), field.getValue()));
        ObjectNode normal = Json.object();
        boolean bookmark = Json.textAt(object, "type").equals("BOOKMARK");
        boolean collection = isCollection(object);
        if (isColumn(object)) {
            sorted.remove("description");
        }
        sorted.forEach((key, value) -> {
            boolean ofCollection = metadataOfCollection || (collection && key.equals("metadata"));
            JsonNode child = bookmark && key.equals("object") && value instanceof ObjectNode mark
                    ? bookmark(mark)
                    : normal(key, value, ofCollection);
            normal.set(text("", key, false), child);
        });
        return normal;
    }

    private JsonNode bookmark(ObjectNode mark) {
        ObjectNode copy = mark.deepCopy();
        if (copy.get("metadata") instanceof ObjectNode metadata && metadata.has("resourceVersion")) {
            metadata.put("resourceVersion", "<revision of the collection>");
        }
        return normal("", copy, false);
    }

    private static boolean isCollection(ObjectNode object) {
        String kind = Json.textAt(object, "kind");
        return object.has("items") || kind.endsWith("List") || kind.equals("Table");
    }

    /** Descriptions of columns are upstream's prose and no part of the contract. */
    private static boolean isColumn(ObjectNode object) {
        return object.has("priority") && object.has("format") && object.has("type") && object.has("name");
    }

    private JsonNode number(String key, JsonNode node) {
        boolean port = key.equals("nodePort") || key.equals("healthCheckNodePort");
        return port && node.longValue() >= 30_000 && !literal.contains(node.asText())
                ? Json.text(placeholder("node port", node.asText()))
                : node;
    }

    private String text(String key, String value, boolean collection) {
        if (key.equals("resourceVersion") && value.matches("[1-9]\\d*") && !literal.contains("\"" + value + "\"")) {
            return collection ? "<revision of the collection>" : placeholder("revision", value);
        }
        if (key.equals("continue") && !value.isEmpty()) {
            return "<continue>";
        }
        if (key.equals("cells") && AGE.matcher(value).matches()) {
            return "<age>";
        }
        String text = value.replace(authority, "<server>");
        for (Map.Entry<String, String> name : generated.entrySet()) {
            text = text.replace(name.getKey(), name.getValue());
        }
        text = CERTIFICATE.matcher(text).replaceAll("<certificate>");
        text = CLIENT.matcher(text).replaceAll("<client>");
        text = FINGERPRINT.matcher(text).replaceAll("<fingerprint>");
        text = TOKEN_VOLUME.matcher(text).replaceAll("kube-api-access-<generated>");
        text = ECHO.matcher(text).replaceAll("$1<object>");
        text = TOKEN.matcher(text).replaceAll("<token>");
        text = UID.matcher(text)
                .replaceAll(
                        match -> literal.contains(match.group()) ? match.group() : placeholder("uid", match.group()));
        text = TIME.matcher(text).replaceAll(Normalizer::time);
        text = CLUSTER_IP.matcher(text).replaceAll(match -> address(match.group()));
        Matcher revision = REVISION_IN_TEXT.matcher(text);
        return key.equals("message") ? revision.replaceAll("$1<revision>") : text;
    }

    private String address(String address) {
        return literal.contains(address) || address.equals("10.96.0.1")
                ? address
                : placeholder("cluster address", address);
    }

    private static String time(java.util.regex.MatchResult match) {
        try {
            Instant instant = Instant.parse(match.group());
            if (Duration.between(instant, Instant.now()).abs().compareTo(RECENT) > 0) {
                return match.group();
            }
        } catch (DateTimeException e) {
            return match.group();
        }
        return match.group(1) == null
                ? "<time>"
                : "<time with " + (match.group(1).length() - 1) + " decimals>";
    }

    private String placeholder(String what, String value) {
        return seen.computeIfAbsent(
                what + value, absent -> "<" + what + " " + counts.merge(what, 1, Integer::sum) + ">");
    }
}
