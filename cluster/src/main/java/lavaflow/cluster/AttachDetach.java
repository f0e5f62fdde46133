package lavaflow.cluster;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

import lavaflow.controller.ControllerRunner;
import lavaflow.controller.EventRecorder;
import lavaflow.controller.Followers;
import lavaflow.controller.KubeApi;
import lavaflow.controller.Mirror;
import lavaflow.controller.OwnWrites;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * Asks drivers to attach the volumes of pods to their nodes, by VolumeAttachments, and notes in nodes what is attached.
 * Only nodes that say so leave that to controllers, and only volumes of drivers need it.
 */
final class AttachDetach {
    static final KubeApi.Kind ATTACHMENTS = new KubeApi.Kind("storage.k8s.io", "v1", "volumeattachments", false);
    static final KubeApi.Kind DRIVERS = new KubeApi.Kind("storage.k8s.io", "v1", "csidrivers", false);
    private static final String MANAGED = "volumes.kubernetes.io/controller-managed-attach-detach";
    private static final String PREFIX = "kubernetes.io/csi/";
    /** So long a node that is not well may keep a volume that nobody wants there any more. */
    private static final Duration LONGEST_UNMOUNT = Duration.ofMinutes(6);

    /** A volume of a driver. */
    private record Driven(String name, String driver, String handle, boolean exclusive) {
        String uniqueName() {
            return PREFIX + driver + "^" + handle;
        }

