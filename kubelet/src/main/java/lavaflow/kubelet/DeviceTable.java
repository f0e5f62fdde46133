package lavaflow.kubelet;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

import lavaflow.kube.Json;
import lavaflow.kube.Quantity;
import lavaflow.sandbox.ContainerSpec;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * The devices of a node and who has them. Counts as kubelet's device manager does: a pod gets all its devices when it is
 * admitted or is not admitted; containers that follow one another use the same ones.
 *
 * <p>Any thread may call; all is guarded by the table.
 */
public final class DeviceTable {
    private final DeviceSettings settings;
    private final DeviceDiscovery discovery;
    private final DeviceAssignments assignments;
    private final List<DeviceDiscovery.Card> cards;
    private final List<ContainerSpec.Mount> driver;
    private Map<String, DevicePool> pools = new TreeMap<>();

    /**
     * Finds the devices.
     *
     * @param state file that keeps who has what
     */
    public static DeviceTable open(Path state, DeviceSettings settings) throws IOException {
        return open(state, settings, Path.of("/"));
    }

    /** The same for another file system. */
    static DeviceTable open(Path state, DeviceSettings settings, Path root) throws IOException {
        Path parent = state.toAbsolutePath().getParent();
        if (parent != null) {
            Files.createDirectories(parent);
        }
        DeviceTable table = new DeviceTable(settings, new DeviceDiscovery(root), DeviceAssignments.open(state));
        if (table.assignments.offers(table.pools.keySet())) {
            table.assignments.write();
        }
        return table;
    }

    private DeviceTable(DeviceSettings settings, DeviceDiscovery discovery, DeviceAssignments assignments) {
        this.settings = settings;
        this.discovery = discovery;
        this.assignments = assignments;
        this.cards = settings.nvidia().discovered() ? discovery.cards() : List.of();
        this.driver = cards.isEmpty() ? List.of() : discovery.driver();
        look();
    }

    // ---- what there is

    /**
     * Looks whether devices are still there, which takes little.
     *
     * @return whether the node has more or fewer healthy ones than before
     */
    public synchronized boolean look() {
        Map<String, Long> before = allocatable();
        Map<String, DevicePool> found = new TreeMap<>();
        DeviceSettings.Nvidia nvidia = settings.nvidia();
        if (!cards.isEmpty()) {
            List<Device> devices = new ArrayList<>();
            for (DeviceDiscovery.Card card : cards) {
                devices.add(new Device(card.id(), card.id(), List.of(card.node()), discovery.isThere(card.node())));
            }
            DevicePool.Form form = DeviceForms.nvidia(nvidia.capabilities(), discovery.common(), driver);
            found.put(nvidia.resource(), new DevicePool(devices, nvidia.replicas(), form));
        }
        for (DeviceSettings.Fake fake : settings.fakes()) {
            List<Device> devices = new ArrayList<>();
            for (String id : fake.ids()) {
                devices.add(new Device(id, id, fake.nodes(), !fake.unhealthy().contains(id)));
            }
            found.put(
                    fake.resource(),
                    new DevicePool(devices, fake.replicas(), DeviceForms.fake(fake, nvidia.capabilities())));
        }
        pools = found;
        return !before.equals(allocatable());
    }

    /** How many devices there are, by resource; of those that there once were and are not any more, none. */
    public synchronized Map<String, Long> capacity() {
        Map<String, Long> amounts = none();
        pools.forEach((resource, pool) -> amounts.put(resource, pool.size()));
        return amounts;
    }

    /** How many of them can be given to pods. */
    public synchronized Map<String, Long> allocatable() {
        Map<String, Long> amounts = none();
        pools.forEach((resource, pool) -> amounts.put(resource, pool.healthy()));
        return amounts;
    }

    /** A Node keeps what it once said until it is told otherwise. */
    private Map<String, Long> none() {
        Map<String, Long> amounts = new TreeMap<>();
        assignments.former().forEach(resource -> amounts.put(resource, 0L));
        return amounts;
    }

    /** What nodes with such cards are known by. */
    public Map<String, String> labels() {
        Map<String, String> labels = new LinkedHashMap<>();
        if (!cards.isEmpty()) {
            String model = cards.getFirst().model().replaceAll("[^A-Za-z0-9._-]+", "-");
            labels.put("nvidia.com/gpu.present", "true");
            labels.put("nvidia.com/gpu.count", Integer.toString(cards.size()));
            labels.put(
                    "nvidia.com/gpu.replicas",
                    Integer.toString(settings.nvidia().replicas()));
            if (!model.isEmpty() && model.length() <= 63) {
                labels.put("nvidia.com/gpu.product", model);
            }
        }
        return labels;
    }

