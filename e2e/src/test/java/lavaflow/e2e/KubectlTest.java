package lavaflow.e2e;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

/** Runs kubectl against Lavaflow and expects, letter for letter, what it prints against the real kube-apiserver. */
@Tag("kubectl")
final class KubectlTest {
    private static final Path CASES = Path.of("src/test/resources/kubectl");
    private static final boolean RECORD = Boolean.getBoolean("kubectl.record");
    private static final Servers SERVERS = new Servers();

    @TempDir
    static Path work;

    private static ApiServer server;
    private static Path kubeconfig;
    private static final Transcripts EXPECTED = new Transcripts(CASES);

    @BeforeAll
    static void startServer() {
        if (RECORD) {
            Optional<ApiServer> peer = SERVERS.peer();
            if (peer.isEmpty()) {
                abort("skipped: the real kube-apiserver cannot be built here (Go is missing)");
            }
            server = peer.get();
        } else {
            server = SERVERS.lava();
        }
        kubeconfig = server.kubeconfig();
    }

    @AfterAll
    static void stopServer() throws IOException {
        SERVERS.close();
        if (RECORD) {
            EXPECTED.write();
        }
    }

    @TestFactory
    Stream<DynamicTest> printsWhatItPrintsAgainstTheRealServer() throws IOException {
        Path kubectl = Kubectl.binary().orElse(null);
        if (kubectl == null) {
            abort("skipped: there is no kubectl here, and Go to build one is missing");
        }
        String only = System.getProperty("kubectl.only", "");
        List<DynamicTest> tests = new ArrayList<>();
        String run = Long.toString(System.currentTimeMillis() / 1000 % 1_000_000, 36);
        for (Path file : Transcripts.caseFiles(CASES)) {
            String topic = Transcripts.topic(file);
            for (Map.Entry<String, JsonNode> each :
                    YamlTree.parse(Files.readString(file)).properties()) {
                String name = topic + ": " + each.getKey();
                String namespace = "k" + tests.size() + "-" + run;
                if (name.contains(only)) {
                    String script = each.getValue().textValue();
                    tests.add(dynamicTest(name, () -> {
                        Kubectl runner = new Kubectl(kubectl, kubeconfig, work);
                        String said = runner.transcript(namespace, script);
                        if (RECORD) {
                            EXPECTED.record(topic, each.getKey(), said);
                        } else {
                            assertThat(said).isEqualTo(EXPECTED.of(topic, each.getKey()));
                        }
                    }));
                }
            }
        }
        return tests.stream();
    }
}
