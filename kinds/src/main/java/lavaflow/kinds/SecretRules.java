package lavaflow.kinds;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Set;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Secrets: {@code stringData} is write-only and wins over {@code data}; some types demand keys. */
final class SecretRules implements KindRules {
    @Override
    public void applyDefaults(ObjectNode object) {
        Nodes.defaultText(object, "type", "Opaque");
        JsonNode text = object.remove("stringData");
        if (text == null || text.isEmpty()) {
            return;
        }
        ObjectNode data = Json.ensureObject(object, "data");
        for (Map.Entry<String, JsonNode> entry : text.properties()) {
            byte[] value = entry.getValue().asText("").getBytes(StandardCharsets.UTF_8);
            data.put(entry.getKey(), Base64.getEncoder().encodeToString(value));
        }
    }

    @Override
    public void prepareForCreate(ObjectNode object) {
        // Nothing is the server's to decide.
    }

    @Override
    public void prepareForUpdate(ObjectNode object, ObjectNode old) {
        if (Json.textAt(object, "type").isEmpty()) {
            KindRules.keep(object, old, "type");
        }
    }

    @Override
    public Set<String> selectableFields() {
        return Set.of("type");
    }

    @Override
    public @Nullable String selectableField(ObjectNode object, String field) {
        return field.equals("type") ? Json.textAt(object, "type") : null;
    }

    @Override
    public void validateCreate(ObjectNode object, FieldErrors errors) {
        DataValidation.secret(object, errors);
    }

    @Override
    public void validateUpdate(ObjectNode object, ObjectNode old, FieldErrors errors) {
        DataValidation.secretUpdate(object, old, errors);
    }

    @Override
    public List<String> warnings(ObjectNode object, @Nullable ObjectNode old) {
        if (!Json.textAt(object, "type").equals("kubernetes.io/tls")) {
            return List.of();
        }
        String problem = TlsPair.problem(bytes(object, "tls.crt"), bytes(object, "tls.key"));
        return problem.isEmpty() ? List.of() : List.of(problem);
    }

    private static byte[] bytes(ObjectNode object, String key) {
        return Base64.getDecoder().decode(Json.textAt(object, "data", key));
    }
}
