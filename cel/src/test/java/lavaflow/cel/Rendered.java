package lavaflow.cel;

import java.time.Duration;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Supplier;

import lavaflow.kube.GoDuration;
import lavaflow.kube.GoQuote;
import lavaflow.kube.Json;

/** Values as the tables of expected results write them. */
final class Rendered {
    private Rendered() {}

    static String of(Object value) {
        return switch (value) {
            case String text -> Json.string(Json.text(text));
            case CelBytes bytes ->
                "b" + GoQuote.quote(new String(bytes.bytes(), java.nio.charset.StandardCharsets.UTF_8));
            case UnsignedLong number -> number + "u";
            case Double number -> "double(" + GoFormat.general(number) + ")";
            case OffsetDateTime time -> "timestamp(" + Times.format(time.withOffsetSameInstant(ZoneOffset.UTC)) + ")";
            case Duration duration -> "duration(" + GoDuration.format(duration) + ")";
            case CelOptional optional ->
                optional.value() == null ? "optional.none()" : "optional.of(" + of(optional.value()) + ")";
            case CelType type -> "type(" + typeValue(type) + ")";
            case QuantityFunctions.QuantityValue quantity -> "quantity(" + quantity + ")";
            case NetworkValues.Ip ip -> "ip(" + ip + ")";
            case NetworkValues.Network network -> "cidr(" + network + ")";
            case GoUrl url -> "url(" + url + ")";
            case SemanticVersion version -> "semver(" + version + ")";
            case CelList list -> list(list);
            case Maps.Made made -> made.type().typeName();
            case CelMap map -> map(map);
            case TypedValue typed -> typed.type().typeName();
            case JsonPatchOperation operation -> "JSONPatch";
            default -> value.toString();
        };
    }

    private static String typeValue(CelType type) {
        return switch (type) {
            case CelType.ListOf list -> "list(dyn)";
            case CelType.MapOf map -> "map(dyn, dyn)";
            case CelType.TypeOf of -> "type";
            default -> type.typeName();
        };
    }

    /** A part may be absent (a field that is null) or not fit its type. */
    private static String part(Supplier<Object> part) {
        try {
            Object value = part.get();
            return value == null ? "absent" : of(value);
        } catch (CelException wrong) {
            return "error";
        }
    }

    private static String list(CelList list) {
        List<String> parts = new ArrayList<>();
        for (int i = 0; i < list.size(); i++) {
            int index = i;
            parts.add(part(() -> list.get(index)));
        }
        return "[" + String.join(", ", parts) + "]";
    }

    private static String map(CelMap map) {
        TreeMap<String, String> parts = new TreeMap<>();
        for (Iterator<Object> keys = map.keys(); keys.hasNext(); ) {
            Object key = keys.next();
            parts.put(of(key), part(() -> map.find(key)));
        }
        List<String> entries = new ArrayList<>();
        parts.forEach((key, value) -> entries.add(key + ": " + value));
        return "{" + String.join(", ", entries) + "}";
    }
}
