package lavaflow.cluster;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * The next step of a StatefulSet: which of its numbered pods to make, repair and end, and who owns their claims. In order, a
 * pod waits until all before it are available; in parallel none waits. Pure: one object plans one step.
 */
final class StatefulDecisions {
    /** One change in the API. */
    sealed interface Write {
        record CreateClaim(ObjectNode claim) implements Write {}

        /** Gives a claim other owners. */
        record OwnClaim(ClaimState claim, ArrayNode owners) implements Write {}

        /** Changes nothing: the user should know that somebody else controls a claim. */
        record Conflict(String claim) implements Write {}

        /** Changes nothing: what stands in the way is known beforehand. */
        record Obstacle(String why) implements Write {}

        record CreatePod(ObjectNode pod) implements Write {}

        /** Gives a pod its identity back, and its volumes where they are wrong. */
        record RepairPod(StatefulPod pod, boolean volumes) implements Write {}

        record DeletePod(StatefulPod pod) implements Write {}
    }

    /**
     * What happens to one pod, in order; the first refusal ends it.
     *
     * @param verb what users are told was done to the pod, empty where they are not told
     */
    record Action(String verb, String pod, List<Write> writes) {}

    /**
     * One step.
     *
     * @param waves one after the other until something is refused; actions of a wave do not depend on each other
     * @param waiting whether it goes on by itself once old claims are gone, which nobody tells
     */
    record Step(List<List<Action>> waves, boolean waiting) {}

    /**
     * What a set consists of.
     *
     * @param current the version pods below the partition are of
     * @param update the version all others should be of
     * @param pods those it controls, no two with one number
     * @param claims claims by name, as far as they exist
     */
    record Observed(
            ObjectNode set,
            TemplateRevision current,
            TemplateRevision update,
            List<StatefulPod> pods,
            Function<String, @Nullable ClaimState> claims) {}

    /** How many pods one look may touch. */
    private static final int BURST = 500;

    private final ObjectNode set;
    private final Observed observed;
    private final StatefulTemplate template;
    private final ClaimRetention retention;
    private final Instant now;
    private final Duration minReady;
    private final int start;
    private final long size;
    private final Map<Integer, StatefulPod> replicas = new HashMap<>();
    private final List<StatefulPod> condemned = new ArrayList<>();
    private final boolean ordered;
    private final List<List<Action>> waves = new ArrayList<>();
    private boolean waiting;

    private StatefulDecisions(Observed observed, Instant now) {
        this.set = observed.set();
        this.observed = observed;
        this.template = new StatefulTemplate(set);
        this.retention = new ClaimRetention(set);
        this.now = now;
        this.minReady = StatefulStatus.minReady(set);
        this.start = (int) Json.longAt(set, 0, "spec", "ordinals", "start");
        this.ordered = !Json.textAt(set, "spec", "podManagementPolicy").equals("Parallel");
        this.size = Json.longAt(set, 1, "spec", "replicas");
        for (StatefulPod pod : observed.pods()) {
            if (isInRange(pod.ordinal())) {
                replicas.put(pod.ordinal(), pod);
            } else {
                condemned.add(pod);
            }
        }
        condemned.sort(Comparator.comparingInt(StatefulPod::ordinal).reversed());
    }

    static Step next(Observed observed, Instant now) {
        StatefulDecisions decisions = new StatefulDecisions(observed, now);
        if (!Objects.isDeleting(observed.set())) {
            decisions.decide();
        }
        return new Step(decisions.waves, decisions.waiting);
    }

    private boolean isInRange(int ordinal) {
        return ordinal >= start && ordinal - start < size;
    }

    /** Size comes before version: pods are replaced only once exactly those exist that should. */
    private void decide() {
        boolean goOn = keepReplicas() && keepClaimsOfCondemned() && endCondemned();
        if (goOn && Json.textAt(set, "spec", "updateStrategy", "type").equals("RollingUpdate")) {
            replaceNext();
        }
    }

