package lavaflow.volume;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Supplier;

import lavaflow.controller.KubeApi;
import lavaflow.kube.GoQuote;
import lavaflow.kube.Json;
import lavaflow.linux.FileTree;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Volumes as directories of this machine. Everything a pod has lies below two directories named after it, so that whoever
 * comes after a crash finds it, and nothing needs to be remembered.
 */
public final class NodeVolumes implements Volumes {
    private static final Logger LOG = LoggerFactory.getLogger(NodeVolumes.class);
    private static final String SUPPORTED = "configMap, downwardAPI, emptyDir, ephemeral, hostPath, image,"
            + " persistentVolumeClaim (hostPath and local), projected and secret";

    private final PodPlaces places;
    private final InstantSource clock;
    private final MemoryFiles memory;
    private final ReferencedObjects objects;
    private final PodTokens tokens;
    private final Renewals renewals;
    private final Contents contents;
    private final EmptyDirs emptyDirs;
    private final Claims claims;
    private final ClaimUses uses;
    private final ImageVolumes images;
    private final DiskUsage usage;
    private final Map<String, Object> locks = new ConcurrentHashMap<>();
    private volatile Consumer<String> listener = _ -> {};

    /**
     * Finds what is there, and makes more.
     *
     * @param directory for everything; need not exist
     * @param api with the rights of this node
     * @param node the Node as it is known here: its name, labels and what pods may use of it
     */
    public static NodeVolumes open(
            Path directory, KubeApi api, Supplier<ObjectNode> node, InstantSource clock, ImageVolumes images)
            throws IOException {
        Path absolute = directory.toAbsolutePath().normalize();
        Files.createDirectories(absolute);
        FileFacts.setPermissions(absolute, 0750);
        return new NodeVolumes(new PodPlaces(absolute.toRealPath()), api, node, clock, images);
    }

    private NodeVolumes(
            PodPlaces places, KubeApi api, Supplier<ObjectNode> node, InstantSource clock, ImageVolumes images)
            throws IOException {
        this.places = places;
        this.clock = clock;
        this.images = images;
        this.memory = new MemoryFiles(places.memory());
        this.objects = new ReferencedObjects(api, this::tell);
        this.tokens = new PodTokens(api, clock);
        this.renewals = new Renewals(clock, this::tell);
        this.contents = new Contents(objects, tokens, new TrustBundles(api), node);
        this.emptyDirs = new EmptyDirs(memory, node);
        this.claims = new Claims(api, node);
        this.uses = new ClaimUses(places);
        this.usage = new DiskUsage(System::nanoTime);
    }

    private void tell(String podUid) {
        listener.accept(podUid);
    }

    @Override
    public void onChange(Consumer<String> all) {
        listener = all;
    }

    /** The objects that pods use, for those who need them for other things than volumes, too. */
    public ReferencedObjects objects() {
        return objects;
    }

    // ---- making and renewing

    private interface EachVolume {
        void each(JsonNode volume) throws IOException, VolumeException;
    }

    @Override
    public Map<String, MountedVolume> mount(ObjectNode pod) throws VolumeException {
        Map<String, MountedVolume> mounted = new LinkedHashMap<>();
        each(pod, volume -> {
            MountedVolume made = mount(pod, volume);
            mounted.put(made.name(), made);
        });
        return mounted;
    }

    @Override
    public void refresh(ObjectNode pod) throws VolumeException {
        each(pod, volume -> write(pod, volume));
    }

    /** One pod at a time; all its volumes, also after one of them failed. */
    private void each(ObjectNode pod, EachVolume each) throws VolumeException {
        String uid = Json.textAt(pod, "metadata", "uid");
        synchronized (locks.computeIfAbsent(uid, _ -> new Object())) {
            VolumeException failed = null;
            for (JsonNode volume : Json.listAt(pod, "spec", "volumes")) {
                try {
                    each.each(volume);
                } catch (VolumeException e) {
                    failed = collect(failed, e);
                } catch (IOException | DirectoryIteratorException | UnsupportedOperationException e) {
                    failed = collect(failed, Claims.setUp(Json.textAt(volume, "name"), e));
                }
            }
            tokens.renewal(uid).ifPresent(at -> renewals.at(uid, at));
            if (failed != null) {
                throw failed;
            }
        }
    }

