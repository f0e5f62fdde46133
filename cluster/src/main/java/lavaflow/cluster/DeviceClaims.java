package lavaflow.cluster;

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
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * Makes ResourceClaims of the templates that pods name, and takes claims from pods that have ended: a claim nobody uses any more gives
 * its devices back, and goes if it was made for a pod. What gives claims their devices is the scheduler.
 */
final class DeviceClaims {
    private static final KubeApi.Kind PODS = ReplicaControllers.PODS;
    /** Under this name upstream's controller writes the status of pods. */
    private static final String MANAGER = "ResourceClaimController";

    private static final int LONGEST_BASE = 57;
    private static final int CHOSEN = 5;
    private static final int COLLISIONS = 8;
    private static final int CONFLICT = 409;

    /** A pod or a claim. */
    record Key(KubeApi.Kind kind, String namespace, String name) {}

    /** What is made of a template. */
    private record Template(String namespace, String name, ObjectNode content) {}

    private final KubeApi api;
    private final EventRecorder events;
    private final ControllerRunner<Key> runner;
    private final Mirror<DeviceUser> users;
    private final Mirror<DeviceClaim> claims;
    private final Mirror<Template> templates;

    DeviceClaims(KubeApi api, Followers followers, InstantSource clock, LongSupplier nanoTime) {
        this.api = api;
        this.events = new EventRecorder(api, "resource_claim", clock);
        this.runner = new ControllerRunner<>("resource-claim-controller", followers, 1, this::reconcile, nanoTime);
        this.users = new Mirror<>(followers, PODS, DeviceUser::of, DeviceUser::words);
        this.claims = Mirror.whileServed(followers, DeviceClaim.KIND, DeviceClaim::of, DeviceClaim::words);
        this.templates = Mirror.whileServed(
                followers,
                DeviceClaim.TEMPLATES,
                template -> new Template(Objects.namespace(template), Objects.name(template), content(template)),
                _ -> List.of());
        users.whenDifferent(this::userChanged);
        claims.whenDifferent((before, after) -> {
            DeviceClaim claim = after == null ? before : after;
            if (claim != null) {
                claimChanged(claim.namespace(), claim.name(), after == null);
            }
        });
        templates.whenDifferent((_, template) -> {
            if (template != null) {
                users.having(DeviceUser.ofTemplate(template.namespace(), template.name()))
                        .forEach(pod -> add(PODS, pod.namespace(), pod.name()));
            }
        });
    }

    private static ObjectNode content(ObjectNode template) {
        ObjectNode content = Json.objectAt(template, "spec");
        return content == null ? Json.object() : content.deepCopy();
    }

    ControllerRunner<Key> controller() {
        return runner;
    }

    private void add(KubeApi.Kind kind, String namespace, String name) {
        runner.queue().add(new Key(kind, namespace, name));
    }

    private void userChanged(@Nullable DeviceUser before, @Nullable DeviceUser after) {
        DeviceUser ended = after == null ? before : after.done() ? after : null;
        if (ended != null) {
            ended.claims().forEach(claim -> add(DeviceClaim.KIND, ended.namespace(), claim));
        }
        if (after != null && !after.deleting()) {
            add(PODS, after.namespace(), after.name());
        }
    }

    /** A claim that was deleted by mistake is made again; one with devices may be what a pod on a node waits for. */
    private void claimChanged(String namespace, String name, boolean deleted) {
        if (!deleted) {
            add(DeviceClaim.KIND, namespace, name);
        }
        users.having(DeviceUser.ofClaim(namespace, name)).stream()
                .filter(pod -> deleted || pod.placed())
                .forEach(pod -> add(PODS, namespace, pod.name()));
    }

    private Optional<Duration> reconcile(Key key) {
        if (key.kind().equals(PODS)) {
            api.find(PODS, key.namespace(), key.name()).ifPresent(this::provide);
        } else {
            api.find(DeviceClaim.KIND, key.namespace(), key.name()).ifPresent(this::release);
        }
        return Optional.empty();
    }

    // ---- pods ----

    private void provide(ObjectNode pod) {
        if (Objects.isDeleting(pod)
                || Json.listAt(pod, "spec", "resourceClaims").isEmpty()) {
            return;
        }
        ArrayNode statuses = Json.array();
        boolean news = false;
        for (DeviceUser.Entry entry : DeviceUser.entries(pod)) {
            String claim = claim(pod, entry);
            news |= claim != null && !claim.equals(entry.claim());
            if (entry.made() && claim != null) {
                statuses.addObject().put("name", entry.name()).put("resourceClaimName", claim);
            } else if (entry.needless()) {
                statuses.addObject().put("name", entry.name());
            }
        }
        ObjectNode told = pod;
        if (news) {
            told = tell(pod, statuses);
        }
        if (!Json.textAt(pod, "spec", "nodeName").isEmpty() && !DeviceUser.isDone(pod)) {
            reserve(told);
        }
    }

