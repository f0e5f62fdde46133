package lavaflow.kubelet;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

import lavaflow.kube.Json;
import lavaflow.volume.VolumeException;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * The variables of a container: whole config maps and secrets first, then single ones, which may use those before them;
 * services fill what nobody has named.
 */
final class Environment {
    /** Where config maps and secrets come from. */
    interface Objects {
        Optional<ObjectNode> configMap(String namespace, String name);

        Optional<ObjectNode> secret(String namespace, String name);
    }

    /** The files of the pod's volumes. */
    interface Files {
        /**
         * What a file says.
         *
         * @throws ConfigurationException where there is no such volume
         * @throws VolumeException where it has no such file
         */
        String text(String volume, String path) throws ConfigurationException, VolumeException;
    }

    /**
     * What became of the pod's wishes.
     *
     * @param skipped sentences about keys that cannot be names
     */
    record Variables(Map<String, String> values, List<String> skipped) {}

    private static final String UNREADABLE = "couldn't parse env file: ";

    private final PodView pod;
    private final String container;
    private final Objects objects;
    private final Files files;
    private final Map<String, String> services;
    private final @Nullable JsonNode allocatable;
    private final Map<String, String> values = new LinkedHashMap<>();
    private final List<String> skipped = new ArrayList<>();

    private Environment(
            PodView pod,
            String container,
            Objects objects,
            Files files,
            Map<String, String> services,
            @Nullable JsonNode allocatable) {
        this.pod = pod;
        this.container = container;
        this.objects = objects;
        this.files = files;
        this.services = services;
        this.allocatable = allocatable;
    }

    static Variables of(
            PodView pod,
            PodView.Container container,
            Objects objects,
            Files files,
            Map<String, String> services,
            @Nullable JsonNode allocatable)
            throws ConfigurationException {
        Environment environment = new Environment(pod, container.name(), objects, files, services, allocatable);
        for (JsonNode source : Json.listAt(container.spec(), "envFrom")) {
            environment.addAll(source);
        }
        for (JsonNode variable : Json.listAt(container.spec(), "env")) {
            environment.add(variable);
        }
        services.forEach(environment.values::putIfAbsent);
        return new Variables(environment.values, environment.skipped);
    }

    private @Nullable String lookUp(String name) {
        String own = values.get(name);
        return own == null ? services.get(name) : own;
    }

    // ---- whole objects ----

    private void addAll(JsonNode source) throws ConfigurationException {
        boolean secret = Json.at(source, "secretRef") != null;
        JsonNode reference = Json.at(source, secret ? "secretRef" : "configMapRef");
        String name = Json.textAt(reference, "name");
        Optional<ObjectNode> object =
                secret ? objects.secret(pod.namespace(), name) : objects.configMap(pod.namespace(), name);
        if (object.isEmpty()) {
            if (!Json.flagAt(reference, "optional")) {
                throw new ConfigurationException((secret ? "secret" : "configmap") + " \"" + name + "\" not found");
            }
            return;
        }
        List<String> invalid = new ArrayList<>();
        JsonNode data = Json.at(object.get(), "data");
        if (data != null) {
            for (Map.Entry<String, JsonNode> entry : data.properties()) {
                String key = Json.textAt(source, "prefix") + entry.getKey();
                if (isName(key)) {
                    String text = entry.getValue().asText();
                    values.put(key, secret ? decoded(text) : text);
                } else {
                    invalid.add(key);
                }
            }
        }
        if (!invalid.isEmpty()) {
            invalid.sort(null);
            skipped.add(
                    "Keys [" + String.join(", ", invalid) + "] from the EnvFrom " + (secret ? "secret" : "configMap")
                            + " " + pod.namespace() + "/" + name
                            + " were skipped since they are considered invalid environment variable names.");
        }
    }

    /** Anything printable in ASCII but the sign that ends a name. */
    private static boolean isName(String key) {
        return !key.isEmpty() && key.chars().allMatch(c -> c >= ' ' && c < 127 && c != '=');
    }

    private static String decoded(String base64) {
        return new String(Base64.getDecoder().decode(base64), StandardCharsets.UTF_8);
    }

    // ---- single variables ----

    private void add(JsonNode variable) throws ConfigurationException {
        String name = Json.textAt(variable, "name");
        String written = Json.textAt(variable, "value");
        JsonNode from = Json.at(variable, "valueFrom");
        if (!written.isEmpty() || from == null) {
            values.put(name, Expansion.expand(written, this::lookUp));
            return;
        }
        String value = value(from);
        if (value != null) {
            values.put(name, value);
        }
    }

    /** Null where an optional key is missing. */
    private @Nullable String value(JsonNode from) throws ConfigurationException {
        JsonNode field = Json.at(from, "fieldRef");
        if (field != null) {
            return DownwardFields.field(pod, Json.textAt(field, "fieldPath"));
        }
        JsonNode resource = Json.at(from, "resourceFieldRef");
        if (resource != null) {
            return DownwardFields.resource(pod, container, resource, allocatable);
        }
        JsonNode configMap = Json.at(from, "configMapKeyRef");
        if (configMap != null) {
            return key(configMap, "ConfigMap", name -> objects.configMap(pod.namespace(), name));
        }
        JsonNode secret = Json.at(from, "secretKeyRef");
        if (secret != null) {
            String value = key(secret, "Secret", name -> objects.secret(pod.namespace(), name));
            return value == null ? null : decoded(value);
        }
        JsonNode file = Json.at(from, "fileKeyRef");
        if (file != null) {
            return inFile(file);
        }
        return "";
    }

    /** As with kubelets, only the variable may be missing where it is optional, not the file. */
    private @Nullable String inFile(JsonNode reference) throws ConfigurationException {
        String volume = Json.textAt(reference, "volumeName");
        String path = Json.textAt(reference, "path");
        String key = Json.textAt(reference, "key");
        Optional<String> value = parsed(volume, path, key);
        if (value.isEmpty() && !Json.flagAt(reference, "optional")) {
            throw new ConfigurationException("environment variable key \"" + key + "\" not found in file \"" + path
                    + "\" of volume \"" + volume + "\"");
        }
        return value.orElse(null);
    }

    private Optional<String> parsed(String volume, String path, String key) throws ConfigurationException {
        String text;
        try {
            text = files.text(volume, path);
        } catch (VolumeException e) {
            throw new ConfigurationException(UNREADABLE + e.getMessage(), e);
        }
        try {
            return EnvironmentFile.value(text, key);
        } catch (ConfigurationException e) {
            throw new ConfigurationException(UNREADABLE + e.getMessage(), e);
        }
    }

    private @Nullable String key(JsonNode reference, String kind, Function<String, Optional<ObjectNode>> source)
            throws ConfigurationException {
        String name = Json.textAt(reference, "name");
        String key = Json.textAt(reference, "key");
        boolean optional = Json.flagAt(reference, "optional");
        Optional<ObjectNode> object = source.apply(name);
        if (object.isEmpty()) {
            if (optional) {
                return null;
            }
            String word = kind.equals("Secret") ? "secret" : "configmap";
            throw new ConfigurationException(word + " \"" + name + "\" not found");
        }
        JsonNode value = Json.at(object.get(), "data", key);
        if (value == null && !optional) {
            throw new ConfigurationException(
                    "couldn't find key " + key + " in " + kind + " " + pod.namespace() + "/" + name);
        }
        return value == null ? null : value.asText();
    }
}
