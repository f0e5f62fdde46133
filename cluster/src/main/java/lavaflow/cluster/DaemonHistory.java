package lavaflow.cluster;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import lavaflow.controller.KubeApi;
import lavaflow.controller.Mirror;
import lavaflow.controller.OwnWrites;
import lavaflow.kube.ApiException;
import lavaflow.kube.GoText;
import lavaflow.kube.Json;
import lavaflow.kube.LabelSelector;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Keeps the versions a DaemonSet has had, as ControllerRevisions. */
final class DaemonHistory {
    private static final KubeApi.Kind REVISIONS = TemplateRevision.KIND;
    private static final KubeApi.Kind PODS = ReplicaControllers.PODS;

    /**
     * The versions of a set.
     *
     * @param hash of the one it asks for now, as pods carry it
     * @param old all others, oldest first
     */
    record Versions(String hash, List<TemplateRevision> old) {}

    private final KubeApi api;
    private final Mirror<TemplateRevision> revisions;
    private final OwnWrites<DaemonSets.Key> writes;
    private final Ownership ownership;

    DaemonHistory(KubeApi api, Mirror<TemplateRevision> revisions, OwnWrites<DaemonSets.Key> writes) {
        this.api = api;
        this.revisions = revisions;
        this.writes = writes;
        this.ownership = new Ownership(api);
    }

    /** Finds the version a set asks for, or makes it the newest; null where that takes another look. */
    @Nullable
    Versions versions(DaemonSets.Key key, ObjectNode set, LabelSelector selector, List<DaemonPod> pods) {
        ObjectNode data = TemplateRevision.dataOf(set);
        String text = GoText.json(data);
        List<TemplateRevision> current = new ArrayList<>();
        List<TemplateRevision> old = new ArrayList<>();
        for (TemplateRevision revision : claim(set, selector)) {
            (revision.data().equals(text) ? current : old).add(labelled(key, revision));
        }
        long number = old.isEmpty() ? 1 : old.getLast().number() + 1;
        if (current.isEmpty()) {
            String hash = create(key, set, data, number);
            return hash == null ? null : new Versions(hash, old);
        }
        TemplateRevision kept = current.removeLast();
        current.forEach(twin -> merge(key, twin, kept, pods));
        if (kept.number() < number) {
            update(key, kept, revision -> revision.put("revision", number));
        }
        return new Versions(hash(kept), old);
    }

    private static String hash(TemplateRevision revision) {
        return Json.textAt(revision.labels(), TemplateRevision.POD_LABEL);
    }

    /** Those of the set, oldest first; orphans are taken in, strangers let go. */
    private List<TemplateRevision> claim(ObjectNode set, LabelSelector selector) {
        List<TemplateRevision> found = new ArrayList<>();
        for (TemplateRevision revision : revisions.having(Objects.uid(set))) {
            if (selector.matches(revision.labels())) {
                found.add(revision);
            } else {
                ownership.release(REVISIONS, revision.namespace(), revision.name(), revision.uid(), Objects.uid(set));
            }
        }
        for (TemplateRevision orphan : revisions.having(PodState.orphansOf(Objects.namespace(set)))) {
            if (selector.matches(orphan.labels())) {
                ownership.adopt(REVISIONS, orphan.namespace(), orphan.name(), orphan.uid(), set);
                found.add(orphan);
            }
        }
        found.sort(TemplateRevision.OLDEST_FIRST);
        return found;
    }

    /** Versions of other making may lack the label by which pods are compared with them. */
    private TemplateRevision labelled(DaemonSets.Key key, TemplateRevision revision) {
        return hash(revision).isEmpty()
                ? update(
                        key,
                        revision,
                        object -> Json.ensureObject(object, "metadata", "labels")
                                .put(TemplateRevision.POD_LABEL, revision.name()))
                : revision;
    }

