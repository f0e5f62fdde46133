package lavaflow.e2e;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** The recorded transcripts: a text file for every topic, a section for every case. */
final class Transcripts {
    private static final String SECTION = "## ";

    private final Path directory;
    private final Map<String, Map<String, String>> topics = new LinkedHashMap<>();

    Transcripts(Path directory) {
        this.directory = directory;
        for (Path file : caseFiles(directory)) {
            topics.put(topic(file), read(directory.resolve(topic(file) + ".txt")));
        }
    }

    static List<Path> caseFiles(Path directory) {
        try (Stream<Path> files = Files.list(directory)) {
            return files.filter(file -> file.toString().endsWith(".yaml"))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static String topic(Path file) {
        return file.getFileName().toString().replace(".yaml", "");
    }

    String of(String topic, String name) {
        return Optional.ofNullable(topics.get(topic).get(name))
                .orElseThrow(() -> new IllegalStateException(
                        "nothing is recorded for " + topic + ": " + name + "; run with -Dkubectl.record=true"));
    }

    void record(String topic, String name, String transcript) {
        topics.get(topic).put(name, transcript);
    }

    void write() throws IOException {
        for (Map.Entry<String, Map<String, String>> topic : topics.entrySet()) {
            StringBuilder text = new StringBuilder();
            topic.getValue().forEach((name, transcript) -> text.append(SECTION + name + "\n" + transcript + "\n"));
            Files.writeString(directory.resolve(topic.getKey() + ".txt"), text);
        }
    }

    private static Map<String, String> read(Path file) {
        Map<String, String> sections = new LinkedHashMap<>();
        if (!Files.exists(file)) {
            return sections;
        }
        try {
            String name = "";
            StringBuilder section = new StringBuilder();
            for (String line : Files.readAllLines(file)) {
                if (line.startsWith(SECTION)) {
                    sections.put(name, section.toString());
                    name = line.substring(SECTION.length());
                    section.setLength(0);
                } else {
                    section.append(line).append('\n');
                }
            }
            sections.put(name, section.toString());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        sections.remove("");
        sections.replaceAll((name, text) -> text.substring(0, Math.max(0, text.length() - 1)));
        return sections;
    }
}
