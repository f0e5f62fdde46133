package lavaflow.cli;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

import lavaflow.kube.DecodingException;
import lavaflow.kube.HumanDuration;
import lavaflow.kube.Json;
import lavaflow.kube.Yaml;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Files that are read and times that are printed, in the words of Go's libraries. */
final class Texts {
    private static final DateTimeFormatter GO_TIME = DateTimeFormatter.ofPattern(
                    "yyyy-MM-dd HH:mm:ss '+0000 UTC'", Locale.ROOT)
            .withZone(ZoneOffset.UTC);
    private static final DateTimeFormatter DAY =
            DateTimeFormatter.ofPattern("yyyy-MM-dd", Locale.ROOT).withZone(ZoneOffset.UTC);

    private Texts() {}

    /** A time as Go prints it; that of nothing where there is none. */
    static String goTime(String time) {
        return time.isEmpty() ? "0001-01-01 00:00:00 +0000 UTC" : GO_TIME.format(Instant.parse(time));
    }

    static String day(String time) {
        return time.isEmpty() ? "0001-01-01" : DAY.format(Instant.parse(time));
    }

    static String age(String time, Instant now) {
        return time.isEmpty() ? "<unknown>" : HumanDuration.since(time, now);
    }

    static String read(String file) throws IOException {
        if (file.isEmpty()) {
            throw new IOException("open : no such file or directory"); // to Java that is the current directory
        }
        try {
            return Files.readString(Path.of(file), StandardCharsets.UTF_8);
        } catch (FileSystemException e) {
            boolean there = Files.exists(Path.of(file));
            throw new IOException(
                    there && Files.isDirectory(Path.of(file))
                            ? "read " + file + ": is a directory"
                            : "open " + file + ": " + (there ? "permission denied" : "no such file or directory"),
                    e);
        }
    }

    /** The documents of a file, one object each. */
    static List<ObjectNode> documents(String text) {
        List<ObjectNode> documents = new ArrayList<>();
        for (String part : text.split("(?m)^---.*$", -1)) {
            if (!part.isBlank()) {
                documents.add(document(part));
            }
        }
        return documents;
    }

    static ObjectNode document(String text) {
        JsonNode root;
        try {
            root = Yaml.parse(text.getBytes(StandardCharsets.UTF_8)).root();
        } catch (DecodingException e) {
            String why = String.valueOf(e.getMessage());
            throw new Verb.Refusal(why.startsWith("error converting") ? why : "error converting YAML to JSON: " + why);
        }
        if (root instanceof ObjectNode object) {
            return object;
        }
        if (root.isNull()) {
            return Json.object();
        }
        throw new Verb.Refusal("error unmarshaling JSON: while decoding JSON: json: cannot unmarshal "
                + root.getNodeType().name().toLowerCase(Locale.ROOT) + " into an object");
    }
}