    /** Actions one after the other where order matters, all at once where not. */
    private void act(List<Action> wave, Action action) {
        if (action.writes().isEmpty()) {
            return;
        }
        if (ordered) {
            waves.add(List.of(action));
        } else {
            wave.add(action);
        }
    }

    private void end(List<Action> wave) {
        if (!wave.isEmpty()) {
            waves.add(wave);
        }
    }

    // ---- pods the set should have

    /** False where what comes next must wait. */
    private boolean keepReplicas() {
        List<Action> wave = new ArrayList<>();
        for (long i = 0; i < size && wave.size() < BURST; i++) {
            int ordinal = (int) (start + i);
            if (!keepReplica(wave, ordinal, replicas.get(ordinal)) && ordered) {
                return false;
            }
        }
        end(wave);
        return wave.size() < BURST;
    }

    private boolean keepReplica(List<Action> wave, int ordinal, @Nullable StatefulPod pod) {
        if (pod == null) {
            create(wave, ordinal);
            return false;
        }
        if (pod.state().isFinished()) {
            // However it ended: what stopped it need not be what its containers made of that.
            if (!pod.isDeleting()) {
                act(wave, delete(pod));
            }
            return false;
        }
        if (pod.isPending()) {
            // A claim may have been deleted before the pod was placed.
            List<Write> writes = claimWrites(user(pod), ordinal);
            if (!writes.isEmpty()) {
                act(wave, new Action("", pod.name(), writes));
                return !ordered;
            }
        }
        if (ordered && pod.isUnavailable(minReady, now)) {
            return false;
        }
        repair(wave, pod);
        return true;
    }

    private static Action delete(StatefulPod pod) {
        return new Action("delete", pod.name(), List.of(new Write.DeletePod(pod)));
    }

    private void create(List<Action> wave, int ordinal) {
        String name = template.podName(ordinal);
        ClaimRetention.User user = new ClaimRetention.User(name, "", false);
        for (String claimName : template.claimNames(ordinal).values()) {
            ClaimState claim = observed.claims().apply(claimName);
            if (claim != null && retention.isStale(claim, user)) {
                waiting = true;
                return;
            }
        }
        List<Write> writes = new ArrayList<>();
        List<Write> after = new ArrayList<>();
        for (Write write : claimWrites(user, ordinal)) {
            // Claims are taken over once the pod exists; until then they may be somebody's spare ones.
            boolean before = write instanceof Write.CreateClaim || write instanceof Write.Obstacle;
            (before ? writes : after).add(write);
        }
        TemplateRevision revision = isOfCurrentVersion(ordinal) ? observed.current() : observed.update();
        writes.add(new Write.CreatePod(template.pod(ordinal, templateOf(revision), revision.name())));
        writes.addAll(after);
        act(wave, new Action("create", name, writes));
    }

    /** The version in use may be none of those in history, if somebody tidied it up. */
    private ObjectNode templateOf(TemplateRevision revision) {
        ObjectNode present = Json.objectAt(set, "spec", "template");
        return revision.name().equals(observed.update().name()) && present != null ? present : revision.template();
    }

    private boolean isOfCurrentVersion(int ordinal) {
        ObjectNode rolling = Json.objectAt(set, "spec", "updateStrategy", "rollingUpdate");
        return rolling != null && ordinal < start + Json.longAt(rolling, 0, "partition");
    }

    private ClaimRetention.User user(StatefulPod pod) {
        return new ClaimRetention.User(pod.name(), pod.uid(), !isInRange(pod.ordinal()));
    }

