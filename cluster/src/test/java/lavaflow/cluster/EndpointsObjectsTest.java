package lavaflow.cluster;

import java.util.ArrayList;
import java.util.List;

import lavaflow.controller.KubeApi;
import lavaflow.controller.TestingKubeApi;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static lavaflow.cluster.TestingCluster.ENDPOINTS;
import static lavaflow.cluster.TestingCluster.PODS;
import static lavaflow.cluster.TestingCluster.SERVICES;
import static lavaflow.cluster.TestingCluster.SLICES;
import static lavaflow.cluster.TestingCluster.named;
import static lavaflow.cluster.TestingServices.addresses;
import static lavaflow.cluster.TestingServices.ready;
import static org.assertj.core.api.Assertions.assertThat;

/** Endpoints of services with a selector, and slices of Endpoints without. */
class EndpointsObjectsTest {
    private final TestingServices services = new TestingServices();
    private final TestingCluster cluster = services.cluster;
    private final TestingKubeApi api = cluster.api;

    @BeforeEach
    void start() {
        services.node("n1", "here");
        cluster.settle();
    }

    private ObjectNode endpoints() {
        return api.get(ENDPOINTS, "team", "web");
    }

    private static List<String> ips(JsonNode subset, String field) {
        List<String> ips = new ArrayList<>();
        Json.listAt(subset, field).forEach(address -> ips.add(Json.textAt(address, "ip")));
        return ips;
    }

    // ---- Endpoints

    @Test
    void aServiceHasEndpointsOfItsName() {
        services.service(
                "web",
                service -> Json.ensureObject(service, "metadata", "labels").put("a", "b"));
        ObjectNode pod = services.pod("a", "n1", "10.0.0.1");
        services.pod("b", "n1", "10.0.0.2", each -> ready(each, false));
        cluster.settle();

        assertThat(endpoints().path("metadata").path("labels"))
                .isEqualTo(
                        Json.object().put("a", "b").put("endpoints.kubernetes.io/managed-by", "endpoint-controller"));
        JsonNode subset = endpoints().path("subsets").path(0);
        assertThat(subset.path("addresses").path(0))
                .isEqualTo(Json.parse("{\"ip\":\"10.0.0.1\",\"nodeName\":\"n1\",\"targetRef\":{\"kind\":\"Pod\","
                        + "\"namespace\":\"team\",\"name\":\"a\",\"uid\":\"" + Objects.uid(pod) + "\"}}"));
        assertThat(ips(subset, "notReadyAddresses")).containsExactly("10.0.0.2");
        assertThat(subset.path("ports")).isEqualTo(Json.parse("[{\"protocol\":\"TCP\",\"port\":80}]"));
    }

    @Test
    void podsThatGoAreLeftOutUnlessEvenTheUnreadyAreWanted() {
        services.service("web", _ -> {});
        services.pod("a", "n1", "10.0.0.1");
        cluster.settle();
        api.delete(PODS, "team", "a", KubeApi.Deletion.PLAIN);
        cluster.settle();
        assertThat(endpoints().has("subsets")).isFalse();

        services.editService(service -> Json.ensureObject(service, "spec").put("publishNotReadyAddresses", true));
        assertThat(ips(endpoints().path("subsets").path(0), "addresses")).containsExactly("10.0.0.1");
    }

    @Test
    void headlessServicesMayDoWithoutPorts() {
        services.service(
                "web",
                service -> Json.ensureObject(service, "spec")
                        .put("clusterIP", "None")
                        .remove("ports"));
        services.pod("a", "n1", "10.0.0.1");
        cluster.settle();

        assertThat(endpoints().path("metadata").path("labels").has("service.kubernetes.io/headless"))
                .isTrue();
        assertThat(endpoints().path("subsets").path(0).has("ports")).isFalse();
        assertThat(ips(endpoints().path("subsets").path(0), "addresses")).containsExactly("10.0.0.1");
    }

