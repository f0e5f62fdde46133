package lavaflow.volume;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Supplier;

import lavaflow.controller.KubeApi;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;
import lavaflow.kube.NodeAffinity;
import lavaflow.linux.DefaultAccess;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Volumes that outlive their pods, by the claims that pods name: directories of this machine. */
final class Claims {
    private static final Logger LOG = LoggerFactory.getLogger(Claims.class);
    static final KubeApi.Kind CLAIMS = KubeApi.Kind.core("persistentvolumeclaims");
    static final KubeApi.Kind VOLUMES = KubeApi.Kind.clusterWide("persistentvolumes");
    private static final String PROVISIONED_BY = "pv.kubernetes.io/provisioned-by";
    private static final String LOCAL_PATH = "rancher.io/local-path";

    /**
     * A volume behind a claim.
     *
     * @param name of the PersistentVolume
     * @param oncePod whether only one pod may have it at a time
     * @param provisioned whether its directory was made for the claim
     * @param shared whether the pod's group shares it as it does volumes of the pod. Upstream leaves host paths alone, for
     *     those are the machine's; the ones that were made for a claim are not.
     */
    record Claimed(String name, Path path, boolean readOnly, boolean oncePod, boolean provisioned, boolean shared) {}

    private final KubeApi api;
    private final Supplier<ObjectNode> node;

    Claims(KubeApi api, Supplier<ObjectNode> node) {
        this.api = api;
        this.node = node;
    }

    /** What a claim stands for; it must be bound, to a volume that is on this node. */
    Claimed find(ObjectNode pod, JsonNode volume) throws IOException, VolumeException {
        boolean ephemeral = volume.has("ephemeral");
        String podName = Json.textAt(pod, "metadata", "name");
        String name = ephemeral
                ? podName + "-" + Json.textAt(volume, "name")
                : Json.textAt(volume, "persistentVolumeClaim", "claimName");
        String namespace = Json.textAt(pod, "metadata", "namespace");
        ObjectNode claim;
        ObjectNode found;
        try {
            claim = claim(namespace, name);
            checkOwner(pod, claim, ephemeral);
            found = volume(claim);
        } catch (ApiException | VolumeException e) {
            throw new VolumeException(notProcessed(pod, volume, namespace + "/" + name, e), e);
        }
        checkMode(pod, volume, found);
        String volumeName = Json.textAt(found, "metadata", "name");
        checkAffinity(found, volumeName);
        try {
            Path path = path(found);
            boolean readOnly = Json.flagAt(volume, "persistentVolumeClaim", "readOnly");
            boolean provisioned = isProvisioned(found);
            boolean shared = provisioned || found.path("spec").has("local");
            return new Claimed(volumeName, path, readOnly, isOncePod(found), provisioned, shared);
        } catch (VolumeException e) {
            throw setUp(volumeName, e);
        }
    }

    static VolumeException setUp(String volume, Exception e) {
        return new VolumeException(
                "MountVolume.SetUp failed for volume \"" + volume + "\" : "
                        + (e.getMessage() == null ? e.toString() : e.getMessage()),
                e);
    }

    private static String notProcessed(ObjectNode pod, JsonNode volume, String claim, Exception e) {
        StringBuilder names = new StringBuilder();
        for (JsonNode other : Json.listAt(pod, "spec", "volumes")) {
            names.append(names.isEmpty() ? "" : " ").append(Json.textAt(other, "name"));
        }
        String name = Json.textAt(volume, "name");
        return "Unable to attach or mount volumes: unmounted volumes=[" + name + "], unattached volumes=[" + names
                + "], failed to process volumes=[" + name + "]: error processing PVC " + claim + ": " + e.getMessage();
    }

    // ---- the claim and its volume

    private ObjectNode claim(String namespace, String name) throws VolumeException {
        Optional<ObjectNode> found = api.find(CLAIMS, namespace, name);
        ObjectNode claim = found.orElseThrow(() -> new VolumeException(
                "failed to fetch PVC from API server: persistentvolumeclaims \"" + name + "\" not found"));
        if (Json.at(claim, "metadata", "deletionTimestamp") != null) {
            throw new VolumeException("PVC is being deleted");
        }
        boolean bound = Json.textAt(claim, "status", "phase").equals("Bound")
                && !Json.textAt(claim, "spec", "volumeName").isEmpty();
        if (!bound) {
            throw new VolumeException("PVC is not bound");
        }
        return claim;
    }

