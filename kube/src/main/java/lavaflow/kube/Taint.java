package lavaflow.kube;

import java.util.ArrayList;
import java.util.List;

import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;

/** What keeps pods off a node, unless they have a {@link Toleration} for it. */
public record Taint(String key, String value, String effect) {
    public static final String NO_SCHEDULE = "NoSchedule";
    public static final String PREFER_NO_SCHEDULE = "PreferNoSchedule";
    public static final String NO_EXECUTE = "NoExecute";
    /** What a node that takes no more pods has, whether or not somebody wrote it down as a taint. */
    public static final Taint UNSCHEDULABLE = new Taint("node.kubernetes.io/unschedulable", "", NO_SCHEDULE);

    /** The taints of a Node. */
    public static List<Taint> of(@Nullable JsonNode node) {
        List<Taint> taints = new ArrayList<>();
        for (JsonNode each : Json.listAt(node, "spec", "taints")) {
            taints.add(new Taint(Json.textAt(each, "key"), Json.textAt(each, "value"), Json.textAt(each, "effect")));
        }
        return List.copyOf(taints);
    }

    /** Whether it keeps new pods off, as opposed to asking them to go elsewhere if they can. */
    public boolean keepsOff() {
        return effect.equals(NO_SCHEDULE) || effect.equals(NO_EXECUTE);
    }
}