    @Test
    void moreThanAThousandAddressesAreCutOffTheUnreadyFirst() {
        for (int i = 0; i < 1100; i++) {
            boolean ready = i < 900;
            services.pod(String.format("p%04d", i), "n1", "10.0." + i / 250 + "." + i % 250, pod -> ready(pod, ready));
        }
        services.service("web", _ -> {});

        JsonNode subset = endpoints().path("subsets").path(0);
        assertThat(subset.path("addresses")).hasSize(900);
        assertThat(subset.path("notReadyAddresses")).hasSize(100);
        assertThat(Json.textAt(endpoints(), "metadata", "annotations", "endpoints.kubernetes.io/over-capacity"))
                .isEqualTo("truncated");
        api.takeWrites();

        services.editService(
                service -> Json.ensureObject(service, "metadata", "annotations").put("unrelated", "yes"));
        assertThat(api.takeWrites()).noneMatch(write -> write.contains(" endpoints "));
    }

    @Test
    void endpointsGoWithTheirService() {
        services.service("web", _ -> {});
        api.delete(SERVICES, "team", "web", KubeApi.Deletion.PLAIN);
        cluster.settle();

        assertThat(api.has(ENDPOINTS, "team", "web")).isFalse();
    }

    @Test
    void whatOthersDoToEndpointsIsUndone() {
        services.service("web", _ -> {});
        services.pod("a", "n1", "10.0.0.1");
        cluster.settle();

        api.edit(ENDPOINTS, "team", "web", endpoints -> {
            endpoints.remove("subsets");
            return endpoints;
        });
        cluster.settle();
        assertThat(endpoints().path("subsets")).hasSize(1);

        api.delete(ENDPOINTS, "team", "web", KubeApi.Deletion.PLAIN);
        cluster.settle();
        assertThat(endpoints().path("subsets")).hasSize(1);
    }

    /** As the real controller ordered the same ports: by a hash of them. */
    @Test
    void portsAreInTheOrderOfUpstream() {
        services.service("web", service -> {
            var ports = Json.ensureObject(service, "spec").putArray("ports");
            for (int i = 1; i <= 8; i++) {
                ports.addObject()
                        .put("name", "abcdefgh".substring(i - 1, i))
                        .put("port", i)
                        .put("protocol", "TCP");
            }
        });
        services.pod("a", "n1", "10.0.0.1");
        cluster.settle();

        StringBuilder inSubset = new StringBuilder();
        endpoints().path("subsets").path(0).path("ports").forEach(port -> inSubset.append(Json.textAt(port, "name")));
        StringBuilder inSlice = new StringBuilder();
        services.onlySlice().path("ports").forEach(port -> inSlice.append(Json.textAt(port, "name")));
        assertThat(inSubset.toString()).isEqualTo("cdbafheg");
        assertThat(inSlice.toString()).isEqualTo("gefbhcda");
    }

    // ---- mirroring

    private void manual(String subsets) {
        services.service("web", service -> Json.ensureObject(service, "spec").remove("selector"));
        ObjectNode endpoints = named("web");
        Json.ensureObject(endpoints, "metadata", "labels").put("k", "v");
        Json.ensureObject(endpoints, "metadata", "annotations")
                .put("note", "yes")
                .put("kubectl.kubernetes.io/last-applied-configuration", "{}");
        endpoints.set("subsets", Json.parse(subsets));
        api.create(ENDPOINTS, "team", endpoints);
        cluster.settle();
    }

    @Test
    void endpointsMadeByHandAreShownAsSlices() {
        manual(
                "[{\"addresses\":[{\"ip\":\"1.2.3.4\",\"hostname\":\"first\"}],\"notReadyAddresses\":[{\"ip\":\"1.2.3.5\"}],"
                        + "\"ports\":[{\"port\":80,\"protocol\":\"TCP\"}]}]");

        ObjectNode slice = services.onlySlice();
        assertThat(slice.path("metadata").path("labels"))
                .isEqualTo(Json.object()
                        .put("k", "v")
                        .put("kubernetes.io/service-name", "web")
                        .put("endpointslice.kubernetes.io/managed-by", "endpointslicemirroring-controller.k8s.io"));
        assertThat(slice.path("metadata").path("annotations"))
                .isEqualTo(Json.object().put("note", "yes"));
        assertThat(slice.path("endpoints"))
                .isEqualTo(Json.parse(
                        "[{\"addresses\":[\"1.2.3.4\"],\"conditions\":{\"ready\":true},\"hostname\":\"first\"},"
                                + "{\"addresses\":[\"1.2.3.5\"],\"conditions\":{\"ready\":false}}]"));
        assertThat(Json.textAt(slice.path("metadata").path("ownerReferences").path(0), "kind"))
                .isEqualTo("Endpoints");
    }

