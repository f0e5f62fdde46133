package lavaflow.network;

import java.util.List;

import lavaflow.controller.Followers;
import lavaflow.controller.TestingKubeApi;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** The names of a cluster, as the specification of DNS-based service discovery has them. */
class ClusterNamesTest {
    private final TestingKubeApi api = TestingCluster.api();
    private Followers followers;
    private ClusterNames names;

    @BeforeEach
    void follow() {
        followers = new Followers(api);
        AddressRange pods = AddressRange.parse("10.244.0.0/24");
        names = new ClusterNames(new ClusterView(followers), "cluster.local", "10.244.0.1", List.of(pods));
        service(
                "web",
                "{\"clusterIP\":\"10.96.1.1\",\"ports\":[{\"name\":\"http\",\"port\":80,\"protocol\":\"TCP\"}]}");
        service("db", "{\"clusterIP\":\"None\",\"ports\":[{\"name\":\"sql\",\"port\":5432}]}");
        service("out", "{\"type\":\"ExternalName\",\"externalName\":\"Example.com.\"}");
        service("inner", "{\"type\":\"ExternalName\",\"externalName\":\"web.shop.svc.cluster.local\"}");
        slice(
                "db",
                "{\"addresses\":[\"10.244.0.7\"],\"hostname\":\"db-0\",\"conditions\":{\"ready\":true}}",
                "{\"addresses\":[\"10.244.0.8\"],\"conditions\":{\"ready\":true}}",
                "{\"addresses\":[\"10.244.0.9\"],\"hostname\":\"db-2\",\"conditions\":{\"ready\":false}}");
        followers.pump();
    }

    private void service(String name, String spec) {
        ObjectNode service = Json.object().put("apiVersion", "v1").put("kind", "Service");
        service.putObject("metadata").put("namespace", "shop").put("name", name);
        service.set("spec", Json.parse(spec));
        api.create(ClusterView.SERVICES, "shop", service);
    }

    private void slice(String service, String... endpoints) {
        ObjectNode slice =
                Json.object().put("apiVersion", "discovery.k8s.io/v1").put("kind", "EndpointSlice");
        slice.putObject("metadata")
                .put("namespace", "shop")
                .put("name", service + "-1")
                .putObject("labels")
                .put("kubernetes.io/service-name", service);
        slice.put("addressType", "IPv4");
        slice.set("endpoints", Json.parse("[" + String.join(",", endpoints) + "]"));
        slice.set("ports", Json.parse("[{\"name\":\"sql\",\"port\":5432,\"protocol\":\"TCP\"}]"));
        api.create(ClusterView.SLICES, "shop", slice);
    }

    private DnsAnswer answer(String name, int type) {
        return names.answer(name, type).orElseThrow();
    }

    private List<String> addresses(String name) {
        return answer(name, DnsRecord.A).answers().stream()
                .map(record -> ((DnsRecord.Address) record).address())
                .toList();
    }

    private int code(String name, int type) {
        return answer(name, type).code();
    }

    @Test
    void aServiceHasItsClusterAddress() {
        assertThat(addresses("web.shop.svc.cluster.local")).containsExactly("10.96.1.1");
    }

    @Test
    void aHeadlessServiceHasTheAddressesOfItsReadyPods() {
        assertThat(addresses("db.shop.svc.cluster.local")).containsExactly("10.244.0.7", "10.244.0.8");
    }

    @Test
    void podsOfAServiceAreFoundByHostnameOrAddress() {
        assertThat(addresses("db-0.db.shop.svc.cluster.local")).containsExactly("10.244.0.7");
        assertThat(addresses("10-244-0-8.db.shop.svc.cluster.local")).containsExactly("10.244.0.8");
        assertThat(code("db-2.db.shop.svc.cluster.local", DnsRecord.A)).isEqualTo(DnsAnswer.NO_SUCH_NAME);
    }

    @Test
    void podsThatAreNotReadyAreFoundWhereTheServiceWantsIt() {
        service("peers", "{\"clusterIP\":\"None\",\"publishNotReadyAddresses\":true}");
        slice("peers", "{\"addresses\":[\"10.244.0.10\"],\"hostname\":\"p\",\"conditions\":{\"ready\":false}}");
        followers.pump();
        assertThat(addresses("p.peers.shop.svc.cluster.local")).containsExactly("10.244.0.10");
    }

