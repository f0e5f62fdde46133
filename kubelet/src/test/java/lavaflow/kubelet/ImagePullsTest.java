package lavaflow.kubelet;

import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

import lavaflow.controller.QueuedEvents;
import lavaflow.image.Image;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

class ImagePullsTest {
    private static final String ACCESSIBLE =
            "Pulled: Container image \"model:1\" already present on machine and can be accessed by the pod";
    private static final String PULLING = "Pulling: Pulling image \"model:1\"";
    private static final String NOT_PRESENT = "Container image \"model:1\" is not present with pull policy of Never";

    private final TestingImages images = new TestingImages();
    private final BlockingQueue<String> told = new LinkedBlockingQueue<>();
    private final QueuedEvents queue = new QueuedEvents((_, _, reason, message) -> told.add(reason + ": " + message));
    private int asked;
    private final Environment.Objects objects = new Environment.Objects() {
        @Override
        public Optional<ObjectNode> configMap(String namespace, String name) {
            return Optional.empty();
        }

        @Override
        public Optional<ObjectNode> secret(String namespace, String name) {
            asked++;
            return name.equals("right")
                    ? Optional.of(TestingImages.secret(name, "key"))
                    : Optional.of(TestingImages.secret(name, "another"));
        }
    };
    private final ImagePulls pulls = new ImagePulls(images, objects, new PodEvents(queue), () -> TestingPod.NOW);

    @AfterEach
    void close() {
        queue.close();
    }

    private Image get(String policy, String secret) throws StartFailure {
        PodView pod = TestingPod.of("{imagePullSecrets: [{name: " + secret
                        + "}], containers: [{name: a, image: 'model:1', imagePullPolicy: " + policy + "}]}")
                .view();
        return pulls.get(pod, pod.containers().getFirst(), new ContainerLife("a"));
    }

    private StartFailure failure(String policy, String secret) {
        return catchThrowableOfType(StartFailure.class, () -> get(policy, secret));
    }

    private void told(String... events) throws InterruptedException {
        for (String event : events) {
            assertThat(told.poll(120, SECONDS)).isEqualTo(event);
        }
        assertThat(told).isEmpty();
    }

    @Test
    void whatIsForEverybodyNeedsNoSecret() throws Exception {
        images.present = true;
        get("IfNotPresent", "wrong");
        get("Never", "wrong");
        told(ACCESSIBLE, ACCESSIBLE);
        assertThat(asked).as("secrets that were read").isZero();
    }

    @Test
    void aPodWithTheRightSecretFindsTheImage() throws Exception {
        images.present = true;
        images.opener = "key";
        get("IfNotPresent", "right");
        get("Never", "right");
        told(ACCESSIBLE, ACCESSIBLE);
        assertThat(images.asked).isEmpty();
    }

    @Test
    void aPodWithoutItPullsAsIfTheImageWereNotThere() throws Exception {
        images.present = true;
        images.opener = "key";
        StartFailure failure = failure("IfNotPresent", "wrong");
        assertThat(failure.reason()).isEqualTo("ErrImagePull");
        assertThat(images.asked).containsExactly("model:1");
        told(PULLING, "Failed: Failed to pull image \"model:1\": pull access denied", "Failed: Error: ErrImagePull");
    }

    @Test
    void aPodThatNeverPullsIsToldThatItIsNotThere() throws Exception {
        images.present = true;
        images.opener = "key";
        StartFailure failure = failure("Never", "wrong");
        assertThat(failure.reason()).isEqualTo("ErrImageNeverPull");
        assertThat(failure.text()).isEqualTo(NOT_PRESENT);
        assertThat(images.asked).isEmpty();
        told("ErrImageNeverPull: " + NOT_PRESENT, "Failed: Error: ErrImageNeverPull");
    }

    @Test
    void whoAlwaysPullsAsksTheRegistry() throws Exception {
        images.present = true;
        get("Always", "right");
        assertThat(images.asked).containsExactly("model:1");
    }
}
