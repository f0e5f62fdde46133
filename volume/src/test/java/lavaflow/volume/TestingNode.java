package lavaflow.volume;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;

import lavaflow.controller.KubeApi;
import lavaflow.controller.TestingKubeApi;
import lavaflow.kube.Json;
import lavaflow.linux.Mounts;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** A node with volumes in a directory, over an API in memory. */
final class TestingNode implements AutoCloseable {
    static final KubeApi.Kind ACCOUNTS = KubeApi.Kind.core("serviceaccounts");

    final TestingKubeApi api = new TestingKubeApi()
            .serve(Contents.CONFIG_MAPS, "ConfigMap")
            .serve(Contents.SECRETS, "Secret")
            .serve(ACCOUNTS, "ServiceAccount")
            .serve(Claims.CLAIMS, "PersistentVolumeClaim")
            .serve(Claims.VOLUMES, "PersistentVolume");
    final ObjectNode node = json("""
            {"metadata": {"name": "here", "labels": {"kubernetes.io/hostname": "here"}},
             "status": {"allocatable": {"cpu": "8", "memory": "1Gi"}}}
            """);
    final List<String> changes = Collections.synchronizedList(new ArrayList<>());
    final Path directory;
    Instant now = Instant.parse("2026-11-15T06:00:00.5Z");
    NodeVolumes volumes;

    TestingNode(Path directory) throws IOException {
        this.directory = directory;
        api.issueTokens(() -> now);
        api.create(ACCOUNTS, "team", named("default"));
        restart();
    }

    /** As after a kill: what is on the machine stays. */
    void restart() throws IOException {
        if (volumes != null) {
            volumes.close();
        }
        volumes = NodeVolumes.open(directory, api, () -> node, () -> now, ImageVolumes.NONE);
        volumes.onChange(changes::add);
    }

    static void requireRoot() throws IOException {
        boolean root = Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0);
        assumeTrue(root, "only root may mount and give files away");
    }

    static ObjectNode json(String text) {
        return (ObjectNode) Json.parse(text);
    }

    static ObjectNode named(String name) {
        ObjectNode object = Json.object();
        object.putObject("metadata").put("name", name);
        return object;
    }

    ObjectNode configMap(String name, Map<String, String> data) {
        ObjectNode map = named(name);
        ObjectNode entries = map.putObject("data");
        data.forEach(entries::put);
        return api.create(Contents.CONFIG_MAPS, "team", map);
    }

    /** A pod of the namespace team; its uid is its name. */
    static ObjectNode pod(String name, String... volumes) {
        ObjectNode pod = named(name);
        ((ObjectNode) pod.get("metadata")).put("namespace", "team").put("uid", name);
        ObjectNode spec = pod.putObject("spec");
        spec.putArray("containers").addObject().put("name", "main");
        for (String volume : volumes) {
            spec.withArray("volumes").add(Json.parse(volume));
        }
        return pod;
    }

    /** Mounts the only volume of a pod. */
    Path mount(ObjectNode pod) throws VolumeException {
        return volumes.mount(pod).values().iterator().next().path();
    }

    static int mode(Path path) throws IOException {
        return (int) Files.getAttribute(path, "unix:mode", LinkOption.NOFOLLOW_LINKS) & 07777;
    }

    static int group(Path path) throws IOException {
        return (int) Files.getAttribute(path, "unix:gid");
    }

    static JsonNode volumeMount(ObjectNode pod, String volume) {
        ObjectNode mount = Json.object().put("name", volume).put("mountPath", "/at");
        ((ObjectNode) pod.at("/spec/containers/0")).withArray("volumeMounts").add(mount);
        return mount;
    }

    List<Path> mounts() throws IOException {
        Path real = directory.toRealPath();
        return Mounts.table().stream()
                .map(Mounts.Entry::target)
                .filter(target -> target.startsWith(real))
                .toList();
    }

    @Override
    public void close() throws IOException {
        volumes.close();
        Mounts.unmountBelow(directory.toRealPath());
    }
}
