package lavaflow.cluster;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * The next step of a deployment: which ReplicaSets to make, grow, shrink and forget so that neither more than {@code
 * maxSurge} pods too many nor more than {@code maxUnavailable} too few exist meanwhile. Pure: one object plans one step.
 */
final class Rollout {
    /** What to do, in order. */
    sealed interface Action {
        /** Make a ReplicaSet of the current template. */
        record Create(ObjectNode replicaSet) implements Action {}

        /** Write a ReplicaSet back; {@code from} and {@code to} tell users about a change of size, equal if none. */
        record Update(ObjectNode replicaSet, long from, long to) implements Action {}

        /** Forget a version nobody needs for going back. */
        record Delete(ObjectNode replicaSet) implements Action {}
    }

    /**
     * One step.
     *
     * @param deployment as it should be written back: status and the annotation of the revision
     */
    record Step(List<Action> actions, ObjectNode deployment) {}

    private static final int HISTORY_LIMIT = 2000;

    private final ObjectNode deployment;
    private final List<Revision> revisions;
    private final List<PodState> pods;
    private final Instant now;
    private final List<Action> actions = new ArrayList<>();
    private final long replicas;
    private final RolloutLimits limits;
    private @Nullable Revision current;
    private List<Revision> olds = List.of();
    private @Nullable String createdName;

    private Rollout(ObjectNode deployment, List<ObjectNode> replicaSets, List<PodState> pods, Instant now) {
        this.deployment = deployment.deepCopy();
        this.revisions = replicaSets.stream()
                .map(Revision::new)
                .sorted(Revision.OLDEST_FIRST)
                .toList();
        this.pods = pods;
        this.now = now;
        this.replicas = Json.longAt(deployment, 1, "spec", "replicas");
        this.limits = RolloutLimits.of(deployment);
    }

    /**
     * @param replicaSets those the deployment controls
     * @param pods those of its ReplicaSets; only {@code Recreate} looks at them
     */
    static Step next(ObjectNode deployment, List<ObjectNode> replicaSets, List<PodState> pods, Instant now) {
        return new Rollout(deployment, replicaSets, pods, now).plan();
    }

    private Step plan() {
        current = revisions.stream()
                .filter(revision -> revision.isOf(deployment))
                .findFirst()
                .orElse(null);
        olds = revisions.stream().filter(revision -> revision != current).toList();
        boolean paused = Json.flagAt(deployment, "spec", "paused");
        if (!Objects.isDeleting(deployment)) {
            if (paused || isScaling()) {
                adoptCurrent(false);
                scale();
                if (paused) {
                    cleanUp();
                }
            } else if (Json.textAt(deployment, "spec", "strategy", "type").equals("Recreate")) {
                recreate();
            } else {
                roll();
            }
        }
        DeploymentStatus.report(deployment, everything(), current, createdName, paused || isScaling(), now);
        return new Step(actions, deployment);
    }

    private List<Revision> everything() {
        List<Revision> all = new ArrayList<>(olds);
        if (current != null) {
            all.add(current);
        }
        return all;
    }

    /** Somebody changed the size since it was last acted on. */
    private boolean isScaling() {
        return revisions.stream()
                .anyMatch(revision -> revision.isActive() && revision.number(Revision.DESIRED, replicas) != replicas);
    }

    // ---- the ReplicaSet of the current template

    private void adoptCurrent(boolean mayCreate) {
        long newest = olds.stream()
                .mapToLong(old -> old.number(Revision.REVISION, 0))
                .max()
                .orElse(0);
        if (current == null) {
            if (mayCreate) {
                create(newest + 1);
            }
            return;
        }
        ObjectNode before = current.object().deepCopy();
        annotate(current, newest + 1);
        JsonNode minReady = Json.at(deployment, "spec", "minReadySeconds");
        ObjectNode spec = Json.ensureObject(current.object(), "spec");
        if (minReady == null) {
            spec.remove("minReadySeconds");
        } else {
            spec.set("minReadySeconds", minReady);
        }
        if (!before.equals(current.object())) {
            actions.add(new Action.Update(current.object().deepCopy(), current.wanted(), current.wanted()));
        }
        noteRevision(current);
    }

