package lavaflow.cluster;

import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

import lavaflow.controller.ControllerRunner;
import lavaflow.controller.EventRecorder;
import lavaflow.controller.Followers;
import lavaflow.controller.KubeApi;
import lavaflow.controller.Mirror;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * Brings claims and volumes together, and says what became of both.
 *
 * <p>One worker decides for all: two claims that look at the same volume at the same time would both take it.
 */
final class VolumeBinder {
    static final KubeApi.Kind CLAIMS = KubeApi.Kind.core("persistentvolumeclaims");
    static final KubeApi.Kind VOLUMES = KubeApi.Kind.clusterWide("persistentvolumes");
    static final KubeApi.Kind CLASSES = new KubeApi.Kind("storage.k8s.io", "v1", "storageclasses", false);
    static final String PROVISIONER = "volume.kubernetes.io/storage-provisioner";
    private static final String BETA_PROVISIONER = "volume.beta.kubernetes.io/storage-provisioner";
    private static final String DEFAULT_CLASS = "storageclass.kubernetes.io/is-default-class";
    private static final String BETA_DEFAULT_CLASS = "storageclass.beta.kubernetes.io/is-default-class";

    /** What wants attention. */
    sealed interface Task {
        record Claim(String namespace, String name) implements Task {}

        record Volume(String name) implements Task {}
    }

    private final KubeApi api;
    private final Mirror<VolumeState> volumes;
    private final Mirror<ClaimNeeds> claims;
    private final Mirror<ClaimUser> users;
    private final EventRecorder events;
    private final VolumeBonds bonds;
    private final ControllerRunner<Task> runner;

    VolumeBinder(KubeApi api, Followers followers, InstantSource clock, LongSupplier nanoTime) {
        this.api = api;
        this.events = new EventRecorder(api, "persistentvolume-controller", clock);
        this.bonds = new VolumeBonds(api, followers);
        this.runner = new ControllerRunner<>("persistentvolume-binder-controller", followers, 1, this::look, nanoTime);
        this.volumes = new Mirror<>(followers, VOLUMES, VolumeState::of, VolumeState::words);
        this.claims = new Mirror<>(followers, CLAIMS, ClaimNeeds::of, ClaimNeeds::words);
        this.users = ClaimUser.mirror(followers);
        volumes.whenDifferent((before, after) -> {
            volumeChanged(before);
            volumeChanged(after);
        });
        claims.whenDifferent((before, after) -> {
            claimChanged(before);
            claimChanged(after);
        });
        users.whenDifferent((_, after) -> {
            if (after != null) {
                after.claims().forEach(name -> runner.queue().add(new Task.Claim(after.namespace(), name)));
            }
        });
        runner.follow(
                CLASSES,
                _ -> claims.having(ClaimNeeds.WAITING).stream()
                        .<Task>map(claim -> new Task.Claim(claim.namespace(), claim.name()))
                        .toList());
    }

    ControllerRunner<Task> controller() {
        return runner;
    }

    private void volumeChanged(@Nullable VolumeState volume) {
        if (volume == null) {
            return;
        }
        runner.queue().add(new Task.Volume(volume.name()));
        VolumeState.ClaimRef claim = volume.claim();
        List<ClaimNeeds> concerned = new ArrayList<>(claims.having(ClaimNeeds.wanting(volume.name())));
        if (claim != null) {
            runner.queue().add(new Task.Claim(claim.namespace(), claim.name()));
        } else {
            concerned.addAll(claims.having(ClaimNeeds.waiting(volume.className())));
        }
        concerned.forEach(each -> runner.queue().add(new Task.Claim(each.namespace(), each.name())));
    }

    private void claimChanged(@Nullable ClaimNeeds claim) {
        if (claim == null) {
            return;
        }
        runner.queue().add(new Task.Claim(claim.namespace(), claim.name()));
        if (!claim.volume().isEmpty()) {
            runner.queue().add(new Task.Volume(claim.volume()));
        }
        volumes.having(VolumeState.of(claim.namespace(), claim.name()))
                .forEach(volume -> runner.queue().add(new Task.Volume(volume.name())));
    }

    private Optional<Duration> look(Task task) {
        if (!bonds.areSeen()) {
            runner.queue().add(task);
            return Optional.empty();
        }
        switch (task) {
            case Task.Claim claim ->
                api.find(CLAIMS, claim.namespace(), claim.name()).ifPresent(found -> {
                    ClaimNeeds needs = ClaimNeeds.of(found);
                    if (needs.bound()) {
                        checkBound(found, needs);
                    } else {
                        findVolume(found, needs);
                    }
                });
            case Task.Volume volume -> api.find(VOLUMES, "", volume.name()).ifPresent(this::checkVolume);
        }
        return Optional.empty();
    }

    // ---- claims