    /** A claim that happens to have the name of a pod's own one is not that one. */
    private static void checkOwner(ObjectNode pod, ObjectNode claim, boolean ephemeral) throws VolumeException {
        if (!ephemeral) {
            return;
        }
        String uid = Json.textAt(pod, "metadata", "uid");
        for (JsonNode owner : Json.listAt(claim, "metadata", "ownerReferences")) {
            if (Json.flagAt(owner, "controller") && Json.textAt(owner, "uid").equals(uid)) {
                return;
            }
        }
        throw new VolumeException("PVC " + Json.textAt(claim, "metadata", "namespace") + "/"
                + Json.textAt(claim, "metadata", "name") + " was not created for pod "
                + Json.textAt(pod, "metadata", "namespace") + "/" + Json.textAt(pod, "metadata", "name")
                + " (pod is not owner)");
    }

    private ObjectNode volume(ObjectNode claim) throws VolumeException {
        String name = Json.textAt(claim, "spec", "volumeName");
        ObjectNode volume = api.find(VOLUMES, "", name)
                .orElseThrow(() -> new VolumeException("failed to fetch PV " + name
                        + " from API server: persistentvolumes \"" + name + "\" not found"));
        String claimed = Json.textAt(volume, "spec", "claimRef", "uid");
        String uid = Json.textAt(claim, "metadata", "uid");
        if (!claimed.equals(uid)) {
            throw new VolumeException("found PV object \"" + name + "\" but its pv.Spec.ClaimRef.UID \"" + claimed
                    + "\" does not point to claim.UID \"" + uid + "\"");
        }
        return volume;
    }

    private static boolean isOncePod(ObjectNode volume) {
        for (JsonNode mode : Json.listAt(volume, "spec", "accessModes")) {
            if (mode.asText().equals("ReadWriteOncePod")) {
                return true;
            }
        }
        return false;
    }

    private static void checkMode(ObjectNode pod, JsonNode volume, ObjectNode found) throws VolumeException {
        String name = Json.textAt(volume, "name");
        if (!Json.textAt(found, "spec", "volumeMode").equals("Block")) {
            if (isListed(pod, name, "volumeDevices")) {
                throw new VolumeException(
                        "volume " + name + " has volumeMode Filesystem, but is specified in volumeDevices");
            }
            return;
        }
        throw new VolumeException(
                isListed(pod, name, "volumeMounts")
                        ? "volume " + name + " has volumeMode Block, but is specified in volumeMounts"
                        : "MapVolume.SetUp failed for volume \"" + Json.textAt(found, "metadata", "name")
                                + "\" : volumes with volumeMode Block are not supported on this node; use volumeMode"
                                + " Filesystem");
    }

    private static boolean isListed(ObjectNode pod, String volume, String field) {
        for (String list : new String[] {"initContainers", "containers"}) {
            for (JsonNode container : Json.listAt(pod, "spec", list)) {
                for (JsonNode use : Json.listAt(container, field)) {
                    if (Json.textAt(use, "name").equals(volume)) {
                        return true;
                    }
                }
            }
        }
        return false;
    }

    private void checkAffinity(ObjectNode volume, String name) throws VolumeException {
        ObjectNode here = node.get();
        NodeAffinity affinity = NodeAffinity.ofVolume(volume);
        if (!affinity.accepts(Json.textAt(here, "metadata", "name"), Json.at(here, "metadata", "labels"))) {
            throw new VolumeException("MountVolume.NodeAffinity check failed for volume \"" + name
                    + "\" : no matching NodeSelectorTerms");
        }
    }

    // ---- what is behind it

    private static Path path(ObjectNode volume) throws IOException, VolumeException {
        JsonNode spec = volume.path("spec");
        if (spec.has("hostPath")) {
            return HostPaths.check(spec.path("hostPath"));
        }
        if (spec.has("local")) {
            Path path = Path.of(Json.textAt(spec, "local", "path"));
            if (!Files.exists(path)) {
                throw new VolumeException("path \"" + path + "\" does not exist");
            }
            if (!Files.isDirectory(path)) {
                throw new VolumeException("local volumes must be directories on this node, and " + path + " is none");
            }
            return path;
        }
        throw new VolumeException(Sources.unsupported(spec, "persistent volumes", "hostPath and local"));
    }

    private static boolean isProvisioned(ObjectNode volume) {
        return Json.textAt(volume, "metadata", "annotations", PROVISIONED_BY).equals(LOCAL_PATH);
    }

    /** Makes the volume of a claim ready for whoever runs in the pod. */
    static void prepare(Claimed claimed, @Nullable Ownership ownership) throws IOException {
        if (claimed.provisioned() && isEmpty(claimed.path())) {
            try {
                // Pods of one job run as different users: what one makes, the others may change, unless it says
                // otherwise.
                DefaultAccess.ignoreUmask(claimed.path());
            } catch (IOException e) {
                LOG.debug("{} has a file system without access control lists: {}", claimed.path(), e.getMessage());
            }
        }
        if (ownership != null && claimed.shared() && !claimed.readOnly()) {
            ownership.give(claimed.path(), false);
        }
    }

    private static boolean isEmpty(Path directory) throws IOException {
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
            return !entries.iterator().hasNext();
        }
    }
}