    /** The claim behind an entry, which is made if need be; null where there is none. */
    private @Nullable String claim(ObjectNode pod, DeviceUser.Entry entry) {
        if (entry.needless() || entry.template() == null) {
            return entry.claim();
        }
        if (entry.claim() != null) {
            ObjectNode known = api.find(DeviceClaim.KIND, Objects.namespace(pod), entry.claim())
                    .orElse(null);
            if (known != null && isOf(known, pod)) {
                return entry.claim();
            }
        }
        if (DeviceUser.isDone(pod)) {
            return entry.claim();
        }
        try {
            return made(pod, entry.name(), entry.template());
        } catch (ApiException e) {
            if (Refusals.isNamespaceTerminating(e)) {
                return null;
            }
            events.warning(
                    pod, "FailedResourceClaimCreation", "PodResourceClaim " + entry.name() + ": " + e.getMessage());
            throw e;
        }
    }

    private static boolean isOf(ObjectNode claim, ObjectNode pod) {
        PodState.OwnerRef owner = DeviceClaim.owner(claim);
        return owner != null && owner.uid().equals(Objects.uid(pod));
    }

    /** A claim of a template; the one that an interrupted attempt has made, where there is one. */
    private String made(ObjectNode pod, String purpose, String templateName) {
        String namespace = Objects.namespace(pod);
        for (DeviceClaim present : claims.having(Objects.uid(pod))) {
            if (present.purpose().equals(purpose)
                    && api.find(DeviceClaim.KIND, namespace, present.name()).isPresent()) {
                return present.name();
            }
        }
        Template template = templates.get(namespace, templateName);
        if (template == null) {
            throw ApiException.of(
                    500,
                    "InternalError",
                    "resource claim template \"" + templateName + "\": resourceclaimtemplate.resource.k8s.io \""
                            + templateName + "\" not found");
        }
        ObjectNode claim = claim(pod, purpose, template.content());
        String base = Json.textAt(claim, "metadata", "generateName");
        for (int attempt = 0; attempt < COLLISIONS; attempt++) {
            // Named by what it is for: who is interrupted here makes no second one.
            String name = base + chosen(Objects.uid(pod) + "/" + purpose, attempt);
            Json.ensureObject(claim, "metadata").put("name", name);
            try {
                api.create(DeviceClaim.KIND, namespace, claim);
                return name;
            } catch (ApiException e) {
                if (e.code() != CONFLICT) {
                    throw ApiException.of(e.code(), e.reason(), "create ResourceClaim : " + e.getMessage());
                }
                ObjectNode taken = api.find(DeviceClaim.KIND, namespace, name).orElse(null);
                if (taken != null && isOf(taken, pod) && !Objects.isDeleting(taken)) {
                    return name;
                }
            }
        }
        throw ApiException.of(500, "InternalError", "create ResourceClaim : no name is free for " + base);
    }

    private static String chosen(String purpose, int attempt) {
        String letters = TemplateHash.of(Json.text(purpose), attempt);
        return letters.substring(letters.length() - Math.min(CHOSEN, letters.length()));
    }

    static ObjectNode claim(ObjectNode pod, String purpose, ObjectNode template) {
        ObjectNode claim = Json.object();
        ObjectNode metadata = claim.putObject("metadata");
        metadata.put("generateName", base(Objects.name(pod), purpose));
        JsonNode labels = Json.at(template, "metadata", "labels");
        if (labels != null) {
            metadata.set("labels", labels.deepCopy());
        }
        ObjectNode annotations = Objects.map(template, "metadata", "annotations");
        annotations.put(DeviceClaim.PURPOSE, purpose);
        metadata.set("annotations", annotations);
        ObjectNode owner = ReplicaDecisions.ownerReference(pod);
        // Nobody need wait for it before the pod goes.
        owner.remove("blockOwnerDeletion");
        metadata.putArray("ownerReferences").add(owner);
        JsonNode spec = Json.at(template, "spec");
        claim.set("spec", spec == null ? Json.object() : spec.deepCopy());
        return claim;
    }

    /** What the name begins with: both parts, each shortened by its share where they are too long together. */
    static String base(String pod, String purpose) {
        String base = pod + "-" + purpose + "-";
        if (base.length() <= LONGEST_BASE) {
            return base;
        }
        String ofPod = pod.substring(0, pod.length() * LONGEST_BASE / base.length());
        String ofPurpose = purpose.substring(0, purpose.length() * LONGEST_BASE / base.length());
        return ofPod + "-" + ofPurpose;
    }

