package lavaflow.kinds;

import java.nio.charset.StandardCharsets;
import java.util.Base64;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.GoJsonSyntax;
import lavaflow.kube.Json;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** What the known types of secrets must contain; other types may be named freely. */
final class SecretTypes {
    private static final FieldPath DATA = FieldPath.of("data");

    private SecretTypes() {}

    static void validate(ObjectNode secret, FieldErrors errors) {
        switch (Json.textAt(secret, "type")) {
            case "kubernetes.io/service-account-token" -> {
                String account = "kubernetes.io/service-account.name";
                if (Json.textAt(secret, "metadata", "annotations", account).isEmpty()) {
                    errors.required(FieldPath.of("metadata", "annotations").key(account));
                }
            }
            case "kubernetes.io/dockercfg" -> requireJson(secret, ".dockercfg", errors);
            case "kubernetes.io/dockerconfigjson" -> requireJson(secret, ".dockerconfigjson", errors);
            case "kubernetes.io/basic-auth" -> {
                if (!has(secret, "username") && !has(secret, "password")) {
                    errors.required(DATA.key("username"));
                    errors.required(DATA.key("password"));
                }
            }
            case "kubernetes.io/ssh-auth" -> {
                if (Json.textAt(secret, "data", "ssh-privatekey").isEmpty()) {
                    errors.required(DATA.key("ssh-privatekey"));
                }
            }
            case "kubernetes.io/tls" -> {
                for (String key : new String[] {"tls.crt", "tls.key"}) {
                    if (!has(secret, key)) {
                        errors.required(DATA.key(key));
                    }
                }
            }
            default -> {
                // Any other type is the user's own.
            }
        }
    }

    private static boolean has(ObjectNode secret, String key) {
        return Json.at(secret, "data", key) != null;
    }

    private static void requireJson(ObjectNode secret, String key, FieldErrors errors) {
        if (!has(secret, key)) {
            errors.required(DATA.key(key));
            return;
        }
        byte[] content = Base64.getDecoder().decode(Json.textAt(secret, "data", key));
        String wrong = wrongWith(content);
        if (!wrong.isEmpty()) {
            errors.invalid(DATA.key(key), "<secret contents redacted>", wrong);
        }
    }

    /** What Go's decoder would say; exact for the mistakes people make, close for the rest. */
    private static String wrongWith(byte[] content) {
        String text = new String(content, StandardCharsets.UTF_8);
        if (text.isBlank()) {
            return "unexpected end of JSON input";
        }
        try {
            JsonNode node = Json.parseUntrusted(content);
            String kind = switch (node.getNodeType()) {
                case OBJECT, NULL, MISSING -> "";
                case ARRAY -> "array";
                case STRING -> "string";
                case BOOLEAN -> "bool";
                case NUMBER -> "number";
                case BINARY, POJO -> "value";
            };
            return kind.isEmpty()
                    ? ""
                    : "json: cannot unmarshal " + kind + " into Go value of type map[string]interface {}";
        } catch (JsonProcessingException _) {
            return String.valueOf(GoJsonSyntax.complaint(content));
        }
    }
}
