package lavaflow.network;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import lavaflow.linux.NetworkNamespace;
import lavaflow.network.PodNetwork.Attachment;
import lavaflow.network.PodNetwork.HostPort;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** Pods have places in a network, on a machine of the test's own. */
class BridgeNetworkTest {
    private TestingMachine machine;
    private BridgeNetwork network;

    @BeforeEach
    void boot() throws IOException {
        machine = TestingMachine.boot();
        network = machine.opened(machine.network());
    }

    @AfterEach
    void shutDown() throws IOException {
        if (machine != null) {
            machine.close();
        }
    }

    private Attachment attach(String uid, HostPort... ports) throws IOException {
        return machine.in(() -> network.attach(uid, List.of(ports)));
    }

    private void detach(String uid) throws IOException {
        machine.in(() -> {
            network.detach(uid);
            return true;
        });
    }

    private static String address(Attachment place) {
        return place.addresses().getFirst().getHostAddress();
    }

    private String ofMachine(String... command) throws IOException {
        return machine.in(() -> TestingMachine.command(command));
    }

    @Test
    void podsReachEachOtherAndSeeWhoAsks() throws IOException {
        Attachment a = attach("a");
        Attachment b = attach("b");
        machine.serve(a.namespace(), "a", "0.0.0.0", 80);
        assertThat(TestingMachine.call(b.namespace(), address(a), 80)).isEqualTo("a " + address(b));
        assertThat(TestingMachine.call(machine.inside(), address(a), 80)).startsWith("a ");
    }

    @Test
    void podsReachTheOutsideWorldWithTheMachinesAddress() throws IOException {
        machine.serve(machine.outside(), "world", "0.0.0.0", 80);
        assertThat(TestingMachine.call(attach("a").namespace(), TestingMachine.OUTSIDE, 80))
                .isEqualTo("world " + TestingMachine.ADDRESS);
    }

    @Test
    void aFirewallThatDropsWhatItDoesNotKnowLetsPodsThrough() throws IOException {
        assumeTrue(
                Stream.of("/usr/sbin", "/sbin").anyMatch(each -> Files.isExecutable(Path.of(each, "iptables"))),
                "needs iptables");
        ofMachine("iptables", "-P", "FORWARD", "DROP");
        ofMachine("iptables", "-P", "INPUT", "DROP");
        machine.serve(machine.outside(), "world", "0.0.0.0", 80);
        Attachment a = attach("a");
        assertThat(TestingMachine.callInVain(a.namespace(), TestingMachine.OUTSIDE, 80))
                .doesNotStartWith("world");

        network = machine.opened(machine.network());
        ofMachine("iptables", "-A", "FORWARD", "-m", "conntrack", "--ctstate", "ESTABLISHED", "-j", "ACCEPT");
        assertThat(TestingMachine.call(a.namespace(), TestingMachine.OUTSIDE, 80))
                .startsWith("world ");
        machine.in(() -> {
            network.dismantle();
            return true;
        });
        assertThat(ofMachine("iptables", "-S")).doesNotContain("lava-");
    }

    @Test
    void portsOfTheMachineLeadToPods() throws IOException {
        Attachment a = attach("a", new HostPort("TCP", "", 8080, 80), new HostPort("TCP", "127.0.0.1", 8081, 80));
        machine.serve(a.namespace(), "a", "0.0.0.0", 80);
        assertThat(TestingMachine.call(machine.outside(), TestingMachine.ADDRESS, 8080))
                .isEqualTo("a " + TestingMachine.OUTSIDE);
        assertThat(TestingMachine.call(machine.inside(), "127.0.0.1", 8080)).startsWith("a ");
        assertThat(TestingMachine.call(machine.inside(), "127.0.0.1", 8081)).startsWith("a ");
        assertThat(TestingMachine.call(machine.outside(), TestingMachine.ADDRESS, 8081))
                .isEqualTo("Connection refused");
        assertThat(TestingMachine.call(a.namespace(), TestingMachine.ADDRESS, 8080))
                .startsWith("a ");

        detach("a");
        assertThat(TestingMachine.call(machine.outside(), TestingMachine.ADDRESS, 8080))
                .isEqualTo("Connection refused");
    }