    @Test
    void eachFamilyAndSetOfPortsHasOneMirroredSlice() {
        manual(
                "[{\"addresses\":[{\"ip\":\"1.2.3.4\"},{\"ip\":\"fd00::1\"}],\"ports\":[{\"port\":80,\"protocol\":\"TCP\"}]},"
                        + "{\"addresses\":[{\"ip\":\"1.2.3.5\"}],\"ports\":[{\"port\":80,\"protocol\":\"TCP\"}]},"
                        + "{\"addresses\":[{\"ip\":\"1.2.3.6\"}],\"ports\":[{\"port\":90,\"protocol\":\"TCP\"}]}]");

        assertThat(services.slices().stream().map(TestingServices::addresses))
                .containsExactlyInAnyOrder(List.of("fd00::1"), List.of("1.2.3.4", "1.2.3.5"), List.of("1.2.3.6"));
    }

    @Test
    void aMirroredSliceFollowsAndGoes() {
        manual("[{\"addresses\":[{\"ip\":\"1.2.3.4\"}],\"ports\":[{\"port\":80,\"protocol\":\"TCP\"}]}]");
        String name = Objects.name(services.onlySlice());

        api.edit(ENDPOINTS, "team", "web", endpoints -> {
            endpoints.set(
                    "subsets",
                    Json.parse(
                            "[{\"addresses\":[{\"ip\":\"1.2.3.9\"}],\"ports\":[{\"port\":81,\"protocol\":\"TCP\"}]}]"));
            return endpoints;
        });
        cluster.settle();
        assertThat(Objects.name(services.onlySlice())).isEqualTo(name);
        assertThat(addresses(services.onlySlice())).containsExactly("1.2.3.9");

        api.delete(ENDPOINTS, "team", "web", KubeApi.Deletion.PLAIN);
        cluster.settle();
        assertThat(services.slices()).isEmpty();
    }

    @Test
    void endpointsThatSayTheyShouldNotBeShownAreNot() {
        manual("[{\"addresses\":[{\"ip\":\"1.2.3.4\"}]}]");
        assertThat(services.slices()).hasSize(1);

        api.edit(ENDPOINTS, "team", "web", endpoints -> {
            Json.ensureObject(endpoints, "metadata", "labels").put("endpointslice.kubernetes.io/skip-mirror", "true");
            return endpoints;
        });
        cluster.settle();

        assertThat(services.slices()).isEmpty();
    }

    @Test
    void endpointsWithoutAServiceAreNotShown() {
        ObjectNode endpoints = named("lonely");
        endpoints.set("subsets", Json.parse("[{\"addresses\":[{\"ip\":\"1.2.3.4\"}]}]"));
        api.create(ENDPOINTS, "team", endpoints);
        cluster.settle();

        assertThat(api.list(SLICES, "team", KubeApi.View.WHOLE).items()).isEmpty();
        assertThat(api.has(ENDPOINTS, "team", "lonely")).isTrue();
    }

    @Test
    void ofMoreThanAThousandAddressesTheRestIsNotShown() {
        StringBuilder addresses = new StringBuilder("[{\"addresses\":[");
        for (int i = 0; i < 1003; i++) {
            addresses.append(i == 0 ? "" : ",").append("{\"ip\":\"10.0." + i / 250 + "." + i % 250 + "\"}");
        }
        manual(addresses.append("]}]").toString());

        assertThat(services.onlySlice().path("endpoints")).hasSize(1000);
        assertThat(services.messages())
                .contains(
                        "TooManyAddressesToMirror: A max of 1000 addresses can be mirrored to EndpointSlices per Endpoints"
                                + " subset. 3 addresses were skipped");
    }
}
