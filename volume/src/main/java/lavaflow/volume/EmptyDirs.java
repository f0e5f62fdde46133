package lavaflow.volume;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.function.Supplier;

import lavaflow.kube.Json;
import lavaflow.kube.PodRequests;
import lavaflow.kube.Quantity;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Directories that live as long as their pod, on disk or in memory. */
final class EmptyDirs {
    private static final String HUGE_PAGES = "HugePages";
    /** Whoever runs in the pod may write. */
    private static final int MODE = 0777;

    private final MemoryFiles memory;
    private final Supplier<ObjectNode> node;

    EmptyDirs(MemoryFiles memory, Supplier<ObjectNode> node) {
        this.memory = memory;
        this.node = node;
    }

    void mount(ObjectNode pod, JsonNode source, Path directory, @Nullable Ownership ownership)
            throws IOException, VolumeException {
        String medium = Json.textAt(source, "medium");
        if (medium.equals("Memory")) {
            long size = memorySize(pod, source);
            // As tmpfs has it where nobody says otherwise, which kubelet does not.
            memory.mount(directory, "mode=1777" + (size > 0 ? ",size=" + size : ""));
        } else if (medium.startsWith(HUGE_PAGES)) {
            memory.mountHugePages(directory, "pagesize=" + pageSize(pod, medium) + ",mode=777");
        } else if (medium.isEmpty()) {
            Files.createDirectories(directory);
        } else {
            throw new VolumeException("unknown storage medium \"" + medium + "\"");
        }
        if ((FileFacts.of(directory).mode() & MODE) != MODE) {
            FileFacts.setPermissions(directory, MODE);
        }
        if (ownership != null) {
            // What containers do to their files later is their own business: this is called for each of them.
            new Ownership(ownership.group(), false).give(directory, false);
        }
    }

    /** The least of its own limit, the pod's memory and the node's. */
    private long memorySize(ObjectNode pod, JsonNode source) {
        long size = Quantity.at(Json.at(node.get(), "status", "allocatable"), PodRequests.MEMORY)
                .value();
        size = smaller(size, podLimit(pod));
        return smaller(size, Quantity.at(source, "sizeLimit").value());
    }

    private static long smaller(long size, long limit) {
        return limit > 0 && (size == 0 || limit < size) ? limit : size;
    }

    /** Nothing where some container may use as much as it likes. */
    private static long podLimit(ObjectNode pod) {
        long ofPod = Quantity.at(Json.at(pod, "spec", "resources", "limits"), PodRequests.MEMORY)
                .value();
        if (ofPod > 0) {
            return ofPod;
        }
        long sum = 0;
        for (JsonNode container : Json.listAt(pod, "spec", "containers")) {
            long limit = Quantity.at(Json.at(container, "resources", "limits"), PodRequests.MEMORY)
                    .value();
            if (limit == 0) {
                return 0;
            }
            sum += limit;
        }
        return sum;
    }

    /** In bytes; the medium names it, or else the only one that the pod asks for. */
    private static long pageSize(ObjectNode pod, String medium) throws VolumeException {
        if (medium.startsWith(HUGE_PAGES + "-")) {
            return Quantity.parse(medium.substring(HUGE_PAGES.length() + 1)).value();
        }
        String prefix = HUGE_PAGES.toLowerCase(Locale.ROOT) + "-";
        long size = 0;
        for (JsonNode container : Json.listAt(pod, "spec", "containers")) {
            JsonNode requests = Json.at(container, "resources", "requests");
            for (var entry : requests == null ? Json.object().properties() : requests.properties()) {
                if (entry.getKey().startsWith(prefix)) {
                    long asked = Quantity.parse(entry.getKey().substring(prefix.length()))
                            .value();
                    if (size != 0 && size != asked) {
                        throw new VolumeException("medium HugePages can be used only if a container requests one size"
                                + " of huge pages; name it: HugePages-2Mi");
                    }
                    size = asked;
                }
            }
        }
        if (size == 0) {
            throw new VolumeException("no container requests huge pages for medium HugePages");
        }
        return size;
    }
}