    private static VolumeException collect(@Nullable VolumeException first, VolumeException next) {
        if (first == null) {
            return next;
        }
        first.addSuppressed(next);
        return first;
    }

    private MountedVolume mount(ObjectNode pod, JsonNode volume) throws IOException, VolumeException {
        String uid = Json.textAt(pod, "metadata", "uid");
        String name = Json.textAt(volume, "name");
        if (volume.has("persistentVolumeClaim") || volume.has("ephemeral")) {
            return claim(pod, volume, uid, name);
        }
        Path written = write(pod, volume);
        if (written != null) {
            return new MountedVolume(name, written, true);
        }
        try {
            if (volume.has("hostPath")) {
                return new MountedVolume(name, HostPaths.check(volume.path("hostPath")), false);
            }
            if (volume.has("image")) {
                Path directory = Files.createDirectories(places.volume(uid, "image", name));
                return new MountedVolume(name, images.mount(pod, volume.path("image"), directory), true);
            }
            String source = Sources.of(volume);
            if (source.equals("emptyDir") || source.isEmpty()) {
                Path directory = places.volume(uid, PodPlaces.EMPTY_DIR, name);
                emptyDirs.mount(pod, volume.path("emptyDir"), directory, Ownership.of(pod));
                return new MountedVolume(name, directory, false);
            }
            throw new VolumeException(Sources.unsupported(volume, "volumes", SUPPORTED));
        } catch (VolumeException e) {
            throw Claims.setUp(name, e);
        }
    }

    private MountedVolume claim(ObjectNode pod, JsonNode volume, String uid, String name)
            throws IOException, VolumeException {
        Claims.Claimed claimed = claims.find(pod, volume);
        try {
            uses.add(uid, claimed);
            if (!uses.isReady(uid, claimed)) {
                Claims.prepare(claimed, Ownership.of(pod));
                uses.ready(uid, claimed);
            }
        } catch (VolumeException | IOException e) {
            throw Claims.setUp(claimed.name(), e);
        }
        return new MountedVolume(name, claimed.path(), claimed.readOnly());
    }

    /** Writes the files of a volume that is made of objects; null for one of another kind. */
    private @Nullable Path write(ObjectNode pod, JsonNode volume) throws IOException, VolumeException {
        String uid = Json.textAt(pod, "metadata", "uid");
        String name = Json.textAt(volume, "name");
        try {
            SortedMap<String, PayloadFile> files = contents.of(pod, volume);
            if (files == null) {
                return null;
            }
            // Config maps are no secrets and may be large: they are on disk, where kubelet has them.
            Path directory = volume.has("configMap")
                    ? places.volume(uid, PodPlaces.CONFIG_MAP, name)
                    : places.inMemory(memory.common(), uid, name);
            if (!Files.isDirectory(directory)) {
                Files.createDirectories(directory);
                FileFacts.setPermissions(directory, 0777);
            }
            Ownership ownership = Ownership.of(pod);
            new AtomicDirectory(directory, clock).write(files, _ -> {
                if (ownership != null) {
                    new Ownership(ownership.group(), true).give(directory, true);
                }
            });
            return directory;
        } catch (VolumeException e) {
            throw Claims.setUp(name, e);
        }
    }

    @Override
    public Path source(ObjectNode pod, String container, MountedVolume volume, JsonNode volumeMount, String subPath)
            throws VolumeException {
        if (subPath.isEmpty()) {
            return volume.path();
        }
        String uid = Json.textAt(pod, "metadata", "uid");
        synchronized (locks.computeIfAbsent(uid, _ -> new Object())) {
            try {
                Path target = places.subPath(uid, volume.name(), container, index(pod, container, volumeMount));
                return SubPaths.source(volume.path(), subPath, target, memory.allowed());
            } catch (IOException | DirectoryIteratorException e) {
                throw new VolumeException(
                        "failed to prepare subPath for volumeMount \"" + volume.name() + "\" of container \""
                                + container + "\": " + e.getMessage(),
                        e);
            }
        }
    }

