package lavaflow.simulation;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * Claims and volumes belong together one to one, nothing goes while a pod uses it, and what a StatefulSet is to keep stays. In
 * the end who has a pod has a volume, and the disk holds what volumes are for and nothing else.
 */
final class SafeData implements Invariant {
    private final Workspace workspace;
    private final Directories directories;
    /** Pods and the names of claims they used that went before them. */
    private final Set<String> outlived = new HashSet<>();

    SafeData(Workspace workspace, Directories directories) {
        this.workspace = workspace;
        this.directories = directories;
    }

    @Override
    public void after(Observer.Change change, Observer observer) {
        if (change.kind().equals(Kinds.CLAIMS)) {
            if (change.after() != null) {
                alone(change.after(), observer);
            } else if (change.before() != null) {
                claimGone(change.before(), observer);
            }
        } else if (change.kind().equals(Kinds.VOLUMES)) {
            if (change.after() == null && change.before() != null) {
                volumeGone(change.before(), observer);
            } else if (change.after() != null) {
                faithful(change.before(), change.after());
            }
        }
    }

    private static String volume(ObjectNode claim) {
        return Json.textAt(claim, "spec", "volumeName");
    }

    private static void alone(ObjectNode claim, Observer observer) {
        String volume = volume(claim);
        if (volume.isEmpty()) {
            return;
        }
        for (ObjectNode other : observer.all(Kinds.CLAIMS)) {
            Violation.unless(
                    Observer.uid(other).equals(Observer.uid(claim))
                            || !volume(other).equals(volume),
                    () -> "%s and %s share the volume %s"
                            .formatted(Observer.place(claim), Observer.place(other), volume));
        }
    }

    /** A volume that has a claim never goes over to another. */
    private static void faithful(@Nullable ObjectNode before, ObjectNode after) {
        String earlier = Json.textAt(before, "spec", "claimRef", "uid");
        Violation.unless(
                earlier.isEmpty() || earlier.equals(Json.textAt(after, "spec", "claimRef", "uid")),
                () -> Workspace.name(after) + " goes from one claim to another");
    }

    private void claimGone(ObjectNode claim, Observer observer) {
        for (ObjectNode pod : observer.all(Kinds.PODS)) {
            Violation.unless(
                    !uses(pod, claim) || Json.textAt(pod, "spec", "nodeName").isEmpty(),
                    () -> "%s is gone while %s uses it".formatted(Observer.place(claim), Observer.place(pod)));
            if (uses(pod, claim)) {
                outlived.add(pair(pod, claim));
            }
        }
        for (ObjectNode set : observer.all(Kinds.STATEFUL_SETS)) {
            if (isOf(claim, set) && !isDoomed(claim, observer)) {
                boolean scaled = Json.textAt(set, "spec", "persistentVolumeClaimRetentionPolicy", "whenScaled")
                        .equals("Delete");
                boolean withSet = Observer.isDeleting(set)
                        && Json.textAt(set, "spec", "persistentVolumeClaimRetentionPolicy", "whenDeleted")
                                .equals("Delete");
                Violation.unless(
                        scaled || withSet, () -> "%s is gone, and was to be kept".formatted(Observer.place(claim)));
            }
        }
    }

    private static boolean isOf(ObjectNode claim, ObjectNode set) {
        return Workspace.namespace(claim).equals(Workspace.namespace(set))
                && Workspace.name(claim).matches("data-" + Workspace.name(set) + "-[0-9]+");
    }

    /** Whether people want it gone, alone or with its namespace. */
    private boolean isDoomed(ObjectNode claim, Observer observer) {
        return workspace.isRemoved(Observer.uid(claim))
                || observer.all(Kinds.NAMESPACES).stream()
                        .noneMatch(each ->
                                Workspace.name(each).equals(Workspace.namespace(claim)) && !Observer.isDeleting(each));
    }

