package lavaflow;

import java.io.IOException;

/**
 * A short tour through the server while the JVM records what it loads and links; the recording becomes the start-up
 * cache. Not a benchmark and not a test.
 */
final class WarmUp {
    private static final String JSON = "application/json";
    /** Enough to load and link everything; more would only make the compiler busy at every start. */
    private static final int ROUNDS = 2;

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
    }
}