    @Test
    void placesAreFoundAgainAfterARestart() throws IOException {
        Attachment a = attach("a", new HostPort("TCP", "", 8080, 80));
        machine.serve(a.namespace(), "a", "0.0.0.0", 80);
        network.close();
        network = machine.opened(machine.network());

        assertThat(network.attached()).containsExactly(java.util.Map.entry("a", a));
        assertThat(attach("a", new HostPort("TCP", "", 8080, 80))).isEqualTo(a);
        assertThat(attach("b")).isNotEqualTo(a);
        assertThat(TestingMachine.call(machine.outside(), TestingMachine.ADDRESS, 8080))
                .startsWith("a ");
    }

    @Test
    void whatWasBeingMadeWhenTheProcessEndedIsCleared() throws IOException {
        Attachment a = attach("a");
        Attachment b = attach("b");
        network.close();
        Files.delete(machine.settings().directory().resolve("pods").resolve("a"));
        Path torn = machine.settings().directory().resolve("pods").resolve("c");
        Files.writeString(torn, "{\"addr");
        network = machine.opened(machine.network());

        assertThat(network.attached()).containsOnlyKeys("b");
        assertThat(NetworkNamespace.isOne(a.namespace())).isFalse();
        assertThat(NetworkNamespace.isOne(b.namespace())).isTrue();
        assertThat(ofMachine("ip", "-o", "link").lines().filter(line -> line.contains("lv")))
                .hasSize(1);
        assertThat(torn).doesNotExist();
    }

    @Test
    void anAddressIsUsedAgainAsLateAsPossible() throws IOException {
        String first = address(attach("a"));
        detach("a");
        assertThat(address(attach("a"))).isNotEqualTo(first);
        detach("a");
        network.close();
        network = machine.opened(machine.network());
        assertThat(address(attach("b"))).isNotEqualTo(first);
    }

    /** What the machine has for pods, also for one that is not there yet. */
    private long ports() throws IOException {
        return ofMachine("ip", "-o", "link", "show", "type", "veth")
                .lines()
                .filter(line -> line.contains(network.settings().portPrefix()))
                .count();
    }

    @Test
    void thePlaceOfTheNextPodIsMadeAheadAndEndsWithTheProcess() throws IOException {
        assertThat(ports()).isZero();
        Attachment a = attach("a");
        await().atMost(Duration.ofMinutes(1)).until(() -> ports() == 2);
        Attachment b = attach("b");
        machine.serve(a.namespace(), "a", "0.0.0.0", 80);
        assertThat(TestingMachine.call(b.namespace(), address(a), 80)).isEqualTo("a " + address(b));
        await().atMost(Duration.ofMinutes(1)).until(() -> ports() == 3);

        network.close();

        await().atMost(Duration.ofMinutes(1)).until(() -> ports() == 2);
        network = machine.opened(machine.network());
        assertThat(network.attached()).containsOnlyKeys("a", "b");
        assertThat(TestingMachine.call(b.namespace(), address(a), 80)).isEqualTo("a " + address(b));
    }

    @Test
    void aNodeWithoutPodsKeepsNoPlaceForLong() throws IOException {
        attach("a");
        await().atMost(Duration.ofMinutes(1)).until(() -> ports() == 2);
        detach("a");
        await().atMost(Duration.ofMinutes(1)).until(() -> ports() == 0);
        attach("b");
        await().atMost(Duration.ofMinutes(1)).until(() -> ports() == 2);
    }

    @Test
    void twoClustersOfOneMachineKeepApart() throws IOException {
        BridgeNetwork other = machine.opened(machine.in(() -> BridgeNetwork.open(machine.settings("other0"))));
        assertThat(other.podRange()).isNotEqualTo(network.podRange());
        Attachment theirs = machine.in(() -> other.attach("x", List.of()));
        Attachment ours = attach("a");
        machine.serve(ours.namespace(), "a", "0.0.0.0", 80);
        machine.in(() -> {
            other.dismantle();
            return true;
        });

        assertThat(NetworkNamespace.isOne(theirs.namespace())).isFalse();
        assertThat(TestingMachine.call(machine.inside(), address(ours), 80)).startsWith("a ");
        assertThat(ofMachine("cat", "/proc/sys/net/ipv4/ip_forward").trim()).isEqualTo("1");
    }

    @Test
    void podsOfTwoNodesOfOneMachineSeeWhoAsks() throws IOException {
        BridgeNetwork other = machine.opened(machine.in(() -> BridgeNetwork.open(machine.settings("other0"))));
        Attachment here = attach("a");
        Attachment there = machine.in(() -> other.attach("b", List.of()));
        machine.serve(there.namespace(), "b", "0.0.0.0", 80);

        assertThat(TestingMachine.call(here.namespace(), address(there), 80)).isEqualTo("b " + address(here));
    }

