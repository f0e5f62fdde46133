package lavaflow.network;

import java.net.InetAddress;
import java.util.List;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/** The files by which a pod knows itself and others: hosts and resolv.conf. */
class PodFilesTest {
    private static final ResolverFile MACHINE = ResolverFile.parse(
            "# by hand\nnameserver 192.0.2.53\nsearch example.com. lab.example.com\noptions rotate\n");

    private static JsonNode pod(String spec) {
        return Json.parse("{\"metadata\":{\"name\":\"web-0\",\"namespace\":\"shop\"},\"spec\":" + spec + "}");
    }

    private static String resolv(String spec) {
        return PodResolvConf.of(pod(spec), List.of("10.96.0.10"), "cluster.local", MACHINE)
                .text();
    }

    private static String hosts(String spec) {
        JsonNode pod = pod(spec);
        return PodHostsFile.of(pod, List.of(InetAddress.ofLiteral("10.244.0.7")), PodHostname.of(pod, "cluster.local"));
    }

    @Test
    void theHostsFileLeadsAPodsNameToItsAddress() {
        assertThat(hosts("{}")).isEqualTo("""
                        # Kubernetes-managed hosts file.
                        127.0.0.1\tlocalhost
                        ::1\tlocalhost ip6-localhost ip6-loopback
                        fe00::0\tip6-localnet
                        fe00::0\tip6-mcastprefix
                        fe00::1\tip6-allnodes
                        fe00::2\tip6-allrouters
                        10.244.0.7\tweb-0
                        """);
    }

    @Test
    void aSubdomainMakesTheFullNameTheFirst() {
        assertThat(hosts("{\"hostname\":\"db\",\"subdomain\":\"data\"}"))
                .contains("\n10.244.0.7\tdb.data.shop.svc.cluster.local\tdb\n");
    }

    @Test
    void aliasesFollow() {
        String aliases = "{\"hostAliases\":[{\"ip\":\"1.2.3.4\",\"hostnames\":[\"a\",\"b\"]},{\"ip\":\"1.2.3.5\","
                + "\"hostnames\":[\"c\"]}]}";
        assertThat(hosts(aliases)).endsWith("web-0\n\n# Entries added by HostAliases.\n1.2.3.4\ta\tb\n1.2.3.5\tc\n");
        assertThat(PodHostsFile.ofHostNetwork(pod(aliases), "127.0.0.1 vm\n"))
                .isEqualTo("# Kubernetes-managed hosts file (host network).\n127.0.0.1 vm\n\n# Entries added by"
                        + " HostAliases.\n1.2.3.4\ta\tb\n1.2.3.5\tc\n");
    }

    @Test
    void aLongNameOfAPodIsCutToOneLabel() {
        String name = "a".repeat(62) + ".b";
        JsonNode pod = Json.parse("{\"metadata\":{\"name\":\"" + name + "\"},\"spec\":{}}");
        assertThat(PodHostname.of(pod, "cluster.local").name()).isEqualTo("a".repeat(62));
    }

