package lavaflow.jobs;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

import lavaflow.controller.KubeApi;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Makes, follows up and takes away what goes with the pods of a Job: claims, and the objects of its plugins. */
final class Belongings {
    private static final JobPlugin.SshKeys NO_KEYS = new JobPlugin.SshKeys("", "");

    /** Why something could not be made, in the words of the event that tells of it. */
    static final class Failure extends RuntimeException {
        private static final long serialVersionUID = 1;
        private final String reason;
        private final String told;
        private final ApiException why;

        Failure(String reason, String told, ApiException why) {
            super(why);
            this.reason = reason;
            this.told = told;
            this.why = why;
        }

        String reason() {
            return reason;
        }

        String told() {
            return told;
        }

        ApiException why() {
            return why;
        }
    }

    private final KubeApi api;
    private final Supplier<JobPlugin.SshKeys> keys;

    Belongings(KubeApi api, Supplier<JobPlugin.SshKeys> keys) {
        this.api = api;
        this.keys = keys;
    }

    /** Gives claims that have none their names; the Job as it is then, or null if all had one. */
    @Nullable
    ObjectNode name(VolcanoJob job) {
        List<JobVolume> volumes = JobVolume.of(job);
        if (volumes.stream().noneMatch(JobVolume::needsName)) {
            return null;
        }
        ObjectNode named = job.object().deepCopy();
        for (JobVolume volume : volumes) {
            if (volume.needsName()
                    && Json.listAt(named, "spec", "volumes").get(volume.position()) instanceof ObjectNode entry) {
                entry.put("volumeClaimName", volume.nameFor(job));
            }
        }
        return api.update(Volcano.JOBS, "", named);
    }

    /** Makes what is missing, and brings up to date what follows the Job. */
    void make(VolcanoJob job) {
        for (JobVolume volume : JobVolume.of(job)) {
            try {
                claim(job, volume);
            } catch (ApiException e) {
                throw new Failure("PVCError", "Failed to create PVC, err: " + e.getMessage(), e);
            }
        }
        try {
            for (String name : job.plugins().keySet()) {
                if (!JobPlugins.has(name)) {
                    throw ApiException.badRequest("failed to get plugin " + name);
                }
            }
            // Keys take long to make, and are there most of the time.
            List<JobObject> wanted = objects(job, () -> NO_KEYS);
            for (int i = 0; i < wanted.size(); i++) {
                int position = i;
                make(job, wanted.get(i), () -> objects(job, keys).get(position));
            }
        } catch (ApiException e) {
            throw new Failure("PluginError", "Execute plugin when job add failed, err: " + e.getMessage(), e);
        }
    }

    private static List<JobObject> objects(VolcanoJob job, Supplier<JobPlugin.SshKeys> keys) {
        List<JobObject> objects = new ArrayList<>();
        JobPlugins.of(job).forEach(plugin -> objects.addAll(plugin.objects(job, keys)));
        return objects;
    }

    private void claim(VolcanoJob job, JobVolume volume) {
        if (volume.claimName().isEmpty()
                || api.find(Volcano.CLAIMS, job.namespace(), volume.claimName()).isPresent()) {
            return;
        }
        if (volume.claim() == null) {
            throw ApiException.of(
                    404,
                    "NotFound",
                    "pvc " + volume.claimName() + " is not found, the job will be in the Pending state until the PVC is"
                            + " created");
        }
        create(Volcano.CLAIMS, job, volume.claimOf(job));
    }

    private void create(KubeApi.Kind kind, VolcanoJob job, ObjectNode object) {
        try {
            api.create(kind, job.namespace(), object);
        } catch (ApiException e) {
            if (!e.reason().equals("AlreadyExists")) {
                throw e;
            }
        }
    }

    private void make(VolcanoJob job, JobObject wanted, Supplier<JobObject> whole) {
        ObjectNode present =
                api.find(wanted.kind(), job.namespace(), wanted.name()).orElse(null);
        if (present == null) {
            JobObject first = wanted.upkeep() == JobObject.Upkeep.ONCE ? whole.get() : wanted;
            ObjectNode made = first.object().deepCopy();
            ObjectNode metadata = Json.ensureObject(made, "metadata");
            metadata.put("namespace", job.namespace());
            metadata.putArray("ownerReferences").add(job.ownerReference());
            create(wanted.kind(), job, made);
        } else if (isOfAnother(job, present)) {
            throw ApiException.conflict(
                    wanted.kind().group(), wanted.kind().resource(), wanted.name(), "it goes with an earlier Job");
        } else if (wanted.upkeep() == JobObject.Upkeep.FOLLOWS && isOf(job, present)) {
            ObjectNode patch = Json.object();
            wanted.object().properties().forEach(each -> {
                boolean content = !List.of("apiVersion", "kind", "metadata").contains(each.getKey());
                if (content && !isWithin(each.getValue(), present.get(each.getKey()))) {
                    patch.set(each.getKey(), each.getValue());
                }
            });
            if (!patch.isEmpty()) {
                patch.putObject("metadata").put("uid", Json.textAt(present, "metadata", "uid"));
                api.patch(wanted.kind(), job.namespace(), wanted.name(), "", KubeApi.Merge.PLAIN, patch);
            }
        }
    }

    private static boolean isOf(VolcanoJob job, ObjectNode object) {
        for (JsonNode owner : Json.listAt(object, "metadata", "ownerReferences")) {
            if (Json.textAt(owner, "uid").equals(job.uid())) {
                return true;
            }
        }
        return false;
    }

    /** Whether an earlier Job of the same name left it, and it is about to go. */
    private static boolean isOfAnother(VolcanoJob job, ObjectNode object) {
        for (JsonNode owner : Json.listAt(object, "metadata", "ownerReferences")) {
            if (Json.textAt(owner, "kind").equals("Job")
                    && Json.textAt(owner, "apiVersion").startsWith(Volcano.GROUP + "/")) {
                return !isOf(job, object);
            }
        }
        return false;
    }

    /** Whether all that is wanted is there; a server adds its defaults. */
    static boolean isWithin(JsonNode wanted, @Nullable JsonNode present) {
        if (present == null) {
            return false;
        }
        if (wanted.isObject() && present.isObject()) {
            return wanted.properties().stream().allMatch(each -> isWithin(each.getValue(), present.get(each.getKey())));
        }
        if (wanted.isArray() && present.isArray()) {
            boolean all = wanted.size() == present.size();
            for (int i = 0; all && i < wanted.size(); i++) {
                all = isWithin(wanted.get(i), present.get(i));
            }
            return all;
        }
        return wanted.equals(present);
    }

    /** Takes away what plugins wanted; claims stay until the Job goes, and data with them. */
    void discard(VolcanoJob job) {
        for (JobObject object : objects(job, () -> NO_KEYS)) {
            api.find(object.kind(), job.namespace(), object.name())
                    .filter(present -> isOf(job, present))
                    .ifPresent(present -> api.delete(
                            object.kind(),
                            job.namespace(),
                            object.name(),
                            KubeApi.Deletion.ofUid(Json.textAt(present, "metadata", "uid"))));
        }
    }
}
