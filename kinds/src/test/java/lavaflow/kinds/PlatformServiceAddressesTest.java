package lavaflow.kinds;

import java.util.List;

import lavaflow.kinds.ServiceAddresses.Claim;
import lavaflow.kinds.ServiceAddresses.Plan;
import lavaflow.kube.FieldErrors;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** What services take from the pools, keep and give back. */
class PlatformServiceAddressesTest {
    private static final List<String> ONE = List.of("IPv4");
    private static final List<String> BOTH = List.of("IPv4", "IPv6");
    private final FieldErrors errors = new FieldErrors();

    private ObjectNode service(String spec) {
        ObjectNode service = Sample.object("{'spec':" + spec + "}");
        Sample.rules("/services").applyDefaults(service);
        return service;
    }

    private Plan created(ObjectNode service, List<String> pools) {
        Plan plan = ServiceAddresses.plan(null, service, pools, errors);
        assertThat(Sample.messages(errors)).isEmpty();
        return plan;
    }

    @Test
    void aServiceTakesOneAddress() {
        ObjectNode service = service("{'ports':[{'port':80}]}");
        Plan plan = created(service, ONE);
        assertThat(plan.claims()).containsExactly(new Claim.ClusterIp("IPv4", 0, null));
        ServiceAddresses.assign(service, (Claim.ClusterIp) plan.claims().getFirst(), "10.0.0.7");
        assertThat(service.at("/spec/clusterIP").textValue()).isEqualTo("10.0.0.7");
        assertThat(service.at("/spec/clusterIPs")).hasToString("[\"10.0.0.7\"]");
        assertThat(service.at("/spec/ipFamilyPolicy").textValue()).isEqualTo("SingleStack");
    }

    @Test
    void aWishIsPassedOn() {
        assertThat(created(service("{'clusterIP':'10.0.0.9'}"), ONE).claims())
                .containsExactly(new Claim.ClusterIp("IPv4", 0, "10.0.0.9"));
    }

    @Test
    void twoFamiliesTakeTwoAddresses() {
        assertThat(created(service("{'ipFamilyPolicy':'PreferDualStack'}"), BOTH)
                        .claims())
                .containsExactly(new Claim.ClusterIp("IPv4", 0, null), new Claim.ClusterIp("IPv6", 1, null));
        assertThat(created(service("{'ipFamilyPolicy':'PreferDualStack'}"), ONE).claims())
                .hasSize(1);
    }

    @Test
    void headlessAndExternalServicesTakeNothing() {
        assertThat(created(service("{'clusterIP':'None'}"), ONE).claims()).isEmpty();
        assertThat(created(service("{'type':'ExternalName','externalName':'a.b'}"), ONE)
                        .claims())
                .isEmpty();
    }

    @Test
    void protocolsOnOnePortShareANodePort() {
        ObjectNode service = service("{'type':'NodePort','ports':[{'port':53,'name':'a'},{'port':54,'name':'b'},"
                + "{'port':53,'name':'c','protocol':'UDP'}]}");
        Plan plan = created(service, ONE);
        assertThat(plan.claims().subList(1, 3))
                .containsExactly(new Claim.NodePort(List.of(0, 2), 0), new Claim.NodePort(List.of(1), 0));
        ServiceAddresses.assign(service, (Claim.NodePort) plan.claims().get(1), 30053);
        assertThat(service.at("/spec/ports/2/nodePort").longValue()).isEqualTo(30053);
    }

    @Test
    void aGivenNodePortServesBothProtocols() {
        ObjectNode service = service("{'type':'NodePort','ports':[{'port':53,'name':'a'},"
                + "{'port':53,'name':'c','protocol':'UDP','nodePort':30053}]}");
        assertThat(created(service, ONE).claims().getLast()).isEqualTo(new Claim.NodePort(List.of(0, 1), 30053));
    }

    @Test
    void balancersWithoutNodePortsTakeOnlyWhatIsGiven() {
        ObjectNode service = service("{'type':'LoadBalancer','allocateLoadBalancerNodePorts':false,"
                + "'ports':[{'port':80,'name':'a'},{'port':81,'name':'b','nodePort':30081}]}");
        assertThat(created(service, ONE).claims().subList(1, 2)).containsExactly(new Claim.NodePort(List.of(1), 30081));
    }

    @Test
    void localTrafficNeedsAHealthCheckPort() {
        ObjectNode service = service("{'type':'LoadBalancer','externalTrafficPolicy':'Local'}");
        assertThat(created(service, ONE).claims().getLast()).isEqualTo(new Claim.HealthCheckPort(0));
    }

    private static final String HELD = "{'type':'NodePort','clusterIP':'10.0.0.7','clusterIPs':['10.0.0.7'],"
            + "'ipFamilies':['IPv4'],'ipFamilyPolicy':'SingleStack',"
            + "'ports':[{'port':80,'name':'a','nodePort':30080},{'port':81,'name':'b','nodePort':30081}]}";

