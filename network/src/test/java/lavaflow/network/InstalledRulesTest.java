package lavaflow.network;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

import lavaflow.network.EndpointChoice.Target;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** From rules to other rules: scripts that say no more than what differs. */
class InstalledRulesTest {
    private static final AddressRange PODS = AddressRange.parse("10.244.0.0/24");

    private final InstalledRules rules = new InstalledRules("ip t");

    private static ServicePlan plan(String name, String address, String external, int affinity, String... targets) {
        ServiceView service = new ServiceView(
                "shop",
                name,
                List.of(address),
                external.isEmpty() ? List.of() : List.of(external),
                List.of(),
                List.of(),
                List.of(new ServiceView.Port("http", "tcp", 80, 0)),
                affinity,
                false,
                false,
                0,
                false,
                false,
                "");
        List<Target> chosen =
                List.of(targets).stream().map(each -> new Target(each, 8080)).toList();
        return ServicePlan.of(service, PODS, _ -> new EndpointChoice(chosen, chosen, !chosen.isEmpty()));
    }

    @Test
    void whatStaysIsNotTouched() {
        ServicePlan web = plan("web", "10.96.1.1", "", 0, "10.244.0.2", "10.244.0.3");
        assertThat(rules.change(Map.of("shop/web", web)))
                .contains("add element ip t services { 10.96.1.1 . tcp . 80 : goto svc-");
        assertThat(rules.change(Map.of("shop/web", web))).isEmpty();

        String other = rules.change(Map.of("shop/web", plan("web", "10.96.1.1", "", 0, "10.244.0.3")));
        assertThat(other).contains("flush chain", "dnat ip to 10.244.0.3:8080").doesNotContain("element");
    }

    @Test
    void aServiceThatLosesItsLastEndpointLosesItsChains() {
        rules.change(Map.of("shop/web", plan("web", "10.96.1.1", "203.0.113.1", 0, "10.244.0.2")));
        assertThat(rules.change(Map.of("shop/web", plan("web", "10.96.1.1", "203.0.113.1", 0))))
                .contains(
                        "delete element ip t services { 10.96.1.1 . tcp . 80 }",
                        "add element ip t refused { 203.0.113.1 . tcp . 80 }",
                        "delete chain ip t svc-",
                        "delete chain ip t ext-");
    }

    @Test
    void whatIsReferredToComesFirstAndGoesLast() {
        String made = rules.change(Map.of("shop/web", plan("web", "10.96.1.1", "", 60, "10.244.0.2", "10.244.0.3")));
        assertThat(made.indexOf("add set")).isLessThan(made.indexOf("add rule"));
        assertThat(made.indexOf("add rule")).isLessThan(made.indexOf("add element"));
        String gone = rules.change(Map.of("shop/web", ServicePlan.NOTHING));
        assertThat(gone.indexOf("delete element")).isLessThan(gone.indexOf("delete chain"));
        assertThat(gone.indexOf("delete chain")).isLessThan(gone.indexOf("delete set"));
    }

    @Test
    void anAddressThatChangesHandsTwiceAtOnceIsChangedOnce() {
        Map<String, ServicePlan> both = new TreeMap<>();
        both.put("shop/a", plan("a", "10.96.1.1", "203.0.113.1", 0, "10.244.0.2"));
        both.put("shop/b", plan("b", "10.96.1.2", "203.0.113.1", 0, "10.244.0.3"));
        assertThat(rules.change(both)).containsOnlyOnce("services { 203.0.113.1 . tcp . 80 :");

        Map<String, ServicePlan> swapped = new TreeMap<>();
        swapped.put("shop/a", ServicePlan.NOTHING);
        swapped.put("shop/b", plan("b", "10.96.1.2", "203.0.113.1", 0, "10.244.0.4"));
        String script = rules.change(swapped);
        assertThat(script)
                .containsOnlyOnce("delete element ip t services { 203.0.113.1 . tcp . 80 }")
                .containsOnlyOnce("add element ip t services { 203.0.113.1 . tcp . 80 :");
    }

    @Test
    void whatAnEarlierRunLeftIsReplacedAtOnceButMemoriesAreKept() {
        ServicePlan web = plan("web", "10.96.1.1", "", 60, "10.244.0.2");
        String memory = web.memories().keySet().iterator().next();
        String script = rules.replace(
                Map.of("shop/web", web), Set.of("guard", "svc-old", "end-old"), Set.of("own", "mem-old", memory));
        assertThat(script)
                .contains("flush map ip t services", "delete chain ip t svc-old", "delete set ip t mem-old")
                .doesNotContain("delete set ip t " + memory, "flush set ip t " + memory, "chain ip t guard");
    }
}
