package lavaflow;

import java.lang.reflect.Proxy;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CountDownLatch;

import lavaflow.controller.KubeApi;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

class WebhookRegistrationTest {
    private static final Set<Webhook> WEBHOOKS =
            Set.of(VolcanoWebhook.VALIDATE_JOBS, VolcanoWebhook.VALIDATE_QUEUES, VolcanoWebhook.VALIDATE_PODS);

    /** What was to be deleted. */
    private final Set<String> asked = new ConcurrentSkipListSet<>();

    private WebhookRegistration registration(CountDownLatch answers) {
        KubeApi api = (KubeApi) Proxy.newProxyInstance(
                KubeApi.class.getClassLoader(), new Class<?>[] {KubeApi.class}, (_, method, arguments) -> {
                    assertThat(method.getName()).isEqualTo("delete");
                    asked.add((String) arguments[2]);
                    answers.await();
                    return true;
                });
        return new WebhookRegistration(
                api, new WebhookRegistration.Callers("https://127.0.0.1:1", "", "n"), "", WEBHOOKS);
    }

    @Test
    @Timeout(120)
    void aServerThatNeverAnswersDoesNotKeepItFromEnding() {
        registration(new CountDownLatch(1)).close();

        assertThat(asked).as("each was tried").hasSize(WEBHOOKS.size());
    }

    @Test
    void allAreTakenBack() {
        registration(new CountDownLatch(0)).close();

        assertThat(asked).hasSize(WEBHOOKS.size());
    }
}
