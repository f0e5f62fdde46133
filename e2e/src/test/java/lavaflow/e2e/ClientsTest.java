package lavaflow.e2e;

import java.io.IOException;
import java.nio.charset.StandardCharsets;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

/** Client libraries of other languages: each brings a program of checks, started by {@code e2e/clients}. */
@Tag("clients")
final class ClientsTest {
    private static final int TOOL_MISSING = 77;
    private static final Servers SERVERS = Servers.withWorkloads();
    private static final Servers WITH_NODES = Servers.withNodes();

    @AfterAll
    static void stopServers() {
        SERVERS.close();
        WITH_NODES.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"clientgo", "python", "operator", "helm3", "helm4"})
    void holdsEveryCheck(String client) throws IOException, InterruptedException {
        run(client, SERVERS.lava());
    }

    @ParameterizedTest
    @ValueSource(strings = {"helm3-nodes", "helm4-nodes", "trainer"})
    void holdsEveryCheckOnNodes(String client) throws IOException, InterruptedException {
        run(client, WITH_NODES.lava());
    }

    private static void run(String client, ApiServer server) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(
                        Servers.repository().resolve("e2e/clients").toString(),
                        client,
                        server.kubeconfig().toString())
                .redirectErrorStream(true)
                .start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        int exit = process.waitFor();
        if (exit == TOOL_MISSING) {
            abort("skipped: " + said);
        }
        assertThat(exit).as(said).isZero();
        assertThat(said).doesNotContain("FAIL ").contains("ok   ");
    }
}
