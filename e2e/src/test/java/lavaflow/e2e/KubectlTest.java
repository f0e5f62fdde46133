package lavaflow.e2e;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterAll;
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
    private static final Servers SERVERS = Servers.apiAlone();
    private static final ExecutorService BOTH = Executors.newVirtualThreadPerTaskExecutor();
    private static final Transcripts EXPECTED = new Transcripts(CASES);

    @TempDir
    static Path work;

    @AfterAll
    static void stopServers() throws IOException {
        BOTH.shutdownNow();
        SERVERS.close();
        if (RECORD) {
            EXPECTED.write();
        }
    }

    @TestFactory
    Stream<DynamicTest> printsWhatItPrintsAgainstTheRealServer() throws IOException {
        Path kubectl = Kubectl.binary().orElse(null);
        if (kubectl == null) {
            abort("skipped: kubectl cannot be built here (Go is missing)");
        }
        ApiServer server = RECORD ? peer() : SERVERS.lava();
        Kubectl runner = new Kubectl(kubectl, server.kubeconfig(), work);
        return KubectlScenario.in(CASES, "k")
                .map(each -> dynamicTest(each.toString(), () -> {
                    String said = runner.transcript(each.namespace(), each.script());
                    if (RECORD) {
                        EXPECTED.record(each.topic(), each.name(), said);
                    } else {
                        assertThat(said).isEqualTo(EXPECTED.of(each.topic(), each.name()));
                    }
                }));
    }

    /** Older versions use other words and other requests, so both servers are asked. */
    @TestFactory
    Stream<DynamicTest> printsTheSameInTheVersionOfThisMachine() throws IOException {
        Path kubectl = Kubectl.ofThisMachine().orElse(null);
        if (kubectl == null || RECORD) {
            abort("skipped: there is no kubectl in the path");
        }
        Kubectl real = new Kubectl(kubectl, peer().kubeconfig(), work);
        Kubectl ours = new Kubectl(kubectl, SERVERS.lava().kubeconfig(), work);
        return KubectlScenario.in(CASES, "o")
                .map(each -> dynamicTest(each.toString(), () -> {
                    CompletableFuture<String> theirs = start(real, each);
                    String said = start(ours, each).join();
                    String expected = theirs.join();
                    if (!said.equals(expected)) {
                        // The real server answers from caches that are a moment old: it may say something else the next
                        // time.
                        expected = real.transcript(each.namespace() + "-again", each.script());
                    }
                    assertThat(said).isEqualTo(expected);
                }));
    }

    private static CompletableFuture<String> start(Kubectl kubectl, KubectlScenario each) {
        return CompletableFuture.supplyAsync(
                () -> {
                    try {
                        return kubectl.transcript(each.namespace(), each.script());
                    } catch (IOException | InterruptedException e) {
                        throw new IllegalStateException(e);
                    }
                },
                BOTH);
    }

    private static ApiServer peer() {
        Optional<ApiServer> peer = SERVERS.peer();
        if (peer.isEmpty()) {
            abort("skipped: the real kube-apiserver cannot be built here (Go is missing)");
        }
        return peer.get();
    }
}
