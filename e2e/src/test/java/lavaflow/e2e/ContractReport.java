package lavaflow.e2e;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import lavaflow.kube.Json;

/** What the servers said, kept for reading: the real server's answers by topic, and all differences in one file. */
final class ContractReport {
    private final Map<String, StringBuilder> answers = new LinkedHashMap<>();
    private final Map<String, List<String>> differences = new LinkedHashMap<>();

    synchronized void answers(ContractCase each, List<CaseRun.Outcome> outcomes) {
        StringBuilder text = answers.computeIfAbsent(each.topic(), absent -> new StringBuilder());
        text.append("## ").append(each.name()).append('\n');
        for (CaseRun.Outcome outcome : outcomes) {
            text.append("> ").append(outcome.request()).append('\n');
            text.append(Json.string(outcome.answer())).append('\n');
        }
        text.append('\n');
    }

    synchronized void difference(ContractCase each, List<String> found) {
        differences
                .computeIfAbsent(each.topic(), absent -> new ArrayList<>())
                .add("## " + each.name() + "\n" + String.join("\n", found) + "\n");
    }

    synchronized void write(Path directory) throws IOException {
        Files.createDirectories(directory);
        for (Map.Entry<String, StringBuilder> topic : answers.entrySet()) {
            Files.writeString(directory.resolve(topic.getKey() + ".txt"), topic.getValue());
        }
        StringBuilder text = new StringBuilder();
        differences.forEach((topic, found) -> text.append("# ")
                .append(topic)
                .append(" (" + found.size() + " cases differ)\n\n")
                .append(String.join("\n", found))
                .append('\n'));
        Files.writeString(directory.resolve("differences.md"), text);
    }
}
