package lavaflow.cluster;

import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
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

/** Makes the claims of volumes that live as long as their pod; the pod owns them, so they go with it. */
final class EphemeralVolumes {
    private static final KubeApi.Kind PODS = ReplicaControllers.PODS;
    private static final KubeApi.Kind CLAIMS = VolumeBinder.CLAIMS;

    /** A pod with such volumes. */
    private record Owner(ReplicaControllers.Key key, List<String> claims) {
        List<String> words() {
            return claims.stream()
                    .map(claim -> VolumeState.of(key.namespace(), claim))
                    .toList();
        }
    }

    private final KubeApi api;
    private final EventRecorder events;
    private final ControllerRunner<ReplicaControllers.Key> runner;
    private final Mirror<Owner> owners;

    EphemeralVolumes(KubeApi api, Followers followers, InstantSource clock, LongSupplier nanoTime) {
        this.api = api;
        this.events = new EventRecorder(api, "ephemeral_volume", clock);
        this.runner = new ControllerRunner<>("ephemeral-volume-controller", followers, 1, this::look, nanoTime);
        this.owners = new Mirror<>(followers, PODS, EphemeralVolumes::owner, Owner::words);
        owners.whenDifferent((_, pod) -> {
            if (pod != null) {
                runner.queue().add(pod.key());
            }
        });
        // A claim that was deleted is made again, one that was in the way may be gone.
        new Mirror<>(
                        followers,
                        CLAIMS,
                        claim -> VolumeState.of(Objects.namespace(claim), Objects.name(claim)),
                        _ -> List.of())
                .whenDifferent((before, after) -> {
                    if (before != null && after == null) {
                        owners.having(before).forEach(pod -> runner.queue().add(pod.key()));
                    }
                });
    }

    ControllerRunner<ReplicaControllers.Key> controller() {
        return runner;
    }

    private static @Nullable Owner owner(ObjectNode pod) {
        List<String> claims = new ArrayList<>(0);
        for (JsonNode volume : Json.listAt(pod, "spec", "volumes")) {
            if (volume.has("ephemeral")) {
                claims.add(claimName(pod, volume));
            }
        }
        return claims.isEmpty() || Objects.isDeleting(pod)
                ? null
                : new Owner(new ReplicaControllers.Key(Objects.namespace(pod), Objects.name(pod)), List.copyOf(claims));
    }

    private static String claimName(ObjectNode pod, JsonNode volume) {
        return Objects.name(pod) + "-" + Json.textAt(volume, "name");
    }

    private Optional<Duration> look(ReplicaControllers.Key key) {
        ObjectNode pod = api.find(PODS, key.namespace(), key.name()).orElse(null);
        if (pod == null || Objects.isDeleting(pod)) {
            return Optional.empty();
        }
        for (JsonNode volume : Json.listAt(pod, "spec", "volumes")) {
            if (volume.has("ephemeral")) {
                provide(pod, volume);
            }
        }
        return Optional.empty();
    }

    /** The first volume that cannot be had keeps the pod from starting, so the others can wait. */
    private void provide(ObjectNode pod, JsonNode volume) {
        String name = claimName(pod, volume);
        ObjectNode present = api.find(CLAIMS, Objects.namespace(pod), name).orElse(null);
        if (present != null) {
            PodState.OwnerRef owner = PodState.OwnerRef.of(present);
            if (owner == null || !owner.uid().equals(Objects.uid(pod))) {
                String place = Objects.namespace(pod) + "/";
                throw refusal(
                        pod,
                        volume,
                        "PVC " + place + name + " was not created for pod " + place + Objects.name(pod)
                                + " (pod is not owner)");
            }
            return;
        }
        try {
            api.create(CLAIMS, Objects.namespace(pod), claim(pod, volume, name));
        } catch (ApiException e) {
            if (!Refusals.isNamespaceTerminating(e)) {
                throw refusal(pod, volume, "create PVC " + name + ": " + e.getMessage());
            }
        }
    }

    private ApiException refusal(ObjectNode pod, JsonNode volume, String why) {
        String message = "ephemeral volume " + Json.textAt(volume, "name") + ": " + why;
        events.warning(pod, "FailedBinding", message);
        return ApiException.of(500, "InternalError", message);
    }

    private static ObjectNode claim(ObjectNode pod, JsonNode volume, String name) {
        ObjectNode claim = Objects.named(name);
        ObjectNode metadata = Json.ensureObject(claim, "metadata");
        metadata.putArray("ownerReferences").add(ReplicaDecisions.ownerReference(pod));
        for (String field : List.of("labels", "annotations")) {
            JsonNode given = Json.at(volume, "ephemeral", "volumeClaimTemplate", "metadata", field);
            if (given != null) {
                metadata.set(field, given.deepCopy());
            }
        }
        JsonNode spec = Json.at(volume, "ephemeral", "volumeClaimTemplate", "spec");
        claim.set("spec", spec == null ? Json.object() : spec.deepCopy());
        return claim;
    }
}
