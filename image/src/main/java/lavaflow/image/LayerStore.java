package lavaflow.image;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * Layers that are unpacked, by the hash of themselves and all below. A layer is there completely or not at all: it comes by
 * renaming and goes by renaming.
 *
 * <p>Directories have short names, because all layers of an image must fit into one page when they are mounted.
 */
final class LayerStore {
    private static final int SHORT = 12;
    private static final String NOTE = "layer.json";
    private static final String TREE = "tree";

    private final Path directory;

    LayerStore(Path directory) {
        this.directory = directory;
    }

    /** A layer that is here. */
    record Stored(String chainId, Path place, long size) {
        Path tree() {
            return place.resolve(TREE);
        }
    }

    Optional<Stored> find(String chainId) throws IOException {
        String hex = Digest.hex(chainId);
        Optional<Stored> found = read(directory.resolve(hex.substring(0, SHORT)));
        if (found.isPresent() && !found.get().chainId().equals(chainId)) {
            found = read(directory.resolve(hex));
        }
        return found.filter(layer -> layer.chainId().equals(chainId));
    }

    private static Optional<Stored> read(Path place) throws IOException {
        try {
            ObjectNode note = Json.parseObject(Files.readAllBytes(place.resolve(NOTE)));
            return Optional.of(new Stored(Json.textAt(note, "chainId"), place, Json.longAt(note, 0, "size")));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    /** Where the tree of a layer to be is unpacked. */
    static Path treeIn(Path place) {
        return place.resolve(TREE);
    }

    /** Makes a layer visible that was unpacked elsewhere on the same disk. Called while the store is locked. */
    Stored add(Path unpacked, String chainId, String diffId, long size) throws IOException {
        Optional<Stored> other = find(chainId);
        if (other.isPresent()) {
            return other.get();
        }
        ObjectNode note = Json.object();
        note.put("chainId", chainId).put("diffId", diffId).put("size", size);
        Files.write(unpacked.resolve(NOTE), Json.bytes(note));
        Files.createDirectories(directory);
        String hex = Digest.hex(chainId);
        Path place = directory.resolve(hex.substring(0, SHORT));
        if (Files.exists(place)) {
            place = directory.resolve(hex);
        }
        Files.move(unpacked, place, StandardCopyOption.ATOMIC_MOVE);
        return new Stored(chainId, place, size);
    }

    /** Takes away what nobody needs; returns the bytes. Called while the store is locked. */
    long keepOnly(Set<String> needed, WorkArea.Job job) throws IOException {
        long freed = 0;
        for (Stored layer : all()) {
            if (!needed.contains(layer.chainId())) {
                Files.move(layer.place(), job.place(), StandardCopyOption.ATOMIC_MOVE);
                freed += layer.size();
            }
        }
        return freed;
    }

    List<Stored> all() throws IOException {
        List<Stored> layers = new ArrayList<>();
        if (Files.isDirectory(directory)) {
            try (DirectoryStream<Path> places = Files.newDirectoryStream(directory)) {
                for (Path place : places) {
                    read(place).ifPresent(layers::add);
                }
            }
        }
        return layers;
    }
}
