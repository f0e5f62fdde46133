package lavaflow.training;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;

import lavaflow.controller.Outcome;
import lavaflow.controller.Step;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class HoldupTest {
    private static final Instant NOW = Instant.parse("2030-01-02T03:04:05Z");
    private static final String CLOSED =
            "PyTorchJob digits is created. Its PodGroup cannot be made: queue `closed` status is `Closed`.";

    private final ObjectNode job = TestingJobs.job("PyTorchJob", "Master=1");

    private static Outcome refused(int code) {
        ApiException why = ApiException.of(
                code,
                "Forbidden",
                "admission webhook \"validatepodgroup.volcano.sh\" denied the request: queue `closed` status is `Closed`. ");
        Step step = new Step.Create(Gang.VOLCANO_GROUPS, "team", Json.object());
        return new Outcome(List.of(), List.of(new Outcome.Refused(step, why)), 0);
    }

    private static ObjectNode status(String... conditions) {
        ObjectNode status = Json.object();
        Conditions all = new Conditions(status, NOW);
        for (String condition : conditions) {
            all.become(
                    condition,
                    "PyTorchJob" + condition,
                    "PyTorchJob digits is " + condition.toLowerCase(Locale.ROOT) + ".");
        }
        return status;
    }

    @Test
    void whatIsRefusedIsSaidInTheCondition() {
        ObjectNode told = Holdup.refused(job, status("Created"), refused(403), NOW);
        assertThat(Conditions.message(told, "Created")).isEqualTo(CLOSED);
    }

    @Test
    void theSameRefusalIsWrittenOnce() {
        job.set("status", Holdup.refused(job, status("Created"), refused(403), NOW));
        Instant later = NOW.plus(Duration.ofMinutes(1));
        assertThat(Holdup.refused(job, null, refused(403), later)).isNull();
        ObjectNode withoutIt = job.path("status").deepCopy();
        new Conditions(withoutIt, later).remark("Created", "PyTorchJob digits is created.", Duration.ZERO);
        assertThat(Holdup.refused(job, withoutIt, refused(403), later)).isNull();
    }

    @Test
    void aJobThatRunsOrHasEndedSaysNothingOfIt() {
        for (String condition : List.of("Running", "Succeeded", "Failed")) {
            ObjectNode status = status("Created", condition);
            assertThat(Holdup.refused(job, status, refused(403), NOW)).isSameAs(status);
            assertThat(Conditions.message(status, "Created")).isEqualTo("PyTorchJob digits is created.");
        }
    }

    @Test
    void whatPassesByItselfIsNotSaid() {
        for (int code : List.of(409, 429, 500, 503)) {
            assertThat(Holdup.refused(job, null, refused(code), NOW)).isNull();
        }
    }
}
