package lavaflow.kinds;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class JobStatusesTest {
    private static ObjectNode job(int parallelism, int completions, int succeeded) {
        ObjectNode job = Json.object();
        job.putObject("spec")
                .put("completionMode", "Indexed")
                .put("parallelism", parallelism)
                .put("completions", completions);
        job.putObject("status").put("succeeded", succeeded);
        return job;
    }

    private static boolean mayShrink(int parallelism, int completions) {
        FieldErrors errors = new FieldErrors();
        new JobStatuses(job(parallelism, completions, 1), job(parallelism, completions, 2), errors).validate();
        return errors.isEmpty();
    }

    @Test
    void onlyAJobAsWideAsLongMayForgetSuccesses() {
        assertThat(mayShrink(2, 2)).isTrue();
        assertThat(mayShrink(1, 2)).isFalse();
    }
}
