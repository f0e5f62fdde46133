package lavaflow.cluster;

import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Stream;

import lavaflow.controller.TestingKubeApi;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static lavaflow.cluster.TestingCluster.PODS;
import static lavaflow.cluster.TestingCluster.SERVICES;
import static lavaflow.cluster.TestingCluster.SLICES;
import static lavaflow.cluster.TestingServices.addresses;
import static lavaflow.cluster.TestingServices.hints;
import static lavaflow.cluster.TestingServices.ready;
import static org.assertj.core.api.Assertions.assertThat;

class EndpointSlicesTest {
    private final TestingServices services = new TestingServices();
    private final TestingCluster cluster = services.cluster;
    private final TestingKubeApi api = cluster.api;

    @BeforeEach
    void start() {
        services.node("n1", "here");
        services.node("n2", "there");
        cluster.settle();
    }

    private static JsonNode firstEndpoint(ObjectNode slice) {
        return slice.path("endpoints").path(0);
    }

    /** So many pods, named in order. */
    private void pods(int from, int to) {
        for (int i = from; i <= to; i++) {
            services.pod(String.format("p%04d", i), "n1", "10.0." + i / 250 + "." + i % 250);
        }
        cluster.settle();
    }

    private List<Integer> sizes() {
        return services.slices().stream()
                .map(slice -> slice.path("endpoints").size())
                .sorted(Comparator.reverseOrder())
                .toList();
    }

    private long sliceWrites() {
        return api.takeWrites().stream()
                .filter(request -> request.contains("endpointslices"))
                .count();
    }

    @Test
    void aServiceWithoutPodsHasOneEmptySlice() {
        services.service(
                "web",
                service -> Json.ensureObject(service, "metadata", "labels").put("team", "a"));

        ObjectNode slice = services.onlySlice();
        assertThat(Json.textAt(slice, "metadata", "generateName")).isEqualTo("web-");
        assertThat(Json.textAt(slice, "addressType")).isEqualTo("IPv4");
        assertThat(slice.path("endpoints")).isEmpty();
        assertThat(slice.path("ports")).isEmpty();
        assertThat(slice.path("metadata").path("labels"))
                .isEqualTo(Json.object()
                        .put("team", "a")
                        .put("kubernetes.io/service-name", "web")
                        .put("endpointslice.kubernetes.io/managed-by", "endpointslice-controller.k8s.io"));
        JsonNode owner = slice.path("metadata").path("ownerReferences").path(0);
        assertThat(Json.textAt(owner, "kind")).isEqualTo("Service");
        assertThat(Json.flagAt(owner, "controller")).isTrue();
        assertThat(Json.flagAt(owner, "blockOwnerDeletion")).isTrue();
        assertThat(Json.textAt(slice, "metadata", "annotations", "endpoints.kubernetes.io/last-change-trigger-time"))
                .isEqualTo("2030-01-02T03:04:05Z");
    }

    @Test
    void theFirstPodTakesThePlaceOfTheEmptySlice() {
        services.service("web", _ -> {});
        String name = Objects.name(services.onlySlice());

        ObjectNode pod = services.pod("a", "n1", "10.0.0.1");
        cluster.settle();

        ObjectNode slice = services.onlySlice();
        assertThat(Objects.name(slice)).isEqualTo(name);
        assertThat(slice.path("ports")).isEqualTo(Json.parse("[{\"name\":\"\",\"protocol\":\"TCP\",\"port\":80}]"));
        assertThat(firstEndpoint(slice))
                .isEqualTo(Json.parse("{\"addresses\":[\"10.0.0.1\"],\"conditions\":{\"ready\":true,\"serving\":true,"
                        + "\"terminating\":false},\"nodeName\":\"n1\",\"zone\":\"here\",\"targetRef\":{\"kind\":\"Pod\","
                        + "\"namespace\":\"team\",\"name\":\"a\",\"uid\":\"" + Objects.uid(pod) + "\"}}"));
        assertThat(Json.textAt(slice, "metadata", "annotations", "endpoints.kubernetes.io/last-change-trigger-time"))
                .isEqualTo("2029-05-05T05:05:05Z");
    }

    @Test
    void whenTheLastPodGoesTheSliceStaysEmpty() {
        services.service("web", _ -> {});
        services.pod("a", "n1", "10.0.0.1");
        cluster.settle();
        String name = Objects.name(services.onlySlice());

        editAway("a");

        assertThat(Objects.name(services.onlySlice())).isEqualTo(name);
        assertThat(services.onlySlice().path("endpoints")).isEmpty();
    }

