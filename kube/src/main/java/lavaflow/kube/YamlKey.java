package lavaflow.kube;

import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;

/**
 * A key of a mapping.
 *
 * @param text the JSON key
 * @param shown Go's form of it, which tells {@code 1} from {@code "1"}
 * @param problem the start of a complaint if JSON cannot have such a key; Go's form of the value belongs behind it
 */
record YamlKey(String text, String shown, @Nullable String problem) {
    static YamlKey ofText(String text) {
        return new YamlKey(text, GoQuote.quote(text), null);
    }

    static YamlKey of(JsonNode key) throws DecodingException {
        if (key.isTextual()) {
            return ofText(key.textValue());
        }
        if (key.isContainerNode()) {
            throw new DecodingException("yaml: invalid map key: " + GoSyntax.text(key));
        }
        if (key.isNull()) {
            return unsupported("%!s(<nil>)", "<nil>");
        }
        if (key.isBigInteger()) {
            return unsupported("uint64", "0x" + key.bigIntegerValue().toString(16));
        }
        String text = key.isFloatingPointNumber()
                ? GoText.number(Double.parseDouble(Float.toString(key.floatValue())))
                : key.asText();
        return new YamlKey(text, text, null);
    }

    private static YamlKey unsupported(String type, String shown) {
        return new YamlKey("", shown, "unsupported map key of type: " + type + ", key: " + shown + ", value: ");
    }
}
