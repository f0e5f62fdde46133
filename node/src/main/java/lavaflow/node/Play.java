package lavaflow.node;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

import lavaflow.kube.Json;
import lavaflow.kube.MalformedException;

import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;

/**
 * What becomes of containers that fit: simulated nodes run nothing, so somebody has to tell them what an image or a
 * command would have done.
 *
 * @param image what the whole image must match; null for any
 * @param command what the command with its arguments, one space between them, must match; null for any
 * @param index what the completion index of an indexed job's pod must match; null for any pod
 * @param missing the image cannot be pulled
 * @param duration how long they run; null for as long as without a play
 * @param exitCodes what they end with: the first time, after the first restart and so on; the last one goes on
 */
public record Play(
        @Nullable Pattern image,
        @Nullable Pattern command,
        @Nullable Pattern index,
        boolean missing,
        @Nullable Duration duration,
        List<Integer> exitCodes) {
    private static final Set<String> FIELDS = Set.of("image", "command", "index", "missing", "duration", "exitCodes");
    private static final int MOST_EXIT_CODE = 255;

    static Play of(JsonNode json, String path) throws MalformedException {
        if (!json.isObject()) {
            throw new MalformedException(path + ": a play has fields");
        }
        json.properties().forEach(field -> {
            if (!FIELDS.contains(field.getKey())) {
                throw new MalformedException(path + "." + field.getKey() + ": there is no such field");
            }
        });
        List<Integer> codes = new ArrayList<>();
        for (JsonNode code : Json.listAt(json, "exitCodes")) {
            if (!code.isIntegralNumber() || code.asLong() < 0 || code.asLong() > MOST_EXIT_CODE) {
                throw new MalformedException(path + ".exitCodes: numbers from 0 to " + MOST_EXIT_CODE + " are needed");
            }
            codes.add(code.asInt());
        }
        return new Play(
                pattern(json, "image", path),
                pattern(json, "command", path),
                pattern(json, "index", path),
                Json.flagAt(json, "missing"),
                json.has("duration") ? SimShapes.duration(json, "duration", path, Duration.ZERO) : null,
                codes.isEmpty() ? List.of(0) : List.copyOf(codes));
    }

    private static @Nullable Pattern pattern(JsonNode json, String field, String path) {
        String text = Json.textAt(json, field);
        try {
            return text.isEmpty() ? null : Pattern.compile(text, Pattern.DOTALL);
        } catch (PatternSyntaxException e) {
            throw new MalformedException(
                    path + "." + field + ": '" + text + "' is no regular expression: " + e.getDescription());
        }
    }

    boolean fits(JsonNode container, String completionIndex) {
        return fits(image, Json.textAt(container, "image"))
                && fits(command, commandLine(container))
                && fits(index, completionIndex);
    }

    private static boolean fits(@Nullable Pattern pattern, String text) {
        return pattern == null || pattern.matcher(text).matches();
    }

    private static String commandLine(JsonNode container) {
        List<String> words = new ArrayList<>();
        Json.listAt(container, "command").forEach(word -> words.add(word.asText()));
        Json.listAt(container, "args").forEach(word -> words.add(word.asText()));
        return String.join(" ", words);
    }
}
