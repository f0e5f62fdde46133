package lavaflow.cli;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class JobFailureTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "Failed    | 'failed':2,'succeeded':1 | 'minAvailable':3 | 2 of 3 pods failed; 1 succeeded of 3 that must (minAvailable)",
                "Failed    | 'succeeded':3 | 'minAvailable':3,'minSuccess':5 | 3 succeeded of 5 that must (minSuccess)",
                "Failed    | 'failed':1,'retryCount':3 | 'minAvailable':0 | 1 of 3 pods failed; it may not restart again (maxRetry 3)",
                "Failed    | 'version':1 | 'minAvailable':3 | ~~",
                "Completed | 'failed':1 | 'minAvailable':3 | ~~",
            })
    void numbersTellWhyAJobFailed(String phase, String status, String spec, String words) {
        String json =
                "{'spec':{%s,'maxRetry':3,'tasks':[{'name':'a','replicas':3}]},'status':{'state':{'phase':'%s'},%s}}"
                        .formatted(spec, phase, status);
        assertThat(JobFailure.of((ObjectNode) Json.parse(json.replace('\'', '"'))))
                .isEqualTo(words);
    }
}