    /** Makes claims that are missing and corrects the owners of those that are there. */
    private List<Write> claimWrites(ClaimRetention.User user, int ordinal) {
        List<Write> writes = new ArrayList<>();
        template.claimNames(ordinal).forEach((volume, name) -> {
            ClaimState claim = observed.claims().apply(name);
            if (claim == null) {
                ObjectNode wanted = template.claim(ordinal, volume);
                ArrayNode owners = Json.listAt(wanted, "metadata", "ownerReferences");
                Objects.setList(wanted, "ownerReferences", owners.deepCopy().addAll(retention.owners(user)));
                writes.add(new Write.CreateClaim(wanted));
            } else if (claim.deleting()) {
                writes.add(new Write.Obstacle("pvc " + claim.name() + " is being deleted"));
            }
        });
        writes.addAll(ownershipWrites(user, ordinal));
        return writes;
    }

    private List<Write> ownershipWrites(ClaimRetention.User user, int ordinal) {
        List<Write> writes = new ArrayList<>();
        for (String name : template.claimNames(ordinal).values()) {
            ClaimState claim = observed.claims().apply(name);
            if (claim == null) {
                continue;
            }
            if (retention.isControlledElsewhere(claim, user)) {
                writes.add(new Write.Conflict(claim.name()));
            }
            if (!retention.isUpToDate(claim, user)) {
                writes.add(new Write.OwnClaim(claim, retention.owners(claim, user)));
            }
        }
        return writes;
    }

    private boolean areClaimsOwned(ClaimRetention.User user, int ordinal) {
        return ownershipWrites(user, ordinal).stream().noneMatch(Write.OwnClaim.class::isInstance);
    }

    private void repair(List<Action> wave, StatefulPod pod) {
        boolean volumes = !template.storageMatches(pod);
        boolean claims = areClaimsOwned(user(pod), pod.ordinal());
        if (claims && !volumes && template.identityMatches(pod)) {
            return;
        }
        List<Write> writes = new ArrayList<>();
        if (volumes) {
            writes.addAll(claimWrites(user(pod), pod.ordinal()));
        } else if (!claims) {
            writes.addAll(ownershipWrites(user(pod), pod.ordinal()));
        }
        if (volumes || !template.identityMatches(pod)) {
            writes.add(new Write.RepairPod(pod, volumes));
        }
        act(wave, new Action("update", pod.name(), writes));
    }

    // ---- pods beyond the size of the set

    private boolean keepClaimsOfCondemned() {
        List<Action> wave = new ArrayList<>();
        for (StatefulPod pod : condemned) {
            if (!areClaimsOwned(user(pod), pod.ordinal())) {
                act(wave, new Action("", pod.name(), ownershipWrites(user(pod), pod.ordinal())));
            }
        }
        end(wave);
        return true;
    }

    /** From the highest number down. In order, one that is unwell holds the others up unless it is the first such. */
    private boolean endCondemned() {
        List<Action> wave = new ArrayList<>();
        StatefulPod firstUnavailable = condemned.reversed().stream()
                .filter(pod -> pod.isUnavailable(minReady, now))
                .findFirst()
                .orElse(null);
        for (StatefulPod pod : condemned) {
            if (pod.isDeleting()) {
                if (ordered) {
                    return false;
                }
                continue;
            }
            if (ordered && !pod.isRunningAndAvailable(minReady, now) && !pod.equals(firstUnavailable)) {
                return false;
            }
            act(wave, delete(pod));
            if (ordered) {
                return false;
            }
        }
        end(wave);
        return true;
    }

    // ---- pods of another version

    /** Ends the highest pod of another version, once all above it are available. */
    private void replaceNext() {
        long partition = Json.longAt(set, 0, "spec", "updateStrategy", "rollingUpdate", "partition");
        for (long i = size - 1; i >= partition; i--) {
            StatefulPod pod = replicas.get((int) (start + i));
            if (pod == null) {
                return;
            }
            if (!pod.isDeleting() && !pod.revision().equals(observed.update().name())) {
                waves.add(List.of(delete(pod)));
                return;
            }
            if (pod.isUnavailable(minReady, now)) {
                return;
            }
        }
    }
}
