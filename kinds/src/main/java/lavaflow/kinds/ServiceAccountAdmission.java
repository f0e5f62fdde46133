package lavaflow.kinds;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Gives a new pod the identity of its service account: a token, the cluster's authority, secrets for images. */
public final class ServiceAccountAdmission {
    private static final String VOLUME = "kube-api-access-";
    private static final String MOUNT_PATH = "/var/run/secrets/kubernetes.io/serviceaccount";
    private static final String MIRROR = "kubernetes.io/config.mirror";
    private static final String ENFORCE = "kubernetes.io/enforce-mountable-secrets";
    private static final Set<String> TRUE = Set.of("1", "t", "T", "TRUE", "true", "True");
    /** A round hour would be the client's own wish; this one the server may stretch while it warns. */
    private static final long TOKEN_SECONDS = 3607;

    private ServiceAccountAdmission() {}

    /** Whether a pod mirrors one that a node runs by itself; such pods have no account. */
    public static boolean isMirror(ObjectNode pod) {
        return Nodes.has(pod, "metadata", "annotations", MIRROR);
    }

    /** The account of a pod; the default one is filled in. */
    public static String accountOf(ObjectNode pod) {
        ObjectNode spec = Json.ensureObject(pod, "spec");
        Nodes.defaultText(spec, "serviceAccountName", "default");
        // The old name of the field always follows the new one.
        spec.put("serviceAccount", Json.textAt(spec, "serviceAccountName"));
        return Json.textAt(spec, "serviceAccountName");
    }

    /** Why a mirror pod is forbidden; empty where it is not. */
    public static String mirrorProblem(ObjectNode pod) {
        if (!Json.textAt(pod, "spec", "serviceAccountName").isEmpty()) {
            return "a mirror pod may not reference service accounts";
        }
        for (ObjectNode volume : Nodes.objects(pod, "spec", "volumes")) {
            if (Nodes.has(volume, "secret")) {
                return "a mirror pod may not reference secrets";
            }
            for (ObjectNode source : Nodes.objects(volume, "projected", "sources")) {
                if (Nodes.has(source, "serviceAccountToken")) {
                    return "a mirror pod may not use ServiceAccountToken volume projections";
                }
            }
        }
        return "";
    }

    /**
     * Mounts the token and hands on the image secrets.
     *
     * @param suffix five random characters that make the volume's name unique
     */
    public static void apply(ObjectNode pod, ObjectNode account, String suffix) {
        if (automounts(pod, account)) {
            mountToken(Json.ensureObject(pod, "spec"), suffix);
        }
        if (Nodes.emptyAt(pod, "spec", "imagePullSecrets") && !Nodes.emptyAt(account, "imagePullSecrets")) {
            ArrayNode secrets = Json.ensureObject(pod, "spec").putArray("imagePullSecrets");
            for (ObjectNode secret : Nodes.objects(account, "imagePullSecrets")) {
                secrets.addObject().put("name", Json.textAt(secret, "name"));
            }
        }
    }

    private static boolean automounts(ObjectNode pod, ObjectNode account) {
        JsonNode own = Json.at(pod, "spec", "automountServiceAccountToken");
        JsonNode general = Json.at(account, "automountServiceAccountToken");
        return own != null ? own.asBoolean() : general == null || general.asBoolean();
    }

    private static void mountToken(ObjectNode spec, String suffix) {
        String volume = VOLUME + suffix;
        boolean present = false;
        for (ObjectNode each : Nodes.objects(spec, "volumes")) {
            if (Json.textAt(each, "name").startsWith(VOLUME)) {
                volume = Json.textAt(each, "name");
                present = true;
                break;
            }
        }
        boolean needed = false;
        for (ObjectNode container : PodSpecs.startedContainers(spec)) {
            needed |= mount(container, volume);
        }
        if (needed && !present) {
            ArrayNode volumes = Json.listAt(spec, "volumes");
            volumes.add(tokenVolume(volume));
            spec.set("volumes", volumes);
        }
    }

