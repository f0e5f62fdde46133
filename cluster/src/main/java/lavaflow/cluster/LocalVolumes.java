package lavaflow.cluster;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;

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

/**
 * Makes volumes of directories on this machine, as the local-path provisioner does: one directory below a root for each
 * claim, deleted with it. No name from outside can make it touch anything else.
 */
final class LocalVolumes {
    static final String NAME = "rancher.io/local-path";
    private static final String HOSTNAME = "kubernetes.io/hostname";

    /** What wants attention. */
    sealed interface Task {
        record Claim(String namespace, String name) implements Task {}

        record Volume(String name) implements Task {}
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
        switch (task) {
            case Task.Claim claim ->
                api.find(VolumeBinder.CLAIMS, claim.namespace(), claim.name())
                        .filter(found -> wanted(found) != null)
                        .ifPresent(this::provision);
            case Task.Volume volume ->
                api.find(VolumeBinder.VOLUMES, "", volume.name())
                        .filter(found -> released(found) != null)
                        .ifPresent(this::delete);
        }
        return Optional.empty();
    }

    // ---- making

    private void provision(ObjectNode claim) {
        ClaimNeeds needs = ClaimNeeds.of(claim);
        ObjectNode storageClass =
                api.find(VolumeBinder.CLASSES, "", needs.className()).orElse(null);
        boolean waits = Json.textAt(storageClass, "volumeBindingMode").equals("WaitForFirstConsumer");
        if (storageClass == null || (waits && needs.selectedNode().isEmpty())) {
            return;
        }
        String name = "pvc-" + needs.uid();
        events.normal(
                claim,
                "Provisioning",
                "External provisioner is provisioning volume for claim \"" + needs.namespace() + "/" + needs.name()
                        + "\"");
        try {
            ObjectNode volume = volume(name, claim, needs, storageClass);
            Files.createDirectories(root);
            Path directory = directory(name, needs.namespace(), needs.name());
            Files.createDirectories(directory);
            // Whoever runs in the container must be able to write.
            Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxrwxrwx"));
            create(volume);
            events.normal(claim, "ProvisioningSucceeded", "Successfully provisioned volume " + name);
        } catch (Refusal | IOException e) {
            events.warning(
                    claim,
                    "ProvisioningFailed",
                    "failed to provision volume with StorageClass \"" + needs.className() + "\": " + e.getMessage());
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
            if (Files.exists(directory, LinkOption.NOFOLLOW_LINKS)) {
                Files.walkFileTree(directory, new Removal());
            }
            api.delete(VolumeBinder.VOLUMES, "", Objects.name(volume), KubeApi.Deletion.ofUid(Objects.uid(volume)));
        } catch (Refusal | IOException e) {
            events.warning(volume, "VolumeFailedDelete", String.valueOf(e.getMessage()));
        }
    }

    /** Removes a directory and what is in it; links are removed, not followed. */
    private static final class Removal extends SimpleFileVisitor<Path> {
        @Override
        public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
            Files.delete(file);
            return FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult postVisitDirectory(Path directory, @Nullable IOException failure) throws IOException {
            if (failure != null) {
                throw failure;
            }
            Files.delete(directory);
            return FileVisitResult.CONTINUE;
        }
    }
}
