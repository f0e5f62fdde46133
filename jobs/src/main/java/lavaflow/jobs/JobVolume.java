package lavaflow.jobs;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * A volume that all pods of a Job share.
 *
 * @param claimName empty where nobody gave it a name yet
 * @param claim what is claimed, where the claim is to be made; null where it is there, or is no claim at all
 */
record JobVolume(
        int position,
        String mountPath,
        String claimName,
        @Nullable ObjectNode claim) {
    private static final String LETTERS = "bcdfghjklmnpqrstvwxz2456789";
    private static final int SUFFIX = 12;

    static List<JobVolume> of(VolcanoJob job) {
        List<JobVolume> volumes = new ArrayList<>();
        for (JsonNode volume : Json.listAt(job.object(), "spec", "volumes")) {
            volumes.add(new JobVolume(
                    volumes.size(),
                    Json.textAt(volume, "mountPath"),
                    Json.textAt(volume, "volumeClaimName"),
                    Json.objectAt(volume, "volumeClaim")));
        }
        return volumes;
    }

    /** Whether it is more than a directory of each pod. */
    boolean claims() {
        return claim != null || !claimName.isEmpty();
    }

    boolean needsName() {
        return claimName.isEmpty() && claim != null;
    }

    /** The same name each time for the same Job, so that nobody who was interrupted makes two claims. */
    String nameFor(VolcanoJob job) {
        return claimName.isEmpty() && claim != null
                ? job.name() + "-pvc-" + suffix(job.uid() + "/claim/" + position)
                : claimName;
    }

    String controlledKey() {
        return "volume-pvc-" + claimName;
    }

    /** The claim as it is made. */
    ObjectNode claimOf(VolcanoJob job) {
        ObjectNode made = Json.object();
        made.put("apiVersion", "v1").put("kind", "PersistentVolumeClaim");
        ObjectNode metadata = made.putObject("metadata");
        metadata.put("name", claimName).put("namespace", job.namespace());
        metadata.putArray("ownerReferences").add(job.ownerReference());
        made.set("spec", claim == null ? Json.object() : claim.deepCopy());
        return made;
    }

    /** Adds the volumes of a Job to a pod: one for each claim, mounted in containers that begin together. */
    static void addTo(VolcanoJob job, ObjectNode podSpec) {
        List<String> present = new ArrayList<>();
        for (JobVolume volume : of(job)) {
            String shared = volume.claimName.isEmpty() ? "path/" + volume.mountPath : "claim/" + volume.claimName;
            String name = job.name() + "-" + suffix(job.uid() + "/" + shared);
            if (!present.contains(name)) {
                present.add(name);
                ObjectNode added = ensureList(podSpec, "volumes").addObject().put("name", name);
                if (volume.claimName.isEmpty()) {
                    added.putObject("emptyDir");
                } else {
                    added.putObject("persistentVolumeClaim").put("claimName", volume.claimName);
                }
            }
            for (JsonNode container : Json.listAt(podSpec, "containers")) {
                if (container instanceof ObjectNode object) {
                    ensureList(object, "volumeMounts")
                            .addObject()
                            .put("name", name)
                            .put("mountPath", volume.mountPath);
                }
            }
        }
    }

    private static ArrayNode ensureList(ObjectNode object, String field) {
        return object.get(field) instanceof ArrayNode list ? list : object.putArray(field);
    }

    /** Looks like chance and is none: a pod is a function of its Job. */
    static String suffix(String seed) {
        long hash = 0xcbf29ce484222325L;
        for (byte each : seed.getBytes(StandardCharsets.UTF_8)) {
            hash = (hash ^ (each & 0xff)) * 0x100000001b3L;
        }
        // The last bytes of a seed would only touch the low bits.
        hash ^= hash >>> 29;
        hash *= 0xbf58476d1ce4e5b9L;
        hash ^= hash >>> 32;
        StringBuilder text = new StringBuilder(SUFFIX);
        for (int i = 0; i < SUFFIX; i++) {
            text.append(LETTERS.charAt((int) Long.remainderUnsigned(hash, LETTERS.length())));
            hash = Long.divideUnsigned(hash, LETTERS.length());
        }
        return text.toString();
    }
}
