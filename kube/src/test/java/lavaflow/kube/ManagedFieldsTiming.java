package lavaflow.kube;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Locale;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** Prints how long the work on managedFields takes; a tool to look with, not a test. */
final class ManagedFieldsTiming {
    private static final String NOW = "2026-01-02T03:04:05Z";
    /** Not the wall clock: the machine may be busy with something else. */
    private static final ThreadMXBean CPU = ManagementFactory.getThreadMXBean();

    private static final int ROUNDS = 200_000;

    private ManagedFieldsTiming() {}

    public static void main(String[] arguments) {
        ManagedFields managed = new ManagedFields(
                ManagedFields.Endpoint.of(BuiltinTypes.instance(), "io.k8s.api.core.v1.ConfigMap", "v1", "ConfigMap"));
        ObjectNode created = configMap();
        ObjectNode live = managed.update(null, configMap(), "kubectl", NOW);
        live.withObject("metadata").put("uid", "1");
        ObjectNode changed = live.deepCopy();
        changed.withObject("data").put("key0", "other");
        ObjectNode config = (ObjectNode)
                Json.parse(
                        "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"c\"},\"data\":{\"new\":\"1\"}}");
        time("create", () -> managed.update(null, created, "kubectl", NOW));
        time("update of one field", () -> {
            changed.withObject("metadata")
                    .set("managedFields", live.get("metadata").get("managedFields"));
            managed.update(live, changed, "other", NOW);
        });
        time("update without change", () -> managed.update(live, live, "other", NOW));
        time("apply of one field", () -> managed.apply(live, config, "applier", false, NOW));
    }

    private static ObjectNode configMap() {
        ObjectNode object = Json.object().put("apiVersion", "v1").put("kind", "ConfigMap");
        ObjectNode metadata = object.putObject("metadata").put("name", "c").put("namespace", "default");
        metadata.putObject("labels").put("app", "a").put("tier", "b");
        metadata.putObject("annotations").put("note", "x".repeat(100));
        ObjectNode data = object.putObject("data");
        for (int i = 0; i < 12; i++) {
            data.put("key" + i, "value ".repeat(8));
        }
        return object;
    }

    private static void time(String what, Runnable work) {
        for (int i = 0; i < ROUNDS; i++) {
            work.run();
        }
        long start = CPU.getCurrentThreadCpuTime();
        for (int i = 0; i < ROUNDS; i++) {
            work.run();
        }
        double micros = (CPU.getCurrentThreadCpuTime() - start) / 1000.0 / ROUNDS;
        System.err.printf(Locale.ROOT, "%-24s %6.2f µs%n", what, micros);
    }
}
