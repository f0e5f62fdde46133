package lavaflow.network;

import java.io.IOException;
import java.net.DatagramSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import lavaflow.controller.KubeApi;
import lavaflow.kube.Json;
import lavaflow.linux.NetworkNamespace;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static lavaflow.network.TestingRules.NODE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** Services are real: traffic goes where the API's objects say, on a machine of the test's own. */
class ServiceRulesTest {
    private static final String WEB = "10.96.1.1";

    private TestingRules rules;

    @BeforeEach
    void boot() throws IOException {
        rules = new TestingRules(new EndpointChoice.Target("127.0.0.1", 16443));
    }

    @AfterEach
    void shutDown() throws IOException {
        if (rules != null) {
            rules.close();
        }
    }

    private void server(String name) throws IOException {
        rules.machine.serve(rules.pod(name), name, "0.0.0.0", 8080);
    }

    private ObjectNode service(String spec) {
        ObjectNode service = Json.object();
        service.put("apiVersion", "v1").put("kind", "Service");
        service.putObject("metadata").put("namespace", "shop").put("name", "web");
        service.set("spec", Json.parse(spec));
        return service;
    }

    private void create(ObjectNode service) {
        rules.api.create(ClusterView.SERVICES, "shop", service);
        rules.settle();
    }

    private void change(String spec) {
        ObjectNode service = rules.api.find(ClusterView.SERVICES, "shop", "web").orElseThrow();
        service.set("spec", Json.parse(spec));
        rules.api.update(ClusterView.SERVICES, "", service);
        rules.settle();
    }

    private static String plain() {
        return spec("");
    }

    private static String spec(String more) {
        return "{\"clusterIP\":\"" + WEB + "\"" + more
                + ",\"ports\":[{\"name\":\"http\",\"port\":80,\"nodePort\":30080,\"protocol\":\"TCP\"}]}";
    }

    /** An endpoint as a slice has it: its pod's name, then what is unusual about it. */
    private String endpoint(String pod, String conditions, String node) {
        return "{\"addresses\":[\"" + rules.address(pod) + "\"],\"conditions\":{" + conditions + "},\"nodeName\":\""
                + node + "\"}";
    }

    private String ready(String pod) {
        return endpoint(pod, "\"ready\":true", NODE);
    }

    private void endpoints(String... endpoints) {
        endpointsOf("TCP", 8080, endpoints);
    }

    private void endpointsOf(String protocol, int port, String... endpoints) {
        ObjectNode slice = Json.object();
        slice.put("apiVersion", "discovery.k8s.io/v1")
                .put("kind", "EndpointSlice")
                .put("addressType", "IPv4");
        slice.putObject("metadata")
                .put("namespace", "shop")
                .put("name", "web-1")
                .putObject("labels")
                .put("kubernetes.io/service-name", "web");
        slice.set("endpoints", Json.parse("[" + String.join(",", endpoints) + "]"));
        slice.putArray("ports")
                .addObject()
                .put("name", "http")
                .put("protocol", protocol)
                .put("port", port);
        ObjectNode present = rules.api.find(ClusterView.SLICES, "shop", "web-1").orElse(null);
        if (present == null) {
            rules.api.create(ClusterView.SLICES, "shop", slice);
        } else {
            slice.set("metadata", present.get("metadata"));
            rules.api.update(ClusterView.SLICES, "", slice);
        }
        rules.settle();
    }

    private String call(String pod, String address, int port) throws IOException {
        return TestingMachine.call(rules.place(pod), address, port);
    }

    private Set<String> callOften(Path from, String address, int port) throws IOException {
        Set<String> answers = new HashSet<>();
        for (int i = 0; i < 30; i++) {
            answers.add(TestingMachine.call(from, address, port).split(" ", -1)[0]);
        }
        return answers;
    }

    @Test
    void connectionsAreSpreadOverReadyPodsWhoSeeTheClientsAddress() throws IOException {
        server("a");
        server("b");
        server("c");
        rules.pod("client");
        create(service(plain()));
        endpoints(ready("a"), ready("b"), endpoint("c", "\"ready\":false", NODE));

        assertThat(callOften(rules.place("client"), WEB, 80)).containsExactlyInAnyOrder("a", "b");
        assertThat(call("client", WEB, 80)).endsWith(" " + rules.address("client"));
        assertThat(callOften(rules.machine.inside(), WEB, 80)).containsExactlyInAnyOrder("a", "b");
    }

