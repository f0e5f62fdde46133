package lavaflow.volume;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Supplier;

import lavaflow.controller.KubeApi;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** The files of volumes that are made of objects: config maps, secrets, tokens, what a pod knows of itself. */
final class Contents {
    static final KubeApi.Kind CONFIG_MAPS = KubeApi.Kind.core("configmaps");
    static final KubeApi.Kind SECRETS = KubeApi.Kind.core("secrets");
    private static final int DEFAULT_MODE = 0644;
    private static final int TOKEN_MODE = 0600;
    private static final long DEFAULT_TOKEN_SECONDS = 3600;

    private final ReferencedObjects objects;
    private final PodTokens tokens;
    private final TrustBundles bundles;
    private final Supplier<ObjectNode> node;

    /** @param node the node as it is known here */
    Contents(ReferencedObjects objects, PodTokens tokens, TrustBundles bundles, Supplier<ObjectNode> node) {
        this.objects = objects;
        this.tokens = tokens;
        this.bundles = bundles;
        this.node = node;
    }

    /** The files of a volume; null for one of another kind. */
    @Nullable
    SortedMap<String, PayloadFile> of(ObjectNode pod, JsonNode volume) throws VolumeException {
        SortedMap<String, PayloadFile> files = new TreeMap<>();
        if (volume.has("configMap")) {
            JsonNode source = volume.path("configMap");
            configMap(files, pod, source, Json.textAt(source, "name"), mode(source));
        } else if (volume.has("secret")) {
            JsonNode source = volume.path("secret");
            secret(files, pod, source, Json.textAt(source, "secretName"), mode(source));
        } else if (volume.has("downwardAPI")) {
            downward(files, pod, volume.path("downwardAPI"), mode(volume.path("downwardAPI")));
        } else if (volume.has("projected")) {
            projected(files, pod, volume.path("projected"));
        } else {
            return null;
        }
        return files;
    }

    private static int mode(JsonNode source) {
        return (int) Json.longAt(source, DEFAULT_MODE, "defaultMode");
    }

    /** Everything that is wrong is told at once. */
    private void projected(SortedMap<String, PayloadFile> files, ObjectNode pod, JsonNode projected)
            throws VolumeException {
        int mode = mode(projected);
        List<String> wrong = new ArrayList<>();
        for (JsonNode source : Json.listAt(projected, "sources")) {
            try {
                project(files, pod, source, mode);
            } catch (VolumeException e) {
                wrong.add(String.valueOf(e.getMessage()));
            }
        }
        if (!wrong.isEmpty()) {
            throw new VolumeException(wrong.size() == 1 ? wrong.getFirst() : "[" + String.join(", ", wrong) + "]");
        }
    }

    private void project(SortedMap<String, PayloadFile> files, ObjectNode pod, JsonNode source, int mode)
            throws VolumeException {
        if (source.has("secret")) {
            secret(files, pod, source.path("secret"), Json.textAt(source, "secret", "name"), mode);
        } else if (source.has("configMap")) {
            configMap(files, pod, source.path("configMap"), Json.textAt(source, "configMap", "name"), mode);
        } else if (source.has("downwardAPI")) {
            downward(files, pod, source.path("downwardAPI"), mode);
        } else if (source.has("serviceAccountToken")) {
            token(files, pod, source.path("serviceAccountToken"), mode);
        } else if (source.has("clusterTrustBundle")) {
            JsonNode bundle = source.path("clusterTrustBundle");
            put(files, Json.textAt(bundle, "path"), bundles.certificates(bundle), mode);
        } else {
            String kind = source.properties().isEmpty()
                    ? "nothing"
                    : source.properties().iterator().next().getKey();
            throw new VolumeException("projected volumes of " + kind + " are not supported on this node; supported are"
                    + " clusterTrustBundle, configMap, downwardAPI, secret and serviceAccountToken");
        }
    }

    // ---- config maps and secrets

    private void configMap(SortedMap<String, PayloadFile> files, ObjectNode pod, JsonNode source, String name, int mode)
            throws VolumeException {
        ObjectNode map = object(pod, CONFIG_MAPS, "configmap", name, Json.flagAt(source, "optional"));
        SortedMap<String, byte[]> data = new TreeMap<>();
        each(map, "data", (key, value) -> data.put(key, value.getBytes(StandardCharsets.UTF_8)));
        each(
                map,
                "binaryData",
                (key, value) -> data.put(key, Base64.getDecoder().decode(value)));
        items(files, data, source, mode, "configmap references non-existent config key: ");
    }