    private void findVolume(ObjectNode claim, ClaimNeeds needs) {
        if (!needs.volume().isEmpty()) {
            takeNamed(claim, needs);
            return;
        }
        ObjectNode storageClass = needs.className().isEmpty()
                ? null
                : api.find(CLASSES, "", needs.className()).orElse(null);
        boolean later = Json.textAt(storageClass, "volumeBindingMode").equals("WaitForFirstConsumer");
        VolumeState best = needs.best(volumes.all(), later);
        ObjectNode volume =
                best == null ? null : api.find(VOLUMES, "", best.name()).orElse(null);
        if (volume != null) {
            // The view may be behind: another claim may have it by now, and must not lose it.
            if (needs.best(List.of(VolumeState.of(volume)), later) == null) {
                throw ApiException.conflict(
                        "", "persistentvolumes", Objects.name(volume), "the volume is not free any more; look again");
            }
            bonds.bind(volume, claim);
        } else if (!needs.classKnown() && assignDefaultClass(claim)) {
            return;
        } else if (later && needs.selectedNode().isEmpty()) {
            explainWaiting(claim, needs);
            bonds.setClaimPhase(claim, "Pending", null);
        } else if (!needs.className().isEmpty()) {
            askProvisioner(claim, needs, storageClass);
        } else {
            events.normal(
                    claim,
                    "FailedBinding",
                    "no persistent volumes available for this claim and no storage class is set");
            bonds.setClaimPhase(claim, "Pending", null);
        }
    }

    private void takeNamed(ObjectNode claim, ClaimNeeds needs) {
        ObjectNode volume = api.find(VOLUMES, "", needs.volume()).orElse(null);
        if (volume == null) {
            bonds.setClaimPhase(claim, "Pending", null);
            return;
        }
        VolumeState state = VolumeState.of(volume);
        String mismatch = state.claim() == null ? needs.mismatch(state) : null;
        if (state.claim() != null && !state.isFor(needs)) {
            events.warning(
                    claim, "FailedBinding", "volume \"" + state.name() + "\" already bound to a different claim.");
            bonds.setClaimPhase(claim, "Pending", null);
        } else if (mismatch != null) {
            events.warning(
                    claim, "VolumeMismatch", "Cannot bind to requested volume \"" + state.name() + "\": " + mismatch);
            bonds.setClaimPhase(claim, "Pending", null);
        } else {
            bonds.bind(volume, claim);
        }
    }

    private void checkBound(ObjectNode claim, ClaimNeeds needs) {
        if (needs.volume().isEmpty()) {
            lose(claim, "ClaimLost", "Bound claim has lost reference to PersistentVolume. Data on the volume is lost!");
            return;
        }
        ObjectNode volume = api.find(VOLUMES, "", needs.volume()).orElse(null);
        VolumeState.ClaimRef owner =
                volume == null ? null : VolumeState.of(volume).claim();
        if (volume == null) {
            lose(claim, "ClaimLost", "Bound claim has lost its PersistentVolume. Data on the volume is lost!");
        } else if (owner == null || owner.uid().equals(needs.uid())) {
            bonds.bind(volume, claim);
        } else {
            lose(claim, "ClaimMisbound", "Two claims are bound to the same volume, this one is bound incorrectly");
        }
    }

    private void lose(ObjectNode claim, String reason, String message) {
        if (!Json.textAt(claim, "status", "phase").equals("Lost")) {
            bonds.setClaimPhase(claim, "Lost", null);
            events.warning(claim, reason, message);
        }
    }

    /** A claim that says nothing of classes gets the default one as soon as there is one. */
    private boolean assignDefaultClass(ObjectNode claim) {
        ObjectNode best = api.list(CLASSES, "", KubeApi.View.WHOLE).items().stream()
                .filter(each -> isDefault(each, DEFAULT_CLASS) || isDefault(each, BETA_DEFAULT_CLASS))
                .max(Comparator.comparing((ObjectNode each) -> Json.textAt(each, "metadata", "creationTimestamp"))
                        .thenComparing(Objects::name, Comparator.reverseOrder()))
                .orElse(null);
        if (best == null) {
            return false;
        }
        Json.ensureObject(claim, "spec").put("storageClassName", Objects.name(best));
        bonds.update(CLAIMS, "", claim);
        return true;
    }

    private static boolean isDefault(ObjectNode storageClass, String annotation) {
        return Json.textAt(storageClass, "metadata", "annotations", annotation).equals("true");
    }

    private void explainWaiting(ObjectNode claim, ClaimNeeds needs) {
        List<String> waiting = users.having(VolumeState.of(needs.namespace(), needs.name())).stream()
                .filter(user -> !user.placed())
                .map(ClaimUser::name)
                .toList();
        if (waiting.isEmpty()) {
            events.normal(claim, "WaitForFirstConsumer", "waiting for first consumer to be created before binding");
        } else {
            events.normal(
                    claim,
                    "WaitForPodScheduled",
                    "waiting for pod" + (waiting.size() > 1 ? "s " : " ")
                            + waiting.stream().collect(Collectors.joining(",")) + " to be scheduled");
        }
    }

