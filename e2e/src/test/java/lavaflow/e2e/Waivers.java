package lavaflow.e2e;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * Departures that the project has decided on. A step says {@code differs: {key: [path, ...]}}; the key must stand in
 * docs/compatibility.md, where its reason is written, and the difference must still exist.
 */
final class Waivers {
    private static final Path COMPATIBILITY = Servers.repository().resolve("docs/compatibility.md");

    private Waivers() {}

    static List<String> unexplained(ObjectNode step, JsonNode ours, JsonNode theirs) {
        List<String> complaints = new ArrayList<>();
        List<String> unused = new ArrayList<>();
        List<String> waived = new ArrayList<>();
        for (Map.Entry<String, JsonNode> waiver : step.path("differs").properties()) {
            if (!documented(waiver.getKey())) {
                complaints.add("docs/compatibility.md does not explain " + waiver.getKey());
            }
            waiver.getValue().forEach(path -> waived.add(path.textValue()));
        }
        unused.addAll(waived);
        for (Differences.Difference difference : Differences.between(ours, theirs)) {
            List<String> reasons = waived.stream()
                    .filter(path -> difference.path().startsWith(path))
                    .toList();
            unused.removeAll(reasons);
            if (reasons.isEmpty()) {
                complaints.add(difference.toString());
            }
        }
        unused.forEach(path -> complaints.add("no difference any more at " + path + ": remove the waiver"));
        return complaints;
    }

    static boolean documented(String key) {
        try {
            return Files.exists(COMPATIBILITY)
                    && Files.readString(COMPATIBILITY).contains("`" + key + "`");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
