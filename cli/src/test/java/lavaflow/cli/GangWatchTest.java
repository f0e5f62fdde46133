package lavaflow.cli;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Instant;
import java.util.Iterator;
import java.util.Optional;
import java.util.stream.IntStream;

import lavaflow.controller.KubeApi;
import lavaflow.controller.TestingKubeApi;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

@Timeout(120)
class GangWatchTest {
    private static final KubeApi.Kind PODS = KubeApi.Kind.core("pods");
    private static final Instant NOW = Instant.parse("2030-01-02T03:05:05Z");

    private static final RunView.Why NOBODY = (_, _) -> Optional.empty();

    private final TestingKubeApi api =
            new TestingKubeApi().serve(VolcanoObjects.JOBS, "Job").serve(PODS, "Pod");
    private final StringWriter out = new StringWriter();

    private static ObjectNode parse(String json) {
        return (ObjectNode) Json.parse(json.replace('\'', '"'));
    }

    @BeforeEach
    void aJobThatHasEnded() {
        ObjectNode job = api.create(
                VolcanoObjects.JOBS,
                "team",
                parse(
                        "{'metadata':{'name':'train'},'status':{'state':{'phase':'Failed','message':'no retries left'}}}"));
        api.create(
                PODS,
                "team",
                parse("{'metadata':{'name':'train-a-0','ownerReferences':[{'uid':'"
                        + Json.textAt(job, "metadata", "uid") + "','controller':true}]},'spec':{'nodeName':'n1'},"
                        + "'status':{'phase':'Failed'}}"));
    }

    private Optional<Outcome> watch(GangWatch.Size terminal) throws InterruptedException {
        Target target = Target.find(api, "team", "job", "train").orElseThrow();
        LogSource silence = _ -> {
            throw new AssertionError("nothing ran, so nothing is to be heard");
        };
        return new GangWatch(
                        api,
                        silence,
                        NOBODY,
                        target,
                        new Palette(false),
                        new PrintWriter(out),
                        () -> terminal,
                        () -> NOW)
                .run();
    }

    @Test
    void elsewhereThanOnATerminalChangesAreLines() throws InterruptedException {
        assertThat(watch(null)).contains(Outcome.FAILED);
        assertThat(out.toString().lines())
                .containsExactly(
                        "03:05:05  job/train Failed after 60s",
                        "03:05:05  job/train no retries left",
                        "03:05:05  a-0 Failed on n1");
    }

    @Test
    void onATerminalAPictureIsDrawn() throws InterruptedException {
        assertThat(watch(new GangWatch.Size(80, 24))).contains(Outcome.FAILED);
        assertThat(out.toString())
                .startsWith("✖ Failed  train  60s\u001b[K\n  ✖ no retries left\u001b[K\n\u001b[K\n")
                .contains("  a-0  ✖ Failed  n1    60s")
                .contains("  What its pods said: lava logs job/train -n team")
                .endsWith("\u001b[J");
    }

    @Test
    void theLastPictureHasTheLastWordsOfPods() throws InterruptedException {
        ObjectNode pod = api.find(PODS, "team", "train-a-0").orElseThrow();
        Json.ensureObject(pod, "status")
                .set(
                        "containerStatuses",
                        parse("{'of':[{'name':'c','state':{'terminated':{}}}]}").path("of"));
        api.update(PODS, "status", pod);
        Target target = Target.find(api, "team", "job", "train").orElseThrow();
        Iterator<String> lines = IntStream.rangeClosed(1, 20)
                .mapToObj(step -> "2030-01-02T03:05:00." + (10 + step) + "Z step " + step + "/20")
                .iterator();
        LogSource source = _ -> new LogSource.LogText() {
            @Override
            public @Nullable String next() {
                return lines.hasNext() ? lines.next() : null;
            }

            @Override
            public void close() {}
        };
        new GangWatch(api, source, NOBODY, target, new Palette(false), new PrintWriter(out), () -> null, () -> NOW)
                .run();
        assertThat(out.toString()).contains("a-0 100% step 20/20");
    }

    @Test
    void aJobThatIsDeletedEndsIt() throws InterruptedException {
        Target target = Target.find(api, "team", "job", "train").orElseThrow();
        api.delete(VolcanoObjects.JOBS, "team", "train", KubeApi.Deletion.PLAIN);
        GangWatch watch = new GangWatch(
                api, _ -> null, NOBODY, target, new Palette(false), new PrintWriter(out), () -> null, () -> NOW);
        assertThat(watch.run()).isEmpty();
        assertThat(out.toString()).isEqualTo("● train was deleted\n");
    }
}
