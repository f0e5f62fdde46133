package lavaflow.image;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** An image made of archives: all its blobs by their digests, its manifest, and the forms images travel in. */
final class TestingImage {
    final Map<String, byte[]> blobs = new LinkedHashMap<>();
    final List<byte[]> layers = new ArrayList<>();
    byte[] config = new byte[0];
    byte[] manifest = new byte[0];

    private TestingImage() {}

    /** Layers are archives as they are sent; the lowest first. */
    static TestingImage of(TestingTar... archives) {
        List<byte[]> plain = new ArrayList<>();
        List<byte[]> sent = new ArrayList<>();
        for (TestingTar archive : archives) {
            plain.add(archive.bytes());
            sent.add(archive.compressed());
        }
        return of(plain, sent, "amd64");
    }

    static TestingImage of(List<byte[]> plain, List<byte[]> sent, String architecture) {
        TestingImage image = new TestingImage();
        image.layers.addAll(plain);
        ObjectNode config = Json.object();
        config.put("architecture", architecture).put("os", "linux");
        ObjectNode run = config.putObject("config");
        run.putArray("Cmd").add("sh");
        run.putArray("Env").add("A=b");
        run.put("User", "1000").put("WorkingDir", "/home/app").put("StopSignal", "SIGQUIT");
        run.putObject("Volumes").putObject("/data");
        ArrayNode diffIds = config.putObject("rootfs").put("type", "layers").putArray("diff_ids");
        plain.forEach(layer -> diffIds.add(Digest.of(layer)));
        image.config = Json.bytes(config);
        ObjectNode manifest = Json.object();
        manifest.put("schemaVersion", 2).put("mediaType", "application/vnd.oci.image.manifest.v1+json");
        manifest.set("config", image.blob("application/vnd.oci.image.config.v1+json", image.config));
        ArrayNode list = manifest.putArray("layers");
        sent.forEach(layer -> list.add(image.blob("application/vnd.oci.image.layer.v1.tar+gzip", layer)));
        image.manifest = Json.bytes(manifest);
        return image;
    }

    private ObjectNode blob(String mediaType, byte[] bytes) {
        blobs.put(Digest.of(bytes), bytes);
        ObjectNode node = Json.object();
        return node.put("mediaType", mediaType).put("digest", Digest.of(bytes)).put("size", bytes.length);
    }

    String id() {
        return Digest.of(config);
    }

    String digest() {
        return Digest.of(manifest);
    }

    /** Files of a layout by their paths. */
    Map<String, byte[]> layout(String name) {
        Map<String, byte[]> files = new LinkedHashMap<>();
        files.put("oci-layout", "{\"imageLayoutVersion\":\"1.0.0\"}".getBytes(StandardCharsets.UTF_8));
        ObjectNode index = Json.object();
        index.put("schemaVersion", 2);
        ObjectNode entry = index.putArray("manifests").addObject();
        entry.put("mediaType", "application/vnd.oci.image.manifest.v1+json");
        entry.put("digest", digest()).put("size", manifest.length);
        if (!name.isEmpty()) {
            entry.putObject("annotations").put("io.containerd.image.name", name);
        }
        files.put("index.json", Json.bytes(index));
        files.put("blobs/" + digest().replace(':', '/'), manifest);
        blobs.forEach((digest, bytes) -> files.put("blobs/" + digest.replace(':', '/'), bytes));
        return files;
    }

    Path writeLayout(Path directory) throws IOException {
        layout("").forEach((name, bytes) -> {
            try {
                Files.createDirectories(directory.resolve(name).getParent());
                Files.write(directory.resolve(name), bytes);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        return directory;
    }

    byte[] ociArchive(String name) {
        TestingTar archive = new TestingTar();
        layout(name).forEach((path, bytes) -> archive.entry(path, '0', "", bytes));
        return archive.bytes();
    }

    /** As {@code docker save} wrote it for years: layers in directories, later ones as links to earlier. */
    byte[] dockerArchive(String... names) {
        TestingTar archive = new TestingTar();
        String config = Digest.hex(id()) + ".json";
        archive.entry(config, '0', "", this.config);
        ArrayNode manifest = Json.array();
        ObjectNode item = manifest.addObject();
        item.put("Config", config);
        ArrayNode tags = item.putArray("RepoTags");
        for (String name : names) {
            tags.add(name);
        }
        ArrayNode list = item.putArray("Layers");
        Map<String, String> seen = new LinkedHashMap<>();
        for (int i = 0; i < layers.size(); i++) {
            String digest = Digest.of(layers.get(i));
            String before = seen.putIfAbsent(digest, "l" + i);
            if (before == null) {
                archive.entry("l" + i + "/layer.tar", '0', "", layers.get(i));
            } else {
                archive.link("l" + i + "/layer.tar", "../" + before + "/layer.tar");
            }
            list.add("l" + i + "/layer.tar");
        }
        archive.entry("manifest.json", '0', "", Json.bytes(manifest));
        return archive.bytes();
    }
}
