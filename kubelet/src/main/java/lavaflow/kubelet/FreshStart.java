package lavaflow.kubelet;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

import lavaflow.kube.Json;

/** All containers of a pod begin anew in its place, with its volumes and its addresses. */
final class FreshStart {
    /** The condition that says so. */
    static final String CONDITION = "AllContainersRestarting";

    private final PodLife pod;

    FreshStart(PodLife pod) {
        this.pod = pod;
    }

    /** Whether the API was told of it last. Of a container that is gone since then, that was the reason. */
    static boolean isUnderWay(PodView pod) {
        return Json.textAt(pod.condition(CONDITION), "status").equals("True");
    }

    /**
     * Takes away what the containers were. Those that made the pod begin anew go last: as long as one of them is there,
     * whoever goes on after this process does the same.
     */
    void run() {
        PodFacts facts = pod.facts();
        List<PodView.Container> order = new ArrayList<>(facts.pod().containers());
        order.removeIf(each -> each.role() == PodView.Role.EPHEMERAL);
        order.sort(Comparator.comparing(facts::restartsAll));
        List<String> old = new ArrayList<>();
        for (PodView.Container each : order) {
            facts.of(each).attempts().forEach(attempt -> old.add(attempt.id()));
        }
        pod.remove(old);
        Instant now = pod.around().clock().instant();
        pod.locked(() -> {
            order.forEach(each -> pod.life(each.name()).beginAnew(facts.restartsAll(each), now));
            pod.busy = false;
            return null;
        });
    }
}
