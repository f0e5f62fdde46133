package lavaflow.e2e;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import com.fasterxml.jackson.databind.JsonNode;

/** A script of kubectl commands and where its transcript stands. */
record KubectlScenario(String topic, String name, String script, String namespace) {
    /** What the files of a directory hold, each in a namespace of its own; {@code -Dkubectl.only} chooses. */
    static Stream<KubectlScenario> in(Path directory, String prefix) throws IOException {
        String only = System.getProperty("kubectl.only", "");
        List<KubectlScenario> scenarios = new ArrayList<>();
        String run = Long.toString(System.currentTimeMillis() / 1000 % 1_000_000, 36);
        for (Path file : Transcripts.caseFiles(directory)) {
            for (Map.Entry<String, JsonNode> each :
                    YamlTree.parse(Files.readString(file)).properties()) {
                String namespace = prefix + scenarios.size() + "-" + run;
                scenarios.add(new KubectlScenario(
                        Transcripts.topic(file), each.getKey(), each.getValue().textValue(), namespace));
            }
        }
        return scenarios.stream().filter(each -> each.toString().contains(only));
    }

    @Override
    public String toString() {
        return topic + ": " + name;
    }
}