    @Test
    void aPodCanCallItselfByItsService() throws IOException {
        server("a");
        create(service(plain()));
        endpoints(ready("a"));

        assertThat(call("a", WEB, 80)).startsWith("a ");
    }

    @Test
    void itDoesNotMatterWhetherTheMachineFiltersWhatBridgesCarry() throws IOException {
        server("a");
        server("b");
        create(service(plain()));
        endpoints(ready("a"));
        Path setting = Path.of("/proc/sys/net/bridge/bridge-nf-call-iptables");
        assumeTrue(rules.machine.in(() -> Files.exists(setting)), "this machine never filters what bridges carry");
        for (String filters : List.of("0", "1")) {
            rules.machine.in(() -> Files.writeString(setting, filters));
            assertThat(call("a", WEB, 80)).as(filters).startsWith("a ");
            assertThat(call("b", WEB, 80)).as(filters).isEqualTo("a " + rules.address("b"));
            assertThat(call("b", rules.address("a"), 8080)).as(filters).isEqualTo("a " + rules.address("b"));
        }
    }

    @Test
    void aLoadBalancerLearnsWhetherPodsAreHere() throws IOException {
        rules.pod("a");
        create(service(
                spec(",\"type\":\"LoadBalancer\",\"externalTrafficPolicy\":\"Local\",\"healthCheckNodePort\":31999")));
        assertThat(health())
                .startsWith("HTTP/1.1 503 ")
                .endsWith("{\"service\":{\"namespace\":\"shop\",\"name\":\"web\"},"
                        + "\"localEndpoints\":0,\"serviceProxyHealthy\":true}");
        endpoints(ready("a"), endpoint("a", "\"ready\":true", "elsewhere"));
        assertThat(health()).startsWith("HTTP/1.1 200 OK").contains("X-Load-Balancing-Endpoint-Weight: 1");

        change(plain());
        // A socket that a thread waits on is open until that thread has noticed.
        await().atMost(Duration.ofSeconds(60))
                .until(() -> TestingMachine.call(rules.machine.outside(), TestingMachine.ADDRESS, 31999)
                        .equals("Connection refused"));
    }

