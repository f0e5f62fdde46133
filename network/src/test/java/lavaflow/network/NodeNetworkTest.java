package lavaflow.network;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import lavaflow.controller.Followers;
import lavaflow.controller.KubeApi;
import lavaflow.controller.TestingKubeApi;
import lavaflow.kube.Json;
import lavaflow.linux.NetworkNamespace;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** Pods find others by name, with the programs that are everywhere: dig and the C library. */
class NodeNetworkTest {
    private static final String DNS = "kube-system/kube-dns";

    private final TestingKubeApi api = TestingCluster.api();
    private TestingMachine machine;
    private NodeNetwork network;
    private Path pod;

    @TempDir
    private Path files;

    @BeforeEach
    void boot() throws Exception {
        machine = TestingMachine.boot();
        service(
                "web",
                "{\"clusterIP\":\"10.96.1.1\",\"ports\":[{\"name\":\"http\",\"port\":80,\"protocol\":\"TCP\"}]}");
        service("all", "{\"clusterIP\":\"None\",\"ports\":[{\"name\":\"sql\",\"port\":5432}]}");
        endpoints(100);
        Followers followers = new Followers(api);
        ClusterView view = new ClusterView(followers);
        CountDownLatch named = new CountDownLatch(1);
        network = machine.in(() -> {
            NodeNetwork made = NodeNetwork.open(
                    new NodeNetwork.Options(machine.settings(), "here", "cluster.local", null, api, null), view);
            // Heard after the rules have heard of it.
            view.onChange(_ -> {
                if (view.find(DNS) != null && !view.slices(DNS).isEmpty()) {
                    named.countDown();
                }
            });
            followers.start();
            made.start(followers);
            return made;
        });
        machine.opened(followers);
        pod = machine.in(() -> network.attach("pod", List.of())).namespace();
        assertThat(named.await(60, TimeUnit.SECONDS)).isTrue();
        await().atMost(Duration.ofMinutes(1)).until(network::isComplete);
        assertThat(network.nameServers()).containsExactly("10.96.0.10");
    }

    @AfterEach
    void shutDown() throws IOException {
        if (network != null) {
            machine.in(() -> {
                network.dismantle();
                network.close();
                return true;
            });
        }
        if (machine != null) {
            machine.close();
        }
    }

    private void service(String name, String spec) {
        ObjectNode service = Json.object().put("apiVersion", "v1").put("kind", "Service");
        service.putObject("metadata").put("namespace", "shop").put("name", name);
        service.set("spec", Json.parse(spec));
        api.create(ClusterView.SERVICES, "shop", service);
    }

    private void endpoints(int count) {
        ObjectNode slice =
                Json.object().put("apiVersion", "discovery.k8s.io/v1").put("kind", "EndpointSlice");
        slice.putObject("metadata")
                .put("namespace", "shop")
                .put("name", "all-1")
                .putObject("labels")
                .put("kubernetes.io/service-name", "all");
        slice.put("addressType", "IPv4");
        for (int i = 0; i < count; i++) {
            ObjectNode endpoint = slice.withArray("endpoints").addObject();
            endpoint.putArray("addresses").add("10.9.0." + (i + 1));
            endpoint.put("hostname", "all-" + i).putObject("conditions").put("ready", true);
        }
        slice.set("ports", Json.parse("[{\"name\":\"sql\",\"port\":5432,\"protocol\":\"TCP\"}]"));
        api.create(ClusterView.SLICES, "shop", slice);
    }

    private String inPod(String... command) throws IOException {
        return NetworkNamespace.enter(pod, () -> TestingMachine.command(command));
    }

    private static void needsDig() {
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/dig")), "needs dig");
    }

    private List<String> dig(String... words) throws IOException {
        needsDig();
        return inPod(patientDig("10.96.0.10", words)).lines().sorted().toList();
    }

    private static String[] patientDig(String server, String... words) {
        List<String> command = new ArrayList<>(List.of("dig", "@" + server, "+time=10", "+tries=6", "+short"));
        command.addAll(List.of(words));
        return command.toArray(String[]::new);
    }

    @Test
    void digFindsServicesPortsAndNames() throws IOException {
        assertThat(dig("web.shop.svc.cluster.local")).containsExactly("10.96.1.1");
        assertThat(dig("+tcp", "WEB.Shop.svc.cluster.local")).containsExactly("10.96.1.1");
        assertThat(dig("SRV", "_http._tcp.web.shop.svc.cluster.local"))
                .containsExactly("0 100 80 web.shop.svc.cluster.local.");
        assertThat(dig("-x", "10.96.1.1")).containsExactly("web.shop.svc.cluster.local.");
        assertThat(dig("TXT", "dns-version.cluster.local")).containsExactly("\"1.1.0\"");
        assertThat(dig("all-7.all.shop.svc.cluster.local")).containsExactly("10.9.0.8");
        assertThat(dig("AAAA", "web.shop.svc.cluster.local")).isEmpty();
    }

    @Test
    void digGetsLongAnswersByAsecondWay() throws IOException {
        assertThat(dig("+noedns", "all.shop.svc.cluster.local")).hasSize(100);
        assertThat(dig("+bufsize=4096", "all.shop.svc.cluster.local")).hasSize(100);
    }