    private static boolean uses(ObjectNode pod, ObjectNode claim) {
        if (!Workspace.namespace(pod).equals(Workspace.namespace(claim))) {
            return false;
        }
        for (JsonNode volume : Json.listAt(pod, "spec", "volumes")) {
            if (Json.textAt(volume, "persistentVolumeClaim", "claimName").equals(Workspace.name(claim))) {
                return true;
            }
        }
        return false;
    }

    private static void volumeGone(ObjectNode volume, Observer observer) {
        for (ObjectNode claim : observer.all(Kinds.CLAIMS)) {
            Violation.unless(
                    !volume(claim).equals(Workspace.name(volume)),
                    () -> "the volume %s is gone while %s has it"
                            .formatted(Workspace.name(volume), Observer.place(claim)));
        }
    }

    @Override
    public void atRest(Observer observer) {
        Map<String, ObjectNode> volumes = new HashMap<>();
        observer.all(Kinds.VOLUMES).forEach(volume -> volumes.put(Workspace.name(volume), volume));
        for (ObjectNode claim : observer.all(Kinds.CLAIMS)) {
            settled(claim, volumes, observer);
        }
        Set<String> wanted = new TreeSet<>();
        for (ObjectNode volume : observer.all(Kinds.VOLUMES)) {
            if (Json.textAt(volume, "spec", "storageClassName").equals(StorageIdeas.LOCAL)) {
                wanted.add(Workspace.name(volume));
                String claim = Json.textAt(volume, "spec", "claimRef", "uid");
                Violation.unless(
                        observer.byUid(Kinds.CLAIMS, claim) != null,
                        () -> "the volume %s has outlived its claim".formatted(Workspace.name(volume)));
            }
        }
        Set<String> found = directories.names();
        Violation.unless(
                found.equals(wanted), () -> "there are directories for %s and volumes %s".formatted(found, wanted));
    }

    /**
     * Whether every pod of a claim was there before it, waited with a claim of the same name that was deleted, and has its node: it
     * was chosen for the forerunner, by a scheduler that had not heard of its end. Nobody chooses a node for such a claim any more,
     * here as upstream; people delete the pod.
     */
    private boolean cameTooLate(ObjectNode claim, Observer observer) {
        return Json.textAt(claim, "metadata", "annotations", "volume.kubernetes.io/selected-node")
                        .isEmpty()
                && observer.all(Kinds.PODS).stream()
                        .filter(pod -> uses(pod, claim) && Observer.isActive(pod))
                        .allMatch(pod -> outlived.contains(pair(pod, claim))
                                && !Json.textAt(pod, "spec", "nodeName").isEmpty());
    }

    private static String pair(ObjectNode pod, ObjectNode claim) {
        return Observer.uid(pod) + " " + Observer.place(claim);
    }

    private void settled(ObjectNode claim, Map<String, ObjectNode> volumes, Observer observer) {
        boolean used = observer.all(Kinds.PODS).stream().anyMatch(pod -> uses(pod, claim) && Observer.isActive(pod));
        boolean bound = Json.textAt(claim, "status", "phase").equals("Bound");
        Violation.unless(
                !Observer.isDeleting(claim) || used,
                () -> "%s is still being deleted".formatted(Observer.place(claim)));
        Violation.unless(
                bound || !used || Observer.isDeleting(claim) || cameTooLate(claim, observer),
                () -> "%s has a pod and no volume".formatted(Observer.place(claim)));
        Violation.unless(
                bound
                        || !Json.textAt(claim, "spec", "storageClassName").equals(StorageIdeas.MANUAL)
                        || Observer.isDeleting(claim),
                () -> "%s has found no volume".formatted(Observer.place(claim)));
        if (bound) {
            ObjectNode volume = volumes.get(volume(claim));
            Violation.unless(
                    volume != null
                            && Json.textAt(volume, "spec", "claimRef", "uid").equals(Observer.uid(claim))
                            && Json.textAt(volume, "status", "phase").equals("Bound"),
                    () -> "%s is bound to %s, which does not know of it"
                            .formatted(Observer.place(claim), volume(claim)));
        }
    }
}
