package lavaflow.e2e;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

import lavaflow.kube.Json;

/**
 * What the servers said, kept for reading: the real server's answers by topic, and all differences in one file. Written
 * as the cases go by, so that a run that is cut short has told something.
 */
final class ContractReport {
    private final Path directory;
    private final List<String> begun = new ArrayList<>();

    ContractReport(Path directory) {
        this.directory = directory;
    }

    synchronized void answers(ContractCase each, List<CaseRun.Outcome> outcomes) throws IOException {
        StringBuilder text = new StringBuilder("## " + each.name() + "\n");
        for (CaseRun.Outcome outcome : outcomes) {
            text.append("> ").append(outcome.request()).append('\n');
            text.append(Json.string(outcome.answer())).append('\n');
        }
        append(each.topic() + ".txt", text.append('\n').toString());
    }

    synchronized void difference(ContractCase each, List<String> found) throws IOException {
        append("differences.md", "## " + each + "\n" + String.join("\n", found) + "\n\n");
    }

    /** How long a case took: what makes a run slow is found here. */
    synchronized void times(ContractCase each, long theirs, long ours) throws IOException {
        append("times.txt", String.format(Locale.ROOT, "%7d ms theirs %7d ms ours  %s%n", theirs, ours, each));
    }

    private void append(String name, String text) throws IOException {
        Files.createDirectories(directory);
        Path file = directory.resolve(name);
        if (!begun.contains(name)) {
            begun.add(name);
            Files.deleteIfExists(file);
        }
        Files.writeString(file, text, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }
}
