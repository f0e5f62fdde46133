package lavaflow.cluster;

import java.util.Map;
import java.util.TreeMap;

import lavaflow.controller.KubeApi;
import lavaflow.controller.TestingKubeApi;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;
import lavaflow.kube.Quantity;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static lavaflow.cluster.TestingCluster.CLAIMS;
import static lavaflow.cluster.TestingCluster.DEPLOYMENTS;
import static lavaflow.cluster.TestingCluster.MAPS;
import static lavaflow.cluster.TestingCluster.PODS;
import static lavaflow.cluster.TestingCluster.QUOTAS;
import static lavaflow.cluster.TestingCluster.SECRETS;
import static lavaflow.cluster.TestingCluster.SERVICES;
import static lavaflow.cluster.TestingCluster.named;
import static org.assertj.core.api.Assertions.assertThat;

class QuotaStatusTest {
    private final TestingCluster cluster = new TestingCluster();
    private final TestingKubeApi api = cluster.api;

    @BeforeEach
    void start() {
        cluster.run(new QuotaStatus(api, cluster.followers, cluster.clock(), cluster.nanoTime()).controller());
        cluster.namespace("team");
        cluster.namespace("other");
        cluster.settle();
    }

    private static ObjectNode quota(String name, Map<String, String> hard) {
        ObjectNode quota = named(name);
        ObjectNode limits = quota.putObject("spec").putObject("hard");
        new TreeMap<>(hard).forEach(limits::put);
        return quota;
    }

    private void limit(Map<String, String> hard) {
        api.create(QUOTAS, "team", quota("limits", hard));
        cluster.settle();
    }

    private static ObjectNode pod(String name, String cpu) {
        ObjectNode pod = named(name);
        ObjectNode container = pod.putObject("spec").putArray("containers").addObject();
        container.put("name", "main");
        if (!cpu.isEmpty()) {
            container.putObject("resources").putObject("requests").put("cpu", cpu);
        }
        return pod;
    }

    private Map<String, String> used() {
        return amounts("limits", "used");
    }

    private Map<String, String> amounts(String quota, String part) {
        Map<String, String> amounts = new TreeMap<>();
        api.get(QUOTAS, "team", quota)
                .path("status")
                .path(part)
                .properties()
                .forEach(entry -> amounts.put(entry.getKey(), entry.getValue().asText()));
        return amounts;
    }

    /** What admission does to a quota before it lets a write in. */
    private void note(String name, String amount) {
        ObjectNode quota = api.get(QUOTAS, "team", "limits");
        Json.ensureObject(quota, "status", "used").put(name, amount);
        api.update(QUOTAS, "status", quota);
    }

    @Test
    void aNewQuotaIsCountedAtOnce() {
        api.create(PODS, "team", pod("a", "100m"));
        api.create(PODS, "team", pod("b", "1"));
        api.create(PODS, "other", pod("c", "1"));
        limit(Map.of("pods", "10", "requests.cpu", "4", "configmaps", "5"));

        assertThat(amounts("limits", "hard")).isEqualTo(Map.of("pods", "10", "requests.cpu", "4", "configmaps", "5"));
        assertThat(used()).isEqualTo(Map.of("pods", "2", "requests.cpu", "1100m", "configmaps", "0"));
    }

    @Test
    void devicesAreCountedByClass() {
        ObjectNode claim = named("c");
        ObjectNode request =
                Json.ensureObject(claim, "spec", "devices").putArray("requests").addObject();
        request.putObject("exactly")
                .put("deviceClassName", "gpu")
                .put("allocationMode", "ExactCount")
                .put("count", 3);
        api.create(DeviceClaim.KIND, "team", claim);
        limit(Map.of("gpu.deviceclass.resource.k8s.io/devices", "4"));
        assertThat(used()).isEqualTo(Map.of("gpu.deviceclass.resource.k8s.io/devices", "3"));
    }

