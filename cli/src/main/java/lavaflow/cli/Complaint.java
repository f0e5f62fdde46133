package lavaflow.cli;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;

import lavaflow.controller.KubeApi;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * What the controller of a job could not do for it, as an event says.
 *
 * @param reason one word
 */
public record Complaint(String reason, String message) {
    private static final KubeApi.Kind EVENTS = KubeApi.Kind.core("events");

    /** The scheduler says that better itself. */
    private static final Set<String> OF_SCHEDULERS = Set.of("PodGroupPending", "Unschedulable");

    /** The last one about an object, if there was one. */
    public static Optional<Complaint> last(KubeApi api, ObjectNode object) {
        List<ObjectNode> events = new ArrayList<>();
        String fields = "type=Warning,involvedObject.uid=" + Json.textAt(object, "metadata", "uid");
        KubeApi.Scope scope = new KubeApi.Scope(Json.textAt(object, "metadata", "namespace"), fields);
        api.list(EVENTS, scope, KubeApi.View.WHOLE, events::add);
        return events.stream()
                .filter(event -> !OF_SCHEDULERS.contains(Json.textAt(event, "reason")))
                .max(Comparator.comparing(Complaint::time))
                .map(event -> new Complaint(
                        Json.textAt(event, "reason"),
                        Json.textAt(event, "message").strip()));
    }

    private static String time(ObjectNode event) {
        String last = Json.textAt(event, "lastTimestamp");
        return last.isEmpty() ? Json.textAt(event, "metadata", "creationTimestamp") : last;
    }
}
