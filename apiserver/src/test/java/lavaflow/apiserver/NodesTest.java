package lavaflow.apiserver;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Base64;
import java.util.List;

import lavaflow.store.Store;
import lavaflow.store.StoreOptions;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Which kubelets are believed. */
class NodesTest {
    @TempDir
    private Path directory;

    private static Identity self() {
        Instant now = Instant.now();
        return CertificateAuthority.create("self", now).issueClient("kubelet-client", List.of(), now);
    }

    private static String pem(TestingListener node) {
        return new String(Base64.getDecoder().decode(node.caBundle()), StandardCharsets.UTF_8);
    }

    private static TestingListener node(String address) throws Exception {
        TestingListener node = new TestingListener("node", List.of("a"), List.of(address));
        node.start(socket -> {
            try (socket) {
                int ignored = socket.getInputStream().read();
            } catch (IOException e) {
                // The client did not believe it.
            }
        });
        return node;
    }

    private boolean reaches(TestingListener node, @Nullable String authority, boolean blindly) throws Exception {
        try (Store store = Store.open(directory, StoreOptions.defaults())) {
            Nodes nodes = new Nodes(new Stored(store), NodeClient.lazily(NodesTest::self, authority));
            RemoteConnections.fresh(nodes.place(new Nodes.Kubelet("127.0.0.1", node.port()), blindly))
                    .connection()
                    .close();
            return true;
        }
    }

    @Test
    void aNodeOfTheAuthorityAtItsAddressIsBelieved() throws Exception {
        try (TestingListener node = node("127.0.0.1")) {
            assertThat(reaches(node, pem(node), false)).isTrue();
        }
    }

    @Test
    void oneThatVouchesForItselfIsNot() throws Exception {
        try (TestingListener node = node("127.0.0.1");
                TestingListener other = node("127.0.0.1")) {
            assertThatThrownBy(() -> reaches(node, pem(other), false))
                    .hasMessageContaining("x509: certificate signed by unknown authority");
        }
    }

    @Test
    void norOneAtAnotherAddress() throws Exception {
        try (TestingListener node = node("192.0.2.1")) {
            assertThatThrownBy(() -> reaches(node, pem(node), false))
                    .hasMessageContaining("x509: certificate is valid for 192.0.2.1, not 127.0.0.1");
        }
    }

    @Test
    void whoAsksNotToLookReachesAny() throws Exception {
        try (TestingListener node = node("192.0.2.1");
                TestingListener other = node("127.0.0.1")) {
            assertThat(reaches(node, pem(other), true)).isTrue();
            assertThat(reaches(node, null, false)).isTrue();
        }
    }
}