    @Test
    void everyKindIsCountedUnderItsName() {
        api.create(DEPLOYMENTS, "team", named("a"));
        api.create(SECRETS, "team", named("b"));
        ObjectNode service = named("c");
        service.putObject("spec")
                .put("type", "NodePort")
                .putArray("ports")
                .addObject()
                .put("port", 80);
        api.create(SERVICES, "team", service);
        ObjectNode claim = named("d");
        Json.ensureObject(claim, "spec", "resources", "requests").put("storage", "2Gi");
        api.create(CLAIMS, "team", claim);
        limit(Map.of(
                "count/deployments.apps", "9",
                "count/secrets", "9",
                "secrets", "9",
                "services", "9",
                "services.nodeports", "9",
                "persistentvolumeclaims", "9",
                "requests.storage", "9Gi",
                "resourcequotas", "9"));

        assertThat(used())
                .isEqualTo(Map.of(
                        "count/deployments.apps", "1",
                        "count/secrets", "1",
                        "secrets", "1",
                        "services", "1",
                        "services.nodeports", "1",
                        "persistentvolumeclaims", "1",
                        "requests.storage", "2Gi",
                        "resourcequotas", "1"));
    }

    @Test
    void whatNobodyCountsIsNotUsed() {
        limit(Map.of("count/widgets.example.com", "9", "count/events", "9", "pods", "9"));

        assertThat(amounts("limits", "hard")).hasSize(3);
        assertThat(used()).isEqualTo(Map.of("pods", "0"));
    }

    @Test
    void kindsThatComeLaterAreCounted() {
        limit(Map.of("count/widgets.example.com", "9"));
        KubeApi.Kind widgets = new KubeApi.Kind("example.com", "v1", "widgets", true);
        api.serve(widgets, "Widget");
        api.create(widgets, "team", named("a"));
        cluster.settle();

        assertThat(used()).isEqualTo(Map.of("count/widgets.example.com", "1"));
    }

    @Test
    void scopesChooseWhatCounts() {
        api.create(PODS, "team", pod("idle", ""));
        api.create(PODS, "team", pod("busy", "1"));
        ObjectNode quota = quota("limits", Map.of("pods", "10"));
        Json.ensureObject(quota, "spec").putArray("scopes").add("BestEffort");
        api.create(QUOTAS, "team", quota);
        cluster.settle();

        assertThat(used()).isEqualTo(Map.of("pods", "1"));
    }

    @Test
    void whatComesAndGoesIsCountedAgainSoon() {
        limit(Map.of("configmaps", "10"));
        api.create(MAPS, "team", named("a"));
        api.create(MAPS, "team", named("b"));
        cluster.settle();
        cluster.pass(QuotaStatus.SETTLE);
        assertThat(used()).containsEntry("configmaps", "2");

        cluster.delete(MAPS, "team", "a", "Background");
        cluster.settle();
        cluster.pass(QuotaStatus.SETTLE);
        assertThat(used()).containsEntry("configmaps", "1");
    }

    @Test
    void whatChangesIsCountedAgain() {
        api.create(PODS, "team", pod("a", "1"));
        limit(Map.of("pods", "10", "cpu", "10"));
        api.edit(PODS, "team", "a", pod -> {
            pod.putObject("status").put("phase", "Succeeded");
            return pod;
        });
        cluster.settle();
        cluster.pass(QuotaStatus.SETTLE);

        assertThat(used()).isEqualTo(Map.of("pods", "0", "cpu", "0"));
    }

    @Test
    void manyChangesAreOneCount() {
        limit(Map.of("configmaps", "1000"));
        api.takeWrites();
        for (int i = 0; i < 100; i++) {
            api.create(MAPS, "team", named("map-" + i));
            cluster.settle();
        }
        cluster.pass(QuotaStatus.SETTLE);

        assertThat(used()).containsEntry("configmaps", "100");
        assertThat(api.takeWrites().stream().filter(write -> write.startsWith("update")))
                .hasSize(1);
    }

    @Test
    void aChangedLimitIsTakenOver() {
        api.create(MAPS, "team", named("a"));
        api.create(SECRETS, "team", named("b"));
        limit(Map.of("configmaps", "10"));
        api.edit(QUOTAS, "team", "limits", quota -> {
            Json.ensureObject(quota, "spec").putObject("hard").put("secrets", "5");
            return quota;
        });
        cluster.settle();
        cluster.pass(QuotaStatus.SETTLE);

        assertThat(amounts("limits", "hard")).isEqualTo(Map.of("secrets", "5"));
        assertThat(used()).isEqualTo(Map.of("secrets", "1"));
    }

