package lavaflow.cluster;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * The next step of a DaemonSet: on which nodes a pod is missing, which pods are too many, failed or of another version.
 * Pure: one object plans one step.
 */
final class DaemonDecisions {
    /** How many pods one look may make, and how many it may end. */
    private static final int BURST = 250;

    /**
     * What a set consists of.
     *
     * @param hash of the version pods should be of
     * @param nodes all there are, in the order of their names
     * @param byNode pods it controls by the node they are meant for, see {@link #byNode}
     * @param waits how long a pod that failed on a node must still lie there, zero where it may go
     */
    record Observed(
            ObjectNode set,
            String hash,
            List<DaemonNode> nodes,
            Function<DaemonNode, DaemonPlacement.Fit> fits,
            Map<String, List<DaemonPod>> byNode,
            Function<String, Duration> waits) {}

    /**
     * One step.
     *
     * @param create nodes that get a pod
     * @param delete pods that go
     * @param ended those among them that have ended by themselves, of which users are told
     * @param again when to look again because of pods that failed lately
     */
    record Step(List<String> create, List<DaemonPod> delete, List<DaemonPod> ended, Optional<Duration> again) {
        boolean isEmpty() {
            return create.isEmpty() && delete.isEmpty();
        }
    }

    private final ObjectNode set;
    private final Observed observed;
    private final Instant now;
    private final Duration minReady;
    private final String generation;
    private final boolean rolling;
    private final Map<String, List<DaemonPod>> byNode;
    private final Map<String, DaemonNode> nodes = new HashMap<>();
    private final int desired;
    private final long maxSurge;
    private final long maxUnavailable;
    private final List<String> create = new ArrayList<>();
    private final List<DaemonPod> delete = new ArrayList<>();
    private final List<DaemonPod> ended = new ArrayList<>();
    private @Nullable Duration again;

    private DaemonDecisions(Observed observed, Instant now) {
        this.set = observed.set();
        this.observed = observed;
        this.now = now;
        this.minReady = Duration.ofSeconds(Json.longAt(set, 0, "spec", "minReadySeconds"));
        this.generation = DaemonTemplate.generation(set);
        this.rolling = Json.textAt(set, "spec", "updateStrategy", "type").equals("RollingUpdate");
        this.byNode = observed.byNode();
        int wanted = 0;
        for (DaemonNode node : observed.nodes()) {
            nodes.put(node.name(), node);
            wanted += observed.fits().apply(node) == DaemonPlacement.Fit.RUN ? 1 : 0;
        }
        this.desired = wanted;
        JsonNode limits = Json.at(set, "spec", "updateStrategy", "rollingUpdate");
        long surge = rolling ? RolloutLimits.share(Json.at(limits, "maxSurge"), desired, true) : 0;
        long unavailable = rolling ? RolloutLimits.share(Json.at(limits, "maxUnavailable"), desired, true) : 0;
        this.maxSurge = surge;
        this.maxUnavailable = desired > 0 && surge == 0 && unavailable == 0 ? 1 : unavailable;
    }

    /** Pods by the node they are meant for, oldest first; what has ended and is on its way out counts no more. */
    static Map<String, List<DaemonPod>> byNode(List<DaemonPod> pods) {
        Map<String, List<DaemonPod>> byNode = new TreeMap<>();
        for (DaemonPod pod : pods) {
            boolean over = pod.isDeleting() && pod.state().isFinished();
            if (!over && !pod.target().isEmpty()) {
                byNode.computeIfAbsent(pod.target(), _ -> new ArrayList<>(2)).add(pod);
            }
        }
        byNode.values().forEach(each -> each.sort(DaemonPod.OLDEST_FIRST));
        return byNode;
    }

    /** Versions are exchanged only once each node has what it should. */
    static Step next(Observed observed, Instant now) {
        DaemonDecisions decisions = new DaemonDecisions(observed, now);
        decisions.manage();
        if (decisions.create.isEmpty() && decisions.delete.isEmpty() && decisions.rolling) {
            decisions.roll();
        }
        return new Step(
                decisions.create.subList(0, Math.min(BURST, decisions.create.size())),
                decisions.delete.subList(0, Math.min(BURST, decisions.delete.size())),
                decisions.ended,
                Optional.ofNullable(decisions.again));
    }

    private boolean allowsSurge() {
        JsonNode surge = Json.at(set, "spec", "updateStrategy", "rollingUpdate", "maxSurge");
        return rolling && RolloutLimits.share(surge, 100, true) > 0;
    }

    private boolean isNew(DaemonPod pod) {
        return pod.isOf(observed.hash(), generation);
    }

    private boolean isAvailable(DaemonPod pod) {
        return pod.isAvailable(minReady, now);
    }

    // ---- one pod on each node

    private void manage() {
        for (DaemonNode node : observed.nodes()) {
            List<DaemonPod> present = byNode.get(node.name());
            switch (observed.fits().apply(node)) {
                case RUN -> {
                    if (present == null) {
                        create.add(node.name());
                    } else {
                        keep(node.name(), present, true);
                    }
                }
                case STAY -> {
                    if (present != null) {
                        keep(node.name(), present, false);
                    }
                }
                case LEAVE -> {
                    if (present != null) {
                        present.stream().filter(pod -> !pod.isDeleting()).forEach(delete::add);
                    }
                }
            }
        }
        // Meant for a node that does not exist, they would wait for ever.
        byNode.forEach((node, pods) -> {
            if (!nodes.containsKey(node)) {
                pods.stream()
                        .filter(pod -> pod.state().node().isEmpty() && !pod.isDeleting())
                        .forEach(delete::add);
            }
        });
    }

