package lavaflow.node;

import java.time.Instant;
import java.util.BitSet;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** What a simulated node knows: how it is told to behave, whom it has taken in, who has which address. Thread-safe. */
final class NodeState {
    static final String STATE = Behaviour.PREFIX + "state";
    static final String SLOWDOWN = Behaviour.PREFIX + "slowdown";
    private static final double USUAL_SLOWDOWN = 10;

    /** How a node behaves. */
    enum Mode {
        READY,
        NOT_READY,
        /** It works, but takes its time. */
        SLOW,
        /** Nobody hears of it any more. */
        LOST;

        static Mode of(String word) {
            return switch (word) {
                case "not-ready" -> NOT_READY;
                case "slow" -> SLOW;
                case "lost" -> LOST;
                default -> READY;
            };
        }
    }

    private final SimNode node;
    private final BitSet taken = new BitSet();
    private final Map<String, Integer> addresses = new HashMap<>();
    private final NodeClaims claims = new NodeClaims();

    private final Set<PodKey> pods = new LinkedHashSet<>();
    private ObjectNode object = Json.object();
    private Mode mode = Mode.READY;
    private double slowdown = 1;
    private boolean present;
    private boolean joined;
    private boolean givenUp;
    /** What the API has last heard of its health; null while nobody can say. */
    private NodeForm.@Nullable Health told = NodeForm.Health.READY;

    NodeState(SimNode node) {
        this.node = node;
    }

    SimNode node() {
        return node;
    }

    /** Takes in what the API says of the node; true if it is to behave differently now. */
    synchronized boolean update(ObjectNode seen) {
        JsonNode annotations = Json.at(seen, "metadata", "annotations");
        Mode next = Mode.of(Json.textAt(annotations, STATE));
        double factor = next == Mode.SLOW ? factor(Json.textAt(annotations, SLOWDOWN)) : 1;
        boolean changed = !present || next != mode || factor != slowdown;
        mode = next;
        slowdown = factor;
        present = true;
        joined = true;
        object = seen;
        givenUp = NodeForm.isGivenUp(seen);
        return changed || givenUp;
    }

    private static double factor(String text) {
        try {
            double factor = text.isEmpty() ? USUAL_SLOWDOWN : Double.parseDouble(text);
            return factor > 0 ? factor : USUAL_SLOWDOWN;
        } catch (NumberFormatException e) {
            return USUAL_SLOWDOWN;
        }
    }

    /** Somebody deleted the Node. */
    synchronized void vanish() {
        present = false;
    }

    /** Whether its Node was ever there. */
    synchronized boolean hasJoined() {
        return joined;
    }

    synchronized boolean isReachable() {
        return present && mode != Mode.LOST;
    }

    synchronized Mode mode() {
        return mode;
    }

    synchronized double slowdown() {
        return slowdown;
    }

    synchronized NodeForm.Health health() {
        return mode == Mode.NOT_READY ? NodeForm.Health.NOT_READY : NodeForm.Health.READY;
    }

    /** Whether the API has heard of this health, and nobody has taken the node for dead since. */
    synchronized boolean hasTold(NodeForm.Health health) {
        return told == health && !givenUp;
    }

    /** The API is about to hear of another health. Whether it did is known with its answer, which may get lost. */
    synchronized void beginToTell() {
        told = null;
    }

    synchronized void tell(NodeForm.Health health) {
        told = health;
        givenUp = false;
    }

    synchronized String uid() {
        return Json.textAt(object, "metadata", "uid");
    }

    // ---- pods ----

    synchronized void add(PodKey key) {
        pods.add(key);
    }

    synchronized List<PodKey> pods() {
        return List.copyOf(pods);
    }

    /** Takes a pod in, or says why not. */
    synchronized PodRun.@Nullable End admit(ObjectNode pod) {
        NodeClaims.Refusal refusal = claims.admit(object, pod);
        return refusal == null ? null : new PodRun.End(refusal.reason(), refusal.message());
    }

    /** A pod that was taken in before this process began. */
    synchronized void readmit(ObjectNode pod) {
        claims.readmit(pod);
    }

    /** A pod has ended: what it needed is free again, its address too. */
    synchronized void ended(String uid) {
        claims.release(uid);
        Integer place = addresses.remove(uid);
        if (place != null) {
            taken.clear(place);
        }
    }

    synchronized void forget(PodKey key, String uid) {
        pods.remove(key);
        ended(uid);
    }

    /** The address of a pod: what it has, or the next free one; null if there is none left. */
    synchronized @Nullable String address(ObjectNode pod, String uid) {
        if (Json.flagAt(pod, "spec", "hostNetwork")) {
            return node.address();
        }
        Integer known = addresses.get(uid);
        if (known == null) {
            int had = node.addresses().podOf(node.number(), Json.textAt(pod, "status", "podIP"));
            known = had >= 0 && !taken.get(had) ? had : taken.nextClearBit(0);
            if (known >= node.addresses().podsPerNode()) {
                return null;
            }
            taken.set(known);
            addresses.put(uid, known);
        }
        return node.addresses().ofPod(node.number(), known);
    }

    /** Keeps the address a pod already has, before any newcomer is given one. */
    synchronized void keepAddress(ObjectNode pod, String uid) {
        String phase = Json.textAt(pod, "status", "phase");
        int had = node.addresses().podOf(node.number(), Json.textAt(pod, "status", "podIP"));
        boolean over = phase.equals("Succeeded") || phase.equals("Failed");
        if (!over && had >= 0 && !taken.get(had) && !addresses.containsKey(uid)) {
            taken.set(had);
            addresses.put(uid, had);
        }
    }

    ObjectNode newStatus(NodeForm.Health health, Instant now) {
        return NodeForm.status(node, health, now);
    }
}
