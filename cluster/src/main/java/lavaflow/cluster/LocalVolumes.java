package lavaflow.cluster;

import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

import lavaflow.controller.ControllerRunner;
import lavaflow.controller.EventRecorder;
import lavaflow.controller.Followers;
import lavaflow.controller.KubeApi;
import lavaflow.controller.Mirror;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes volumes of directories on this machine, as the local-path provisioner does: one directory below a root for each
 * claim, deleted with it. No name from outside can make it touch anything else.
 */
final class LocalVolumes {
    static final String NAME = "rancher.io/local-path";
    private static final Logger LOG = LoggerFactory.getLogger(LocalVolumes.class);
    private static final Duration RETRY = Duration.ofMinutes(1);
    /** As often upstream's provisioners look at a claim although nothing was said of it. */
    private static final Duration RESYNC = Duration.ofMinutes(15);

    private static final String HOSTNAME = "kubernetes.io/hostname";

    /** What wants attention. */
    sealed interface Task {
        record Claim(String namespace, String name) implements Task {}

        record Volume(String name) implements Task {}

        /** Look for directories that an earlier process did not finish. */
        record Remains() implements Task {}
    }

    /** Why no volume can be made. */
    private static final class Refusal extends Exception {
        private static final long serialVersionUID = 1;

        Refusal(String message) {
            super(message, null, false, false);
        }
    }

    private final KubeApi api;
    private final Path root;
    private final EventRecorder events;
    private final ControllerRunner<Task> runner;
    /** Directories that may have no volume yet. If they never get one, nobody would delete them with it. One worker uses it. */
    private final Map<Task.Claim, Set<Path>> unfinished = new HashMap<>();

    /**
     * @param root where the directories are; need not exist
     */
    LocalVolumes(KubeApi api, Followers followers, Path root, InstantSource clock, LongSupplier nanoTime) {
        this.api = api;
        this.root = root.toAbsolutePath().normalize();
        this.events = new EventRecorder(api, NAME, clock);
        this.runner = new ControllerRunner<>("local-path-provisioner", followers, 1, this::reconcile, nanoTime);
        // Mirrors of what is still to be done: they are nearly empty.
        new Mirror<>(followers, VolumeBinder.CLAIMS, LocalVolumes::wanted, _ -> List.of())
                .whenDifferent((_, task) -> add(task));
        new Mirror<>(followers, VolumeBinder.VOLUMES, LocalVolumes::released, _ -> List.of())
                .whenDifferent((_, task) -> add(task));
        runner.queue().add(new Task.Remains());
    }

    ControllerRunner<Task> controller() {
        return runner;
    }

    private void add(@Nullable Task task) {
        if (task != null) {
            runner.queue().add(task);
        }
    }

    private static @Nullable Task wanted(ObjectNode claim) {
        boolean ours = Json.textAt(claim, "metadata", "annotations", VolumeBinder.PROVISIONER)
                        .equals(NAME)
                && Json.textAt(claim, "spec", "volumeName").isEmpty()
                && !Objects.isDeleting(claim);
        return ours ? new Task.Claim(Objects.namespace(claim), Objects.name(claim)) : null;
    }

    private static @Nullable Task released(ObjectNode volume) {
        VolumeState state = VolumeState.of(volume);
        boolean ours = state.provisioner().equals(NAME)
                && state.phase().equals("Released")
                && state.reclaim().equals("Delete");
        return ours ? new Task.Volume(state.name()) : null;
    }

    private Optional<Duration> reconcile(Task task) {
        return switch (task) {
            case Task.Claim claim -> {
                ObjectNode found = api.find(VolumeBinder.CLAIMS, claim.namespace(), claim.name())
                        .filter(each -> wanted(each) != null)
                        .orElse(null);
                tidy(claim, found == null ? "" : nameFor(found));
                yield found == null ? Optional.empty() : provision(claim, found);
            }
            case Task.Volume volume -> {
                api.find(VolumeBinder.VOLUMES, "", volume.name())
                        .filter(found -> released(found) != null)
                        .ifPresent(this::delete);
                yield Optional.empty();
            }
            case Task.Remains _ -> {
                findRemains();
                yield Optional.empty();
            }
        };
    }

    // ---- making

