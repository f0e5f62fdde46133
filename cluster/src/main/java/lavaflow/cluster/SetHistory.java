package lavaflow.cluster;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import lavaflow.kube.GoText;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** The versions a StatefulSet has had: which one it asks for now, and which can be forgotten. Pure. */
final class SetHistory {
    /** Tells versions apart, in the labels of ControllerRevisions. */
    static final String HASH_LABEL = "controller.kubernetes.io/hash";

    private SetHistory() {}

    /** How the version that is asked for comes to be the newest. */
    sealed interface Newest {
        /** It is. */
        record Present(TemplateRevision revision) implements Newest {}

        /** It was there before: it moves to the end. */
        record Again(TemplateRevision revision, long number) implements Newest {}

        /** It is new; its name still depends on what else has that name. */
        record Fresh(ObjectNode revision) implements Newest {}
    }

    /**
     * @param revisions all of the set, oldest first
     */
    static Newest newest(ObjectNode set, List<TemplateRevision> revisions) {
        ObjectNode data = TemplateRevision.dataOf(set);
        String text = GoText.json(data);
        List<TemplateRevision> equal = revisions.stream()
                .filter(revision -> revision.data().equals(text))
                .toList();
        long number = revisions.isEmpty() ? 1 : revisions.getLast().number() + 1;
        if (equal.isEmpty()) {
            return new Newest.Fresh(revision(set, data, number, collisions(set)));
        }
        TemplateRevision last = equal.getLast();
        return last.equals(revisions.getLast()) ? new Newest.Present(last) : new Newest.Again(last, number);
    }

    static long collisions(ObjectNode set) {
        return Json.longAt(set, 0, "status", "collisionCount");
    }

    private static ObjectNode revision(ObjectNode set, ObjectNode data, long number, long collisions) {
        ObjectNode revision = Json.object();
        String hash = TemplateRevision.hash(GoText.json(data), collisions);
        ObjectNode metadata = revision.putObject("metadata");
        metadata.put("name", TemplateRevision.nameOf(Objects.name(set), hash));
        metadata.put("namespace", Objects.namespace(set));
        ObjectNode labels = metadata.putObject("labels");
        ObjectNode shared = Json.objectAt(set, "spec", "template", "metadata", "labels");
        if (shared != null) {
            labels.setAll(shared.deepCopy());
        }
        labels.put(HASH_LABEL, hash);
        ObjectNode annotations = Json.objectAt(set, "metadata", "annotations");
        if (annotations != null && !annotations.isEmpty()) {
            metadata.set("annotations", annotations.deepCopy());
        }
        metadata.putArray("ownerReferences").add(ReplicaDecisions.ownerReference(set));
        revision.set("data", data);
        revision.put("revision", number);
        return revision;
    }

    /** The same under another name, because its own was taken; as upstream, the label keeps the first. */
    static void rename(ObjectNode set, ObjectNode revision, long collisions) {
        String hash = TemplateRevision.hash(GoText.json(revision.path("data")), collisions);
        Json.ensureObject(revision, "metadata").put("name", TemplateRevision.nameOf(Objects.name(set), hash));
    }

    /**
     * What exceeds the limit of history, oldest first; versions in use do not count.
     *
     * @param inUse names of versions that are
     */
    static List<TemplateRevision> superfluous(ObjectNode set, List<TemplateRevision> revisions, Set<String> inUse) {
        List<TemplateRevision> old = new ArrayList<>(revisions);
        old.removeIf(revision -> inUse.contains(revision.name()));
        long limit = Json.longAt(set, 10, "spec", "revisionHistoryLimit");
        return old.subList(0, (int) Math.max(0, old.size() - limit));
    }
}
