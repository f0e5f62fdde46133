package lavaflow.image;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** Changes the file of the image table and leaves what people wrote into it alone: their comments, their layout. */
public final class TableFile {
    private static final String BEGINNING = """
            # Where images come from: the first rule that fits decides. For example:
            # - {image: "gcr.io/*", registry: mirror.example/gcr}
            # - {image: "team/train:*", host: true, env: {OMP_NUM_THREADS: 2}}
            # What is not named here comes from the registry of its name.
            """;

    private final Path file;
    private final RuleReader reader;

    public TableFile(Path file) {
        this.file = file.toAbsolutePath();
        this.reader = new RuleReader(Objects.requireNonNull(this.file.getParent()));
    }

    /** Puts a rule before all others, in place of one for the same pattern. */
    public void put(ObjectNode rule) throws IOException {
        String pattern = Json.textAt(rule, "image");
        change(lines -> {
            List<String> kept = without(lines, pattern);
            int at = itemsOf(kept).stream().mapToInt(Item::begin).findFirst().orElse(kept.size());
            kept.add(at, (at < kept.size() ? indent(kept.get(at)) : "") + "- " + Json.string(rule));
            return kept;
        });
    }

    /** Takes a rule away; false if there is none. */
    public boolean remove(String pattern) throws IOException {
        boolean[] found = {false};
        change(lines -> {
            List<String> kept = without(lines, pattern);
            found[0] = kept.size() < lines.size();
            return kept;
        });
        return found[0];
    }

    private void change(Function<List<String>, List<String>> change) throws IOException {
        Path directory = Objects.requireNonNull(file.getParent());
        Files.createDirectories(directory);
        new StoreLock(directory.resolve(".images.lock")).locked(() -> {
            String before = read();
            List<String> after = change.apply(new ArrayList<>(before.lines().toList()));
            String text = String.join("\n", after) + (after.isEmpty() ? "" : "\n");
            reader.read(text.getBytes(StandardCharsets.UTF_8));
            Path next = file.resolveSibling(file.getFileName() + ".new");
            Files.writeString(next, text);
            Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            return text;
        });
    }

    private String read() throws IOException {
        try {
            return Files.readString(file);
        } catch (NoSuchFileException e) {
            return BEGINNING;
        }
    }

    /** The lines of a rule, up to the next one or what follows the list. */
    private record Item(int begin, int end) {}

    private static String indent(String line) {
        return line.substring(0, line.length() - line.stripLeading().length());
    }

    private List<Item> itemsOf(List<String> lines) {
        List<Item> items = new ArrayList<>();
        int depth = -1;
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i);
            boolean starts =
                    line.strip().startsWith("- ") && (depth < 0 || indent(line).length() == depth);
            if (!starts) {
                continue;
            }
            depth = indent(line).length();
            int end = i + 1;
            while (end < lines.size()
                    && !lines.get(end).isBlank()
                    && indent(lines.get(end)).length() > depth) {
                end++;
            }
            items.add(new Item(i, end));
        }
        return items;
    }

    private List<String> without(List<String> lines, String pattern) {
        List<ImageRule> rules = reader.read(String.join("\n", lines).getBytes(StandardCharsets.UTF_8));
        List<Item> items = itemsOf(lines);
        if (items.size() != rules.size()) {
            throw new IllegalArgumentException("the rules in " + file
                    + " are not written one below the other, each after '- '; change it with an editor");
        }
        List<String> kept = new ArrayList<>(lines);
        for (int i = rules.size() - 1; i >= 0; i--) {
            if (rules.get(i).pattern().equals(pattern)) {
                kept.subList(items.get(i).begin(), items.get(i).end()).clear();
            }
        }
        return kept;
    }
}
