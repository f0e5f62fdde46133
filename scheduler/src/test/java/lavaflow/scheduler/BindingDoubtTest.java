package lavaflow.scheduler;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;

import lavaflow.controller.KubeApi;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** What becomes of writes whose outcome is not known, while the watch is late. */
class BindingDoubtTest extends TestingGangCluster {
    private boolean losesAnswers;

    @Override
    KubeApi asSeen() {
        return (KubeApi) Proxy.newProxyInstance(
                KubeApi.class.getClassLoader(),
                new Class<?>[] {KubeApi.class},
                (_, method, arguments) -> answer(method, arguments));
    }

    private Object answer(Method method, Object[] arguments) throws Throwable {
        try {
            Object answer = method.invoke(api, arguments);
            if (losesAnswers && method.getName().equals("post")) {
                throw ApiException.of(504, "Timeout", "no answer");
            }
            return answer;
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    /** Lets time pass in which nothing is heard of. */
    private void laterUnheard(Duration time) {
        now = now.plus(time);
        while (scheduler.step()) {
            // Each step does one thing.
        }
    }

    @Test
    void aNodeThatWasGivenWithoutAnAnswerIsNotGivenAgain() {
        node("n", 4);
        group("g", 1);
        settle();
        member("g-0", "g");
        plain("p", 1);
        followers.pump();
        losesAnswers = true;
        laterUnheard(Duration.ZERO);
        assertThat(writes("binding")).hasSize(2);

        losesAnswers = false;
        laterUnheard(Duration.ofMinutes(1));
        assertThat(writes("binding"))
                .as("the watch has not told yet, and it was asked")
                .isEmpty();
    }

    @Test
    void roomThatMayBeTakenIsGivenToNobodyElse() {
        node("n", 1);
        settle();
        plain("p", 1);
        followers.pump();
        losesAnswers = true;
        laterUnheard(Duration.ZERO);
        losesAnswers = false;
        group("g", 1);
        member("g-0", "g");
        now = now.plus(Duration.ofMinutes(1));
        settle();

        assertThat(nodeOf("p")).isEqualTo("n");
        assertThat(nodeOf("g-0")).isEmpty();
    }

    @Test
    void whereNobodyCanSayItIsAskedAgain() {
        node("n", 4);
        group("g", 1);
        settle();
        for (String name : new String[] {"g-0", "p"}) {
            api.fail("post pods/binding default/" + name, ApiException.of(503, "ServiceUnavailable", "down"));
            api.fail("find pods default/" + name, ApiException.of(503, "ServiceUnavailable", "down"));
        }
        member("g-0", "g");
        plain("p", 1);
        settle();
        assertThat(nodeOf("g-0")).isEmpty();
        assertThat(nodeOf("p")).isEmpty();
        later(Duration.ofSeconds(2));
        later(Duration.ofSeconds(2));
        later(Duration.ofSeconds(2));

        assertThat(nodeOf("g-0")).isEqualTo("n");
        assertThat(nodeOf("p")).isEqualTo("n");
        assertThat(writes("binding")).as("one failed, one did not, each").hasSize(4);
    }

    @Test
    void aStatusThatMetAConflictIsToldAgain() {
        node("n", 4);
        group("g", 1);
        settle();
        api.fail(
                "patch podgroups.scheduling.volcano.sh default/g",
                ApiException.of(409, "Conflict", "somebody was quicker"));
        member("g-0", "g");
        settle();
        later(Duration.ofSeconds(2));

        assertThat(Json.textAt(status("g"), "phase")).isEqualTo("Running");
    }
}
