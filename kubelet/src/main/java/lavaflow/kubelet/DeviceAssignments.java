package lavaflow.kubelet;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;

import lavaflow.kube.Json;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which container has which devices, in a file that is replaced as a whole with each change: containers outlive this process,
 * and what they have must not be given away meanwhile.
 */
final class DeviceAssignments {
    private static final Logger LOG = LoggerFactory.getLogger(DeviceAssignments.class);

    /** Resources there were the last time. */
    private final Set<String> former = new TreeSet<>();

    /** By pod, container and resource. */
    private final Map<String, Map<String, Map<String, List<String>>>> pods = new TreeMap<>();

    private final Path file;

    private DeviceAssignments(Path file) {
        this.file = file;
    }

    static DeviceAssignments open(Path file) throws IOException {
        DeviceAssignments assignments = new DeviceAssignments(file);
        try {
            assignments.read(Json.parseUntrusted(Files.readAllBytes(file)));
        } catch (NoSuchFileException _) {
            // The first time.
        } catch (JsonProcessingException e) {
            // It is replaced by renaming, so this is not our doing; a node without memory of it is better than none.
            LOG.error(
                    "{} is damaged; devices of running pods may be given away again: {}", file, e.getOriginalMessage());
        }
        return assignments;
    }

    private void read(JsonNode root) {
        root.path("resources").forEach(resource -> former.add(resource.asText()));
        for (var pod : root.path("pods").properties()) {
            for (var container : pod.getValue().properties()) {
                for (var resource : container.getValue().properties()) {
                    List<String> ids = new ArrayList<>();
                    resource.getValue().forEach(id -> ids.add(id.asText()));
                    put(pod.getKey(), container.getKey(), resource.getKey(), ids);
                }
            }
        }
    }

    Set<String> former() {
        return former;
    }

    /** Notes what there is, for the next process; returns whether that is news. */
    boolean offers(Set<String> resources) {
        return former.addAll(resources);
    }

    void put(String pod, String container, String resource, List<String> ids) {
        pods.computeIfAbsent(pod, _ -> new TreeMap<>())
                .computeIfAbsent(container, _ -> new TreeMap<>())
                .put(resource, List.copyOf(ids));
    }

    List<String> of(String pod, String container, String resource) {
        return pods.getOrDefault(pod, Map.of())
                .getOrDefault(container, Map.of())
                .getOrDefault(resource, List.of());
    }

    /** All devices of a resource that somebody has. */
    Set<String> used(String resource) {
        Set<String> used = new LinkedHashSet<>();
        pods.values()
                .forEach(containers -> containers
                        .values()
                        .forEach(resources -> used.addAll(resources.getOrDefault(resource, List.of()))));
        return used;
    }

    /** Forgets pods; false if there were none of those. */
    boolean remove(Predicate<String> which) {
        return pods.keySet().removeIf(which);
    }

    void write() throws IOException {
        ObjectNode root = Json.object();
        ArrayNode resourceNames = root.putArray("resources");
        former.forEach(resourceNames::add);
        ObjectNode all = root.putObject("pods");
        pods.forEach((pod, containers) -> {
            ObjectNode ofPod = all.putObject(pod);
            containers.forEach((container, resources) -> {
                ObjectNode ofContainer = ofPod.putObject(container);
                resources.forEach((resource, ids) -> {
                    ArrayNode list = ofContainer.putArray(resource);
                    ids.forEach(list::add);
                });
            });
        });
        Path next = file.resolveSibling(file.getFileName() + ".tmp");
        try (FileChannel channel = FileChannel.open(
                next, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING)) {
            ByteBuffer bytes = ByteBuffer.wrap(Json.bytes(root));
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
            channel.force(true);
        }
        Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
    }
}
