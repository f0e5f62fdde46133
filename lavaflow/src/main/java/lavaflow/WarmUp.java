package lavaflow;

import java.io.IOException;
import java.time.Duration;

/**
 * A short tour through the server while the JVM records what it loads and links; the recording becomes the start-up
 * cache. Not a benchmark and not a test.
 */
final class WarmUp {
    private static final String JSON = "application/json";
    /** Enough to load and link everything; more would only make the compiler busy at every start. */
    private static final int ROUNDS = 2;
    /** What has not come to its end by then is left out of the cache, which costs time and nothing else. */
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private static final Duration PAUSE = Duration.ofMillis(20);
    private static final String JOBS = "/apis/batch.volcano.sh/v1alpha1/namespaces/default/jobs";
    private static final String TORCH_JOBS = "/apis/kubeflow.org/v1/namespaces/default/pytorchjobs";

    private final AdminClient client;

    WarmUp(AdminClient client) {
        this.client = client;
    }

    void run() throws IOException, InterruptedException {
        for (String path : new String[] {"/api", "/apis", "/api/v1", "/apis/apps/v1", "/version", "/readyz"}) {
            client.send("GET", path, JSON, "");
        }
        for (int round = 0; round < ROUNDS; round++) {
            String name = "warm-up-" + round;
            String base = "/api/v1/namespaces/default/configmaps";
            client.send("POST", base, JSON, """
                    {"metadata":{"name":"%s","labels":{"a":"b"}},"data":{"k":"v"}}""".formatted(name));
            client.send("GET", base + "/" + name, JSON, "");
            client.send("PATCH", base + "/" + name, "application/merge-patch+json", """
                    {"data":{"k":"%d"}}""".formatted(round));
            client.send("GET", base + "?labelSelector=a%3Db", JSON, "");
            client.send("POST", "/apis/apps/v1/namespaces/default/deployments", JSON, """
                    {"metadata":{"name":"%s"},"spec":{"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":
                    {"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}}}}""".formatted(name));
            client.send("DELETE", base + "/" + name, JSON, "");
        }
        if (client.read("/api/v1/nodes").contains("\"Ready\"")) {
            runJobs();
        }
    }

    /** The first job somebody sends should not be the one that loads all that jobs need. */
    private void runJobs() throws IOException, InterruptedException {
        String spec = """
                {"containers":[{"name":"pytorch","image":"i","resources":{"requests":{"cpu":"1","memory":"1Mi"}}}],
                "restartPolicy":"Never"}""";
        String template = """
                {"metadata":{"annotations":{"sim.lavaflow.io/duration":"500ms"}},"spec":%s}""".formatted(spec);
        client.send("POST", JOBS, JSON, """
                {"apiVersion":"batch.volcano.sh/v1alpha1","kind":"Job","metadata":{"name":"warm-up"},"spec":{"minAvailable":2,
                "schedulerName":"volcano","plugins":{"env":[],"svc":[]},"tasks":[{"name":"a","replicas":2,"template":%s,
                "policies":[{"event":"TaskCompleted","action":"CompleteJob"}]}]}}""".formatted(template));
        client.send("POST", TORCH_JOBS, JSON, """
                {"apiVersion":"kubeflow.org/v1","kind":"PyTorchJob","metadata":{"name":"warm-up"},"spec":{"pytorchReplicaSpecs":{
                "Master":{"replicas":1,"template":%s},"Worker":{"replicas":3,"template":%s}}}}""".formatted(template, template));
        await(JOBS + "/warm-up", "\"Completed\"");
        await(TORCH_JOBS + "/warm-up", "\"Succeeded\"");
        client.send("DELETE", JOBS + "/warm-up", JSON, "");
        client.send("DELETE", TORCH_JOBS + "/warm-up", JSON, "");
    }

    private void await(String path, String word) throws IOException, InterruptedException {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (System.nanoTime() < end && !client.read(path).contains(word)) {
            Thread.sleep(PAUSE);
        }
    }
}