    private void keep(String node, List<DaemonPod> present, boolean mayStart) {
        List<DaemonPod> running = new ArrayList<>();
        for (DaemonPod pod : present) {
            if (pod.isDeleting()) {
                continue;
            }
            if (!pod.state().isFinished()) {
                running.add(pod);
            } else if (mayGo(node, pod)) {
                delete.add(pod);
                ended.add(pod);
            }
        }
        if (!allowsSurge()) {
            running.stream().skip(1).forEach(delete::add);
        } else if (running.isEmpty() && mayStart) {
            create.add(node);
        } else if (running.size() > 1) {
            keepTwo(running);
        }
    }

    /** What a node refuses again and again is replaced ever more slowly. */
    private boolean mayGo(String node, DaemonPod pod) {
        Duration wait = pod.state().phase().equals("Failed") ? observed.waits().apply(node) : Duration.ZERO;
        if (wait.isPositive() && (again == null || wait.compareTo(again) < 0)) {
            again = wait;
        }
        return !wait.isPositive();
    }

    /** The oldest of each version; the old one until it is unwell or the new one can do its work. */
    private void keepTwo(List<DaemonPod> running) {
        DaemonPod oldestNew = null;
        DaemonPod oldestOld = null;
        for (DaemonPod pod : running) {
            boolean current = pod.hash().equals(observed.hash());
            if (current && oldestNew == null) {
                oldestNew = pod;
            } else if (!current && oldestOld == null) {
                oldestOld = pod;
            } else {
                delete.add(pod);
            }
        }
        if (oldestNew != null && oldestOld != null && (!oldestOld.state().isReady() || isAvailable(oldestNew))) {
            delete.add(oldestOld);
        }
    }

    // ---- of the current version

    /**
     * The pods of one node by version.
     *
     * @param clear false where there are several of one version, which is not the rollout's business
     */
    private record Pair(@Nullable DaemonPod fresh, @Nullable DaemonPod old, boolean clear) {}

    private Pair pair(List<DaemonPod> present) {
        DaemonPod fresh = null;
        DaemonPod old = null;
        for (DaemonPod pod : present) {
            if (pod.isDeleting()) {
                continue;
            }
            if ((isNew(pod) ? fresh : old) != null) {
                return new Pair(null, null, false);
            }
            if (isNew(pod)) {
                fresh = pod;
            } else {
                old = pod;
            }
        }
        return new Pair(fresh, old, true);
    }

    private void roll() {
        Map<String, List<DaemonPod>> everywhere = new TreeMap<>(byNode);
        for (DaemonNode node : observed.nodes()) {
            if (observed.fits().apply(node) == DaemonPlacement.Fit.RUN) {
                everywhere.putIfAbsent(node.name(), List.of());
            }
        }
        if (maxSurge == 0) {
            replace(everywhere);
        } else {
            surge(everywhere);
        }
    }

    /** Ends old pods, those that do no work at once and others as far as enough are left. */
    private void replace(Map<String, List<DaemonPod>> everywhere) {
        long unavailable = 0;
        List<DaemonPod> candidates = new ArrayList<>();
        for (List<DaemonPod> present : everywhere.values()) {
            Pair pair = pair(present);
            if (!pair.clear() || (pair.fresh() == null) == (pair.old() == null)) {
                unavailable++;
            } else if (pair.fresh() != null) {
                unavailable += isAvailable(pair.fresh()) ? 0 : 1;
            } else if (pair.old() != null && isAvailable(pair.old())) {
                candidates.add(pair.old());
            } else if (pair.old() != null) {
                delete.add(pair.old());
                unavailable++;
            }
        }
        int allowed = Math.clamp(maxUnavailable - unavailable, 0, candidates.size());
        delete.addAll(candidates.subList(0, allowed));
    }

    /** Starts new pods beside old ones, at once where the old does no work; who got a new one that works ends. */
    private void surge(Map<String, List<DaemonPod>> everywhere) {
        long surging = 0;
        long available = 0;
        List<String> candidates = new ArrayList<>();
        List<DaemonPod> leaving = new ArrayList<>();
        for (Map.Entry<String, List<DaemonPod>> each : everywhere.entrySet()) {
            Pair pair = pair(each.getValue());
            if (!pair.clear()) {
                surging++;
                continue;
            }
            DaemonPod first = pair.old() != null ? pair.old() : pair.fresh();
            available += first != null && isAvailable(first) ? 1 : 0;
            if (pair.old() == null) {
                continue;
            }
            if (pair.fresh() != null) {
                if (isAvailable(pair.fresh())) {
                    delete.add(pair.old());
                } else {
                    surging++;
                }
                continue;
            }
            DaemonNode node = nodes.get(each.getKey());
            boolean mayStart = node != null && observed.fits().apply(node) == DaemonPlacement.Fit.RUN;
            if (!mayStart) {
                // Nothing replaces it here: it goes once there are enough elsewhere, at once if it does no work.
                (isAvailable(pair.old()) ? leaving : delete).add(pair.old());
            } else if (isAvailable(pair.old())) {
                candidates.add(each.getKey());
            } else {
                create.add(each.getKey());
            }
        }
        delete.addAll(leaving.subList(0, Math.clamp(available - desired, 0, leaving.size())));
        create.addAll(candidates.subList(0, Math.clamp(maxSurge - surging, 0, candidates.size())));
    }
}