    @Test
    void theBridgeItselfAnswersToo() throws IOException {
        needsDig();
        String gateway = network.gateway().getHostAddress();
        assertThat(inPod(patientDig(gateway, "web.shop.svc.cluster.local")).trim())
                .isEqualTo("10.96.1.1");
        String[] command = patientDig("10.96.0.10", "web.shop.svc.cluster.local");
        assertThat(machine.in(() -> TestingMachine.command(command)).trim()).isEqualTo("10.96.1.1");
    }

    @Test
    void theLibraryFindsShortNamesWithTheFileThatPodsGet() throws IOException {
        JsonNode spec = Json.parse("{\"metadata\":{\"namespace\":\"shop\"},\"spec\":{}}");
        Path file = files.resolve("resolv.conf");
        Files.writeString(
                file,
                PodResolvConf.of(spec, network.nameServers(), "cluster.local", ResolverFile.EMPTY)
                        .text());
        assertLibraryFinds(file, "web", "10.96.1.1");
        assertLibraryFinds(file, "all-3.all", "10.9.0.4");
        assertLibraryFinds(file, "web.shop.svc", "10.96.1.1");
        assertLibraryFinds(file, "missing.shop.svc.cluster.local", "none");
    }

    /** The library has less patience than a busy machine needs. */
    private void assertLibraryFinds(Path resolvConf, String name, String expected) {
        String script = "mount --bind " + resolvConf + " /etc/resolv.conf && getent ahostsv4 " + name + " || echo none";
        await().atMost(Duration.ofMinutes(3))
                .untilAsserted(() ->
                        assertThat(inPod("unshare", "-m", "sh", "-c", script)).contains(expected));
    }

    @Test
    void theNameServerIsAServiceThatToolsFind() {
        ObjectNode service =
                api.find(ClusterView.SERVICES, "kube-system", "kube-dns").orElseThrow();
        assertThat(Json.textAt(service, "spec", "clusterIP")).isEqualTo("10.96.0.10");
        ObjectNode slice =
                api.find(ClusterView.SLICES, "kube-system", "kube-dns-here").orElseThrow();
        assertThat(slice.at("/endpoints/0/addresses/0").asText())
                .isEqualTo(network.gateway().getHostAddress());
    }

    @Test
    void everyNodeAnswersItsOwnPods() throws IOException {
        ObjectNode older =
                api.find(ClusterView.SERVICES, "kube-system", "kube-dns").orElseThrow();
        assertThat(Json.textAt(older, "spec", "internalTrafficPolicy")).isEqualTo("Local");
        Json.ensureObject(older, "spec").put("internalTrafficPolicy", "Cluster");
        api.update(ClusterView.SERVICES, "", older);

        ClusterDns.ensure(api, "here", "10.96.0.10", network.gateway().getHostAddress(), 53);

        ObjectNode service =
                api.find(ClusterView.SERVICES, "kube-system", "kube-dns").orElseThrow();
        assertThat(Json.textAt(service, "spec", "internalTrafficPolicy")).isEqualTo("Local");
        assertThat(dig("web.shop.svc.cluster.local")).containsExactly("10.96.1.1");
    }

    @Test
    void aClustersOwnNameServerIsLeftAlone() {
        ObjectNode service =
                api.find(ClusterView.SERVICES, "kube-system", "kube-dns").orElseThrow();
        Json.ensureObject(service, "spec", "selector").put("k8s-app", "kube-dns");
        api.update(ClusterView.SERVICES, "", service);
        api.delete(ClusterView.SLICES, "kube-system", "kube-dns-here", KubeApi.Deletion.PLAIN);
        ClusterDns.ensure(api, "here", "10.96.0.10", "10.244.0.1", 53);
        assertThat(api.find(ClusterView.SLICES, "kube-system", "kube-dns-here")).isEmpty();
    }

    @Test
    void rulesThatSomebodyTookAwayComeBack() throws IOException {
        needsDig();
        machine.in(() -> TestingMachine.command("nft", "flush", "ruleset"));
        await().atMost(Duration.ofMinutes(3))
                .ignoreExceptions()
                .untilAsserted(() -> assertThat(dig("+time=2", "+tries=1", "web.shop.svc.cluster.local"))
                        .containsExactly("10.96.1.1"));
    }

    @Test
    void strangersAreNotAnswered() throws IOException {
        needsDig();
        String gateway = network.gateway().getHostAddress();
        NetworkNamespace.enter(
                machine.outside(),
                () -> TestingMachine.command("ip", "route", "add", gateway, "via", TestingMachine.ADDRESS));
        String answer = NetworkNamespace.enter(machine.outside(), () -> {
            Process process = new ProcessBuilder(
                            "dig", "@" + gateway, "+time=1", "+tries=1", "web.shop.svc.cluster.local")
                    .start();
            return new String(process.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
        });
        assertThat(answer).doesNotContain("10.96.1.1");
        assertThat(InetAddress.ofLiteral(gateway)).isEqualTo(network.gateway());
    }
}
