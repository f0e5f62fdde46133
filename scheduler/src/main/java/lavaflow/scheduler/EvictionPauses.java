package lavaflow.scheduler;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;

/** How long to wait before a pod that was not allowed to go is told again. Belongs to the scheduler's thread. */
final class EvictionPauses {
    /** After a server was too busy; every further time twice as long. */
    static final Duration FIRST = Duration.ofSeconds(1);
    /** A budget does not change within moments. */
    static final Duration LONGEST = Duration.ofSeconds(10);

    private static final int TOO_MANY = 429;
    private static final int SERVER = 500;

    /** The last pause of each pod that a busy server would not let go. */
    private final Map<String, Duration> last = new HashMap<>();

    /** Whether the server may do the same thing a moment later. */
    static boolean isBusy(ApiException refusal) {
        if (refusal.code() != TOO_MANY) {
            return refusal.code() >= SERVER;
        }
        for (JsonNode cause : Json.listAt(refusal.status(), "details", "causes")) {
            if (Json.textAt(cause, "reason").equals("DisruptionBudget")) {
                return false;
            }
        }
        return true;
    }

    Duration after(String uid, boolean busy) {
        if (!busy) {
            last.remove(uid);
            return LONGEST;
        }
        Duration before = last.get(uid);
        Duration pause = before == null ? FIRST : before.multipliedBy(2);
        pause = pause.compareTo(LONGEST) > 0 ? LONGEST : pause;
        last.put(uid, pause);
        return pause;
    }

    /** A pod is gone. */
    void forget(String uid) {
        last.remove(uid);
    }
}
