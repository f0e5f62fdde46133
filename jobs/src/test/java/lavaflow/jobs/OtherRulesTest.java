package lavaflow.jobs;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static lavaflow.jobs.TestingManifests.yaml;
import static org.assertj.core.api.Assertions.assertThat;

/** CronJobs and JobFlows that are refused, in the words of Volcano's webhooks. */
class OtherRulesTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "schedule: '*/5 * * * *'|''",
                "schedule: '@hourly'|''",
                "schedule: ''|schedule is required, but got empty",
                "schedule: 'TZ=UTC * * * * *'|schedule should not contain TZ or CRON_TZ, TZ should only be set in the timeZone field",
                "schedule: '* * * *'|schedule is not a valid cron expression",
                "schedule: '61 * * * *'|schedule is not a valid cron expression",
                "schedule: '* * * * *', timeZone: Asia/Shanghai|''",
                "schedule: '* * * * *', timeZone: ''|timeZone must be nil or non-empty string, got empty string",
                "schedule: '* * * * *', timeZone: Local|timeZone can't be Local, and must be defined in https://www.iana.org/time-zones",
                "schedule: '* * * * *', timeZone: Mars/Base|invalid timeZone",
                "schedule: '* * * * *', timeZone: '../UTC'|unknown timeZone invalid timeZone",
                "schedule: '* * * * *', timeZone: '-/UTC'|unknown timeZone invalid timeZone"
            })
    void judgesSchedules(String spec, String expected) {
        ObjectNode cron = yaml("{metadata: {name: nightly}, spec: {" + spec + "}}");
        assertThat(CronJobRules.refusal(cron).strip()).isEqualTo(expected);
    }

    @Test
    void leavesRoomInTheNameOfACronJobForThoseOfItsJobs() {
        ObjectNode cron = yaml("{metadata: {name: " + "a".repeat(52) + "}, spec: {schedule: '* * * * *'}}");
        assertThat(CronJobRules.refusal(cron)).isEmpty();
        ((ObjectNode) cron.get("metadata")).put("name", "a".repeat(53));
        assertThat(CronJobRules.refusal(cron))
                .isEqualTo(
                        "cronJob name must be no more than 52 characters to accommodate job name suffix (max 63 total)");
        ((ObjectNode) cron.get("metadata")).put("name", "-a");
        assertThat(CronJobRules.refusal(cron)).startsWith("invalid cronJob name \"-a\": name part must consist of");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{name: a}, {name: b, dependsOn: {targets: [a]}}|''",
                "{name: a}, {name: b, dependsOn: {targets: [c]}}|jobflow Flow is not DAG: vertex is not defined: c",
                "{name: a, dependsOn: {targets: [b]}}, {name: b, dependsOn: {targets: [a]}}|jobflow Flow is not DAG",
                "{name: a, dependsOn: {targets: [a]}}|jobflow Flow is not DAG",
                "{name: a}, {name: b, dependsOn: {targets: [a]}}, {name: c, dependsOn: {targets: [a, b]}}|''"
            })
    void judgesTheOrderOfFlows(String flows, String expected) {
        assertThat(JobFlowRules.refusal(yaml("{spec: {flows: [" + flows + "]}}")))
                .isEqualTo(expected);
    }
}