    private static String nameFor(ObjectNode claim) {
        return "pvc-" + Objects.uid(claim);
    }

    /** Returns when to look again. */
    private Optional<Duration> provision(Task.Claim task, ObjectNode claim) {
        ClaimNeeds needs = ClaimNeeds.of(claim);
        ObjectNode storageClass =
                api.find(VolumeBinder.CLASSES, "", needs.className()).orElse(null);
        boolean waits = Json.textAt(storageClass, "volumeBindingMode").equals("WaitForFirstConsumer");
        if (storageClass == null || (waits && needs.selectedNode().isEmpty())) {
            return Optional.empty();
        }
        String name = nameFor(claim);
        events.normal(
                claim,
                "Provisioning",
                "External provisioner is provisioning volume for claim \"" + needs.namespace() + "/" + needs.name()
                        + "\"");
        try {
            ObjectNode volume = volume(name, claim, needs, storageClass);
            Files.createDirectories(root);
            Path directory = directory(name, needs.namespace(), needs.name());
            unfinished.computeIfAbsent(task, _ -> new TreeSet<>()).add(directory);
            Files.createDirectories(directory);
            // Whoever runs in the container must be able to write.
            Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxrwxrwx"));
            create(volume);
            finished(task, directory);
            events.normal(claim, "ProvisioningSucceeded", "Successfully provisioned volume " + name);
            return Optional.of(RESYNC);
        } catch (Refusal | IOException e) {
            events.warning(
                    claim,
                    "ProvisioningFailed",
                    "failed to provision volume with StorageClass \"" + needs.className() + "\": " + e.getMessage());
            return Optional.of(RETRY);
        }
    }

    private void create(ObjectNode volume) {
        try {
            api.create(VolumeBinder.VOLUMES, "", volume);
        } catch (ApiException e) {
            if (e.code() != 409) {
                throw e;
            }
        }
    }

    private Path directory(String volume, String namespace, String claim) throws Refusal {
        Path directory = root.resolve(volume + "_" + namespace + "_" + claim).normalize();
        if (!root.equals(directory.getParent())) {
            throw new Refusal("the directory would not be in " + root);
        }
        return directory;
    }

    private ObjectNode volume(String name, ObjectNode claim, ClaimNeeds needs, ObjectNode storageClass) throws Refusal {
        if (claim.path("spec").has("selector")) {
            throw new Refusal("claim.Spec.Selector is not supported");
        }
        if (needs.volumeMode().equals("Block")) {
            throw new Refusal(NAME + " does not support block volume provisioning");
        }
        if (!List.of("ReadWriteOnce", "ReadWriteOncePod").containsAll(needs.modes())) {
            throw new Refusal("NodePath only supports ReadWriteOnce and ReadWriteOncePod (1.22+) access modes");
        }
        if (needs.selectedNode().isEmpty()) {
            throw new Refusal("configuration error, no node was specified");
        }
        ObjectNode node =
                api.find(NodeLifecycle.NODES, "", needs.selectedNode()).orElse(null);
        if (node == null) {
            chooseAnotherNode(claim);
            throw new Refusal("failed to get target node: nodes \"" + needs.selectedNode() + "\" not found");
        }
        String hostname = Json.textAt(node, "metadata", "labels", HOSTNAME);
        ObjectNode volume = Objects.named(name);
        Json.ensureObject(volume, "metadata", "annotations")
                .put("local.path.provisioner/selected-node", needs.selectedNode())
                .put(VolumeState.PROVISIONED_BY, NAME);
        ObjectNode spec = volume.putObject("spec");
        spec.putObject("capacity").put("storage", needs.size().toString());
        spec.set("accessModes", Json.listAt(claim, "spec", "accessModes"));
        spec.put("persistentVolumeReclaimPolicy", Json.textAt(storageClass, "reclaimPolicy"));
        spec.put("storageClassName", needs.className()).put("volumeMode", "Filesystem");
        JsonNode options = Json.at(storageClass, "mountOptions");
        if (options != null) {
            spec.set("mountOptions", options);
        }
        spec.set("claimRef", reference(claim));
        spec.putObject("hostPath")
                .put("path", directory(name, needs.namespace(), needs.name()).toString())
                .put("type", "DirectoryOrCreate");
        Json.ensureObject(spec, "nodeAffinity", "required")
                .putArray("nodeSelectorTerms")
                .addObject()
                .putArray("matchExpressions")
                .addObject()
                .put("key", HOSTNAME)
                .put("operator", "In")
                .putArray("values")
                .add(hostname.isEmpty() ? needs.selectedNode() : hostname);
        return volume;
    }