    private void secret(SortedMap<String, PayloadFile> files, ObjectNode pod, JsonNode source, String name, int mode)
            throws VolumeException {
        ObjectNode secret = object(pod, SECRETS, "secret", name, Json.flagAt(source, "optional"));
        SortedMap<String, byte[]> data = new TreeMap<>();
        each(secret, "data", (key, value) -> data.put(key, Base64.getDecoder().decode(value)));
        items(files, data, source, mode, "references non-existent secret key: ");
    }

    private interface Entry {
        void entry(String key, String value);
    }

    private static void each(@Nullable ObjectNode object, String field, Entry each) {
        JsonNode map = Json.at(object, field);
        if (map != null) {
            map.properties()
                    .forEach(
                            entry -> each.entry(entry.getKey(), entry.getValue().asText()));
        }
    }

    /** Null for one that may be missing and is. */
    private @Nullable ObjectNode object(
            ObjectNode pod, KubeApi.Kind kind, String kindName, String name, boolean optional) throws VolumeException {
        String uid = Json.textAt(pod, "metadata", "uid");
        Optional<ObjectNode> found;
        try {
            found = objects.find(uid, kind, Json.textAt(pod, "metadata", "namespace"), name);
        } catch (ApiException e) {
            throw new VolumeException(e.getMessage() == null ? e.toString() : e.getMessage(), e);
        }
        if (found.isEmpty() && !optional) {
            throw new VolumeException(kindName + " \"" + name + "\" not found");
        }
        return found.orElse(null);
    }

    private static void items(
            SortedMap<String, PayloadFile> files,
            SortedMap<String, byte[]> data,
            JsonNode source,
            int mode,
            String missing)
            throws VolumeException {
        if (Json.listAt(source, "items").isEmpty()) {
            data.forEach((key, content) -> files.put(key, new PayloadFile(content, mode, null)));
            return;
        }
        for (JsonNode item : Json.listAt(source, "items")) {
            String key = Json.textAt(item, "key");
            byte[] content = data.get(key);
            if (content != null) {
                files.put(
                        Json.textAt(item, "path"),
                        new PayloadFile(content, (int) Json.longAt(item, mode, "mode"), null));
            } else if (!Json.flagAt(source, "optional")) {
                throw new VolumeException(missing + key);
            }
        }
    }

    // ---- what a pod knows of itself

    private void downward(SortedMap<String, PayloadFile> files, ObjectNode pod, JsonNode source, int mode)
            throws VolumeException {
        for (JsonNode item : Json.listAt(source, "items")) {
            JsonNode resource = item.get("resourceFieldRef");
            String text = resource == null
                    ? DownwardFields.field(pod, Json.textAt(item, "fieldRef", "fieldPath"))
                    : DownwardFields.resource(pod, resource, "", Json.at(node.get(), "status", "allocatable"));
            put(files, Json.textAt(item, "path"), text, (int) Json.longAt(item, mode, "mode"));
        }
    }

    private static void put(SortedMap<String, PayloadFile> files, String path, String text, int mode) {
        files.put(path, new PayloadFile(text.getBytes(StandardCharsets.UTF_8), mode, null));
    }

    // ---- tokens

    /** Only who runs the pod's containers may read its token, where that is known. */
    private void token(SortedMap<String, PayloadFile> files, ObjectNode pod, JsonNode source, int mode)
            throws VolumeException {
        Long user = FileFacts.mayGiveAway() ? onlyUser(pod) : null;
        boolean narrow = user != null || Ownership.of(pod) != null;
        try {
            String token = tokens.token(
                    pod,
                    Json.textAt(source, "audience"),
                    Json.longAt(source, DEFAULT_TOKEN_SECONDS, "expirationSeconds"));
            files.put(
                    Json.textAt(source, "path"),
                    new PayloadFile(token.getBytes(StandardCharsets.UTF_8), narrow ? TOKEN_MODE : mode, user));
        } catch (ApiException e) {
            throw new VolumeException("failed to fetch token: " + e.getMessage(), e);
        }
    }

    /** The user of all containers where they have the same and say so; else null. */
    private static @Nullable Long onlyUser(ObjectNode pod) {
        Long only = null;
        JsonNode ofPod = Json.at(pod, "spec", "securityContext", "runAsUser");
        for (String list : List.of("initContainers", "containers", "ephemeralContainers")) {
            for (JsonNode container : Json.listAt(pod, "spec", list)) {
                JsonNode own = Json.at(container, "securityContext", "runAsUser");
                JsonNode user = own == null ? ofPod : own;
                if (user == null || (only != null && only != user.asLong())) {
                    return null;
                }
                only = user.asLong();
            }
        }
        return only;
    }
}
