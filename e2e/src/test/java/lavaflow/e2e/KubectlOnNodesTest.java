package lavaflow.e2e;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

/** Rollouts, drains, waits: what kubectl does with workloads that really come to run, on simulated nodes. */
@Tag("kubectl")
final class KubectlOnNodesTest {
    private static final Path CASES = Path.of("src/test/resources/kubectl-nodes");
    private static final boolean RECORD = Boolean.getBoolean("kubectl.record");
    private static final Servers SERVERS = Servers.withNodes();
    private static final Pattern WARNING = Pattern.compile("(?m)^Warning: (.*)$");
    private static final Transcripts EXPECTED = new Transcripts(CASES);

    @TempDir
    static Path work;

    @AfterAll
    static void stopServer() throws IOException {
        SERVERS.close();
        if (RECORD) {
            EXPECTED.write();
        }
    }

    @TestFactory
    Stream<DynamicTest> bringsWorkloadsWhereTheyShouldBe() throws IOException {
        return scenarios(
                "n",
                Kubectl.binary(),
                "skipped: kubectl cannot be built here (Go is missing)",
                KubectlOnNodesTest::ordered);
    }

    /** Older versions say the same of these things, but for some words. */
    @TestFactory
    Stream<DynamicTest> doesSoInTheVersionOfThisMachine() throws IOException {
        Optional<Path> kubectl = RECORD ? Optional.empty() : Kubectl.ofThisMachine();
        return scenarios("m", kubectl, "skipped: there is no kubectl in the path", KubectlOnNodesTest::plainer);
    }

    private static String plainer(String transcript) {
        return ordered(transcript.replace(" from NAMESPACE namespace", ""));
    }

    /** kubectl gives the reasons of one warning in any order. */
    private static String ordered(String transcript) {
        return WARNING.matcher(transcript)
                .replaceAll(line -> Matcher.quoteReplacement("Warning: "
                        + Arrays.stream(line.group(1).split("; ", -1)).sorted().collect(Collectors.joining("; "))));
    }

    private static Stream<DynamicTest> scenarios(
            String prefix, Optional<Path> kubectl, String otherwise, UnaryOperator<String> form) throws IOException {
        if (kubectl.isEmpty()) {
            abort(otherwise);
        }
        Kubectl runner = new Kubectl(kubectl.get(), SERVERS.lava().kubeconfig(), work);
        return KubectlScenario.in(CASES, prefix)
                .map(each -> dynamicTest(each.toString(), () -> {
                    String said = runner.transcript(each.namespace(), each.script());
                    runner.remove(each.namespace());
                    if (RECORD) {
                        EXPECTED.record(each.topic(), each.name(), said);
                    } else {
                        assertThat(form.apply(said)).isEqualTo(form.apply(EXPECTED.of(each.topic(), each.name())));
                    }
                }));
    }
}