    private void editAway(String pod) {
        services.editPod(
                pod, each -> Json.ensureObject(each, "metadata", "labels").put("app", "other"));
    }

    @Test
    void conditionsTellReadinessAndTermination() {
        services.service("web", _ -> {});
        services.pod("a", "n1", "10.0.0.1", pod -> ready(pod, false));
        cluster.settle();
        assertThat(firstEndpoint(services.onlySlice()).path("conditions"))
                .isEqualTo(Json.parse("{\"ready\":false,\"serving\":false,\"terminating\":false}"));

        services.editPod("a", pod -> ready(pod, true));
        api.delete(PODS, "team", "a", lavaflow.controller.KubeApi.Deletion.PLAIN);
        cluster.settle();
        assertThat(firstEndpoint(services.onlySlice()).path("conditions"))
                .isEqualTo(Json.parse("{\"ready\":false,\"serving\":true,\"terminating\":true}"));

        services.editService(service -> Json.ensureObject(service, "spec").put("publishNotReadyAddresses", true));
        assertThat(firstEndpoint(services.onlySlice()).path("conditions"))
                .isEqualTo(Json.parse("{\"ready\":true,\"serving\":true,\"terminating\":true}"));
    }

    @Test
    void podsThatEndedOrHaveNoAddressAreNoEndpoints() {
        services.service("web", _ -> {});
        services.pod(
                "ended",
                "n1",
                "10.0.0.1",
                pod -> Json.ensureObject(pod, "status").put("phase", "Succeeded"));
        services.pod("young", "n1", "", pod -> Json.ensureObject(pod, "status").remove(List.of("podIP", "podIPs")));
        cluster.settle();

        assertThat(services.onlySlice().path("endpoints")).isEmpty();
    }

    @Test
    void namedPortsMeanDifferentNumbersInDifferentPods() {
        services.service("web", service -> {
            ObjectNode port = (ObjectNode) service.path("spec").path("ports").path(0);
            port.put("name", "http").put("targetPort", "web");
        });
        services.pod("a", "n1", "10.0.0.1", pod -> port(pod, "web", 8080));
        services.pod("b", "n1", "10.0.0.2", pod -> port(pod, "web", 8081));
        services.pod("c", "n1", "10.0.0.3", pod -> port(pod, "other", 8082));
        cluster.settle();

        assertThat(services.slices().stream()
                        .map(slice -> slice.path("ports").path(0).path("port").asInt() + " " + addresses(slice)))
                .containsExactlyInAnyOrder("8080 [10.0.0.1]", "8081 [10.0.0.2]", "0 [10.0.0.3]");
    }

    private static void port(ObjectNode pod, String name, int number) {
        Json.ensureObject(pod, "spec")
                .putArray("containers")
                .addObject()
                .putArray("ports")
                .addObject()
                .put("name", name)
                .put("containerPort", number)
                .put("protocol", "TCP");
    }

    @Test
    void headlessServicesAreLabelledAndNameTheirPods() {
        services.service("web", service -> {
            Json.ensureObject(service, "spec").put("clusterIP", "None").remove("ports");
        });
        services.pod(
                "a",
                "n1",
                "10.0.0.1",
                pod -> Json.ensureObject(pod, "spec").put("hostname", "first").put("subdomain", "web"));
        cluster.settle();

        ObjectNode slice = services.onlySlice();
        assertThat(slice.path("metadata").path("labels").has("service.kubernetes.io/headless"))
                .isTrue();
        assertThat(Json.textAt(firstEndpoint(slice), "hostname")).isEqualTo("first");
        assertThat(slice.path("ports")).isEmpty();
    }

    @Test
    void bothFamiliesHaveSlicesOfTheirOwn() {
        services.service("web", service -> ((ArrayNode) service.path("spec").path("ipFamilies")).add("IPv6"));
        services.pod(
                "a",
                "n1",
                "10.0.0.1",
                pod -> ((ArrayNode) pod.path("status").path("podIPs"))
                        .addObject()
                        .put("ip", "fd00::1"));
        services.pod("b", "n1", "10.0.0.2");
        cluster.settle();

        assertThat(services.slices().stream().map(slice -> Json.textAt(slice, "addressType") + addresses(slice)))
                .containsExactlyInAnyOrder("IPv4[10.0.0.1, 10.0.0.2]", "IPv6[fd00::1]");

        services.editService(service -> ((ArrayNode) service.path("spec").path("ipFamilies")).remove(1));
        assertThat(Json.textAt(services.onlySlice(), "addressType")).isEqualTo("IPv4");
    }