    private static ObjectNode reference(ObjectNode claim) {
        return Json.object()
                .put("kind", "PersistentVolumeClaim")
                .put("namespace", Objects.namespace(claim))
                .put("name", Objects.name(claim))
                .put("uid", Objects.uid(claim))
                .put("apiVersion", "v1")
                .put("resourceVersion", Objects.resourceVersion(claim));
    }

    /** The scheduler chose a node that is gone; without its choice it chooses again. */
    private void chooseAnotherNode(ObjectNode claim) {
        ObjectNode fresh = claim.deepCopy();
        Json.ensureObject(fresh, "metadata", "annotations").remove(ClaimNeeds.SELECTED_NODE);
        api.update(VolumeBinder.CLAIMS, "", fresh);
    }

    // ---- deleting

    private void delete(ObjectNode volume) {
        try {
            VolumeState.ClaimRef claim = VolumeState.of(volume).claim();
            if (claim == null) {
                return;
            }
            Path directory = directory(Objects.name(volume), claim.namespace(), claim.name());
            String path = Json.textAt(volume, "spec", "hostPath", "path");
            if (!directory.toString().equals(path)) {
                // Somebody wrote our name on a volume that we did not make.
                throw new Refusal("path " + path + " was not made by " + NAME);
            }
            DirectoryRemoval.remove(directory);
            api.delete(VolumeBinder.VOLUMES, "", Objects.name(volume), KubeApi.Deletion.ofUid(Objects.uid(volume)));
        } catch (Refusal | IOException e) {
            events.warning(volume, "VolumeFailedDelete", String.valueOf(e.getMessage()));
        }
    }

    // ---- tidying up

    /** Directories without a volume, left by a process that was killed between making the one and the other. */
    private void findRemains() {
        List<Path> found;
        try (Stream<Path> files = Files.isDirectory(root) ? Files.list(root) : Stream.empty()) {
            found = files.sorted().toList();
        } catch (IOException e) {
            LOG.warn("cannot look for unfinished volumes: {}", e.getMessage());
            return;
        }
        Set<String> volumes = new HashSet<>();
        if (!found.isEmpty()) {
            api.list(VolumeBinder.VOLUMES, "", KubeApi.View.METADATA, each -> volumes.add(Objects.name(each)));
        }
        for (Path directory : found) {
            String[] words = directory.getFileName().toString().split("_", -1);
            if (words.length == 3 && words[0].startsWith("pvc-") && !volumes.contains(words[0])) {
                Task.Claim claim = new Task.Claim(words[1], words[2]);
                unfinished.computeIfAbsent(claim, _ -> new TreeSet<>()).add(directory);
                runner.queue().add(claim);
            }
        }
    }

    private void finished(Task.Claim claim, Path directory) {
        Set<Path> all = unfinished.getOrDefault(claim, Set.of());
        all.remove(directory);
        if (all.isEmpty()) {
            unfinished.remove(claim);
        }
    }

    /**
     * Removes directories of claims that went before they got a volume. Only empty ones: what is in a directory belongs to
     * somebody, as where a volume was to be retained and its object was deleted.
     *
     * @param current the volume that is wanted now
     */
    private void tidy(Task.Claim claim, String current) {
        for (Path directory : List.copyOf(unfinished.getOrDefault(claim, Set.of()))) {
            String volume = directory.getFileName().toString().split("_", -1)[0];
            if (volume.equals(current)) {
                continue;
            }
            if (api.find(VolumeBinder.VOLUMES, "", volume).isEmpty()) {
                try {
                    Files.deleteIfExists(directory);
                } catch (DirectoryNotEmptyException _) {
                    LOG.debug("{} has no volume, and stays because it is not empty", directory);
                } catch (IOException e) {
                    LOG.warn("cannot remove {}: {}", directory, e.getMessage());
                }
            }
            finished(claim, directory);
        }
    }
}
