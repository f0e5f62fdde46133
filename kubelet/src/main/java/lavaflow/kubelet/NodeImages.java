package lavaflow.kubelet;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

import lavaflow.image.ImageEntry;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** The images of a node as its status tells them: the largest, because finding those elsewhere takes longest. */
final class NodeImages {
    private static final int MOST = 50;
    private static final int MOST_NAMES = 5;

    private NodeImages() {}

    static ArrayNode of(List<ImageEntry> entries) {
        ArrayNode images = Json.array();
        entries.stream()
                .sorted(Comparator.comparingLong(ImageEntry::size).reversed().thenComparing(ImageEntry::id))
                .limit(MOST)
                .forEach(entry -> {
                    List<String> names = new ArrayList<>(entry.digests());
                    names.addAll(entry.names().keySet());
                    ObjectNode image = images.addObject();
                    names.stream().limit(MOST_NAMES).forEach(image.putArray("names")::add);
                    image.put("sizeBytes", entry.size());
                });
        return images;
    }
}