    @Test
    void theKernelsNameMayBeTheFullOneIfItFits() {
        String spec = "{\"hostname\":\"db\",\"subdomain\":\"%s\",\"setHostnameAsFQDN\":true}";
        assertThat(PodHostname.of(pod(spec.formatted("data")), "cluster.local").kernelName())
                .isEqualTo("db.data.shop.svc.cluster.local");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> PodHostname.of(pod(spec.formatted("d".repeat(60))), "cluster.local"))
                .withMessageContaining("is too long (64 characters is the max, 86 characters requested)");
    }

    @Test
    void anOverrideIsTheWholeName() {
        PodHostname hostname = PodHostname.of(pod("{\"hostnameOverride\":\"x.y\",\"subdomain\":\"d\"}"), "c");
        assertThat(hostname).isEqualTo(new PodHostname("x.y", "", "x.y"));
    }

    @Test
    void podsAskTheClusterFirst() {
        assertThat(resolv("{\"dnsPolicy\":\"ClusterFirst\"}")).isEqualTo("""
                        search shop.svc.cluster.local svc.cluster.local cluster.local example.com lab.example.com
                        nameserver 10.96.0.10
                        options ndots:5
                        """);
    }

    @Test
    void podsOnTheMachinesNetworkAskTheMachinesServersUnlessTheyInsist() {
        String machine = "search example.com lab.example.com\nnameserver 192.0.2.53\noptions rotate\n";
        assertThat(resolv("{\"dnsPolicy\":\"ClusterFirst\",\"hostNetwork\":true}"))
                .isEqualTo(machine);
        assertThat(resolv("{\"dnsPolicy\":\"Default\"}")).isEqualTo(machine);
        assertThat(resolv("{\"dnsPolicy\":\"ClusterFirstWithHostNet\",\"hostNetwork\":true}"))
                .contains("nameserver 10.96.0.10");
    }

    @Test
    void whatAPodAsksForIsAddedOnce() {
        String config =
                "\"dnsConfig\":{\"nameservers\":[\"10.96.0.10\",\"1.1.1.1\"],\"searches\":[\"svc.cluster.local\","
                        + "\"my.dns\"],\"options\":[{\"name\":\"ndots\",\"value\":\"2\"},{\"name\":\"edns0\"}]}";
        assertThat(resolv("{\"dnsPolicy\":\"ClusterFirst\"," + config + "}")).isEqualTo("""
                        search shop.svc.cluster.local svc.cluster.local cluster.local example.com lab.example.com my.dns
                        nameserver 10.96.0.10
                        nameserver 1.1.1.1
                        options ndots:2 edns0
                        """);
        assertThat(resolv("{\"dnsPolicy\":\"None\"," + config + "}"))
                .isEqualTo(
                        "search svc.cluster.local my.dns\nnameserver 10.96.0.10\nnameserver 1.1.1.1\noptions ndots:2 edns0\n");
    }

    @Test
    void moreThanResolversBearIsLeftOutAndTold() {
        String long1 = "x".repeat(254);
        PodResolvConf conf = PodResolvConf.of(
                pod("{\"dnsPolicy\":\"None\",\"dnsConfig\":{\"nameservers\":[\"1.1.1.1\",\"1.1.1.2\",\"1.1.1.3\","
                        + "\"1.1.1.4\"],\"searches\":[\"" + long1 + "\",\"b.c\"]}}"),
                List.of(),
                "cluster.local",
                ResolverFile.EMPTY);
        assertThat(conf.text()).isEqualTo("search b.c\nnameserver 1.1.1.1\nnameserver 1.1.1.2\nnameserver 1.1.1.3\n");
        assertThat(conf.warnings())
                .containsExactly(
                        "Nameserver limits were exceeded, some nameservers have been omitted, the applied nameserver line"
                                + " is: 1.1.1.1 1.1.1.2 1.1.1.3",
                        "Search Line limits were exceeded, some search paths have been omitted, the applied search line"
                                + " is: b.c");
    }

    @Test
    void theSearchLineEndsBeforeItIsTooLong() {
        String search = "y".repeat(250);
        StringBuilder searches = new StringBuilder();
        for (int i = 0; i < 10; i++) {
            searches.append(i == 0 ? "" : ",")
                    .append('"')
                    .append(i)
                    .append(search)
                    .append('"');
        }
        PodResolvConf conf = PodResolvConf.of(
                pod("{\"dnsPolicy\":\"None\",\"dnsConfig\":{\"searches\":[" + searches + "]}}"),
                List.of(),
                "cluster.local",
                ResolverFile.EMPTY);
        assertThat(ResolverFile.parse(conf.text()).searches()).hasSize(8);
    }

    @Test
    void serversOnTheMachinesLoopbackAreAskedThroughTheClusters() {
        assertThat(ResolverFile.parse("nameserver 127.0.0.1\nnameserver 192.0.2.53\n")
                        .reachableThrough(List.of("10.96.0.10"))
                        .nameServers())
                .containsExactly("10.96.0.10", "192.0.2.53");
    }
}