    private void create(long revision) {
        ObjectNode template = Json.object();
        if (Json.at(deployment, "spec", "template") instanceof ObjectNode given) {
            template = given.deepCopy();
        }
        String hash = TemplateHash.of(template, Json.longAt(deployment, 0, "status", "collisionCount"));
        ObjectNode labels = Json.ensureObject(template, "metadata", "labels");
        labels.put(Revision.HASH, hash);
        ObjectNode made = Json.object();
        ObjectNode metadata = made.putObject("metadata");
        metadata.put("name", Objects.name(deployment) + "-" + hash);
        metadata.put("namespace", Objects.namespace(deployment));
        metadata.set("labels", labels.deepCopy());
        metadata.putArray("ownerReferences").add(ReplicaDecisions.ownerReference(deployment));
        ObjectNode spec = made.putObject("spec");
        spec.put("replicas", 0);
        JsonNode minReady = Json.at(deployment, "spec", "minReadySeconds");
        if (minReady != null) {
            spec.set("minReadySeconds", minReady);
        }
        ObjectNode selector =
                Json.at(deployment, "spec", "selector") instanceof ObjectNode given ? given.deepCopy() : Json.object();
        Json.ensureObject(selector, "matchLabels").put(Revision.HASH, hash);
        spec.set("selector", selector);
        spec.set("template", template);
        Revision fresh = new Revision(made);
        current = fresh;
        Json.ensureObject(fresh.object(), "spec").put("replicas", roomForNew());
        annotate(fresh, revision);
        fresh.annotate(Revision.DESIRED, Long.toString(replicas));
        fresh.annotate(Revision.MAX, Long.toString(replicas + limits.surge()));
        actions.add(new Action.Create(fresh.object().deepCopy()));
        createdName = fresh.name();
        noteRevision(fresh);
    }

    /** Gives a ReplicaSet the deployment's annotations and its place in history. */
    private void annotate(Revision target, long revision) {
        if (Json.at(deployment, "metadata", "annotations") instanceof ObjectNode annotations) {
            annotations.properties().forEach(annotation -> {
                if (!RolloutLimits.isPrivate(annotation.getKey())) {
                    target.annotate(annotation.getKey(), annotation.getValue().asText());
                }
            });
        }
        String before = target.annotation(Revision.REVISION);
        if (target.number(Revision.REVISION, 0) < revision) {
            target.annotate(Revision.REVISION, Long.toString(revision));
            if (!before.isEmpty()) {
                String history = target.annotation(Revision.HISTORY);
                String longer = history.isEmpty() ? before : history + "," + before;
                // The oldest go first where it grows out of bounds.
                while (longer.length() > HISTORY_LIMIT && longer.indexOf(',') >= 0) {
                    longer = longer.substring(longer.indexOf(',') + 1);
                }
                target.annotate(Revision.HISTORY, longer);
            }
        }
    }

    private void noteRevision(Revision revision) {
        String number = revision.annotation(Revision.REVISION);
        if (!number.isEmpty()) {
            Json.ensureObject(deployment, "metadata", "annotations").put(Revision.REVISION, number);
        }
    }

    // ---- sizes

    private static long wanted(List<Revision> some) {
        return some.stream().mapToLong(Revision::wanted).sum();
    }

    /** How large the new ReplicaSet may be now. */
    private long roomForNew() {
        Revision fresh = java.util.Objects.requireNonNull(current);
        if (limits.recreate()) {
            return replicas;
        }
        long room = replicas + limits.surge() - wanted(everything());
        return room <= 0 ? fresh.wanted() : fresh.wanted() + Math.min(room, replicas - fresh.wanted());
    }

    private boolean resize(Revision revision, long size) {
        long before = revision.wanted();
        String desired = Long.toString(replicas);
        String max = Long.toString(replicas + limits.surge());
        boolean noted = revision.annotation(Revision.DESIRED).equals(desired)
                && revision.annotation(Revision.MAX).equals(max);
        if (before == size && noted) {
            return false;
        }
        Json.ensureObject(revision.object(), "spec").put("replicas", size);
        revision.annotate(Revision.DESIRED, desired);
        revision.annotate(Revision.MAX, max);
        actions.add(new Action.Update(revision.object().deepCopy(), before, size));
        return before != size;
    }

    /** Follows a change of the deployment's size, between rollouts and in the midst of one. */
    private void scale() {
        List<Revision> active = everything().stream().filter(Revision::isActive).toList();
        if (active.size() <= 1) {
            Revision only = active.isEmpty() ? newestIfAny() : active.getFirst();
            if (only != null) {
                resize(only, replicas);
            }
            return;
        }
        if (current != null && isSaturated(current)) {
            olds.stream().filter(Revision::isActive).forEach(old -> resize(old, 0));
            return;
        }
        if (!limits.recreate()) {
            scaleInProportion(active);
        }
    }

    private @Nullable Revision newestIfAny() {
        return current != null ? current : olds.isEmpty() ? null : olds.getLast();
    }

    private boolean isSaturated(Revision revision) {
        return revision.wanted() == replicas
                && revision.number(Revision.DESIRED, -1) == replicas
                && revision.available() == replicas;
    }

