package lavaflow;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

import lavaflow.controller.DefinitionFiles;
import lavaflow.jobs.JobDefinitions;
import lavaflow.kube.DecodingException;
import lavaflow.kube.Yaml;
import lavaflow.scheduler.Definitions;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** Definitions compared with those of the real Volcano 1.14.1, where its Go module is at hand. Descriptions may differ. */
class VolcanoDefinitionsTest {
    private static final String MODULE = "volcano.sh/volcano@v1.14.1";

    /** What pods of Kubernetes 1.36 have beyond those of 1.34, and nodes in later releases of Volcano. */
    private static final List<String> NEWER = List.of(
            ".template.properties.spec.properties.schedulingGroup is only here",
            ".podCertificate.properties.userAnnotations is only here",
            "numatopologies.nodeinfo.volcano.sh:.versions[0].schema.openAPIV3Schema.properties.spec.properties.podAllocations is only here");

    @Test
    void saysWhatUpstreamSaysOfEveryKind() throws Exception {
        Map<String, JsonNode> upstream = upstream();
        Set<String> differences = new TreeSet<>();
        for (DefinitionFiles files : List.of(Definitions.FILES, JobDefinitions.FILES)) {
            for (String name : files.names()) {
                JsonNode theirs = upstream.get(name);
                // The group of kube-batch is older than what upstream still ships, and kube-scheduler's plugin is not
                // Volcano's.
                if (theirs == null) {
                    assertThat(name).matches(".*\\.scheduling\\.(incubator\\.k8s\\.io|x-k8s\\.io)");
                    continue;
                }
                compare(name + ":", theirs.get("spec"), files.read(name).get("spec"), differences);
            }
        }
        differences.removeIf(difference -> NEWER.stream().anyMatch(difference::endsWith));
        assertThat(differences).isEmpty();
    }

    @Test
    void bringsEveryKindThatUpstreamBrings() throws Exception {
        Set<String> ours = new TreeSet<>(Definitions.FILES.names());
        ours.addAll(JobDefinitions.FILES.names());
        assertThat(ours).containsAll(upstream().keySet());
    }

    static void compare(String path, JsonNode theirs, JsonNode ours, Set<String> differences) {
        if (theirs instanceof ObjectNode && ours instanceof ObjectNode) {
            Set<String> names = new TreeSet<>();
            theirs.fieldNames().forEachRemaining(names::add);
            ours.fieldNames().forEachRemaining(names::add);
            for (String name : names) {
                JsonNode left = theirs.get(name);
                JsonNode right = ours.get(name);
                if (name.equals("description") && !path.endsWith(".properties")) {
                    continue;
                }
                if (left == null || right == null) {
                    differences.add(path + "." + name + (left == null ? " is only here" : " is only upstream"));
                } else {
                    compare(path + "." + name, left, right, differences);
                }
            }
        } else if (theirs.isArray() && ours.isArray() && theirs.size() == ours.size()) {
            List<JsonNode> left = inOrder(path, theirs);
            List<JsonNode> right = inOrder(path, ours);
            for (int i = 0; i < left.size(); i++) {
                compare(path + "[" + i + "]", left.get(i), right.get(i), differences);
            }
        } else if (!theirs.equals(ours)) {
            differences.add(path + ": upstream " + theirs + ", here " + ours);
        }
    }

    /** The order of required fields and of list keys means nothing. */
    private static List<JsonNode> inOrder(String path, JsonNode list) {
        List<JsonNode> all = new ArrayList<>();
        list.forEach(all::add);
        if (path.endsWith(".required") || path.endsWith("-map-keys")) {
            all.sort((a, b) -> a.asText().compareTo(b.asText()));
        }
        return all;
    }

    private static Map<String, JsonNode> upstream() throws IOException, DecodingException {
        Path crd = modules().resolve(MODULE).resolve("config/crd");
        assumeTrue(Files.isDirectory(crd), "the Go module " + MODULE + " is not here to compare with");
        Map<String, JsonNode> byName = new HashMap<>();
        for (String part : List.of("volcano", "jobflow")) {
            try (Stream<Path> files = Files.list(crd.resolve(part).resolve("bases"))) {
                for (Path file : files.sorted().toList()) {
                    JsonNode definition = Yaml.parse(Files.readAllBytes(file)).root();
                    byName.put(definition.get("metadata").get("name").asText(), definition);
                }
            }
        }
        return byName;
    }

    static Path modules() {
        String cache = System.getenv("GOMODCACHE");
        return cache != null ? Path.of(cache) : Path.of(System.getProperty("user.home"), "go", "pkg", "mod");
    }
}