    @Test
    void aRangeThatTheMachineUsesAlreadyIsAvoided() throws IOException {
        String taken = network.podRange();
        BridgeNetwork other = machine.opened(
                machine.in(() -> BridgeNetwork.open(machine.settings("other0").withPodRange(taken))));
        assertThat(other.podRange()).isNotEqualTo(taken);
        BridgeNetwork third = machine.opened(
                machine.in(() -> BridgeNetwork.open(machine.settings("third0").withPodRange("10.200.3.0/24"))));
        assertThat(third.podRange()).isEqualTo("10.200.3.0/24");
    }

    @Test
    void whatAPodOpenedForItselfCanBeReachedThroughIt() throws IOException {
        Attachment a = attach("a");
        machine.serve(a.namespace(), "a", "127.0.0.1", 9000);
        try (SocketChannel channel = network.dial("a", 9000)) {
            ByteBuffer said = ByteBuffer.allocate(100);
            channel.read(said);
            assertThat(new String(said.array(), 0, said.position(), StandardCharsets.UTF_8))
                    .startsWith("a 127.0.0.1");
        }
        assertThatIOException().isThrownBy(() -> network.dial("a", 9001)).withMessage("Connection refused");
        assertThatIOException().isThrownBy(() -> network.dial("nobody", 9001));
    }

    @Test
    void podsCannotSpeakFromOthersAddressesNorToTheMachinesLoopback() throws IOException {
        Attachment a = attach("a");
        machine.serve(machine.inside(), "machine", "0.0.0.0", 80);
        NetworkNamespace.enter(a.namespace(), () -> {
            TestingMachine.command("ip", "addr", "add", "203.0.113.9/32", "dev", "eth0");
            TestingMachine.command(
                    "ip",
                    "route",
                    "replace",
                    "default",
                    "via",
                    network.gateway().getHostAddress(),
                    "src",
                    "203.0.113.9");
            TestingMachine.command(
                    "ip",
                    "route",
                    "add",
                    "127.0.0.9/32",
                    "via",
                    network.gateway().getHostAddress());
            return true;
        });
        assertThat(TestingMachine.callInVain(a.namespace(), TestingMachine.ADDRESS, 80))
                .doesNotContain("machine");
    }

    @Test
    void namesThatAreNoUidsAreRefused() {
        assertThatIOException().isThrownBy(() -> attach("../x"));
        assertThatIOException().isThrownBy(() -> attach(""));
    }

    @Test
    void dismantlingLeavesNothing() throws IOException {
        String rules = ofMachine("nft", "list", "ruleset");
        assertThat(rules).contains("lava-");
        for (int i = 0; i < 5; i++) {
            attach("p" + i, new HostPort("UDP", "", 9000 + i, 53));
        }
        machine.in(() -> {
            network.dismantle();
            return true;
        });

        assertThat(ofMachine("nft", "list", "ruleset")).isEmpty();
        assertThat(ofMachine("ip", "-o", "link")).doesNotContain("lava-").doesNotContain("lv");
        assertThat(ofMachine("cat", "/proc/sys/net/ipv4/ip_forward").trim()).isEqualTo("0");
        assertThat(machine.settings().shared()).doesNotExist();
        assertThat(Files.readString(Path.of("/proc/self/mounts")))
                .doesNotContain(machine.settings().directory().toString());
    }

    @Test
    void aClusterWithoutAProcessCanBeDismantled() throws IOException {
        attach("a");
        network.close();
        machine.in(() -> {
            NodeNetwork.dismantle(machine.settings());
            return true;
        });
        assertThat(ofMachine("nft", "list", "ruleset")).isEmpty();
        assertThat(machine.settings().directory()).doesNotExist();
    }

    @Test
    void manyPodsAtOnceGetPlacesOfTheirOwn() throws Exception {
        List<Thread> threads = new ArrayList<>();
        List<Exception> failures = new java.util.concurrent.CopyOnWriteArrayList<>();
        for (int i = 0; i < 40; i++) {
            String uid = "p" + i;
            threads.add(Thread.ofPlatform().unstarted(() -> {
                try {
                    attach(uid);
                } catch (IOException e) {
                    failures.add(e);
                }
            }));
        }
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(failures).isEmpty();
        assertThat(network.attached().values().stream()
                        .map(BridgeNetworkTest::address)
                        .distinct())
                .hasSize(40);
    }
}