    @Test
    void aSliceHoldsAHundredEndpoints() {
        services.service("web", _ -> {});
        pods(1, 250);

        assertThat(sizes()).containsExactly(100, 100, 50);
        assertThat(services.slices().stream().flatMap(slice -> addresses(slice).stream()))
                .doesNotHaveDuplicates()
                .hasSize(250);
    }

    @Test
    void oneMorePodChangesOneSlice() {
        services.service("web", _ -> {});
        pods(1, 250);
        api.takeWrites();

        services.pod("q", "n1", "10.1.0.1");
        cluster.settle();

        assertThat(sliceWrites()).isEqualTo(1);
        assertThat(sizes()).containsExactly(100, 100, 51);
    }

    @Test
    void aReplacedPodTakesTheFreePlaceWithOneWrite() {
        services.service("web", _ -> {});
        pods(1, 250);
        api.takeWrites();

        api.edit(PODS, "team", "p0001", pod -> {
            Json.ensureObject(pod, "metadata", "labels").put("app", "other");
            return pod;
        });
        services.pod("q", "n1", "10.1.0.1");
        cluster.settle();

        assertThat(sliceWrites()).isEqualTo(1);
        assertThat(sizes()).containsExactly(100, 100, 50);
    }

    @Test
    void whatDoesNotMatterToServicesCostsNoRequest() {
        services.service("web", _ -> {});
        pods(1, 3);
        api.takeWrites();

        api.edit(PODS, "team", "p0001", pod -> {
            Json.ensureObject(pod, "metadata", "annotations").put("seen", "yes");
            return pod;
        });
        int edits = api.requestCount();
        cluster.settle();

        assertThat(api.requestCount()).isEqualTo(edits);
    }

    @Test
    void whatOthersDoToASliceIsUndone() {
        services.service("web", _ -> {});
        pods(1, 2);
        String name = Objects.name(services.onlySlice());

        api.edit(SLICES, "team", name, slice -> {
            ((ArrayNode) slice.path("endpoints")).remove(0);
            return slice;
        });
        cluster.settle();
        assertThat(addresses(services.onlySlice())).containsExactlyInAnyOrder("10.0.0.1", "10.0.0.2");

        api.delete(SLICES, "team", name, lavaflow.controller.KubeApi.Deletion.PLAIN);
        cluster.settle();
        assertThat(addresses(services.onlySlice())).containsExactlyInAnyOrder("10.0.0.1", "10.0.0.2");
    }

    @Test
    void slicesOfAnEarlierServiceOfTheNameAreReplaced() {
        services.service("web", _ -> {});
        pods(1, 1);
        api.delete(SERVICES, "team", "web", lavaflow.controller.KubeApi.Deletion.PLAIN);
        cluster.settle();
        String stale = Objects.name(services.onlySlice());

        services.service("web", _ -> {});

        assertThat(Objects.name(services.onlySlice())).isNotEqualTo(stale);
    }

    @Test
    void labelsFollowTheService() {
        services.service(
                "web",
                service -> Json.ensureObject(service, "metadata", "labels").put("a", "b"));
        pods(1, 1);

        services.editService(service ->
                Json.ensureObject(service, "metadata").putObject("labels").put("kubernetes.io/service-name", "x"));

        assertThat(services.onlySlice().path("metadata").path("labels"))
                .isEqualTo(Json.object()
                        .put("kubernetes.io/service-name", "web")
                        .put("endpointslice.kubernetes.io/managed-by", "endpointslice-controller.k8s.io"));
    }

    @Test
    void aPodOfAMissingNodeWaitsForItAndOthersDoNot() {
        services.service("web", _ -> {});
        services.pod("a", "lost", "10.0.0.1");
        services.pod("b", "n1", "10.0.0.2");
        cluster.settle();

        assertThat(addresses(services.onlySlice())).containsExactly("10.0.0.2");
        assertThat(services.messages())
                .contains(
                        "FailedToUpdateEndpointSlices: Error updating Endpoint Slices for Service team/web: skipping Pod"
                                + " a for Service team/web: Node lost Not Found");

        services.node("lost", "here");
        cluster.settle();
        assertThat(addresses(services.onlySlice())).containsExactlyInAnyOrder("10.0.0.1", "10.0.0.2");
    }