    // ---- who has what

    /** Gives a pod the devices it asks for; those it has already stay its own. */
    public synchronized void admit(ObjectNode pod) throws DeviceShortage, IOException {
        String uid = Json.textAt(pod, "metadata", "uid");
        Map<String, Map<String, List<String>>> wanted = new LinkedHashMap<>();
        Map<String, Set<String>> reusable = new LinkedHashMap<>();
        Map<String, Set<String>> taken = new LinkedHashMap<>();
        for (String list : List.of("initContainers", "containers")) {
            for (JsonNode container : Json.listAt(pod, "spec", list)) {
                boolean passes = list.equals("initContainers")
                        && !Json.textAt(container, "restartPolicy").equals("Always");
                String name = Json.textAt(container, "name");
                for (Map.Entry<String, DevicePool> pool : pools.entrySet()) {
                    String resource = pool.getKey();
                    int count = asked(container, resource);
                    if (count == 0) {
                        continue;
                    }
                    Set<String> reused = reusable.computeIfAbsent(resource, _ -> new LinkedHashSet<>());
                    Set<String> fresh = taken.computeIfAbsent(resource, _ -> new LinkedHashSet<>());
                    List<String> ids = choose(
                            pool.getValue(), resource, count, assignments.of(uid, name, resource), reused, fresh);
                    fresh.addAll(ids);
                    wanted.computeIfAbsent(name, _ -> new LinkedHashMap<>()).put(resource, ids);
                    // Whoever comes after a container that ends may have what it had.
                    if (passes) {
                        reused.addAll(ids);
                    } else {
                        ids.forEach(reused::remove);
                    }
                }
            }
        }
        if (!wanted.isEmpty()) {
            wanted.forEach((container, resources) ->
                    resources.forEach((resource, ids) -> assignments.put(uid, container, resource, ids)));
            assignments.write();
        }
    }

    private static int asked(JsonNode container, String resource) {
        long count =
                Quantity.at(Json.at(container, "resources", "limits"), resource).value();
        return (int) Math.min(count, Integer.MAX_VALUE);
    }

    private List<String> choose(
            DevicePool pool, String resource, int count, List<String> has, Set<String> reusable, Set<String> fresh)
            throws DeviceShortage {
        if (pool.healthy() == 0) {
            throw new DeviceShortage("no healthy devices present; cannot allocate unhealthy devices " + resource);
        }
        if (!has.stream().allMatch(pool::isHealthy)) {
            throw new DeviceShortage(
                    "previously allocated devices are no longer healthy; cannot allocate unhealthy devices "
                            + resource);
        }
        List<String> ids = new ArrayList<>(has.subList(0, Math.min(count, has.size())));
        for (String id : reusable) {
            if (ids.size() < count && !ids.contains(id)) {
                ids.add(id);
            }
        }
        int needed = count - ids.size();
        if (needed > 0) {
            Set<String> used = assignments.used(resource);
            used.addAll(fresh);
            Set<String> free = pool.free(used);
            if (free.size() < needed) {
                throw new DeviceShortage("requested number of devices unavailable for " + resource + ". Requested: "
                        + needed + ", Available: " + free.size());
            }
            ids.addAll(pool.choose(free, needed, used));
        }
        return ids;
    }

    /**
     * What a container gets; also those without devices are told that they have none.
     *
     * @param isolated whether it sees only the device files it is given
     */
    public synchronized DeviceGrant grant(String podUid, String container, boolean isolated) {
        if (pools.isEmpty()) {
            return DeviceGrant.NOTHING;
        }
        Map<String, String> environment = new LinkedHashMap<>();
        List<ContainerSpec.Device> devices = new ArrayList<>();
        List<ContainerSpec.Mount> mounts = new ArrayList<>();
        pools.forEach((resource, pool) -> {
            DeviceGrant grant = pool.grant(assignments.of(podUid, container, resource), isolated);
            environment.putAll(grant.environment());
            devices.addAll(grant.devices());
            mounts.addAll(grant.mounts());
        });
        return new DeviceGrant(environment, devices, mounts);
    }

    /** A pod has ended. */
    public synchronized void release(String podUid) throws IOException {
        if (assignments.remove(podUid::equals)) {
            assignments.write();
        }
    }

    /** Only these pods are still there; what others had is free. */
    public synchronized void retain(Set<String> podUids) throws IOException {
        if (assignments.remove(uid -> !podUids.contains(uid))) {
            assignments.write();
        }
    }
}