    private void askProvisioner(ObjectNode claim, ClaimNeeds needs, @Nullable ObjectNode storageClass) {
        if (storageClass == null) {
            events.warning(
                    claim, "ProvisioningFailed", "storageclass.storage.k8s.io \"" + needs.className() + "\" not found");
            return;
        }
        String provisioner = Json.textAt(storageClass, "provisioner");
        if (provisioner.startsWith("kubernetes.io/")) {
            events.warning(claim, "ProvisioningFailed", "no volume plugin matched name: " + provisioner);
            return;
        }
        ObjectNode annotations = Json.ensureObject(claim, "metadata", "annotations");
        boolean asked = Json.textAt(annotations, PROVISIONER).equals(provisioner)
                && Json.textAt(annotations, BETA_PROVISIONER).equals(provisioner);
        ObjectNode current = claim;
        if (!asked) {
            annotations.put(BETA_PROVISIONER, provisioner).put(PROVISIONER, provisioner);
            current = bonds.update(CLAIMS, "", claim);
        }
        events.normal(
                current,
                "ExternalProvisioning",
                "Waiting for a volume to be created either by the external provisioner '" + provisioner
                        + "' or manually by the system administrator. If volume creation is delayed, please verify that"
                        + " the provisioner is running and correctly registered.");
    }

    // ---- volumes

    private void checkVolume(ObjectNode volume) {
        VolumeState state = VolumeState.of(volume);
        VolumeState.ClaimRef owner = state.claim();
        if (owner == null || owner.uid().isEmpty()) {
            bonds.setVolumePhase(volume, "Available", "");
            return;
        }
        ObjectNode claim = api.find(CLAIMS, owner.namespace(), owner.name())
                .filter(found -> Objects.uid(found).equals(owner.uid()))
                .orElse(null);
        String chosen = Json.textAt(claim, "spec", "volumeName");
        if (claim == null) {
            release(volume, state);
        } else if (chosen.isEmpty()) {
            explainMode(volume, state, claim);
        } else if (chosen.equals(state.name())) {
            bonds.setVolumePhase(volume, "Bound", "");
        } else if (!state.provisioner().isEmpty() && state.reclaim().equals("Delete")) {
            // Made for a claim that found another one meanwhile.
            release(volume, state);
        } else {
            unbind(volume, state);
        }
    }

    private void explainMode(ObjectNode volume, VolumeState state, ObjectNode claim) {
        if (ClaimNeeds.of(claim).hasMode(state)) {
            runner.queue().add(new Task.Claim(Objects.namespace(claim), Objects.name(claim)));
            return;
        }
        String name = Objects.name(claim);
        events.warning(
                volume,
                "VolumeMismatch",
                "Cannot bind PersistentVolume to requested PersistentVolumeClaim \"" + name
                        + "\" due to incompatible volumeMode.");
        events.warning(
                claim,
                "VolumeMismatch",
                "Cannot bind PersistentVolume \"" + state.name() + "\" to requested PersistentVolumeClaim \"" + name
                        + "\" due to incompatible volumeMode.");
    }

    private void unbind(ObjectNode volume, VolumeState state) {
        if (state.boundByController()) {
            Json.ensureObject(volume, "spec").remove("claimRef");
            ObjectNode annotations = Json.ensureObject(volume, "metadata", "annotations");
            annotations.remove(VolumeState.BOUND_BY_CONTROLLER);
            if (annotations.isEmpty()) {
                Json.ensureObject(volume, "metadata").remove("annotations");
            }
        } else {
            Json.ensureObject(volume, "spec", "claimRef").remove("uid");
        }
        ObjectNode answer = bonds.update(VOLUMES, "", volume);
        bonds.setVolumePhase(answer, "Available", "");
    }

    private void release(ObjectNode volume, VolumeState state) {
        ObjectNode current = volume;
        if (!state.phase().equals("Released") && !state.phase().equals("Failed")) {
            current = bonds.setVolumePhase(volume, "Released", "");
        }
        // What a provisioner made is the provisioner's to delete.
        if (state.reclaim().equals("Delete") && state.provisioner().isEmpty()) {
            fail(current, "VolumeFailedDelete", whyNotDeleted(volume));
        } else if (state.reclaim().equals("Recycle")) {
            fail(current, "VolumeFailedRecycle", "No recycler plugin found for the volume!");
        }
    }

    private static String whyNotDeleted(ObjectNode volume) {
        String path = Json.textAt(volume, "spec", "hostPath", "path");
        return path.isEmpty()
                ? "error getting deleter volume plugin for volume \"" + Objects.name(volume)
                        + "\": no deletable volume plugin matched"
                : "host_path deleter only supports /tmp/.+ but received provided " + path;
    }

    private void fail(ObjectNode volume, String reason, String message) {
        if (!Json.textAt(volume, "status", "phase").equals("Failed")) {
            events.warning(bonds.setVolumePhase(volume, "Failed", message), reason, message);
        }
    }
}
