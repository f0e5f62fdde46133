package lavaflow.trainer;

import java.time.Instant;
import java.util.Objects;

import lavaflow.kube.GoTime;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Notes in a TrainJob when each of its patches was last changed, as upstream's webhook does. */
public final class PatchTimes {
    private PatchTimes() {}

    /**
     * Puts in the times.
     *
     * @param job which is changed
     */
    public static void stamp(ObjectNode job, @Nullable ObjectNode old, Instant now) {
        for (ObjectNode patch : Trainer.objects(Json.listAt(job, "spec", "runtimePatches"))) {
            ObjectNode before = find(old, Json.textAt(patch, "manager"));
            JsonNode time = before == null ? patch.get("time") : null;
            if (before != null && isSame(patch, before)) {
                time = before.get("time");
            }
            patch.set("time", Objects.requireNonNullElse(time, Json.text(GoTime.seconds(now))));
        }
    }

    private static @Nullable ObjectNode find(@Nullable ObjectNode job, String manager) {
        return Trainer.objects(Json.listAt(job, "spec", "runtimePatches")).stream()
                .filter(patch -> Json.textAt(patch, "manager").equals(manager))
                .findFirst()
                .orElse(null);
    }

    private static boolean isSame(ObjectNode patch, ObjectNode before) {
        ObjectNode one = patch.deepCopy();
        ObjectNode other = before.deepCopy();
        one.remove("time");
        other.remove("time");
        return one.equals(other);
    }
}
