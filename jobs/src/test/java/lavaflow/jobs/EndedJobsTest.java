package lavaflow.jobs;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class EndedJobsTest {
    private final EndedJobs ended = new EndedJobs();

    private void becomes(String name, String before, String phase) {
        ObjectNode was = (ObjectNode) Json.parse("{\"state\":{\"phase\":\"" + before + "\"}}");
        ObjectNode job = (ObjectNode) Json.parse("{\"metadata\":{\"namespace\":\"team\",\"name\":\"" + name
                + "\"},\"spec\":{\"queue\":\"lab\"},\"status\":{\"state\":{\"phase\":\"" + phase + "\"}}}");
        ended.told(job, was);
    }

    @Test
    void onlyTheMomentAJobEndsIsCounted() {
        becomes("a", "Pending", "Running");
        becomes("a", "Completing", "Completed");
        becomes("a", "Completed", "Completed");
        becomes("b", "Running", "Failed");
        assertThat(ended.metrics()).isEqualTo("""
                # TYPE volcano_job_completed_phase_count counter
                volcano_job_completed_phase_count{job_name="team/a",queue_name="lab"} 1
                # TYPE volcano_job_failed_phase_count counter
                volcano_job_failed_phase_count{job_name="team/b",queue_name="lab"} 1
                """);
    }

    @Test
    void whatIsGoneIsNotToldAnyMore() {
        becomes("a", "", "Completed");
        becomes("ab", "", "Completed");
        ended.forget(new JobKey("team", "a"));
        assertThat(ended.metrics()).contains("team/ab").doesNotContain("team/a\"");
    }
}