    /** Larger ReplicaSets take a larger part; what rounding leaves goes to the first. */
    private void scaleInProportion(List<Revision> active) {
        long allowed = replicas > 0 ? replicas + limits.surge() : 0;
        long change = allowed - wanted(active);
        Comparator<Revision> bySize = Comparator.comparingLong(Revision::wanted).reversed();
        Comparator<Revision> byAge = change > 0 ? Revision.OLDEST_FIRST.reversed() : Revision.OLDEST_FIRST;
        List<Revision> sorted =
                active.stream().sorted(bySize.thenComparing(byAge)).toList();
        long[] sizes = new long[sorted.size()];
        long done = 0;
        for (int i = 0; i < sizes.length; i++) {
            Revision revision = sorted.get(i);
            long part = change == 0 ? 0 : proportion(revision, change, done);
            sizes[i] = revision.wanted() + part;
            done += part;
        }
        for (int i = 0; i < sizes.length; i++) {
            long size = i == 0 ? Math.max(0, sizes[0] + change - done) : sizes[i];
            resize(sorted.get(i), size);
        }
    }

    private long proportion(Revision revision, long change, long done) {
        long left = change - done;
        long part;
        if (replicas == 0) {
            part = -revision.wanted();
        } else {
            long before = revision.number(Revision.MAX, Json.longAt(deployment, 0, "status", "replicas"));
            part = before == 0
                    ? 0
                    : Math.round((double) revision.wanted() * (replicas + limits.surge()) / before) - revision.wanted();
        }
        return change > 0 ? Math.min(part, left) : Math.max(part, left);
    }

    // ---- strategies

    private void roll() {
        adoptCurrent(true);
        Revision fresh = java.util.Objects.requireNonNull(current);
        boolean created = createdName != null;
        if (!created && fresh.wanted() != replicas) {
            long size = fresh.wanted() > replicas ? replicas : roomForNew();
            if (resize(fresh, size)) {
                return;
            }
        }
        if (shrinkOlds(fresh)) {
            return;
        }
        if (isComplete()) {
            cleanUp();
        }
    }

    /** Ends what is broken first: that costs nothing; then as many of the rest as may be missing. */
    private boolean shrinkOlds(Revision fresh) {
        if (wanted(olds) == 0) {
            return false;
        }
        long least = replicas - limits.unavailable();
        long mayGo = wanted(everything()) - least - (fresh.wanted() - fresh.lasting());
        if (mayGo <= 0) {
            return false;
        }
        long broken = 0;
        for (Revision old : olds) {
            long sick = Math.min(mayGo - broken, old.wanted() - old.available());
            if (old.isActive() && sick > 0) {
                resize(old, old.wanted() - sick);
                broken += sick;
            }
        }
        long spare = everything().stream().mapToLong(Revision::lasting).sum() - least;
        long ended = 0;
        for (Revision old : olds) {
            long well = Math.min(old.wanted(), spare - ended);
            if (well > 0) {
                resize(old, old.wanted() - well);
                ended += well;
            }
        }
        return broken + ended > 0;
    }

    private void recreate() {
        adoptCurrent(false);
        boolean shrunk = false;
        for (Revision old : olds) {
            shrunk |= old.isActive() && resize(old, 0);
        }
        if (shrunk || oldsRun()) {
            return;
        }
        adoptCurrent(true);
        resize(java.util.Objects.requireNonNull(current), replicas);
        if (isComplete()) {
            cleanUp();
        }
    }

    private boolean oldsRun() {
        if (olds.stream().anyMatch(old -> old.existing() > 0)) {
            return true;
        }
        String fresh = current == null ? "" : current.uid();
        return pods.stream()
                .anyMatch(pod -> !pod.isFinished()
                        && (pod.owner() == null || !pod.owner().uid().equals(fresh)));
    }

    private boolean isComplete() {
        return DeploymentStatus.isComplete(deployment, Json.at(deployment, "status"));
    }

    /** Forgets the oldest versions beyond the limit, if they are really at rest. */
    private void cleanUp() {
        long limit = Json.longAt(deployment, Integer.MAX_VALUE, "spec", "revisionHistoryLimit");
        List<Revision> kept = olds.stream()
                .filter(old -> !Objects.isDeleting(old.object()))
                .sorted(Comparator.comparingLong(old -> old.number(Revision.REVISION, 0)))
                .toList();
        for (Revision old : kept.subList(0, (int) Math.max(0, kept.size() - limit))) {
            boolean atRest = old.existing() == 0
                    && old.wanted() == 0
                    && Json.longAt(old.object(), 0, "metadata", "generation")
                            <= Json.longAt(old.object(), 0, "status", "observedGeneration");
            if (atRest) {
                actions.add(new Action.Delete(old.object()));
            }
        }
    }
}
