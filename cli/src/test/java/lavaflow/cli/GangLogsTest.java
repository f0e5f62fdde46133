package lavaflow.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.Writer;
import java.lang.reflect.Proxy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import lavaflow.controller.KubeApi;
import lavaflow.controller.TestingKubeApi;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

@Timeout(120)
class GangLogsTest {
    private static final KubeApi.Kind PODS = KubeApi.Kind.core("pods");
    private static final KubeApi.Kind GROUPS = new KubeApi.Kind("scheduling.volcano.sh", "v1beta1", "podgroups", true);
    private static final KubeApi.Kind JOBS = VolcanoObjects.JOBS;

    private final TestingKubeApi api =
            new TestingKubeApi().serve(JOBS, "Job").serve(PODS, "Pod").serve(GROUPS, "PodGroup");
    /** What each opening of the log of a container yields, one after another; the last element may be a failure. */
    private final Map<String, Deque<List<String>>> logs = new HashMap<>();

    private final List<String> asked = new ArrayList<>();
    private final StringWriter out = new StringWriter();
    private ObjectNode job;

    private static ObjectNode parse(String json) {
        return (ObjectNode) Json.parse(json.replace('\'', '"'));
    }

    @BeforeEach
    void aJob() {
        job = api.create(JOBS, "team", parse("{'metadata':{'name':'train'},'status':{'state':{'phase':'Completed'}}}"));
    }

    private void pod(String name, String state, long restarts) {
        ObjectNode pod = parse("{'metadata':{'name':'" + name
                + "','ownerReferences':[{'apiVersion':'batch.volcano.sh/v1alpha1',"
                + "'kind':'Job','name':'train','uid':'" + Json.textAt(job, "metadata", "uid")
                + "','controller':true}]},'spec':{'containers':[{'name':'main'}]},'status':{'phase':'Succeeded',"
                + "'containerStatuses':[{'name':'main','restartCount':" + restarts + ",'state':" + state + "}]}}");
        api.create(PODS, "team", pod);
    }

    private synchronized LogSource.LogText open(String path) {
        asked.add(path);
        String pod = path.replaceFirst(".*/pods/(.*)/log.*", "$1");
        Deque<List<String>> openings = logs.getOrDefault(pod, new ArrayDeque<>());
        Deque<String> lines = new ArrayDeque<>(openings.isEmpty() ? List.of() : openings.poll());
        return new LogSource.LogText() {
            @Override
            public String next() {
                String line = lines.poll();
                if ("DELETED".equals(line)) {
                    api.delete(PODS, "team", pod, KubeApi.Deletion.PLAIN.atOnce());
                    return null;
                }
                if ("CUT".equals(line)) {
                    throw ApiException.of(503, "ServiceUnavailable", "cut");
                }
                return line;
            }

            @Override
            public void close() {}
        };
    }

    private void log(String pod, List<String> opening) {
        logs.computeIfAbsent(pod, _ -> new ArrayDeque<>()).add(opening);
    }

    private List<String> run(Target target, GangLogs.Wish wish) throws InterruptedException {
        new GangLogs(api, this::open, target, wish, new Palette(false), new PrintWriter(out)).run();
        return out.toString().lines().toList();
    }

    private Target target() {
        return Target.find(api, "team", "job", "train").orElseThrow();
    }

    private static GangLogs.Wish wish(boolean follow) {
        return new GangLogs.Wish(follow, -1, -1, false, true);
    }

    @Test
    void linesSayWhichPodTheyAreOf() throws InterruptedException {
        pod("train-ps-0", "{'terminated':{}}", 0);
        pod("train-worker-10", "{'terminated':{}}", 0);
        log("train-ps-0", List.of("2030-01-02T03:04:05Z hello"));
        log("train-worker-10", List.of("2030-01-02T03:04:05Z a", "2030-01-02T03:04:06Z b"));
        assertThat(run(target(), wish(false))).containsExactly("ps-0 │ hello", "worker-10 │ a", "worker-10 │ b");
    }

