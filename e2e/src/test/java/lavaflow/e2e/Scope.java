package lavaflow.e2e;

import java.time.Duration;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;

import lavaflow.controller.KubeApi;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * What of a cluster a suite looks at.
 *
 * @param events of all events, those that count
 * @param departures takes out of an object what is known to differ
 * @param look how long it waits before it looks again
 */
record Scope(
        Predicate<KubeApi.Kind> kinds, Predicate<ObjectNode> events, Consumer<ObjectNode> departures, Duration look) {
    private static final Set<String> CORE =
            Set.of("pods", "services", "configmaps", "secrets", "persistentvolumeclaims", "networkpolicies");

    static final Scope EVERYTHING = new Scope(_ -> true, _ -> true, _ -> {}, Duration.ofMillis(200));

    /**
     * What Jobs repeat of schedulers' news, what a kube-apiserver tells of itself when it looks for addresses that were just given away, and that Volcano's cron
     * jobs now and then ask for a Job that they have just deleted.
     */
    private static final Set<String> NOT_HEARD = Set.of("PodGroupPending", "ClusterIPNotAllocated", "FailedGet");

    /** What Volcano's controllers tell when they get in each other's way; they try again. */
    private static final String CONFLICT =
            "the object has been modified; please apply your changes to the latest version";

    /**
     * Volcano's kinds and what its controllers make. What schedulers tell of pods and groups is compared elsewhere, and so is what Jobs repeat of it
     * (gang-waiting).
     */
    static final Scope VOLCANO = new Scope(
            kind -> kind.group().endsWith("volcano.sh") || CORE.contains(kind.resource()),
            event -> !Json.textAt(event, "source", "component").equals("volcano")
                    && !NOT_HEARD.contains(Json.textAt(event, "reason"))
                    && !Json.textAt(event, "message").contains(CONFLICT),
            VolcanoDepartures::leaveOut,
            Duration.ofMillis(500));

    /** The same where gangs may wait: schedulers have their own words for why (gang-waiting). */
    static final Scope VOLCANO_WAITING = new Scope(
            VOLCANO.kinds(),
            VOLCANO.events(),
            object -> {
                VolcanoDepartures.leaveOutWaiting(object);
                VolcanoDepartures.leaveOut(object);
            },
            VOLCANO.look());
}