    @Test
    void trafficDistributionBecomesHints() {
        services.service(
                "web", service -> Json.ensureObject(service, "spec").put("trafficDistribution", "PreferClose"));
        services.pod("a", "n1", "10.0.0.1");
        services.pod("b", "n2", "10.0.0.2", pod -> ready(pod, false));
        cluster.settle();
        assertThat(hints(services.onlySlice())).containsExactly("10.0.0.1 [here]", "10.0.0.2 []");

        services.editService(
                service -> Json.ensureObject(service, "spec").put("trafficDistribution", "PreferSameNode"));
        assertThat(firstEndpoint(services.onlySlice()).path("hints"))
                .isEqualTo(Json.parse("{\"forZones\":[{\"name\":\"here\"}],\"forNodes\":[{\"name\":\"n1\"}]}"));

        services.editService(service -> Json.ensureObject(service, "spec").remove("trafficDistribution"));
        assertThat(hints(services.onlySlice())).containsExactly("10.0.0.1 []", "10.0.0.2 []");
    }

    @Test
    void topologyModeSharesEndpointsByProcessors() {
        services.service(
                "web",
                service -> Json.ensureObject(service, "metadata", "annotations")
                        .put("service.kubernetes.io/topology-mode", "Auto"));
        pods(1, 1);
        assertThat(hints(services.onlySlice())).containsExactly("10.0.0.1 []");

        pods(2, 2);
        assertThat(hints(services.onlySlice())).containsExactly("10.0.0.1 [there]", "10.0.0.2 [here]");

        services.editService(service -> Json.ensureObject(service, "metadata").remove("annotations"));
        assertThat(hints(services.onlySlice())).containsExactly("10.0.0.1 []", "10.0.0.2 []");
        assertThat(services.messages())
                .containsSubsequence(
                        "TopologyAwareHintsDisabled: Insufficient number of endpoints (1 endpoints, 2 zones), addressType: IPv4",
                        "TopologyAwareHintsEnabled: Topology Aware Hints has been enabled, addressType: IPv4");
    }

    @Test
    void servicesWithoutASelectorAndExternalNamesAreNotItsBusiness() {
        services.service("manual", service -> Json.ensureObject(service, "spec").remove("selector"));
        services.service("other", service -> Json.ensureObject(service, "spec").put("type", "ExternalName"));

        assertThat(services.slices()).isEmpty();
    }

    @Test
    void aServiceThatGoesGetsNoNewSlice() {
        services.service("web", service -> {
            Json.ensureObject(service, "metadata").putArray("finalizers").add("example.com/wait");
        });
        api.delete(SERVICES, "team", "web", lavaflow.controller.KubeApi.Deletion.PLAIN);
        cluster.settle();
        api.takeWrites();
        pods(1, 150);

        assertThat(services.slices().size()).isEqualTo(1);
        assertThat(new TreeSet<>(api.takeWrites())).noneMatch(write -> write.startsWith("create endpointslices"));
    }

    @Test
    void aRefusalIsReportedAndTriedAgain() {
        api.fail("create endpointslices.discovery.k8s.io team/", ApiException.internal("not today"));
        services.service("web", _ -> {});
        assertThat(services.slices()).isEmpty();

        cluster.pass(java.time.Duration.ofSeconds(1));

        assertThat(services.slices()).hasSize(1);
        assertThat(services.messages())
                .anyMatch(message -> message.startsWith(
                        "FailedToUpdateEndpointSlices: Error updating Endpoint Slices for Service team/web: failed to create"
                                + " EndpointSlice for Service team/web: "));
    }

    @Test
    void aMissedPastIsMadeUpFor() {
        services.service("web", _ -> {});
        pods(1, 2);
        api.delete(PODS, "team", "p0001", lavaflow.controller.KubeApi.Deletion.PLAIN);
        api.finishPod("team", "p0001");
        api.compact();
        cluster.settle();
        cluster.settle();

        assertThat(Stream.of(services.onlySlice()).flatMap(slice -> addresses(slice).stream()))
                .containsExactly("10.0.0.2");
    }
}