    private static boolean mount(ObjectNode container, String volume) {
        boolean mounted = Nodes.objects(container, "volumeMounts").stream()
                .anyMatch(mount -> Json.textAt(mount, "mountPath").equals(MOUNT_PATH));
        if (mounted) {
            return false;
        }
        ArrayNode mounts = Json.listAt(container, "volumeMounts");
        mounts.addObject().put("name", volume).put("readOnly", true).put("mountPath", MOUNT_PATH);
        container.set("volumeMounts", mounts);
        return true;
    }

    private static ObjectNode tokenVolume(String name) {
        ObjectNode volume = Json.object().put("name", name);
        ObjectNode projected = volume.putObject("projected");
        ArrayNode sources = projected.putArray("sources");
        sources.addObject()
                .putObject("serviceAccountToken")
                .put("expirationSeconds", TOKEN_SECONDS)
                .put("path", "token");
        ObjectNode authority = sources.addObject().putObject("configMap").put("name", "kube-root-ca.crt");
        authority.putArray("items").addObject().put("key", "ca.crt").put("path", "ca.crt");
        ObjectNode item =
                sources.addObject().putObject("downwardAPI").putArray("items").addObject();
        item.put("path", "namespace")
                .putObject("fieldRef")
                .put("apiVersion", "v1")
                .put("fieldPath", "metadata.namespace");
        projected.put("defaultMode", 0644);
        return volume;
    }

    /** Why a pod may not use the secrets it names; empty where it may, as it nearly always does. */
    public static String secretProblem(ObjectNode pod, ObjectNode account) {
        if (!TRUE.contains(Json.textAt(account, "metadata", "annotations", ENFORCE))) {
            return "";
        }
        String tail = " is not allowed because service account " + Json.textAt(account, "metadata", "name")
                + " does not reference that ";
        Set<String> allowed = names(account, "secrets");
        for (ObjectNode volume : Nodes.objects(pod, "spec", "volumes")) {
            String secret = Json.textAt(volume, "secret", "secretName");
            if (Nodes.has(volume, "secret") && !allowed.contains(secret)) {
                return "volume with secret.secretName=" + FieldErrors.quoted(secret) + tail + "secret";
            }
        }
        for (String list : new String[] {"initContainers", "containers"}) {
            String what = list.equals("containers") ? "container " : "init container ";
            for (ObjectNode container : Nodes.objects(pod, "spec", list)) {
                String problem = environment(container, what, allowed);
                if (!problem.isEmpty()) {
                    return problem + tail + "secret";
                }
            }
        }
        Set<String> images = names(account, "imagePullSecrets");
        List<ObjectNode> pulled = Nodes.objects(pod, "spec", "imagePullSecrets");
        for (int i = 0; i < pulled.size(); i++) {
            String secret = Json.textAt(pulled.get(i), "name");
            if (!images.contains(secret)) {
                return "imagePullSecrets[" + i + "].name=" + FieldErrors.quoted(secret) + tail + "imagePullSecret";
            }
        }
        return "";
    }

    private static String environment(ObjectNode container, String what, Set<String> allowed) {
        String name = Json.textAt(container, "name");
        for (ObjectNode variable : Nodes.objects(container, "env")) {
            String secret = Json.textAt(variable, "valueFrom", "secretKeyRef", "name");
            if (Nodes.has(variable, "valueFrom", "secretKeyRef") && !allowed.contains(secret)) {
                return what + name + " with envVar " + Json.textAt(variable, "name") + " referencing secret.secretName="
                        + FieldErrors.quoted(secret);
            }
        }
        for (ObjectNode source : Nodes.objects(container, "envFrom")) {
            String secret = Json.textAt(source, "secretRef", "name");
            if (Nodes.has(source, "secretRef") && !allowed.contains(secret)) {
                return what + name + " with envFrom referencing secret.secretName=" + FieldErrors.quoted(secret);
            }
        }
        return "";
    }

    private static Set<String> names(ObjectNode account, String field) {
        Set<String> names = new HashSet<>();
        Nodes.objects(account, field).forEach(reference -> names.add(Json.textAt(reference, "name")));
        return names;
    }
}