    @Test
    void replacingAServiceKeepsWhatItHas() {
        ObjectNode service = service("{'type':'NodePort','ports':[{'port':80,'name':'a'},{'port':82,'name':'b'}]}");
        Plan plan = ServiceAddresses.plan(service(HELD), service, ONE, errors);
        assertThat(Sample.messages(errors)).isEmpty();
        assertThat(plan).isEqualTo(new Plan(List.of(), List.of(), List.of()));
        assertThat(service.at("/spec/clusterIPs")).hasToString("[\"10.0.0.7\"]");
        assertThat(service.at("/spec/ports/1/nodePort").longValue()).isEqualTo(30081);
    }

    @Test
    void removedPortsAreGivenBackAndNewOnesTaken() {
        ObjectNode service = service("{'type':'NodePort','ports':[{'port':80,'name':'a'},{'port':83,'name':'c'}]}");
        Plan plan = ServiceAddresses.plan(service(HELD), service, ONE, errors);
        assertThat(plan.claims()).containsExactly(new Claim.NodePort(List.of(1), 0));
        assertThat(plan.releasedPorts()).containsExactly(30081L);
    }

    @Test
    void anotherTypeGivesBackNodePorts() {
        ObjectNode service = service(HELD.replace("NodePort'", "ClusterIP'"));
        Plan plan = ServiceAddresses.plan(service(HELD), service, ONE, errors);
        assertThat(plan.releasedPorts()).containsExactly(30080L, 30081L);
        assertThat(plan.releasedIps()).isEmpty();
    }

    @Test
    void externalNamesGiveBackEverything() {
        ObjectNode service = service("{'type':'ExternalName','externalName':'a.b'}");
        Plan plan = ServiceAddresses.plan(service(HELD), service, ONE, errors);
        assertThat(plan.releasedIps()).containsExactly("10.0.0.7");
        assertThat(plan.releasedPorts()).containsExactly(30080L, 30081L);
        assertThat(plan.claims()).isEmpty();
    }

    @Test
    void theSecondFamilyComesAndGoes() {
        String single = "{'clusterIP':'10.0.0.7','clusterIPs':['10.0.0.7'],'ipFamilies':['IPv4'],"
                + "'ipFamilyPolicy':'SingleStack'}";
        String dual = "{'clusterIP':'10.0.0.7','clusterIPs':['10.0.0.7','fd00::7'],'ipFamilies':['IPv4','IPv6'],"
                + "'ipFamilyPolicy':'RequireDualStack'}";
        ObjectNode grown = service(single.replace("SingleStack", "RequireDualStack"));
        assertThat(ServiceAddresses.plan(service(single), grown, BOTH, errors).claims())
                .containsExactly(new Claim.ClusterIp("IPv6", 1, null));
        ObjectNode shrunk = service(dual.replace("RequireDualStack", "SingleStack"));
        assertThat(ServiceAddresses.plan(service(dual), shrunk, BOTH, errors).releasedIps())
                .containsExactly("fd00::7");
        assertThat(shrunk.at("/spec/clusterIPs")).hasToString("[\"10.0.0.7\"]");
        assertThat(Sample.messages(errors)).isEmpty();
    }

    @Test
    void deletionGivesBackEverything() {
        ObjectNode service = service("{'type':'LoadBalancer','externalTrafficPolicy':'Local','clusterIP':'10.0.0.7',"
                + "'clusterIPs':['10.0.0.7'],'healthCheckNodePort':30090,'ports':[{'port':80,'nodePort':30080}]}");
        assertThat(ServiceAddresses.release(service))
                .isEqualTo(new Plan(List.of(), List.of("10.0.0.7"), List.of(30080L, 30090L)));
        assertThat(ServiceAddresses.release(service("{'clusterIP':'None','clusterIPs':['None']}")))
                .isEqualTo(new Plan(List.of(), List.of(), List.of()));
    }

    @Test
    void refusalsNameTheField() {
        ObjectNode service = service("{'type':'NodePort','clusterIPs':['10.0.0.9']}");
        ServiceAddresses.refuse(
                service, new Claim.ClusterIp("IPv4", 0, "10.0.0.9"), "provided IP is already allocated", errors);
        ServiceAddresses.refuse(
                service, new Claim.NodePort(List.of(1), 30080), "provided port is already allocated", errors);
        ServiceAddresses.refuse(service, new Claim.HealthCheckPort(5), "no", errors);
        assertThat(Sample.messages(errors))
                .containsExactly(
                        "spec.clusterIPs: Invalid value: [\"10.0.0.9\"]: failed to allocate IP 10.0.0.9: provided IP is"
                                + " already allocated",
                        "spec.ports[1].nodePort: Invalid value: 30080: provided port is already allocated",
                        "spec.healthCheckNodePort: Invalid value: 5: failed to allocate requested HealthCheck"
                                + " NodePort 5: no");
    }
}
