package lavaflow.cluster;

import java.util.List;

import lavaflow.controller.Followers;
import lavaflow.controller.KubeApi;
import lavaflow.controller.OwnWrites;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

import static lavaflow.cluster.VolumeBinder.CLAIMS;
import static lavaflow.cluster.VolumeBinder.VOLUMES;

/** Writes down which volumes and claims belong together, and how they stand. */
final class VolumeBonds {
    private final KubeApi api;
    private final OwnWrites<String> writes;

    VolumeBonds(KubeApi api, Followers followers) {
        this.api = api;
        this.writes = new OwnWrites<>(followers);
    }

    /** Whether everything that was written here has been seen again; decisions before that would be about the past. */
    boolean areSeen() {
        return writes.areSeen("all");
    }

    ObjectNode update(KubeApi.Kind kind, String subresource, ObjectNode object) {
        ObjectNode answer = api.update(kind, subresource, object);
        writes.wrote("all", kind, answer);
        return answer;
    }

    /** Writes down on both sides that they belong together, whatever of it is not there yet. */
    void bind(ObjectNode volume, ObjectNode claim) {
        ObjectNode ours = refer(volume, claim);
        ours = setVolumePhase(ours, "Bound", "");
        ObjectNode theirs = claim;
        ObjectNode annotations = Objects.map(claim, "metadata", "annotations");
        boolean names = Json.textAt(claim, "spec", "volumeName").equals(Objects.name(volume));
        if (!names) {
            Json.ensureObject(claim, "spec").put("volumeName", Objects.name(volume));
            annotations.put(VolumeState.BOUND_BY_CONTROLLER, "yes");
        }
        if (!names || !annotations.has(ClaimNeeds.BIND_COMPLETED)) {
            annotations.put(ClaimNeeds.BIND_COMPLETED, "yes");
            Json.ensureObject(claim, "metadata").set("annotations", annotations);
            theirs = update(CLAIMS, "", claim);
        }
        setClaimPhase(theirs, "Bound", ours);
    }

    private ObjectNode refer(ObjectNode volume, ObjectNode claim) {
        VolumeState.ClaimRef present = VolumeState.of(volume).claim();
        boolean meant =
                present != null && present.means(Objects.namespace(claim), Objects.name(claim), Objects.uid(claim));
        if (meant && present != null && !present.uid().isEmpty()) {
            return volume;
        }
        ObjectNode reference = Json.ensureObject(volume, "spec").putObject("claimRef");
        reference.put("kind", "PersistentVolumeClaim").put("namespace", Objects.namespace(claim));
        reference.put("name", Objects.name(claim)).put("uid", Objects.uid(claim));
        reference.put("apiVersion", "v1").put("resourceVersion", Objects.resourceVersion(claim));
        if (!meant) {
            Json.ensureObject(volume, "metadata", "annotations").put(VolumeState.BOUND_BY_CONTROLLER, "yes");
        }
        return update(VOLUMES, "", volume);
    }

    ObjectNode setVolumePhase(ObjectNode volume, String phase, String message) {
        if (Json.textAt(volume, "status", "phase").equals(phase)) {
            return volume;
        }
        ObjectNode status = Json.ensureObject(volume, "status").put("phase", phase);
        if (message.isEmpty()) {
            status.remove("message");
        } else {
            status.put("message", message);
        }
        return update(VOLUMES, "status", volume);
    }

    /**
     * Tells how a claim stands.
     *
     * @param volume what the claim is bound to, null for nothing
     */
    void setClaimPhase(ObjectNode claim, String phase, @Nullable ObjectNode volume) {
        ObjectNode before = Objects.map(claim, "status");
        ObjectNode status = before.deepCopy();
        boolean becomes = !Json.textAt(status, "phase").equals(phase);
        status.put("phase", phase);
        if (volume == null) {
            status.remove(List.of("accessModes", "capacity"));
        } else {
            status.set("accessModes", Json.listAt(volume, "spec", "accessModes"));
            JsonNode capacity = Json.at(volume, "spec", "capacity");
            // What a bound claim says may differ on purpose: the file system may be smaller than the disk.
            if (becomes && capacity != null) {
                status.set("capacity", capacity);
            }
            String attributes = Json.textAt(volume, "spec", "volumeAttributesClassName");
            if (becomes && !attributes.isEmpty()) {
                status.put("currentVolumeAttributesClassName", attributes);
            }
        }
        if (!status.equals(before)) {
            claim.set("status", status);
            update(CLAIMS, "status", claim);
        }
    }
}
