package lavaflow;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

import lavaflow.image.ImageEntry;
import lavaflow.image.ImageException;
import lavaflow.image.ImageRule;
import lavaflow.image.ImageStore;
import lavaflow.kube.HumanDuration;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Shows the images of this machine, or where others would come from. */
final class ImageListCommand implements Command {
    private static final Option OUTPUT =
            new Option("--output", "-o", "FORMAT", "text", "json, yaml, wide (whole ids and digests) or name.", false);
    private static final Option TABLE = Option.flag("--table", "Show the rules of the image table instead.");

    @Override
    public String name() {
        return "image ls";
    }

    @Override
    public String summary() {
        return "Show images, or the table of where they come from.";
    }

    @Override
    public List<Option> options() {
        return List.of(DATA_DIR, OUTPUT, TABLE);
    }

    @Override
    public int run(Arguments arguments, Console console) throws ImageException {
        String format = arguments.value(OUTPUT);
        if (!List.of("text", "json", "yaml", "wide", "name").contains(format)) {
            throw Arguments.wrong(this, "--output knows json, yaml, wide and name, not '" + format + "'");
        }
        try (ImageStore images = ImageStore.open(arguments.home().directory())) {
            if (arguments.has(TABLE)) {
                rules(images.table().rules(), format, console);
            } else {
                images(images.entries(), format, console);
            }
        }
        return Lava.DONE;
    }

    private static void images(List<ImageEntry> entries, String format, Console console) {
        switch (format) {
            case "json" -> console.line(Json.pretty(document(entries)));
            case "yaml" -> yaml(document(entries).get("images"), console);
            case "name" -> entries.forEach(entry -> names(entry).keySet().forEach(console::line));
            default -> text(entries, format.equals("wide"), console);
        }
    }

    private static void text(List<ImageEntry> entries, boolean wide, Console console) {
        List<List<String>> rows = new ArrayList<>();
        Instant now = Instant.now();
        for (ImageEntry entry : entries) {
            for (Map.Entry<String, String> name : names(entry).entrySet()) {
                List<String> row = new ArrayList<>(List.of(
                        name.getKey(),
                        wide ? entry.id() : shortId(entry.id()),
                        Sizes.of(entry.size()),
                        HumanDuration.format(Duration.between(entry.usedAt(), now)) + " ago",
                        name.getValue()));
                if (wide) {
                    row.add(entry.digests().isEmpty() ? "<none>" : String.join(",", entry.digests()));
                }
                rows.add(row);
            }
        }
        List<String> heads = new ArrayList<>(List.of("NAME", "ID", "SIZE", "USED", "FROM"));
        if (wide) {
            heads.add("DIGESTS");
        }
        rows.sort(Comparator.comparing((List<String> row) -> row.getFirst().startsWith("<"))
                .thenComparing(List::getFirst));
        if (rows.isEmpty()) {
            console.line("No images yet. Pods bring them; so do: lava image import FILE, lava image build RECIPE");
        } else {
            console.table(heads, rows);
        }
    }

    /** An image whose name another has now goes by its id. */
    private static Map<String, String> names(ImageEntry entry) {
        return entry.names().isEmpty() ? Map.of(entry.id(), "") : entry.names();
    }

    private static String shortId(String id) {
        String hex = id.substring(id.indexOf(':') + 1);
        return hex.substring(0, Math.min(12, hex.length()));
    }

    private static ObjectNode document(List<ImageEntry> entries) {
        ObjectNode root = Json.object();
        ArrayNode list = root.putArray("images");
        for (ImageEntry entry : entries) {
            ObjectNode item = list.addObject();
            item.put("id", entry.id());
            ArrayNode names = item.putArray("names");
            entry.names()
                    .forEach((name, from) -> names.addObject().put("name", name).put("from", from));
            entry.digests().forEach(item.putArray("digests")::add);
            item.put("size", entry.size()).put("usedAt", entry.usedAt().toString());
        }
        return root;
    }

    private static void rules(List<ImageRule> rules, String format, Console console) {
        ArrayNode list = Json.array();
        List<List<String>> rows = new ArrayList<>();
        for (ImageRule rule : rules) {
            String source = rule.isBuiltin() ? "built in" : "table";
            rows.add(List.of(rule.pattern(), rule.origin().describe(), source));
            list.addObject()
                    .put("image", rule.pattern())
                    .put("from", rule.origin().describe())
                    .put("builtin", rule.isBuiltin());
        }
        switch (format) {
            case "json" -> console.line(Json.pretty(list));
            case "yaml" -> yaml(list, console);
            case "name" -> rules.forEach(rule -> console.line(rule.pattern()));
            default -> console.table(List.of("IMAGE", "FROM", "RULE"), rows);
        }
    }

    /** Every value in JSON's form, which YAML understands. */
    private static void yaml(JsonNode list, Console console) {
        for (JsonNode item : list) {
            boolean[] first = {true};
            item.properties().forEach(field -> {
                console.line((first[0] ? "- " : "  ") + field.getKey() + ": " + Json.string(field.getValue()));
                first[0] = false;
            });
        }
        if (list.isEmpty()) {
            console.line("[]");
        }
    }
}
