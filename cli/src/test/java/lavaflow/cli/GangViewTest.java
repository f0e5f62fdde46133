package lavaflow.cli;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class GangViewTest {
    private static final Instant NOW = Instant.parse("2030-01-02T03:06:19Z");

    private static ObjectNode parse(String json) {
        return (ObjectNode) Json.parse(json.replace('\'', '"'));
    }

    private static ObjectNode job(String status) {
        return parse("{'metadata':{'name':'train','creationTimestamp':'2030-01-02T03:04:05Z'},"
                + "'spec':{'queue':'lab','minAvailable':3,'maxRetry':3},'status':" + status + "}");
    }

    private static GangPod pod(String label, String status, String node, long restarts) {
        return new GangPod(
                "train-" + label,
                "",
                label,
                status,
                node,
                restarts,
                "2m",
                restarts > 0 ? "exit code 1" : "",
                "",
                false);
    }

    private static Gang gang(String status, List<GangPod> pods, Map<String, Progress> progress) {
        return new Gang("job", job(status), null, pods, progress, Optional.empty(), NOW);
    }

    private static List<String> draw(Gang gang, int columns, int rows) {
        return new GangView(new Palette(false), columns, rows).draw(gang);
    }

    @Test
    void aRunningGangIsDrawn() {
        Gang gang = gang(
                "{'state':{'phase':'Running'},'retryCount':1}",
                List.of(pod("ps-0", "Running", "sim-0", 0), pod("worker-0", "Running", "sim-1", 2)),
                Map.of("train-worker-0", new Progress(0.5, "epoch 3/10 · loss 0.2")));
        assertThat(draw(gang, 120, 24))
                .containsExactly(
                        "● Running  train  2m14s  queue lab  min 3  retries 1/3",
                        "  ████████████──────────── 50%  as 1 pod says",
                        "",
                        "  POD       STATUS     NODE   RESTARTS       AGE  PROGRESS",
                        "  ps-0      ● Running  sim-0  0              2m",
                        "  worker-0  ● Running  sim-1  2 exit code 1  2m   ██████──────  50%  epoch 3/10 · loss 0.2");
    }

    @Test
    void withoutRestartsThereIsMoreRoom() {
        Gang gang = gang(
                "{'state':{'phase':'Running'}}",
                List.of(pod("worker-0", "Running", "sim-1", 0)),
                Map.of("train-worker-0", new Progress(0.996, "step 249/250")));
        assertThat(draw(gang, 80, 24))
                .containsExactly(
                        "● Running  train  2m14s  queue lab  min 3",
                        "  ███████████████████████▉ 99%  as 1 pod says",
                        "",
                        "  POD       STATUS     NODE   AGE  PROGRESS",
                        "  worker-0  ● Running  sim-1  2m   ████████████  99%  step 249/250");
    }

    @Test
    void onANarrowTerminalNumbersStandForBars() {
        Gang gang = gang(
                "{'state':{'phase':'Running'}}",
                List.of(pod("worker-0", "Running", "sim-1", 0)),
                Map.of("train-worker-0", new Progress(0.5, "epoch 3/4 · step 3/40 · loss 0.30")));
        assertThat(draw(gang, 75, 24).getLast())
                .isEqualTo("  worker-0  ● Running  sim-1  2m    50%  epoch 3/4 · step 3/40 · loss 0.30");
    }

    @Test
    void whoFailedSaysHowAndWhereToLook() {
        GangPod failed = new GangPod("train-w-0", "", "w-0", "Error", "sim-1", 0, "2m", "exit code 3", "", false);
        assertThat(draw(gang("{'state':{'phase':'Failed'}}", List.of(failed), Map.of()), 80, 24))
                .containsExactly(
                        "✖ Failed  train  2m14s  queue lab  min 3",
                        "",
                        "  POD  STATUS   NODE   AGE  PROGRESS",
                        "  w-0  ✖ Error  sim-1  2m   exit code 3",
                        "",
                        "  What its pods said: lava logs job/train");
    }

    @Test
    void tasksThatBeginLaterSayWhatTheyWaitFor() {
        ObjectNode job = job("{'state':{'phase':'Pending'}}");
        job.withObject("/spec").set("tasks", Json.parse("""
                [{"name":"data","replicas":2,"minAvailable":2},{"name":"w","replicas":3,"dependsOn":{"name":["data"]}}]"""));
        GangPod data = new GangPod("train-data-0", "data", "data-0", "Running", "sim-1", 0, "2m", "", "", true);
        Gang gang = new Gang("job", job, null, List.of(data), Map.of(), Optional.empty(), NOW);
        assertThat(draw(gang, 80, 24))
                .containsExactly(
                        "● Pending  train  2m14s  queue lab  min 3",
                        "",
                        "  POD     STATUS     NODE   AGE  PROGRESS",
                        "  data-0  ● Running  sim-1  2m",
                        "  … w (3 pods) waits for data (1 of 2 ready)");
        assertThat(new GangChanges().since(gang)).contains("03:06:19  w waits for data (1 of 2 ready)");
    }

    @Test
    void whoCannotBeginSaysWhy() {
        ObjectNode pod = parse("{'metadata':{'name':'train-w-0'},'spec':{'containers':[{'name':'c'}],'nodeName':'n'},"
                + "'status':{'phase':'Pending','containerStatuses':[{'name':'c','state':{'waiting':{'reason':"
                + "'ImagePullBackOff','message':'Back-off pulling image x: ErrImagePull: registry r cannot be reached."
                + " To let it come from elsewhere: lava image add x'}}}]}}");
        Gang gang = gang("{'state':{'phase':'Pending'}}", List.of(GangPod.of(pod, "train", NOW)), Map.of());
        assertThat(draw(gang, 80, 24).getLast())
                .startsWith("  w-0  ✖ ImagePullBackOff  n")
                .endsWith("registry r cannot be reached");
    }

    @Test
    void initContainersThatFailAreTold() {
        ObjectNode pod =
                parse("{'metadata':{'name':'train-w-0'},'spec':{'containers':[{'name':'c'}]},'status':{'phase':"
                        + "'Failed','initContainerStatuses':[{'name':'fetch','state':{'terminated':{'exitCode':4,'reason':'Error'}}}],"
                        + "'containerStatuses':[{'name':'c','state':{'waiting':{'reason':'PodInitializing'}}}]}}");
        assertThat(GangPod.of(pod, "train", NOW).trouble()).isEqualTo("exit code 4 of init container fetch");
    }

    @Test
    void whoIsSuspendedSaysHowToGoOn() {
        assertThat(draw(gang("{'state':{'phase':'Aborted'}}", List.of(), Map.of()), 80, 24))
                .containsExactly(
                        "✖ Aborted  train  2m14s  queue lab  min 3",
                        "",
                        "  No pods yet.",
                        "",
                        "  To let it go on: lava job resume train");
    }

    private static Gang waiting(String message, Optional<String> explained) {
        ObjectNode group = parse(
                "{'status':{'conditions':[{'type':'Unschedulable','status':'True','message':'" + message + "'}]}}");
        return new Gang("job", job("{'state':{'phase':'Pending'}}"), group, List.of(), Map.of(), explained, NOW);
    }

    @Test
    void whoWaitsSaysForWhat() {
        assertThat(draw(waiting("3/3 tasks in gang unschedulable", Optional.empty()), 80, 24))
                .containsExactly(
                        "● Pending  train  2m14s  queue lab  min 3",
                        "  … 3/3 tasks in gang unschedulable",
                        "",
                        "  No pods yet.");
    }

    @Test
    void whoWaitsComesToThePointAndSaysAllOfIt() {
        String counted = "3/0 tasks in gang unschedulable: pod group is not ready, 3 minAvailable. Origin reason is ";
        assertThat(draw(waiting(counted + "resource in cluster is overused: overused cpu", Optional.empty()), 40, 24))
                .startsWith(
                        "● Pending  train  2m14s  queue lab  min 3".substring(0, 39) + "…",
                        "  … resource in cluster is overused:",
                        "    overused cpu",
                        "");
    }

    @Test
    void whoeverLookedCloserIsBelieved() {
        Gang gang = waiting("queue resource quota insufficient", Optional.of("it asks for cpu 3, nodes have 1900m"));
        assertThat(draw(gang, 80, 24)).contains("  … it asks for cpu 3, nodes have 1900m");
    }

    @Test
    void aLargeGangFitsTheTerminal() {
        List<GangPod> pods = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            pods.add(pod("worker-" + i, i < 90 ? "Running" : "Pending", "n", 0));
        }
        List<String> lines = draw(gang("{}", pods, Map.of()), 80, 24);
        assertThat(lines).hasSizeLessThan(24);
        assertThat(lines.getLast()).isEqualTo("  … and 82 more: 10 Pending, 72 Running");
        assertThat(draw(gang("{}", pods, Map.of()), 30, 24)).allMatch(line -> line.length() <= 30);
    }

    @Test
    void cuttingALineKeepsItsColours() {
        assertThat(GangView.fitted("\u001b[31mabcdef\u001b[0m", 4)).isEqualTo("\u001b[31mabc…\u001b[0m");
        assertThat(GangView.fitted("abcd", 4)).isEqualTo("abcd");
    }

    @Test
    void aBarIsFilledByEighths() {
        GangView view = new GangView(new Palette(false), 80, 24);
        assertThat(view.bar(0, 4)).isEqualTo("────");
        assertThat(view.bar(1, 4)).isEqualTo("████");
        assertThat(view.bar(0.53125, 4)).isEqualTo("██▏─");
    }

    @Test
    void elsewhereEveryChangeIsALine() {
        GangChanges changes = new GangChanges();
        assertThat(changes.since(gang("{'state':{'phase':'Pending'}}", List.of(), Map.of())))
                .containsExactly("03:06:19  job/train Pending");
        List<GangPod> running = List.of(pod("worker-0", "Running", "n1", 0));
        assertThat(changes.since(gang("{'state':{'phase':'Running'}}", running, Map.of())))
                .containsExactly("03:06:19  job/train Running", "03:06:19  worker-0 Running on n1");
        Map<String, Progress> half = Map.of("train-worker-0", new Progress(0.51, "epoch 5/10"));
        assertThat(changes.since(gang("{'state':{'phase':'Running'}}", running, half)))
                .containsExactly("03:06:19  worker-0 51% epoch 5/10");
        assertThat(changes.since(gang("{'state':{'phase':'Running'}}", running, half)))
                .isEmpty();
        assertThat(changes.since(
                        gang("{'state':{'phase':'Running'}}", List.of(pod("worker-0", "Running", "n1", 1)), half)))
                .containsExactly("03:06:19  worker-0 restarted, 1 time, exit code 1");
        assertThat(changes.since(gang(
                        "{'state':{'phase':'Failed','message':'no retries left','lastTransitionTime':'2030-01-02T03:05:05Z'}}",
                        List.of(),
                        Map.of())))
                .containsExactly(
                        "03:06:19  job/train Failed after 60s",
                        "03:06:19  job/train no retries left",
                        "03:06:19  worker-0 gone");
    }
}