    @Override
    public String text(MountedVolume volume, String path) throws VolumeException {
        try {
            return SubPaths.text(volume.path(), path);
        } catch (IOException e) {
            throw new VolumeException(
                    "cannot read " + GoQuote.quote(path) + " of volume " + GoQuote.quote(volume.name()) + ": "
                            + e.getMessage(),
                    e);
        }
    }

    private static int index(ObjectNode pod, String container, JsonNode volumeMount) {
        for (String list : List.of("containers", "initContainers", "ephemeralContainers")) {
            for (JsonNode candidate : Json.listAt(pod, "spec", list)) {
                if (Json.textAt(candidate, "name").equals(container)) {
                    int index = 0;
                    for (JsonNode mount : Json.listAt(candidate, "volumeMounts")) {
                        if (mount.equals(volumeMount)) {
                            return index;
                        }
                        index++;
                    }
                }
            }
        }
        throw new IllegalArgumentException("container " + container + " has no such volumeMount: " + volumeMount);
    }

    // ---- taking away

    @Override
    public void unmount(String podUid) throws VolumeException {
        synchronized (locks.computeIfAbsent(podUid, _ -> new Object())) {
            try {
                Trees.unmountAndDelete(places.pod(podUid), places.inMemory(podUid));
            } catch (IOException | DirectoryIteratorException e) {
                throw new VolumeException("cannot take away the volumes of pod " + podUid + ": " + e.getMessage(), e);
            }
            uses.remove(podUid);
            renewals.forget(podUid);
            objects.release(podUid);
            tokens.release(podUid);
            usage.forget(podUid);
            locks.remove(podUid);
        }
    }

    @Override
    public Set<String> present() {
        Set<String> uids = new TreeSet<>();
        for (Path directory : List.of(places.pods(), places.memory())) {
            try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
                entries.forEach(entry -> uids.add(String.valueOf(entry.getFileName())));
            } catch (java.nio.file.NoSuchFileException _) {
                // Nothing was made yet.
            } catch (IOException | DirectoryIteratorException e) {
                LOG.warn("cannot list the volumes in {}: {}", directory, e.getMessage());
            }
        }
        return uids;
    }

    // ---- counting

    @Override
    public Map<String, FileTree.Space> usage(String podUid) {
        Map<String, FileTree.Space> used = new LinkedHashMap<>();
        for (String plugin : List.of(PodPlaces.EMPTY_DIR, PodPlaces.CONFIG_MAP)) {
            for (Path volume : places.volumes(podUid, plugin)) {
                if (!MemoryFiles.isMountedOrGone(volume)) {
                    used.put(String.valueOf(volume.getFileName()), usage.of(podUid, volume));
                }
            }
        }
        return used;
    }

    @Override
    public List<String> breaches(ObjectNode pod) {
        return SizeLimits.breaches(pod, usage(Json.textAt(pod, "metadata", "uid")));
    }

    /** Takes away what all pods had, with or without a process that serves them; for {@code lava down}. */
    public static void dismantle(Path directory) throws VolumeException {
        PodPlaces places = new PodPlaces(directory.toAbsolutePath().normalize());
        try {
            for (Path part : List.of(places.pods(), places.memory())) {
                if (Files.exists(part)) {
                    Trees.unmountAndDelete(part);
                }
            }
        } catch (IOException | DirectoryIteratorException e) {
            throw new VolumeException("cannot take away the volumes in " + directory + ": " + e.getMessage(), e);
        }
    }

    /** Ends what this process does about volumes; they stay for the pods that go on running. */
    @Override
    public void close() {
        renewals.close();
        objects.close();
    }
}