    @Test
    void nothingIsFollowedForNobody() throws InterruptedException {
        api.edit(JOBS, "team", "train", job -> {
            Json.ensureObject(job, "status").withObject("state").put("phase", "Running");
            return job;
        });
        pod("train-ps-0", "{'running':{}}", 0);
        log("train-ps-0", List.of("2030-01-02T03:04:05Z hello"));
        Writer closed = new Writer() {
            @Override
            public void write(char[] text, int from, int length) throws IOException {
                throw new IOException("Broken pipe");
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        int pods =
                new GangLogs(api, this::open, target(), wish(true), new Palette(false), new PrintWriter(closed)).run();
        assertThat(pods).isEqualTo(1);
    }

    @Test
    void whatIsWantedIsAskedOfTheServer() throws InterruptedException {
        pod("train-ps-0", "{'running':{}}", 0);
        log("train-ps-0", List.of("2030-01-02T03:04:05Z hello"));
        assertThat(run(target(), new GangLogs.Wish(false, 5, 60, true, false)))
                .containsExactly("2030-01-02T03:04:05Z hello");
        assertThat(asked)
                .containsExactly("/api/v1/namespaces/team/pods/train-ps-0/log?container=main&timestamps=true"
                        + "&tailLines=5&sinceSeconds=60");
    }

    @Test
    void aLogThatIsCutOffGoesOnWhereItStopped() throws InterruptedException {
        pod("train-ps-0", "{'terminated':{}}", 0);
        log("train-ps-0", List.of("2030-01-02T03:04:05.1Z a", "2030-01-02T03:04:05.2Z b", "CUT"));
        log("train-ps-0", List.of("2030-01-02T03:04:05.1Z a", "2030-01-02T03:04:05.2Z b", "2030-01-02T03:04:05.3Z c"));
        assertThat(run(target(), wish(true))).containsExactly("ps-0 │ a", "ps-0 │ b", "ps-0 │ c");
        assertThat(asked.getLast())
                .contains("&sinceTime=2030-01-02T03%3A04%3A05Z")
                .doesNotContain("tailLines");
    }

    @Test
    void aPodThatIsDeletedBeforeItsEndWasToldIsNotWaitedFor() throws InterruptedException {
        pod("train-ps-0", "{'running':{}}", 0);
        log("train-ps-0", List.of("2030-01-02T03:04:05Z last words", "DELETED"));
        assertThat(run(target(), wish(true))).containsExactly("ps-0 │ last words");
    }

    /** It comes when everything seems to be over, and the watch is slow. */
    @Test
    void aPodThatOnlyAListTellsOfCountsAsWell() throws InterruptedException {
        log("train-ps-0", List.of("2030-01-02T03:04:05Z hello"));
        KubeApi slow = (KubeApi) Proxy.newProxyInstance(
                KubeApi.class.getClassLoader(), new Class<?>[] {KubeApi.class}, (_, method, arguments) -> {
                    if (method.getName().equals("find") && !api.has(PODS, "team", "train-ps-0")) {
                        pod("train-ps-0", "{'terminated':{}}", 0);
                    } else if (method.getName().equals("watch")) {
                        arguments[1] = Long.MAX_VALUE;
                    }
                    return method.invoke(api, arguments);
                });
        GangLogs logs = new GangLogs(slow, this::open, target(), wish(true), new Palette(false), new PrintWriter(out));
        assertThat(logs.run()).isEqualTo(1);
        assertThat(out.toString().lines()).containsExactly("ps-0 │ hello");
    }

    @Test
    void podsOfOthersAreLeftOut() throws InterruptedException {
        api.create(
                PODS,
                "team",
                parse(
                        "{'metadata':{'name':'other'},'status':{'containerStatuses':[{'name':'c','state':{'running':{}}}]}}"));
        assertThat(run(target(), wish(false))).isEmpty();
        assertThat(asked).isEmpty();
    }

    @Test
    void podsOfAPodGroupAreThoseThatNameIt() throws InterruptedException {
        api.create(GROUPS, "team", parse("{'metadata':{'name':'g'}}"));
        api.create(
                PODS,
                "team",
                parse("{'metadata':{'name':'m','annotations':{'scheduling.k8s.io/group-name':'g'}},"
                        + "'spec':{'containers':[{'name':'a'},{'name':'b'}]},'status':{'containerStatuses':["
                        + "{'name':'a','state':{'terminated':{}}},{'name':'b','state':{'waiting':{}}}]}}"));
        log("m", List.of("2030-01-02T03:04:05Z x"));
        assertThat(run(Target.find(api, "team", "pg", "g").orElseThrow(), wish(false)))
                .containsExactly("m/a │ x");
    }

    @Test
    void aWordMeansVolcanosKindsFirst() {
        KubeApi.Kind plain = new KubeApi.Kind("batch", "v1", "jobs", true);
        api.serve(plain, "Job");
        api.create(plain, "team", parse("{'metadata':{'name':'train'}}"));
        api.create(plain, "team", parse("{'metadata':{'name':'only'}}"));
        assertThat(target().kind()).isEqualTo(JOBS);
        assertThat(Target.find(api, "team", "jobs.batch", "only").orElseThrow().kind())
                .isEqualTo(plain);
        assertThat(Target.find(api, "team", "job", "only").orElseThrow().kind()).isEqualTo(plain);
        assertThat(Target.find(api, "team", "vcjob", "only")).isEmpty();
        assertThat(Target.find(api, "team", "nothing", "only")).isEmpty();
    }
}