    private String health() throws IOException {
        return NetworkNamespace.enter(rules.machine.outside(), () -> {
            try (Socket socket = new Socket(TestingMachine.ADDRESS, 31999)) {
                socket.getOutputStream().write("GET / HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(StandardCharsets.UTF_8));
                return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            }
        });
    }

    @Test
    void aServiceWithoutEndpointsRefusesAtOnce() throws IOException {
        rules.pod("client");
        create(service(plain()));

        assertThat(call("client", WEB, 80)).isEqualTo("Connection refused");
        assertThat(TestingMachine.call(rules.machine.inside(), WEB, 80)).isEqualTo("Connection refused");
        assertThat(TestingMachine.call(rules.machine.inside(), "127.0.0.1", 30080))
                .isEqualTo("Connection refused");
        assertThat(TestingMachine.call(rules.machine.outside(), TestingMachine.ADDRESS, 30080))
                .isEqualTo("Connection refused");
    }

    @Test
    void podsThatGoServeUntilOthersAreReady() throws IOException {
        server("a");
        server("b");
        create(service(plain()));
        String going = endpoint("a", "\"ready\":false,\"serving\":true,\"terminating\":true", NODE);
        endpoints(going);
        assertThat(call("b", WEB, 80)).startsWith("a ");

        endpoints(going, ready("b"));
        assertThat(callOften(rules.place("a"), WEB, 80)).containsExactly("b");
    }

    @Test
    void aNodePortIsAtEveryAddressOfTheMachine() throws IOException {
        server("a");
        rules.pod("client");
        create(service(spec(",\"type\":\"NodePort\"")));
        endpoints(ready("a"));

        assertThat(TestingMachine.call(rules.machine.outside(), TestingMachine.ADDRESS, 30080))
                .startsWith("a ");
        assertThat(TestingMachine.call(rules.machine.inside(), "127.0.0.1", 30080))
                .startsWith("a ");
        assertThat(call("client", TestingMachine.ADDRESS, 30080)).startsWith("a ");
        assertThat(call("a", TestingMachine.ADDRESS, 30080)).startsWith("a ");
    }

    @Test
    void withLocalPolicyClientsFromOutsideKeepTheirAddress() throws IOException {
        server("a");
        server("b");
        create(service(spec(",\"type\":\"NodePort\",\"externalTrafficPolicy\":\"Local\"")));
        endpoints(ready("a"), endpoint("b", "\"ready\":true", "elsewhere"));

        assertThat(callOften(rules.machine.outside(), TestingMachine.ADDRESS, 30080))
                .containsExactly("a");
        assertThat(TestingMachine.call(rules.machine.outside(), TestingMachine.ADDRESS, 30080))
                .isEqualTo("a " + TestingMachine.OUTSIDE);
        assertThat(TestingMachine.call(rules.machine.inside(), "127.0.0.1", 30080))
                .containsPattern("^[ab] ");

        change(spec(",\"type\":\"NodePort\",\"externalTrafficPolicy\":\"Cluster\""));
        assertThat(callOften(rules.machine.outside(), TestingMachine.ADDRESS, 30080))
                .containsExactlyInAnyOrder("a", "b");
    }

    @Test
    void withInternalPolicyLocalPodsMeetThoseOfTheirNode() throws IOException {
        server("a");
        server("b");
        create(service(spec(",\"internalTrafficPolicy\":\"Local\"")));
        endpoints(ready("a"), endpoint("b", "\"ready\":true", "elsewhere"));

        assertThat(callOften(rules.place("b"), WEB, 80)).containsExactly("a");
    }

    @Test
    void aClientStaysWithItsPodForAWhile() throws IOException {
        server("a");
        server("b");
        server("c");
        rules.pod("client");
        String affine =
                ",\"sessionAffinity\":\"ClientIP\",\"sessionAffinityConfig\":{\"clientIP\":{\"timeoutSeconds\":%d}}";
        create(service(spec(affine.formatted(100))));
        endpoints(ready("a"), ready("b"), ready("c"));
        Set<String> chosen = callOften(rules.place("client"), WEB, 80);
        assertThat(chosen).hasSize(1);

        endpoints(ready("c"), ready("b"), ready("a"));
        assertThat(callOften(rules.place("client"), WEB, 80)).isEqualTo(chosen);

        change(spec(affine.formatted(200)));
        assertThat(callOften(rules.place("client"), WEB, 80)).hasSize(1);

        change(plain());
        assertThat(callOften(rules.place("client"), WEB, 80)).hasSize(3);
    }

    @Test
    void aClientWhosePodIsGoneGetsAnother() throws IOException {
        server("a");
        server("b");
        rules.pod("client");
        create(service(spec(",\"sessionAffinity\":\"ClientIP\"")));
        endpoints(ready("a"));
        assertThat(call("client", WEB, 80)).startsWith("a ");

        endpoints(ready("b"));
        assertThat(call("client", WEB, 80)).startsWith("b ");
    }

    @Test
    void externalAddressesAndThoseOfLoadBalancersLeadToIt() throws IOException {
        server("a");
        rules.pod("client");
        ObjectNode service = service(
                spec(
                        ",\"type\":\"LoadBalancer\",\"externalIPs\":[\"203.0.113.5\"],\"loadBalancerSourceRanges\":[\"10.244.0.0/16\"]"));
        service.putObject("status")
                .putObject("loadBalancer")
                .putArray("ingress")
                .addObject()
                .put("ip", "203.0.113.6");
        create(service);
        endpoints(ready("a"));

        assertThat(call("client", "203.0.113.5", 80)).startsWith("a ");
        assertThat(call("client", "203.0.113.6", 80)).startsWith("a ");
    }

    @Test
    void packetsWithoutConnectionsFollowTheirService() throws IOException {
        for (String name : List.of("a", "b")) {
            rules.machine.serveDatagrams(rules.pod(name), name, 5353);
        }
        rules.pod("client");
        create(service(
                "{\"clusterIP\":\"" + WEB + "\",\"ports\":[{\"name\":\"http\",\"port\":53,\"protocol\":\"UDP\"}]}"));
        DatagramSocket client = rules.machine.datagrams(rules.place("client"));
        assertThat(TestingMachine.ask(client, WEB, 53)).isNotIn("a", "b");

        endpointsOf("UDP", 5353, ready("a"));
        assertThat(TestingMachine.ask(client, WEB, 53)).isEqualTo("a");

        endpointsOf("UDP", 5353, ready("b"));
        assertThat(TestingMachine.ask(client, WEB, 53)).isEqualTo("b");
    }

    @Test
    void theApiServerOnTheLoopbackIsReachedAsKubernetesButNothingElseThere() throws IOException {
        rules.machine.serve(rules.machine.inside(), "api", "127.0.0.1", 16443);
        rules.pod("client");
        ObjectNode kubernetes = service("{\"clusterIP\":\"10.96.0.1\",\"ports\":[{\"name\":\"https\",\"port\":443,"
                + "\"protocol\":\"TCP\"}]}");
        ((ObjectNode) kubernetes.get("metadata")).put("namespace", "default").put("name", "kubernetes");
        rules.api.create(ClusterView.SERVICES, "default", kubernetes);
        rules.settle();

        assertThat(call("client", "10.96.0.1", 443)).isEqualTo("api " + rules.address("client"));
        assertThat(TestingMachine.call(rules.machine.inside(), "10.96.0.1", 443))
                .startsWith("api ");
        rules.machine.in(() -> TestingMachine.command("ip", "addr", "show"));
        assertThat(call("client", "127.0.0.1", 16443)).isEqualTo("Connection refused");
    }

    @Test
    void aServiceThatGoesLeavesNothing() throws IOException {
        server("a");
        create(service(spec(",\"type\":\"NodePort\",\"sessionAffinity\":\"ClientIP\"")));
        endpoints(ready("a"));
        rules.api.delete(ClusterView.SERVICES, "shop", "web", KubeApi.Deletion.PLAIN);
        rules.settle();

        RuleTable.Contents left =
                rules.machine.in(() -> rules.network.machine().table().contents());
        assertThat(left.chains()).noneMatch(chain -> chain.contains("-"));
        assertThat(left.sets()).noneMatch(set -> set.startsWith("mem-"));
        assertThat(call("a", WEB, 80)).isEqualTo("Connection refused");
    }

    @Test
    void rulesSurviveARestartAndThoseOfTheMeantimeAreCorrected() throws IOException {
        server("a");
        server("b");
        create(service(spec(",\"sessionAffinity\":\"ClientIP\"")));
        endpoints(ready("a"), ready("b"));
        Set<String> chosen = callOften(rules.place("a"), WEB, 80);
        rules.stop();
        assertThat(callOften(rules.place("a"), WEB, 80)).isEqualTo(chosen);

        rules.startAgain();
        assertThat(callOften(rules.place("a"), WEB, 80)).isEqualTo(chosen);
    }

    @Test
    void ofTwoServicesWithOneAddressTheFirstHasItUntilItGoes() throws IOException {
        server("a");
        server("b");
        rules.pod("client");
        create(service(spec(",\"externalIPs\":[\"203.0.113.5\"]")));
        endpoints(ready("a"));
        ObjectNode other = service(spec(",\"externalIPs\":[\"203.0.113.5\"]")
                .replace(WEB, "10.96.1.2")
                .replace("30080", "0"));
        ((ObjectNode) other.get("metadata")).put("name", "xother");
        create(other);
        assertThat(call("client", "203.0.113.5", 80)).startsWith("a ");

        rules.api.delete(ClusterView.SERVICES, "shop", "web", KubeApi.Deletion.PLAIN);
        rules.settle();
        assertThat(call("client", "203.0.113.5", 80)).isEqualTo("Connection refused");
    }
}
