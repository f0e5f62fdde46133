package lavaflow.trainer;

import java.nio.charset.StandardCharsets;

import lavaflow.kube.DecodingException;
import lavaflow.kube.Json;
import lavaflow.kube.Yaml;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** A runtime as it was when a job began: whoever changes it later changes nothing about the job. */
final class RuntimeSnapshot {
    private static final String FIELD = "runtime";

    private RuntimeSnapshot() {}

    static String name(String job) {
        return job + "-runtime-snapshot";
    }

    static ObjectNode of(ObjectNode job, ObjectNode runtime) {
        ObjectNode kept = runtime.deepCopy();
        Json.ensureObject(kept, "metadata").remove("managedFields");
        ObjectNode map = Trainer.owned(job, "v1", "ConfigMap", name(Trainer.name(job)));
        map.putObject("data").put(FIELD, Json.pretty(kept) + "\n");
        return map;
    }

    /** The runtime in a ConfigMap; null if it is another job's, or none that the job names. */
    static @Nullable ObjectNode read(@Nullable ObjectNode map, ObjectNode job) {
        if (map == null || !Trainer.isControlledBy(map, job)) {
            return null;
        }
        try {
            byte[] text = Json.textAt(map, "data", FIELD).getBytes(StandardCharsets.UTF_8);
            RuntimeRef ref = RuntimeRef.of(job);
            return Yaml.parse(text).root() instanceof ObjectNode runtime
                            && Trainer.name(runtime).equals(ref.name())
                            && Json.textAt(runtime, "kind").equals(ref.kind())
                    ? runtime
                    : null;
        } catch (DecodingException _) {
            return null;
        }
    }
}
