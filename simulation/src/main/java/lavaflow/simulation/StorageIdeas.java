package lavaflow.simulation;

import java.util.List;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** Claims, volumes that somebody made before, and pods that use them. */
final class StorageIdeas implements Ideas {
    /** The class whose volumes are made when they are needed. */
    static final String LOCAL = "local-path";
    /** The class whose volumes people make. */
    static final String MANUAL = "manual";

    private final Workspace workspace;

    StorageIdeas(Workspace workspace) {
        this.workspace = workspace;
    }

    @Override
    public void begin() {
        ObjectNode local = Workspace.named(LOCAL);
        local.put("provisioner", "rancher.io/local-path")
                .put("reclaimPolicy", "Delete")
                .put("volumeBindingMode", "WaitForFirstConsumer");
        workspace.api().create(Kinds.CLASSES, "", local);
        ObjectNode manual = Workspace.named(MANUAL);
        manual.put("provisioner", "kubernetes.io/no-provisioner").put("volumeBindingMode", "Immediate");
        workspace.api().create(Kinds.CLASSES, "", manual);
    }

    @Override
    public List<Runnable> usual() {
        return List.of(this::makeVolume, this::claim, this::claim, this::use, this::removeClaim);
    }

    static ObjectNode claim(String storageClass) {
        ObjectNode spec = Json.object();
        spec.putArray("accessModes").add("ReadWriteOnce");
        spec.put("storageClassName", storageClass);
        spec.putObject("resources").putObject("requests").put("storage", "1Gi");
        return spec;
    }

    private void makeVolume() {
        String name = workspace.newName("volume");
        ObjectNode volume = Workspace.named(name);
        ObjectNode spec = volume.putObject("spec");
        spec.putObject("capacity").put("storage", 1 + workspace.any(3) + "Gi");
        spec.putArray("accessModes").add("ReadWriteOnce");
        spec.put("storageClassName", MANUAL).put("persistentVolumeReclaimPolicy", "Retain");
        spec.putObject("hostPath").put("path", "/disks/" + name);
        workspace.create(Kinds.VOLUMES, "", volume);
    }

    private void claim() {
        ObjectNode claim = Workspace.named(workspace.newName("disk"));
        claim.set("spec", claim(workspace.oneIn(2) ? MANUAL : LOCAL));
        workspace.create(Kinds.CLAIMS, workspace.somewhereRoomy(), claim);
    }

    /** Pods that share a claim. */
    private void use() {
        ObjectNode claim =
                workspace.pick(Kinds.CLAIMS, each -> Workspace.name(each).startsWith("disk"));
        if (claim == null) {
            return;
        }
        String name = workspace.newName("copy");
        ObjectNode set = Workspace.named(name);
        ObjectNode spec = set.putObject("spec");
        spec.put("replicas", 1 + workspace.any(2));
        Workspace.select(spec, name);
        ObjectNode volume =
                workspace.template(spec, name).putArray("volumes").addObject().put("name", "data");
        volume.putObject("persistentVolumeClaim").put("claimName", Workspace.name(claim));
        workspace.create(Kinds.REPLICA_SETS, Workspace.namespace(claim), set);
    }

    private void removeClaim() {
        ObjectNode claim = workspace.pick(Kinds.CLAIMS, _ -> true);
        if (claim != null) {
            workspace.remove(Kinds.CLAIMS, claim, null);
        }
    }

    /** Pods wait for claims as long as somebody takes their volumes away: everybody gets what they still wait for. */
    @Override
    public void makeAmends() {
        for (ObjectNode set : workspace.all(Kinds.REPLICA_SETS)) {
            String name = Json.textAt(
                    Json.listAt(set, "spec", "template", "spec", "volumes").get(0),
                    "persistentVolumeClaim",
                    "claimName");
            if (!name.isEmpty()
                    && workspace
                            .api()
                            .find(Kinds.CLAIMS, Workspace.namespace(set), name)
                            .filter(each -> !Observer.isDeleting(each))
                            .isEmpty()) {
                workspace.remove(Kinds.REPLICA_SETS, set, "Background");
            }
        }
        long waiting = workspace
                .all(
                        Kinds.CLAIMS,
                        each -> Json.textAt(each, "spec", "volumeName").isEmpty()
                                && Json.textAt(each, "spec", "storageClassName").equals(MANUAL))
                .size();
        for (long i = 0; i < waiting; i++) {
            makeVolume();
        }
    }
}