    private ObjectNode tell(ObjectNode pod, ArrayNode statuses) {
        ObjectNode status = Json.object().put("apiVersion", "v1").put("kind", "Pod");
        status.putObject("metadata")
                .put("name", Objects.name(pod))
                .put("namespace", Objects.namespace(pod))
                .put("uid", Objects.uid(pod));
        status.putObject("status").set("resourceClaimStatuses", statuses);
        return api.apply(PODS, "status", MANAGER, status);
    }

    /** A pod that got its node from somebody who knows nothing of claims can start once it is among their users. */
    private void reserve(ObjectNode pod) {
        for (DeviceUser.Entry entry : DeviceUser.entries(pod)) {
            ObjectNode claim = entry.claim() == null
                    ? null
                    : api.find(DeviceClaim.KIND, Objects.namespace(pod), entry.claim())
                            .orElse(null);
            boolean usable = claim != null && (!entry.made() || isOf(claim, pod));
            if (claim != null && usable && DeviceClaim.canTake(claim, pod)) {
                ObjectNode status = Json.ensureObject(claim, "status");
                status.withArray("reservedFor")
                        .addObject()
                        .put("resource", "pods")
                        .put("name", Objects.name(pod))
                        .put("uid", Objects.uid(pod));
                api.update(DeviceClaim.KIND, "status", claim);
            }
        }
    }

    // ---- claims ----

    private void release(ObjectNode claim) {
        JsonNode users = Json.listAt(claim, "status", "reservedFor");
        ArrayNode valid = Json.array();
        users.forEach(user -> {
            if (isUser(claim, user)) {
                valid.add(user);
            }
        });
        ObjectNode now = claim;
        boolean protectedOne = Objects.finalizers(claim).contains(DeviceClaim.FINALIZER);
        boolean goes = protectedOne && Objects.isDeleting(claim) && valid.isEmpty();
        if (valid.size() < users.size() || (goes && DeviceClaim.isAllocated(claim))) {
            now = free(claim, valid, protectedOne);
        }
        boolean unprotect = protectedOne && !DeviceClaim.isAllocated(now) && (valid.size() < users.size() || goes);
        if (unprotect) {
            ArrayNode left = Json.array();
            Objects.finalizers(now).stream()
                    .filter(each -> !each.equals(DeviceClaim.FINALIZER))
                    .forEach(left::add);
            Objects.setList(now, "finalizers", left);
            now = api.update(DeviceClaim.KIND, "", now);
        }
        if (valid.isEmpty() && !Objects.isDeleting(now)) {
            deleteIfMadeInVain(now);
        }
    }

    /** A user that is not a pod is somebody else's business. */
    private boolean isUser(ObjectNode claim, JsonNode user) {
        if (!Json.textAt(user, "apiGroup").isEmpty()
                || !Json.textAt(user, "resource").equals("pods")) {
            return true;
        }
        String uid = Json.textAt(user, "uid");
        DeviceUser known = users.get(Objects.namespace(claim), Json.textAt(user, "name"));
        if (known != null && known.uid().equals(uid) && !known.done()) {
            return true;
        }
        // Nobody loses devices because of an old view.
        return api.find(PODS, Objects.namespace(claim), Json.textAt(user, "name"))
                .filter(pod -> Objects.uid(pod).equals(uid) && !DeviceUser.isDone(pod))
                .isPresent();
    }

    private ObjectNode free(ObjectNode claim, ArrayNode valid, boolean protectedOne) {
        ObjectNode freed = claim.deepCopy();
        ObjectNode status = Json.ensureObject(freed, "status");
        if (valid.isEmpty()) {
            status.remove("reservedFor");
            if (protectedOne) {
                status.remove(List.of("allocation", "devices"));
            }
        } else {
            status.set("reservedFor", valid);
        }
        return api.update(DeviceClaim.KIND, "status", freed);
    }

    /** The garbage collector would take it with its pod, but a pod that has ended may stay for long. */
    private void deleteIfMadeInVain(ObjectNode claim) {
        PodState.OwnerRef owner = DeviceClaim.owner(claim);
        if (owner == null) {
            return;
        }
        ObjectNode pod = api.find(PODS, Objects.namespace(claim), owner.name()).orElse(null);
        if (pod != null && (!Objects.uid(pod).equals(owner.uid()) || DeviceUser.isDone(pod))) {
            api.delete(
                    DeviceClaim.KIND,
                    Objects.namespace(claim),
                    Objects.name(claim),
                    KubeApi.Deletion.ofUid(Objects.uid(claim)));
        }
    }
}
