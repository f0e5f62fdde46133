package lavaflow.cluster;

import java.time.Duration;
import java.time.temporal.ChronoUnit;

import lavaflow.controller.KubeApi;
import lavaflow.controller.TestingKubeApi;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static lavaflow.cluster.TestingCluster.named;
import static org.assertj.core.api.Assertions.assertThat;

class CertificateRequestCleanupTest {
    private static final KubeApi.Kind REQUESTS =
            new KubeApi.Kind("certificates.k8s.io", "v1", "certificatesigningrequests", false);
    private static final Duration MOMENT = Duration.ofSeconds(2);

    private final TestingCluster cluster = new TestingCluster();
    private final TestingKubeApi api = cluster.api.serve(REQUESTS, "CertificateSigningRequest");

    @BeforeEach
    void start() {
        cluster.run(new CertificateRequestCleanup(api, cluster.followers, cluster.clock(), cluster.nanoTime())
                .controller());
    }

    private void request(String condition, boolean issued) {
        ObjectNode request = named("r");
        ObjectNode status = request.putObject("status");
        if (!condition.isEmpty()) {
            status.putArray("conditions")
                    .addObject()
                    .put("type", condition)
                    .put("status", "True")
                    .put(
                            "lastUpdateTime",
                            cluster.clock()
                                    .instant()
                                    .truncatedTo(ChronoUnit.SECONDS)
                                    .toString());
        }
        if (issued) {
            status.put("certificate", "bm8=");
        }
        api.create(REQUESTS, "", request);
        cluster.settle();
    }

    private void livesFor(Duration time) {
        cluster.pass(time.minus(MOMENT));
        assertThat(api.has(REQUESTS, "", "r")).isTrue();
        cluster.pass(MOMENT.multipliedBy(2));
        assertThat(api.has(REQUESTS, "", "r")).isFalse();
    }

    @Test
    void whatWasIssuedIsKeptForAnHour() {
        request("Approved", true);
        livesFor(CertificateRequestCleanup.DECIDED);
    }

    @Test
    void whatWasDeniedIsKeptForAnHour() {
        request("Denied", false);
        livesFor(CertificateRequestCleanup.DECIDED);
    }

    @Test
    void whatFailedIsKeptForAnHour() {
        request("Failed", false);
        livesFor(CertificateRequestCleanup.DECIDED);
    }

    @Test
    void whatNobodyDecidesIsKeptForADay() {
        request("", false);
        livesFor(CertificateRequestCleanup.PENDING);
    }

    @Test
    void whatWaitsForItsSignerStays() {
        request("Approved", false);
        cluster.pass(Duration.ofDays(30));
        assertThat(api.has(REQUESTS, "", "r")).isTrue();
        assertThat(Json.textAt(api.find(REQUESTS, "", "r").orElseThrow(), "metadata", "name"))
                .isEqualTo("r");
    }
}
