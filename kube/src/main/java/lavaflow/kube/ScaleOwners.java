package lavaflow.kube;

import java.util.List;
import java.util.stream.Stream;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import org.jspecify.annotations.Nullable;

/**
 * Owners of fields between an object and its Scale: whoever owns the number of replicas of one owns that of the other.
 *
 * <p>As upstream, an owner that comes from a Scale has no time in the object's entries.
 */
public final class ScaleOwners {
    private static final String SCALE_VERSION = "autoscaling/v1";
    private static final List<PathStep> REPLICAS = steps(".spec.replicas");
    private static final FieldSet REPLICAS_ONLY = FieldSet.of(REPLICAS);

    private ScaleOwners() {}

    /**
     * The entries of a Scale, from those of its object.
     *
     * @param entries the object's {@code managedFields}; null for none
     * @param apiVersion the object's version, {@code apps/v1}
     * @param path where the object has its number of replicas, {@code .spec.replicas}
     */
    public static ArrayNode toScale(@Nullable JsonNode entries, String apiVersion, String path) {
        List<PathStep> replicas = steps(path);
        FieldOwners scale = new FieldOwners();
        for (FieldOwner owner : parsed(entries).all()) {
            if (owner.apiVersion().equals(apiVersion) && owner.fields().has(replicas)) {
                scale.put(FieldOwner.of(owner.identity(), SCALE_VERSION, owner.time(), REPLICAS_ONLY));
            }
        }
        return scale.toJson();
    }

    /** The entries of an object after its Scale was written, from those of both; other versions are forgotten. */
    public static ArrayNode toParent(
            @Nullable JsonNode entries, @Nullable JsonNode scaleEntries, String apiVersion, String path) {
        List<PathStep> replicas = steps(path);
        FieldSet replicasOnly = FieldSet.of(replicas);
        FieldOwners before = parsed(entries);
        FieldOwners scale = parsed(scaleEntries);
        FieldOwners after = new FieldOwners();
        for (FieldOwner owner : before.all()) {
            if (!owner.apiVersion().equals(apiVersion)) {
                continue;
            }
            boolean kept = !owner.fields().has(replicas) || scale.find(owner.identity()) != null;
            after.put(kept ? owner : owner.with(owner.fields().difference(replicasOnly)));
            if (kept) {
                scale.remove(owner.identity());
            }
        }
        after.dropThoseWithoutFields();
        for (FieldOwner owner : scale.all()) {
            if (owner.fields().has(REPLICAS)) {
                FieldOwner known = before.find(owner.identity());
                String time = known == null ? null : known.time();
                after.put(FieldOwner.of(owner.identity(), apiVersion, time, replicasOnly));
            }
        }
        return after.toJson();
    }

    private static List<PathStep> steps(String path) {
        return Stream.of(path.substring(1).split("\\.")).map(PathStep::field).toList();
    }

    private static FieldOwners parsed(@Nullable JsonNode entries) {
        return entries == null ? new FieldOwners() : FieldOwners.parse(entries, true);
    }
}
