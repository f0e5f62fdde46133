package lavaflow.apiserver;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

import lavaflow.access.User;
import lavaflow.fairness.FlowControl;
import lavaflow.fairness.SuggestedConfiguration;
import lavaflow.kube.ApiException;
import lavaflow.kube.GoTime;
import lavaflow.kube.Json;
import lavaflow.store.Store;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps flow control and its objects together: the suggested ones exist and are up to date unless their owner took them over,
 * changes take effect, and schemas say whether their level exists.
 */
final class FlowObjects implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(FlowObjects.class);
    private static final String GROUP = "flowcontrol.apiserver.k8s.io";
    private static final String AUTO_UPDATE = "apf.kubernetes.io/autoupdate-spec";
    private static final Set<String> MANDATORY = Set.of("exempt", "catch-all");
    private static final LocalApi.Path SCHEMAS = new LocalApi.Path(GROUP, "v1", "flowschemas");
    private static final LocalApi.Path LEVELS = new LocalApi.Path(GROUP, "v1", "prioritylevelconfigurations");
    private static final User PRODUCER =
            new User("api-priority-and-fairness-config-producer-v1", List.of(User.MASTERS));
    private static final User CONSUMER =
            new User("api-priority-and-fairness-config-consumer-v1", List.of(User.MASTERS));
    private static final long CHECK_SECONDS = 60;

    private final LocalApi api;
    private final FlowControl control;
    private final Stored stored;
    private final StoreFollower follower;
    private final ScheduledExecutorService timer;

    FlowObjects(LocalApi api, FlowControl control, Store store) {
        this.api = api;
        this.control = control;
        this.stored = new Stored(store);
        ensureAll();
        takeOver();
        follower = new StoreFollower(
                store, List.of(GROUP + "/flowschemas", GROUP + "/prioritylevelconfigurations"), this::changed);
        timer = Executors.newSingleThreadScheduledExecutor(
                Thread.ofPlatform().daemon().name("flow objects").factory());
        var _ = timer.scheduleWithFixedDelay(this::ensureAll, CHECK_SECONDS, CHECK_SECONDS, TimeUnit.SECONDS);
    }

    private void changed() {
        takeOver();
        tellDangling();
    }

    private void takeOver() {
        control.configure(
                stored.all(GROUP + "/flowschemas", ""), stored.all(GROUP + "/prioritylevelconfigurations", ""));
    }

    /** All at once: the store writes what comes together in one go. */
    private void ensureAll() {
        SuggestedConfiguration suggested = SuggestedConfiguration.load();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> all = new ArrayList<>();
            suggested.levels().forEach(each -> all.add(threads.submit(() -> ensure(LEVELS, each))));
            suggested.schemas().forEach(each -> all.add(threads.submit(() -> ensure(SCHEMAS, each))));
        }
    }

    private void ensure(LocalApi.Path path, SuggestedConfiguration.Suggested wanted) {
        try {
            ObjectNode found = api.find(PRODUCER, path, "", wanted.name()).orElse(null);
            if (found == null) {
                ObjectNode object = Json.object();
                ObjectNode metadata = object.putObject("metadata").put("name", wanted.name());
                metadata.putObject("annotations").put(AUTO_UPDATE, "true");
                object.set("spec", wanted.spec());
                api.create(PRODUCER, path, "", object);
            } else if (isOurs(found) && !found.path("spec").equals(wanted.spec())) {
                found.set("spec", wanted.spec());
                api.update(PRODUCER, path, "", found);
            }
        } catch (ApiException e) {
            // Somebody else was faster, or the object will be looked at again in a minute.
            LOG.debug("{} {}: {}", path, wanted.name(), e.getMessage());
        }
    }

    /** The mandatory ones are, others unless somebody changed them or said so. */
    private static boolean isOurs(ObjectNode object) {
        if (MANDATORY.contains(Metadata.name(object))) {
            // What may be changed of a mandatory object is its owner's.
            return false;
        }
        return switch (Json.textAt(object, "metadata", "annotations", AUTO_UPDATE)) {
            case "true" -> true;
            case "" -> Json.longAt(object, 1, "metadata", "generation") == 1;
            default -> false;
        };
    }

    private void tellDangling() {
        Set<String> levels = new HashSet<>();
        stored.all(GROUP + "/prioritylevelconfigurations", "").forEach(level -> levels.add(Metadata.name(level)));
        for (ObjectNode schema : stored.all(GROUP + "/flowschemas", "")) {
            String level = Json.textAt(schema, "spec", "priorityLevelConfiguration", "name");
            boolean exists = levels.contains(level);
            if (!conditionTells(schema, level, exists)) {
                tell(schema, level, exists);
            }
        }
    }

    private static String message(String level, boolean exists) {
        return exists
                ? "This FlowSchema references the PriorityLevelConfiguration object named \"" + level
                        + "\" and it exists"
                : "This FlowSchema references the PriorityLevelConfiguration object named \"" + level
                        + "\" but there is no such object";
    }

    private static boolean conditionTells(ObjectNode schema, String level, boolean exists) {
        for (JsonNode condition : Json.listAt(schema, "status", "conditions")) {
            if (Json.textAt(condition, "type").equals("Dangling")) {
                return Json.textAt(condition, "status").equals(exists ? "False" : "True")
                        && Json.textAt(condition, "message").equals(message(level, exists));
            }
        }
        return false;
    }

    private void tell(ObjectNode schema, String level, boolean exists) {
        ObjectNode configuration = Json.object();
        configuration.put("apiVersion", GROUP + "/v1").put("kind", "FlowSchema");
        configuration.putObject("metadata").put("name", Metadata.name(schema));
        configuration
                .putObject("status")
                .putArray("conditions")
                .addObject()
                .put("type", "Dangling")
                .put("status", exists ? "False" : "True")
                .put("lastTransitionTime", GoTime.seconds(api.now()))
                .put("reason", exists ? "Found" : "NotFound")
                .put("message", message(level, exists));
        try {
            api.apply(CONSUMER, SCHEMAS, "status", configuration);
        } catch (ApiException e) {
            // A newer version of the schema is on its way to us.
            LOG.debug("{}: {}", Metadata.name(schema), e.getMessage());
        }
    }

    @Override
    public void close() {
        timer.shutdownNow();
        follower.close();
    }
}
