package lavaflow.simulation;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/** As {@link RefusedPodsTest}, but whoever lets no pod in is a program behind HTTPS, or should be. */
class RefusingWebhooksTest {
    /** As long as a server waits for an answer at most: the wait is real, and a machine may be slow. */
    private static final int LONGEST = 30;

    @ParameterizedTest
    @CsvSource({
        "deployments, 30",
        "replicasets, 30",
        "replicationcontrollers, 30",
        "statefulsets, 30",
        "daemonsets, 3",
        "jobs, 30"
    })
    void aProgramThatDeniesEveryPodIsAskedMoreAndMoreRarely(String resource, int wanted) throws Exception {
        try (TestingWorld world = new TestingWorld(3);
                TestingWebhook webhook = TestingWebhook.denying("no pods today")) {
            world.review("pods", webhook.address(), LONGEST);
            world.create(RefusedPodsTest.KINDS.get(resource), RefusedPodsTest.workload(resource));
            List<Integer> requests = world.minutes(4);
            assertThat(requests.get(0)).isLessThan(70);
            assertThat(requests.subList(1, 4)).allMatch(count -> count <= 5);
            assertThat(webhook.reviews()).isBetween(5, 40);
            assertThat(world.all(Kinds.PODS)).isEmpty();
            assertThat(world.said("FailedCreate").keySet())
                    .hasSizeBetween(1, 10)
                    .allMatch(message -> message.contains(
                            "admission webhook \"review.example.com\" denied the request: no pods today"));

            world.reviewNoMore();
            world.pass(Duration.ofMinutes(1));
            assertThat(world.all(Kinds.PODS)).hasSize(wanted);
        }
    }

    /** The wait of a second for each answer is real. */
    @Test
    void aProgramThatDoesNotAnswerHoldsNobodyUpForLong() throws Exception {
        try (TestingWorld world = new TestingWorld(3);
                TestingWebhook webhook = TestingWebhook.silent()) {
            world.review("pods", webhook.address(), 1);
            world.create(Kinds.REPLICA_SETS, RefusedPodsTest.workload("replicasets"));
            // Whether a question arrives within its second is up to the machine, how often somebody asks is not.
            assertThat(world.pass(Duration.ofSeconds(20)).get("create pods")).isBetween(5, 15);
            assertThat(webhook.reviews()).isLessThanOrEqualTo(15);
            assertThat(world.all(Kinds.PODS)).isEmpty();
            assertThat(world.said("FailedCreate").keySet())
                    .hasSize(1)
                    .allMatch(message -> message.contains("failed calling webhook \"review.example.com\"")
                            && message.endsWith("context deadline exceeded"));

            world.reviewNoMore();
            world.pass(Duration.ofMinutes(1));
            assertThat(world.all(Kinds.PODS)).hasSize(30);
        }
    }

    @Test
    void aProgramThatIsNotThereIsTriedMoreAndMoreRarely() throws Exception {
        // Bound and not listening: nobody else can come to be there.
        try (TestingWorld world = new TestingWorld(3);
                Socket taken = new Socket()) {
            taken.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            String address = "{url: \"https://127.0.0.1:" + taken.getLocalPort() + "/review\"}";
            world.review("pods", address, LONGEST);
            world.create(Kinds.DEPLOYMENTS, RefusedPodsTest.workload("deployments"));
            List<Integer> requests = world.minutes(4);
            assertThat(requests.get(0)).isLessThan(70);
            assertThat(requests.subList(1, 4)).allMatch(count -> count <= 5);
            assertThat(world.said("FailedCreate").keySet())
                    .hasSize(1)
                    .allMatch(message -> message.contains("failed calling webhook \"review.example.com\"")
                            && message.endsWith("connect: connection refused"));

            world.reviewNoMore();
            world.pass(Duration.ofMinutes(1));
            assertThat(world.all(Kinds.PODS)).hasSize(30);
        }
    }
}