    @Test
    void portsAreFoundByNameAndProtocol() {
        assertThat(answer("_http._tcp.web.shop.svc.cluster.local", DnsRecord.SRV)
                        .answers())
                .containsExactly(new DnsRecord.Service(
                        "_http._tcp.web.shop.svc.cluster.local",
                        ClusterNames.TTL,
                        100,
                        80,
                        "web.shop.svc.cluster.local"));
        DnsAnswer headless = answer("_sql._tcp.db.shop.svc.cluster.local", DnsRecord.SRV);
        assertThat(headless.answers())
                .extracting(record -> ((DnsRecord.Service) record).target())
                .containsExactly("db-0.db.shop.svc.cluster.local", "10-244-0-8.db.shop.svc.cluster.local");
        assertThat(headless.additional())
                .extracting(record -> ((DnsRecord.Address) record).address())
                .containsExactly("10.244.0.7", "10.244.0.8");
        assertThat(code("_http._udp.web.shop.svc.cluster.local", DnsRecord.SRV)).isEqualTo(DnsAnswer.NO_SUCH_NAME);
    }

    @Test
    void aNameForSomethingElseIsAnAlias() {
        DnsRecord alias =
                new DnsRecord.Pointer("out.shop.svc.cluster.local", DnsRecord.CNAME, ClusterNames.TTL, "example.com");
        assertThat(answer("out.shop.svc.cluster.local", DnsRecord.CNAME).answers())
                .containsExactly(alias);
        assertThat(answer("out.shop.svc.cluster.local", DnsRecord.A).answers()).containsExactly(alias);
    }

    @Test
    void anAliasWithinTheClusterIsFollowed() {
        assertThat(answer("inner.shop.svc.cluster.local", DnsRecord.A).answers())
                .extracting(DnsRecord::type)
                .containsExactly(DnsRecord.CNAME, DnsRecord.A);
    }

    @Test
    void everyAddressHasANameAsAPod() {
        assertThat(addresses("10-1-2-3.any.pod.cluster.local")).containsExactly("10.1.2.3");
        assertThat(code("web-0.any.pod.cluster.local", DnsRecord.A)).isEqualTo(DnsAnswer.NO_SUCH_NAME);
    }

    @Test
    void addressesHaveNames() {
        assertThat(answer("1.1.96.10.in-addr.arpa", DnsRecord.PTR).answers())
                .extracting(record -> ((DnsRecord.Pointer) record).target())
                .containsExactly("web.shop.svc.cluster.local");
        assertThat(answer("7.0.244.10.in-addr.arpa", DnsRecord.PTR).answers())
                .extracting(record -> ((DnsRecord.Pointer) record).target())
                .containsExactly("db-0.db.shop.svc.cluster.local");
    }

    @Test
    void addressesOfPodsWithoutNamesAreKnownToHaveNone() {
        assertThat(code("99.0.244.10.in-addr.arpa", DnsRecord.PTR)).isEqualTo(DnsAnswer.NO_SUCH_NAME);
        assertThat(names.answer("8.8.8.8.in-addr.arpa", DnsRecord.PTR)).isEmpty();
    }

    @Test
    void whatIsThereWithoutSuchRecordsIsNotMissing() {
        DnsAnswer six = answer("web.shop.svc.cluster.local", DnsRecord.AAAA);
        assertThat(six.code()).isEqualTo(DnsAnswer.NO_ERROR);
        assertThat(six.answers()).isEmpty();
        assertThat(six.authority()).hasOnlyElementsOfType(DnsRecord.Authority.class);
        assertThat(code("shop.svc.cluster.local", DnsRecord.A)).isEqualTo(DnsAnswer.NO_ERROR);
        assertThat(code("_tcp.web.shop.svc.cluster.local", DnsRecord.A)).isEqualTo(DnsAnswer.NO_ERROR);
    }

    @Test
    void whatIsNotThereIsDenied() {
        for (String name : List.of(
                "github.com.shop.svc.cluster.local",
                "nothing.shop.svc.cluster.local",
                "web.elsewhere.svc.cluster.local",
                "elsewhere.svc.cluster.local",
                "x.cluster.local",
                "a.b.c.web.shop.svc.cluster.local")) {
            assertThat(code(name, DnsRecord.A)).as(name).isEqualTo(DnsAnswer.NO_SUCH_NAME);
        }
    }

    @Test
    void namesOutsideAreNobodysBusinessHere() {
        assertThat(names.answer("example.com", DnsRecord.A)).isEmpty();
        assertThat(names.answer("notcluster.local", DnsRecord.A)).isEmpty();
    }

    @Test
    void theZoneDescribesItself() {
        assertThat(answer("dns-version.cluster.local", DnsRecord.TXT).answers())
                .containsExactly(new DnsRecord.Text("dns-version.cluster.local", ClusterNames.TTL, "1.1.0"));
        assertThat(answer("cluster.local", DnsRecord.SOA).answers()).hasOnlyElementsOfType(DnsRecord.Authority.class);
        assertThat(addresses("ns.dns.cluster.local")).containsExactly("10.244.0.1");
    }
}