    @Test
    void namespacesWithoutQuotasAndKindsThatDoNotCountCostNothing() {
        limit(Map.of("configmaps", "10"));
        cluster.pass(QuotaStatus.SETTLE);
        api.create(MAPS, "other", named("a"));
        api.create(SECRETS, "team", named("b"));
        api.takeWrites();
        cluster.settle();
        cluster.pass(QuotaStatus.SETTLE);

        assertThat(api.requestCount()).isZero();
    }

    @Test
    void aQuotaThatIsGoneCostsNothing() {
        limit(Map.of("configmaps", "10"));
        cluster.delete(QUOTAS, "team", "limits", "Background");
        cluster.settle();
        cluster.pass(QuotaStatus.SETTLE);
        api.create(MAPS, "team", named("a"));
        api.takeWrites();
        cluster.settle();
        cluster.pass(QuotaStatus.SETTLE);

        assertThat(api.requestCount()).isZero();
    }

    @Test
    void aCountThatIsRightIsNotWrittenAgain() {
        limit(Map.of("configmaps", "10"));
        cluster.pass(QuotaStatus.SETTLE);
        api.takeWrites();
        cluster.pass(QuotaStatus.RESYNC);

        assertThat(api.takeWrites()).isEmpty();
    }

    @Test
    void whatAdmissionNotedIsNotGivenBackBeforeTheWriteCanHaveArrived() {
        limit(Map.of("configmaps", "10"));
        cluster.pass(QuotaStatus.SETTLE);
        note("configmaps", "1");
        cluster.settle();
        cluster.pass(QuotaStatus.SETTLE);
        assertThat(used()).containsEntry("configmaps", "1");

        cluster.pass(QuotaStatus.SETTLE);
        assertThat(used()).as("the write never came").containsEntry("configmaps", "0");
    }

    @Test
    void whatWentIsGivenBackAlthoughOthersAreUnderWay() {
        for (int i = 0; i < 5; i++) {
            api.create(MAPS, "team", named("map-" + i));
        }
        limit(Map.of("configmaps", "10"));
        cluster.pass(QuotaStatus.SETTLE);
        cluster.delete(MAPS, "team", "map-0", "Background");
        cluster.delete(MAPS, "team", "map-1", "Background");
        note("configmaps", "6");
        cluster.settle();
        cluster.pass(QuotaStatus.SETTLE);

        assertThat(used()).as("three are there, one is under way").containsEntry("configmaps", "4");
    }

    @Test
    void aQuotaThatAdmissionChangedMeanwhileIsCountedAgain() {
        limit(Map.of("configmaps", "10"));
        api.create(MAPS, "team", named("a"));
        api.fail("update resourcequotas/status team/limits", ApiException.conflict("", "resourcequotas", "limits", ""));
        cluster.settle();
        cluster.pass(QuotaStatus.SETTLE);
        cluster.pass(java.time.Duration.ofMillis(5));

        assertThat(used()).containsEntry("configmaps", "1");
    }

    @Test
    void missedChangesAreCounted() {
        api.create(MAPS, "team", named("a"));
        limit(Map.of("configmaps", "10"));
        api.delete(MAPS, "team", "a", KubeApi.Deletion.PLAIN);
        api.compact();
        cluster.settle();

        assertThat(used()).containsEntry("configmaps", "0");
    }

    @ParameterizedTest
    @CsvSource({
        "5, 5, 5, 5",
        "7, 5, 5, 7",
        "3, 5, 5, 3",
        "3, 5, 4, 4",
        "3, 5, 0, 5",
        "3, 5, 9, 3",
    })
    void usedIsWhatWasCountedPlusWhatIsUnderWay(long counted, long said, long before, long expected) {
        assertThat(QuotaStatus.settled(of(counted), of(said), of(before))).isEqualTo(of(expected));
    }

    @Test
    void aQuotaThatSaidNothingYetSaysWhatWasCounted() {
        assertThat(QuotaStatus.settled(of(3), null, null)).isEqualTo(of(3));
    }

    private static Quantity of(long amount) {
        return Quantity.of(amount, Quantity.Format.DECIMAL_SI);
    }
}