        /** The name of its attachment to a node; the same for everybody who wants to know it. */
        String attachment(String node) {
            try {
                byte[] bytes = (handle + driver + node).getBytes(StandardCharsets.UTF_8);
                byte[] hash = MessageDigest.getInstance("SHA-256").digest(bytes);
                return "csi-" + HexFormat.of().formatHex(hash);
            } catch (NoSuchAlgorithmException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    private record Attachment(
            String name, String uid, String node, String volume, boolean attached, String error, boolean deleting) {}

    /**
     * A node.
     *
     * @param ready whether it can be asked to let go of a volume
     * @param outOfService whether somebody says that it is down, and nothing on it runs any more
     */
    private record Host(
            String name,
            boolean managed,
            boolean ready,
            boolean outOfService,
            List<String> attached,
            List<String> inUse) {}

    private final KubeApi api;
    private final Mirror<ClaimUser> users;
    private final Mirror<ClaimNeeds> claims;
    private final Mirror<Driven> volumes;
    private final Mirror<Attachment> attachments;
    private final Mirror<Host> hosts;
    private final Mirror<String> unattached;
    private final EventRecorder events;
    private final InstantSource clock;
    private final OwnWrites<String> writes;
    /** Since when volumes are to be detached, by the uid of the attachment. */
    private final Map<String, Instant> unwanted = new ConcurrentHashMap<>();

    private final ControllerRunner<String> runner;

    AttachDetach(KubeApi api, Followers followers, InstantSource clock, LongSupplier nanoTime) {
        this.api = api;
        this.clock = clock;
        this.events = new EventRecorder(api, "attachdetach-controller", clock);
        this.writes = new OwnWrites<>(followers);
        this.runner =
                new ControllerRunner<>("persistentvolume-attach-detach-controller", followers, 1, this::look, nanoTime);
        this.users = ClaimUser.mirror(followers).whenDifferent((before, after) -> {
            userChanged(before);
            userChanged(after);
        });
        this.claims = new Mirror<>(followers, VolumeBinder.CLAIMS, ClaimNeeds::of, ClaimNeeds::words)
                .whenDifferent((_, after) -> claimChanged(after));
        this.volumes = new Mirror<>(followers, VolumeBinder.VOLUMES, AttachDetach::driven, _ -> List.of())
                .whenDifferent((_, after) -> {
                    if (after != null) {
                        claims.having(ClaimNeeds.wanting(after.name())).forEach(this::claimChanged);
                    }
                });
        this.attachments = new Mirror<>(followers, ATTACHMENTS, AttachDetach::attachment, each -> List.of(each.node()));
        attachments.whenDifferent((before, after) -> {
            if (before != null && after == null) {
                unwanted.remove(before.uid());
            }
            attachmentChanged(before);
            attachmentChanged(after);
        });
        this.hosts = new Mirror<>(followers, NodeLifecycle.NODES, AttachDetach::host, _ -> List.of())
                .whenDifferent((_, after) -> {
                    if (after != null && after.managed()) {
                        runner.queue().add(after.name());
                    }
                });
        this.unattached = new Mirror<>(followers, DRIVERS, AttachDetach::unattached, List::of);
    }

    ControllerRunner<String> controller() {
        return runner;
    }

    private static @Nullable Driven driven(ObjectNode volume) {
        ObjectNode source = Json.objectAt(volume, "spec", "csi");
        if (source == null) {
            return null;
        }
        List<String> modes = VolumeState.strings(Json.listAt(volume, "spec", "accessModes"));
        return new Driven(
                Objects.name(volume),
                Json.textAt(source, "driver"),
                Json.textAt(source, "volumeHandle"),
                !modes.contains("ReadWriteMany") && !modes.contains("ReadOnlyMany"));
    }

    private static Attachment attachment(ObjectNode each) {
        return new Attachment(
                Objects.name(each),
                Objects.uid(each),
                Json.textAt(each, "spec", "nodeName"),
                Json.textAt(each, "spec", "source", "persistentVolumeName"),
                Json.flagAt(each, "status", "attached"),
                Json.textAt(each, "status", "attachError", "message"),
                Objects.isDeleting(each));
    }

    private static Host host(ObjectNode node) {
        List<String> attached = new ArrayList<>(0);
        Json.listAt(node, "status", "volumesAttached").forEach(each -> attached.add(Json.textAt(each, "name")));
        return new Host(
                Objects.name(node),
                Json.textAt(node, "metadata", "annotations", MANAGED).equals("true"),
                isReady(node),
                isOutOfService(node),
                List.copyOf(attached),
                VolumeState.strings(Json.listAt(node, "status", "volumesInUse")));
    }

    private static boolean isReady(ObjectNode node) {
        for (JsonNode condition : Json.listAt(node, "status", "conditions")) {
            if (Json.textAt(condition, "type").equals("Ready")) {
                return Json.textAt(condition, "status").equals("True");
            }
        }
        return false;
    }

    private static boolean isOutOfService(ObjectNode node) {
        for (JsonNode taint : Json.listAt(node, "spec", "taints")) {
            if (Json.textAt(taint, "key").equals(NodeTaints.OUT_OF_SERVICE)
                    && Json.textAt(taint, "effect").equals("NoExecute")) {
                return true;
            }
        }
        return false;
    }

    /** The name of a driver whose volumes need no attaching. */
    private static @Nullable String unattached(ObjectNode driver) {
        JsonNode required = Json.at(driver, "spec", "attachRequired");
        return required != null && !required.asBoolean() ? Objects.name(driver) : null;
    }

    private void userChanged(@Nullable ClaimUser user) {
        if (user != null && user.placed()) {
            runner.queue().add(user.node());
        }
    }

    private void claimChanged(@Nullable ClaimNeeds claim) {
        if (claim != null) {
            users.having(VolumeState.of(claim.namespace(), claim.name())).forEach(this::userChanged);
        }
    }

    private void attachmentChanged(@Nullable Attachment attachment) {
        if (attachment != null) {
            runner.queue().add(attachment.node());
            // Others may wait for the volume.
            claims.having(ClaimNeeds.wanting(attachment.volume())).forEach(this::claimChanged);
        }
    }

    private Optional<Duration> look(String node) {
        if (!writes.areSeen("all")) {
            return Optional.of(Duration.ofMillis(100));
        }
        Map<Driven, List<ClaimUser>> wanted = wanted(node);
        Host host = hosts.get("", node);
        List<Attachment> present = attachments.having(node);
        if (host != null && host.managed()) {
            wanted.forEach((volume, pods) -> attach(host, volume, pods));
        }
        Duration again = null;
        for (Attachment attachment : present) {
            Driven volume = volumes.get("", attachment.volume());
            if (volume == null || !volume.attachment(node).equals(attachment.name()) || attachment.deleting()) {
                continue;
            }
            if (wanted.containsKey(volume)) {
                unwanted.remove(attachment.uid());
            } else {
                Duration left = detach(host, volume, attachment).orElse(null);
                again = again == null || (left != null && left.compareTo(again) < 0) ? left : again;
            }
        }
        return Optional.ofNullable(again);
    }

    /** The volumes that pods on a node use, with their pods. */
    private Map<Driven, List<ClaimUser>> wanted(String node) {
        Map<Driven, List<ClaimUser>> wanted = new LinkedHashMap<>();
        for (ClaimUser pod : users.having(ClaimUser.on(node))) {
            for (String name : pod.finished() ? List.<String>of() : pod.claims()) {
                ClaimNeeds claim = claims.get(pod.namespace(), name);
                Driven volume = claim == null || !claim.bound() ? null : volumes.get("", claim.volume());
                if (volume != null && unattached.get("", volume.driver()) == null) {
                    wanted.computeIfAbsent(volume, _ -> new ArrayList<>()).add(pod);
                }
            }
        }
        return wanted;
    }

    private void attach(Host host, Driven volume, List<ClaimUser> pods) {
        Attachment present = attachments.get("", volume.attachment(host.name()));
        boolean noted = host.attached().contains(volume.uniqueName());
        if (present == null) {
            if (volume.exclusive() && isElsewhere(host, volume)) {
                pods.forEach(pod -> complain(
                        pod,
                        "Multi-Attach error for volume \"" + volume.name()
                                + "\" Volume is already exclusively attached to"
                                + " one node and can't be attached to another"));
            } else {
                create(host, volume);
            }
        } else if (present.attached() && !noted) {
            note(host, volume, true);
            pods.forEach(pod -> events.normal(
                    pod.reference(),
                    "SuccessfulAttachVolume",
                    "AttachVolume.Attach succeeded for volume \"" + volume.name() + "\" "));
        } else if (!present.attached() && !present.error().isEmpty()) {
            pods.forEach(pod -> complain(
                    pod, "AttachVolume.Attach failed for volume \"" + volume.name() + "\" : " + present.error()));
        }
    }

    private void complain(ClaimUser pod, String message) {
        events.warning(pod.reference(), "FailedAttachVolume", message);
    }

    private boolean isElsewhere(Host host, Driven volume) {
        return attachments.all().stream()
                .anyMatch(each ->
                        each.volume().equals(volume.name()) && !each.node().equals(host.name()));
    }

    private void create(Host host, Driven volume) {
        ObjectNode attachment = Objects.named(volume.attachment(host.name()));
        ObjectNode spec = attachment.putObject("spec");
        spec.put("attacher", volume.driver()).put("nodeName", host.name());
        spec.putObject("source").put("persistentVolumeName", volume.name());
        try {
            writes.wrote("all", ATTACHMENTS, api.create(ATTACHMENTS, "", attachment));
        } catch (ApiException e) {
            if (e.code() != 409) {
                throw e;
            }
        }
    }

    /**
     * Detaches once the node does not use the volume any more; a node that is gone uses nothing, nor does one that is out of
     * service, and one that has not been well for long is not waited for.
     *
     * @return when it is to be looked at again
     */
    private Optional<Duration> detach(@Nullable Host host, Driven volume, Attachment attachment) {
        if (host != null && host.inUse().contains(volume.uniqueName()) && !host.outOfService()) {
            Instant now = clock.instant();
            Instant since = unwanted.computeIfAbsent(attachment.uid(), _ -> now);
            Duration left = LONGEST_UNMOUNT.minus(Duration.between(since, now));
            if (left.isPositive()) {
                return Optional.of(left);
            }
            if (host.ready()) {
                return Optional.empty();
            }
        }
        unwanted.remove(attachment.uid());
        if (host != null && host.attached().contains(volume.uniqueName())) {
            note(host, volume, false);
        }
        api.delete(ATTACHMENTS, "", attachment.name(), KubeApi.Deletion.ofUid(attachment.uid()));
        return Optional.empty();
    }

    private void note(Host host, Driven volume, boolean attached) {
        ObjectNode node = api.find(NodeLifecycle.NODES, "", host.name()).orElse(null);
        if (node == null) {
            return;
        }
        ArrayNode list = Json.array();
        for (JsonNode each : Json.listAt(node, "status", "volumesAttached")) {
            if (!Json.textAt(each, "name").equals(volume.uniqueName())) {
                list.add(each);
            }
        }
        if (attached) {
            list.addObject().put("name", volume.uniqueName()).put("devicePath", "");
        }
        ObjectNode patch = Json.object();
        patch.putObject("metadata").put("resourceVersion", Objects.resourceVersion(node));
        patch.putObject("status").set("volumesAttached", list);
        writes.wrote(
                "all",
                NodeLifecycle.NODES,
                api.patch(NodeLifecycle.NODES, "", host.name(), "status", KubeApi.Merge.PLAIN, patch));
    }
}
