package lavaflow.cluster;

import java.util.Set;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * How far a rollout may stray from the wanted size.
 *
 * @param surge pods too many
 * @param unavailable pods too few
 * @param recreate everything old goes before anything new comes
 */
record RolloutLimits(long surge, long unavailable, boolean recreate) {
    /** Annotations that say something about the deployment alone. */
    private static final Set<String> PRIVATE = Set.of(
            "kubectl.kubernetes.io/last-applied-configuration",
            "deprecated.deployment.rollback.to",
            Revision.REVISION,
            Revision.HISTORY,
            Revision.DESIRED,
            Revision.MAX);

    static RolloutLimits of(ObjectNode deployment) {
        long replicas = Json.longAt(deployment, 1, "spec", "replicas");
        if (Json.textAt(deployment, "spec", "strategy", "type").equals("Recreate")) {
            return new RolloutLimits(0, 0, true);
        }
        JsonNode rolling = Json.at(deployment, "spec", "strategy", "rollingUpdate");
        long surge = share(Json.at(rolling, "maxSurge"), replicas, true);
        long unavailable = share(Json.at(rolling, "maxUnavailable"), replicas, false);
        // Both may round to nothing; then one pod must go before another can come.
        boolean stuck = surge == 0 && unavailable == 0;
        return new RolloutLimits(surge, Math.min(replicas, stuck ? 1 : unavailable), false);
    }

    /** A number, or percent of a whole. */
    static long share(@Nullable JsonNode amount, long whole, boolean roundUp) {
        if (amount == null) {
            return 0;
        }
        if (amount.isIntegralNumber()) {
            return amount.asLong();
        }
        String text = amount.asText();
        long percent = Long.parseLong(text.substring(0, text.length() - 1));
        long product = percent * whole;
        return roundUp ? Math.ceilDiv(product, 100L) : Math.floorDiv(product, 100L);
    }

    static boolean isPrivate(String annotation) {
        return PRIVATE.contains(annotation);
    }
}
