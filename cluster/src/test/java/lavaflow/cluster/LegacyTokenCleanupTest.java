package lavaflow.cluster;

import java.time.Duration;
import java.time.ZoneOffset;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static lavaflow.cluster.TestingCluster.ACCOUNTS;
import static lavaflow.cluster.TestingCluster.MAPS;
import static lavaflow.cluster.TestingCluster.PODS;
import static lavaflow.cluster.TestingCluster.SECRETS;
import static lavaflow.cluster.TestingCluster.named;
import static org.assertj.core.api.Assertions.assertThat;

/** Tokens that nobody uses: marked after a year, deleted after another. */
class LegacyTokenCleanupTest {
    private static final String INVALID = "kubernetes.io/legacy-token-invalid-since";
    private static final String USED = "kubernetes.io/legacy-token-last-used";
    private static final Duration YEAR = LegacyTokenCleanup.PERIOD;

    private final TestingCluster cluster = new TestingCluster();

    @BeforeEach
    void start() {
        cluster.namespace("default");
        cluster.namespace("kube-system");
        cluster.run(new LegacyTokenCleanup(cluster.api, cluster.followers, cluster.clock(), cluster.nanoTime())
                .controller());
        cluster.settle();
    }

    private String today() {
        return cluster.clock().instant().atOffset(ZoneOffset.UTC).toLocalDate().toString();
    }

    private void track() {
        ObjectNode map = named(LegacyTokenCleanup.TRACKING);
        map.putObject("data").put("since", today());
        cluster.api.create(MAPS, "kube-system", map);
    }

    private void account(String... secrets) {
        ObjectNode account = named("app");
        for (String secret : secrets) {
            account.withArray("secrets").addObject().put("name", secret);
        }
        cluster.api.create(ACCOUNTS, "default", account);
    }

    private void secret(String name) {
        ObjectNode secret = named(name);
        secret.put("type", "kubernetes.io/service-account-token");
        Json.ensureObject(secret, "metadata")
                .put("creationTimestamp", cluster.clock().instant().toString())
                .putObject("annotations")
                .put("kubernetes.io/service-account.name", "app");
        cluster.api.create(SECRETS, "default", secret);
    }

    private void label(String name, String label, String value) {
        ObjectNode patch = Json.object();
        Json.ensureObject(patch, "metadata", "labels").put(label, value);
        cluster.api.patch(SECRETS, "default", name, "", lavaflow.controller.KubeApi.Merge.PLAIN, patch);
    }

    private String invalidSince(String name) {
        return Json.textAt(cluster.api.find(SECRETS, "default", name).orElseThrow(), "metadata", "labels", INVALID);
    }

    @Test
    void whatIsNotUsedForAYearIsMarkedAndAYearLaterDeleted() {
        track();
        account("old");
        secret("old");
        cluster.pass(YEAR);
        assertThat(invalidSince("old")).isEmpty();

        cluster.pass(Duration.ofDays(3));
        assertThat(invalidSince("old")).isNotEmpty();
        cluster.pass(YEAR.minusDays(3));
        assertThat(cluster.api.has(SECRETS, "default", "old")).isTrue();

        cluster.pass(Duration.ofDays(5));
        assertThat(cluster.api.has(SECRETS, "default", "old")).isFalse();
    }

    @Test
    void whatIsUsedStays() {
        track();
        account("used", "strange");
        secret("used");
        secret("strange");
        label("strange", USED, "yesterday");
        cluster.pass(Duration.ofDays(300));
        label("used", USED, today());
        cluster.pass(Duration.ofDays(100));

        assertThat(invalidSince("used")).isEmpty();
        assertThat(invalidSince("strange")).isEmpty();
        cluster.pass(Duration.ofDays(300));
        assertThat(invalidSince("used")).isNotEmpty();
    }

    @Test
    void whatPeopleMadeAndWhatPodsNameStays() {
        track();
        account("mounted");
        secret("mounted");
        secret("by-hand");
        ObjectNode pod = named("p");
        pod.putObject("spec")
                .putArray("volumes")
                .addObject()
                .putObject("secret")
                .put("secretName", "mounted");
        cluster.api.create(PODS, "default", pod);

        cluster.pass(YEAR.plusDays(5));

        assertThat(invalidSince("mounted")).isEmpty();
        assertThat(invalidSince("by-hand")).isEmpty();
    }

    @Test
    void nothingHappensWhileUseHasNotBeenWatchedForAYear() {
        account("old");
        secret("old");
        cluster.pass(YEAR.plusDays(5));
        assertThat(invalidSince("old")).isEmpty();

        track();
        cluster.pass(YEAR.minusDays(1));
        assertThat(invalidSince("old")).isEmpty();
        cluster.pass(Duration.ofDays(3));
        assertThat(invalidSince("old")).isNotEmpty();
    }

    @Test
    void aMarkThatIsNoDateIsMadeOne() {
        track();
        account("old");
        secret("old");
        label("old", INVALID, "long-ago");

        cluster.pass(YEAR.plusDays(3));

        assertThat(invalidSince("old")).matches("\\d{4}-\\d\\d-\\d\\d");
    }
}
