package lavaflow.apiserver;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

import lavaflow.access.User;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;
import lavaflow.store.Store;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Keeps the APIServices: those of local groups exist, those of definitions come and go, those of others are looked after. */
final class ApiServiceObjects implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ApiServiceObjects.class);
    private static final String AUTO_MANAGED = "kube-aggregator.kubernetes.io/automanaged";
    private static final LocalApi.Path PATH = new LocalApi.Path("apiregistration.k8s.io", "v1", "apiservices");
    private static final User SERVER = new User("system:kube-apiserver", List.of(User.MASTERS));
    private static final long CHECK_SECONDS = 30;

    /** What upstream ranks groups by; the rest is below. */
    private static final Map<String, Integer> PRIORITIES = Map.ofEntries(
            Map.entry("", 18000),
            Map.entry("apps", 17800),
            Map.entry("events.k8s.io", 17750),
            Map.entry("authentication.k8s.io", 17700),
            Map.entry("authorization.k8s.io", 17600),
            Map.entry("autoscaling", 17500),
            Map.entry("batch", 17400),
            Map.entry("certificates.k8s.io", 17300),
            Map.entry("networking.k8s.io", 17200),
            Map.entry("policy", 17100),
            Map.entry("rbac.authorization.k8s.io", 17000),
            Map.entry("storage.k8s.io", 16800),
            Map.entry("apiextensions.k8s.io", 16700),
            Map.entry("admissionregistration.k8s.io", 16700),
            Map.entry("scheduling.k8s.io", 16600),
            Map.entry("coordination.k8s.io", 16500),
            Map.entry("node.k8s.io", 16300),
            Map.entry("discovery.k8s.io", 16200),
            Map.entry("resource.k8s.io", 16200),
            Map.entry("flowcontrol.apiserver.k8s.io", 16100));

    private static final int REGISTRATIONS = 20000;
    private static final int DEFINITIONS = 1000;
    /** Those of kube-batch and of kube-scheduler's plugin have names of Volcano's kinds, which are meant by {@code kubectl get podgroups}. */
    private static final Set<String> OTHER_SPELLINGS = Set.of("scheduling.incubator.k8s.io", "scheduling.x-k8s.io");

    private static final int LAST = 900;

    /** How far to the front a group of this server belongs. */
    static long priority(String group, boolean builtin) {
        if (group.equals("apiregistration.k8s.io")) {
            return REGISTRATIONS;
        }
        if (OTHER_SPELLINGS.contains(group)) {
            return LAST;
        }
        return builtin ? PRIORITIES.getOrDefault(group, 15000) : DEFINITIONS;
    }

    private record Wanted(String group, String version, long groupPriority, long versionPriority, String managed) {
        String name() {
            return version + "." + group;
        }
    }

    private final LocalApi api;
    private final Store store;
    private final Stored stored;
    private final ResourceTable table;
    private final Aggregation aggregation;
    private final RemoteAvailability availability;
    private final StoreFollower changes;
    private final StoreFollower moves;
    private final Paced backends;
    /** Where the servers were last found; only the thread of backends reads and writes it. */
    private String whereabouts = "";

    private final Paced services;
    private final Paced custom;
    private final ScheduledExecutorService timer;

    ApiServiceObjects(LocalApi api, Store store, ResourceTable table, Aggregation aggregation) {
        this.api = api;
        this.store = store;
        this.stored = new Stored(store);
        this.table = table;
        this.aggregation = aggregation;
        this.availability = new RemoteAvailability(api, stored, aggregation);
        timer = Executors.newSingleThreadScheduledExecutor(
                Thread.ofPlatform().daemon().name("api services").factory());
        ensureLocal();
        aggregation.reload();
        services = new Paced("api services", this::servicesChanged);
        custom = new Paced("api services of definitions", this::ensureCustom);
        changes = new StoreFollower(store, List.of(Aggregation.BUCKET), services::changed);
        backends = new Paced("servers of api services", this::backendsChanged);
        moves = new StoreFollower(
                store, List.of("services", "endpoints", "discovery.k8s.io/endpointslices"), backends::changed);
        table.onChange(custom::changed);
        custom.changed();
        var _ = timer.scheduleWithFixedDelay(this::check, CHECK_SECONDS, CHECK_SECONDS, TimeUnit.SECONDS);
    }

    /** One that was taken away although its definition is still there comes back. */
    private void servicesChanged() {
        aggregation.reload();
        custom.changed();
        if (!aggregation.services().isEmpty()) {
            var _ = timer.submit(this::check);
        }
    }

    /** Looks again at once where a server can be reached in another way, or not any more. */
    private void backendsChanged() {
        String now = availability.whereabouts();
        if (!now.equals(whereabouts)) {
            whereabouts = now;
            var _ = timer.submit(this::check);
        }
    }

    private void check() {
        try {
            availability.checkAll();
        } catch (RuntimeException e) {
            // Who closes does not wait for a look at servers far away, which then finds the store gone.
            if (!timer.isShutdown()) {
                LOG.error("API services could not be looked after", e);
            }
        }
    }

    private void ensureLocal() {
        Map<String, Wanted> wanted = new LinkedHashMap<>();
        for (Resource resource : table.all()) {
            String group = resource.group();
            // This server registers everything but the group of registrations itself.
            if (group.equals("apiregistration.k8s.io") || !table.isBuiltinGroup(group)) {
                continue;
            }
            Wanted each = builtin(group, resource.info().version());
            wanted.put(each.name(), each);
        }
        ensure(wanted);
    }

    /** An APIService for a group that is served without being stored. */
    void ensureOwn(OwnGroup group) {
        Wanted wanted = new Wanted(group.group(), group.version(), group.priority(), group.priority(), "onstart");
        ensure(Map.of(wanted.name(), wanted));
    }

    private static Wanted builtin(String group, String version) {
        long rank = group.isEmpty() ? 1 : group.equals("resource.k8s.io") || group.startsWith("flowcontrol") ? 21 : 15;
        if (group.equals("autoscaling") && version.equals("v2")) {
            rank = 30;
        }
        return new Wanted(group, version, priority(group, true), rank, "onstart");
    }

    /** All at once: the store writes what comes together in one go. */
    private void ensure(Map<String, Wanted> wanted) {
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (Wanted each : wanted.values()) {
                if (store.get(Aggregation.BUCKET, each.name()) == null) {
                    var _ = threads.submit(() -> create(each));
                }
            }
        }
    }

    private void create(Wanted wanted) {
        ObjectNode object = Json.object();
        ObjectNode metadata = object.putObject("metadata").put("name", wanted.name());
        metadata.putObject("labels").put(AUTO_MANAGED, wanted.managed());
        ObjectNode spec = object.putObject("spec");
        if (!wanted.group().isEmpty()) {
            spec.put("group", wanted.group());
        }
        spec.put("version", wanted.version())
                .put("groupPriorityMinimum", wanted.groupPriority())
                .put("versionPriority", wanted.versionPriority());
        try {
            api.create(SERVER, PATH, "", object);
        } catch (ApiException e) {
            LOG.debug("{}: {}", wanted.name(), e.getMessage());
        }
    }

    /** Versions that definitions serve have an APIService each, until they are gone. */
    private void ensureCustom() {
        Map<String, Wanted> wanted = new LinkedHashMap<>();
        for (Resource resource : table.all()) {
            if (resource.custom() != null) {
                Wanted each = new Wanted(
                        resource.group(), resource.info().version(), priority(resource.group(), false), 100, "true");
                wanted.put(each.name(), each);
            }
        }
        managed().stream().filter(name -> !wanted.containsKey(name)).forEach(this::remove);
        ensure(wanted);
    }

    /** Those that were made for definitions. */
    private List<String> managed() {
        List<String> names = new ArrayList<>();
        for (ObjectNode service : stored.all(Aggregation.BUCKET, "")) {
            if (Json.textAt(service, "metadata", "labels", AUTO_MANAGED).equals("true")) {
                names.add(Metadata.name(service));
            }
        }
        return names;
    }

    private void remove(String name) {
        try {
            api.delete(SERVER, PATH, "", name, LocalApi.Deletion.PLAIN);
        } catch (ApiException e) {
            LOG.debug("{}: {}", name, e.getMessage());
        }
    }

    @Override
    public void close() {
        changes.close();
        moves.close();
        backends.close();
        services.close();
        custom.close();
        timer.shutdownNow();
    }
}
