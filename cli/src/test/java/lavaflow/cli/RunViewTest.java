package lavaflow.cli;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import lavaflow.controller.KubeApi;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class RunViewTest {
    private static final Instant NOW = Instant.parse("2030-01-02T03:06:19Z");
    private static final Palette PLAIN = new Palette(false);

    private static ObjectNode parse(String json) {
        return (ObjectNode) Json.parse(json.replace('\'', '"'));
    }

    private static Target target() {
        return new Target(
                new KubeApi.Kind("kubeflow.org", "v1", "tfjobs", true),
                parse("{'kind':'TFJob','metadata':{'name':'digits','namespace':'team'}}"));
    }

    private static GangPod pod(String label, String status, String exit) {
        return new GangPod("digits-" + label, "", label, status, "", 0, "1s", exit, "", false);
    }

    @ParameterizedTest
    @CsvSource({
        "'accuracy: 0.9722', accuracy 0.9722",
        "'epoch 3/3 loss=0.12 val_accuracy=0.9', val_accuracy 0.9",
        "'Test accuracy 97.5', test accuracy 97.5",
        "'loss: 1e-3', loss 1e-3",
        "'{\"loss\": 0.5, \"accuracy\": 0.75}', accuracy 0.75",
    })
    void resultsAreReadOfWhatProgramsPrint(String line, String measure) {
        assertThat(RunView.measure(line)).contains(measure);
    }

    @ParameterizedTest
    @CsvSource({
        "accuracy 0.97, loss 0.1, accuracy 0.97",
        "loss 0.1, accuracy 0.97, accuracy 0.97",
        "loss 0.2, loss 0.1, loss 0.1",
        "accuracy 0.9, test accuracy 0.97, test accuracy 0.97",
    })
    void aLossDoesNotHideAnAccuracy(String before, String now, String counts) {
        assertThat(RunView.newer(before, now)).isEqualTo(counts);
    }

    @ParameterizedTest
    @CsvSource({"no accuracy yet", "inaccuracy: 3", "errors"})
    void otherLinesTellNone(String line) {
        assertThat(RunView.measure(line)).isEmpty();
    }

    @Test
    void aSummarySaysHowLongAndWhatCameOut() {
        RunResult result = new RunResult(
                target(),
                Outcome.SUCCEEDED,
                "",
                Duration.ofMillis(1234),
                Duration.ofSeconds(125),
                List.of(pod("worker-0", "Error", "exit code 1")),
                List.of("claim model: /data/model"));
        assertThat(result.summary("accuracy 0.97", PLAIN))
                .containsExactly(
                        "✔ tfjob/digits succeeded",
                        "  Waited    1.2 s until it ran",
                        "  Ran       2 min 5 s",
                        "  Result    accuracy 0.97",
                        "  Artifacts claim model: /data/model",
                        "  Logs      lava logs tfjob/digits -n team");
    }

    @Test
    void aFailureSaysWhoAndWhy() {
        RunResult result = new RunResult(
                target(),
                Outcome.FAILED,
                "TFJob digits has failed because 1 Worker replica(s) failed.",
                Duration.ofSeconds(12),
                null,
                List.of(pod("chief-0", "Running", ""), pod("worker-0", "Error", "exit code 1")),
                List.of());
        assertThat(result.summary("", PLAIN))
                .containsExactly(
                        "✖ tfjob/digits failed: TFJob digits has failed because 1 Worker replica(s) failed.",
                        "  Waited    12 s, and never ran",
                        "  Pods      worker-0 Error (exit code 1)",
                        "  Logs      lava logs tfjob/digits -n team");
        assertThat(new RunResult(target(), null, "", Duration.ZERO, null, List.of(), List.of()).summary("", PLAIN))
                .first()
                .isEqualTo("● tfjob/digits was deleted");
    }

    @Test
    void howAGangFormsIsToldStepByStep() {
        RunChanges changes = new RunChanges("");
        ObjectNode job =
                parse("{'metadata':{'name':'digits'},'status':{'conditions':[{'type':'Created','status':'True'}]}}");
        ObjectNode group = parse("{'metadata':{'name':'digits'},'spec':{'minMember':2,'queue':'lab'}}");
        Gang gang = new Gang("tfjob", job, group, List.of(), Map.of(), Optional.empty(), NOW);
        assertThat(changes.since(gang, List.of()))
                .containsExactly(
                        "03:06:19  tfjob/digits Created",
                        "03:06:19  podgroup/digits Pending in queue lab: 2 pods start together or not at all");
        assertThat(changes.since(gang, List.of())).isEmpty();
        Json.ensureObject(group, "status").put("phase", "Running");
        ObjectNode broken = parse("{'metadata':{'name':'digits-worker-0'},'status':{'containerStatuses':[{'state':"
                + "{'waiting':{'reason':'ErrImagePull','message':'there is no such image'}}}]}}");
        Gang later = new Gang(
                "tfjob",
                job,
                group,
                List.of(pod("chief-0", "Running", ""), pod("worker-0", "ErrImagePull", "")),
                Map.of(),
                Optional.empty(),
                NOW);
        assertThat(changes.since(later, List.of(broken)))
                .containsExactly(
                        "03:06:19  podgroup/digits Running",
                        "03:06:19  pods: 1 ErrImagePull, 1 Running",
                        "03:06:19  worker-0 ErrImagePull: there is no such image");
        assertThat(changes.since(later, List.of(broken))).isEmpty();
        Gang again = new Gang(
                "tfjob",
                job,
                group,
                List.of(pod("chief-0", "Running", ""), pod("worker-0", "ImagePullBackOff", "")),
                Map.of(),
                Optional.empty(),
                NOW);
        assertThat(changes.since(again, List.of(broken))).isEmpty();
    }

    @Test
    void ofSeveralJobsEachLineSaysWhoseItIs() {
        Gang gang = new Gang(
                "tfjob",
                parse("{'metadata':{'name':'digits'}}"),
                null,
                List.of(pod("worker-0", "Error", "exit code 1")),
                Map.of(),
                Optional.empty(),
                NOW);
        assertThat(new RunChanges("digits/").since(gang, List.of()))
                .contains("03:06:19  digits/pods: 1 Error", "03:06:19  digits/worker-0 Error: exit code 1");
    }

    @ParameterizedTest
    @CsvSource({
        "Error, killed, 'exit code 137'",
        "OOMKilled, '', 'exit code 137, it needed more memory than its limit (OOMKilled)'",
        "StartError, 'exec: nope: not found', 'exit code 137, it could not be started: exec: nope: not found'",
    })
    void anExitSaysWhatItsCodeDoesNotTell(String reason, String message, String told) {
        ObjectNode pod = parse(
                "{'metadata':{'name':'digits-worker-0'},'status':{'containerStatuses':[{'name':'a','restartCount':1,"
                        + "'lastState':{'terminated':{'exitCode':137,'reason':'" + reason + "','message':'" + message
                        + "'}}}]}}");
        assertThat(GangPod.of(pod, "digits", NOW).exit()).isEqualTo(told);
    }

    @Test
    void whatKeepsAPodFromBeginningIsTrouble() {
        assertThat(pod("worker-0", "Init:0/1", "").isBad()).isFalse();
        assertThat(pod("worker-0", "Init:ErrImagePull", "").isBad()).isTrue();
    }
}
