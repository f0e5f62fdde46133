package lavaflow.linux;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** Interfaces, addresses and routes, in namespaces of the test's own. */
class LinksTest {
    private static final int TEN = 10 << 24;

    @TempDir
    private Path directory;

    private Path machine;
    private Path pod;

    @BeforeEach
    void make() throws IOException {
        assumeTrue(Files.isWritable(Path.of("/proc/sys/net/ipv4/ip_forward")), "needs root");
        machine = directory.resolve("machine");
        pod = directory.resolve("pod");
        NetworkNamespace.create(machine, _ -> {});
        NetworkNamespace.create(pod, _ -> {});
    }

    @AfterEach
    void delete() throws IOException {
        if (machine != null) {
            NetworkNamespace.delete(machine);
            NetworkNamespace.delete(pod);
        }
    }

    @Test
    void aNamespaceIsAFileUntilItIsDeleted() throws IOException {
        assertThat(NetworkNamespace.isOne(machine)).isTrue();
        assertThat(NetworkNamespace.isOne(directory.resolve("nothing"))).isFalse();
        Path plain = Files.createFile(directory.resolve("plain"));
        assertThat(NetworkNamespace.isOne(plain)).isFalse();
        NetworkNamespace.delete(machine);
        assertThat(machine).doesNotExist();
        NetworkNamespace.delete(machine);
    }

    @Test
    void nothingIsLeftOfANamespaceThatCannotBeFurnished() {
        Path failed = directory.resolve("failed");
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> NetworkNamespace.create(failed, _ -> {
                    throw new IOException("no");
                }));
        assertThat(failed).doesNotExist();
    }

    @Test
    void interfacesAreMadeFoundAndDeleted() throws IOException {
        NetworkNamespace.enter(machine, () -> {
            try (Links links = Links.open()) {
                links.addBridge("br0", 0x0a5800000001L, 1400);
                Links.Link bridge = links.find("br0").orElseThrow();
                assertThat(bridge.mtu()).isEqualTo(1400);
                assertThat(bridge.up()).isFalse();
                links.plain("br0");
                links.up("br0");
                assertThat(links.find("br0").orElseThrow().up()).isTrue();
                assertThat(links.all()).extracting(Links.Link::name).contains("lo", "br0");
                assertThatExceptionOfType(KernelException.class)
                        .isThrownBy(() -> links.addBridge("br0", 0x0a5800000001L, 1400))
                        .satisfies(e -> assertThat(e.errno()).isEqualTo(KernelException.EEXIST))
                        .withMessage("bridge br0: File exists");
                assertThat(links.delete("br0")).isTrue();
                assertThat(links.delete("br0")).isFalse();
                assertThat(links.find("br0")).isEmpty();
            }
            return true;
        });
    }

    @Test
    void aPairJoinsTwoNamespaces() throws IOException {
        NetworkNamespace.enter(machine, () -> {
            int namespace = NetworkCalls.open(pod.toString(), 0);
            try (Links links = Links.open()) {
                links.addBridge("br0", 0x0a5800000001L, 1500);
                int bridge = links.find("br0").orElseThrow().index();
                links.addPair("port", bridge, 1450, new Links.Peer("eth0", 0x0a5800000002L, namespace));
                links.openPort("port");
                assertThat(links.find("port").orElseThrow().mtu()).isEqualTo(1450);
            } finally {
                NetworkCalls.close(namespace);
            }
            return true;
        });
        NetworkNamespace.enter(pod, () -> {
            try (Links links = Links.open()) {
                links.up("eth0");
                int eth0 = links.find("eth0").orElseThrow().index();
                links.addAddress(eth0, TEN + 2, 24, false);
                links.addRoute(eth0, TEN + 1, 32, 0);
                links.addRoute(eth0, 0, 0, TEN + 1);
                assertThat(links.addresses()).containsExactly(new Links.Address(eth0, TEN + 2, 24));
                assertThat(links.routes())
                        .contains(new Links.Route(0, 0, eth0), new Links.Route(TEN + 1, 32, eth0))
                        .doesNotContain(new Links.Route(TEN, 24, eth0));
            }
            return true;
        });
    }

    @Test
    void tablesAndConnectionsAreThoseOfTheNamespace() throws IOException {
        NetworkNamespace.enter(machine, () -> {
            try (Netfilter netfilter = Netfilter.open()) {
                assertThat(netfilter.hasTable("nothing")).isFalse();
                assertThat(netfilter.forget(_ -> true)).isZero();
            }
            return true;
        });
    }
}
