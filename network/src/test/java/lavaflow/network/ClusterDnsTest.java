package lavaflow.network;

import java.util.List;
import java.util.Objects;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ClusterDnsTest {
    private static ServiceView service(String policy) {
        ObjectNode service = Json.object();
        service.putObject("metadata").put("namespace", "kube-system").put("name", "kube-dns");
        ObjectNode spec = service.putObject("spec").put("clusterIP", "10.96.0.10");
        spec.put("internalTrafficPolicy", policy);
        return Objects.requireNonNull(ServiceView.of(service));
    }

    private static SliceView sliceOf(String node) {
        ObjectNode slice = Json.object().put("addressType", "IPv4");
        Json.ensureObject(slice, "metadata", "labels").put("kubernetes.io/service-name", "kube-dns");
        ObjectNode endpoint = slice.putArray("endpoints").addObject();
        endpoint.put("nodeName", node).putArray("addresses").add("10.244.1.1");
        return Objects.requireNonNull(SliceView.of(slice));
    }

    @Test
    void whereEveryNodeHasItsOwnNameServerPodsOfAnotherFindNobodyBehindTheService() {
        List<SliceView> slices = List.of(sliceOf("first"));

        assertThat(ClusterDns.answersPodsOf("first", service("Local"), slices)).isTrue();
        assertThat(ClusterDns.answersPodsOf("second", service("Local"), slices)).isFalse();
    }

    @Test
    void theNameServersOfAClusterAnswerEverybody() {
        assertThat(ClusterDns.answersPodsOf("second", service("Cluster"), List.of(sliceOf("first"))))
                .isTrue();
    }
}