    private TemplateRevision update(
            DaemonSets.Key key, TemplateRevision revision, java.util.function.Consumer<ObjectNode> change) {
        ObjectNode found = api.find(REVISIONS, revision.namespace(), revision.name())
                .orElseThrow(() -> ApiException.notFound("apps", "controllerrevisions", revision.name()));
        change.accept(found);
        ObjectNode updated = api.update(REVISIONS, "", found);
        writes.wrote(key, REVISIONS, updated);
        return TemplateRevision.of(updated);
    }

    /** Two of the same version: pods of one become pods of the other. */
    private void merge(DaemonSets.Key key, TemplateRevision twin, TemplateRevision kept, List<DaemonPod> pods) {
        for (DaemonPod pod : pods) {
            if (pod.hash().equals(hash(twin)) && !hash(twin).equals(hash(kept))) {
                ObjectNode patch = Json.object();
                ObjectNode metadata = patch.putObject("metadata").put("uid", pod.uid());
                metadata.putObject("labels").put(TemplateRevision.POD_LABEL, hash(kept));
                writes.wrote(key, PODS, api.patch(PODS, key.namespace(), pod.name(), "", KubeApi.Merge.PLAIN, patch));
            }
        }
        api.delete(REVISIONS, twin.namespace(), twin.name(), KubeApi.Deletion.ofUid(twin.uid()));
    }

    /** The hash of the new version; null where its name is taken and the set now counts one more collision. */
    private @Nullable String create(DaemonSets.Key key, ObjectNode set, ObjectNode data, long number) {
        ObjectNode template = Json.objectAt(set, "spec", "template");
        String hash = TemplateHash.of(
                template == null ? Json.object() : template, Json.longAt(set, 0, "status", "collisionCount"));
        ObjectNode revision = Json.object();
        ObjectNode metadata = revision.putObject("metadata");
        metadata.put("name", Objects.name(set) + "-" + hash).put("namespace", key.namespace());
        ObjectNode shared = Json.objectAt(template, "metadata", "labels");
        metadata.set("labels", shared == null ? Json.object() : shared.deepCopy());
        Json.ensureObject(metadata, "labels").put(TemplateRevision.POD_LABEL, hash);
        ObjectNode annotations = Json.objectAt(set, "metadata", "annotations");
        if (annotations != null) {
            metadata.set("annotations", annotations.deepCopy());
        }
        metadata.putArray("ownerReferences").add(ReplicaDecisions.ownerReference(set));
        revision.set("data", data);
        revision.put("revision", number);
        try {
            writes.wrote(key, REVISIONS, api.create(REVISIONS, key.namespace(), revision));
            return hash;
        } catch (ApiException e) {
            if (Refusals.isNamespaceTerminating(e)) {
                return null;
            }
            if (!e.reason().equals("AlreadyExists")) {
                throw e;
            }
        }
        ObjectNode present =
                api.find(REVISIONS, key.namespace(), Objects.name(revision)).orElse(null);
        if (present != null && TemplateRevision.of(present).data().equals(GoText.json(data))) {
            return hash;
        }
        ObjectNode status = Json.ensureObject(set, "status");
        status.put("collisionCount", Json.longAt(status, 0, "collisionCount") + 1);
        // The set's own change brings it back.
        writes.wrote(key, DaemonSets.SETS, api.update(DaemonSets.SETS, "status", set));
        return null;
    }

    /** Forgets what exceeds the limit, oldest first, except versions some pod still is of. */
    void tidy(ObjectNode set, Versions versions, List<DaemonPod> pods) {
        long superfluous = versions.old().size() - Json.longAt(set, 10, "spec", "revisionHistoryLimit");
        if (superfluous <= 0) {
            return;
        }
        Set<String> inUse = new HashSet<>();
        pods.forEach(pod -> inUse.add(pod.hash()));
        for (TemplateRevision old : versions.old()) {
            if (superfluous > 0 && !inUse.contains(hash(old))) {
                api.delete(REVISIONS, old.namespace(), old.name(), KubeApi.Deletion.ofUid(old.uid()));
                superfluous--;
            }
        }
    }
}
