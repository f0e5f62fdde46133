package lavaflow.kube;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import lavaflow.kube.Struct.Field;
import lavaflow.kube.Struct.ListKind;

import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;

/**
 * Parses the line of one struct in {@code builtin-types.txt}.
 *
 * <p>Types: {@code s} string, {@code b} bool, {@code i} int32, {@code l} int64, {@code d} float64, {@code y} bytes,
 * {@code q} Quantity, {@code t} Time, {@code u} MicroTime, {@code D} Duration, {@code x} IntOrString, {@code r} raw,
 * {@code f} FieldsV1, {@code [T} list, <code>{T</code> map, {@code @Name} struct (without a dot: of the same package),
 * {@code ?goName|T|T} either.
 *
 * <p>Flags: {@code p} pointer, {@code e} omitempty, {@code z} omitzero, {@code r} required, {@code m} patch merges,
 * {@code k} patch retains keys, {@code a} atomic. Keys: {@code w} wire path, {@code i} inlined Go structs, {@code m} patch merge key, {@code l} list
 * kind, {@code k} list keys, {@code d} default as JSON, {@code g} Go's name of the type where it does not follow from
 * the type.
 */
final class StructLine {
    private final String home;
    private final Map<String, String> goTypes = new HashMap<>();
    private final Map<String, String> goPaths = new HashMap<>();

    private StructLine(String home) {
        this.home = home;
    }

    static Struct parse(String line) {
        String[] parts = line.split("\t", -1);
        String name = parts[0];
        int dot = name.lastIndexOf('.');
        StructLine parser = new StructLine(name.substring(0, dot + 1));
        List<Field> fields = new ArrayList<>(parts.length);
        for (int i = 2; i < parts.length; i++) {
            fields.add(parser.field(parts[i].split(" ")));
        }
        return new Struct(
                name, name.substring(dot + 1), fields, parts[1].contains("a"), false, parser.goTypes, parser.goPaths);
    }

    private Field field(String[] words) {
        String flags = "";
        Map<String, String> values = Map.of();
        for (int i = 3; i < words.length; i++) {
            int equals = words[i].indexOf('=');
            if (equals < 0) {
                flags = words[i];
            } else {
                values = values.isEmpty() ? new HashMap<>() : values;
                values.put(words[i].substring(0, equals), words[i].substring(equals + 1));
            }
        }
        String goType = values.get("g");
        if (goType != null) {
            goTypes.put(words[0], goType);
        }
        String goPath = values.get("i");
        if (goPath != null) {
            goPaths.put(words[0], goPath);
        }
        return new Field(
                words[0],
                type(words[1]),
                Integer.parseInt(words[2]),
                wirePath(values.get("w")),
                flags.indexOf('p') >= 0,
                flags.indexOf('e') >= 0,
                flags.indexOf('z') >= 0,
                flags.indexOf('r') >= 0,
                flags.indexOf('m') >= 0,
                flags.indexOf('k') >= 0,
                values.get("m"),
                listKind(values.get("l")),
                values.containsKey("k") ? List.of(values.get("k").split(",")) : List.of(),
                flags.indexOf('a') >= 0,
                defaultValue(values.get("d")));
    }

    private Type type(String code) {
        return switch (code.charAt(0)) {
            case 's' -> Type.Scalar.STRING;
            case 'b' -> Type.Scalar.BOOL;
            case 'i' -> Type.Scalar.INT32;
            case 'l' -> Type.Scalar.INT64;
            case 'd' -> Type.Scalar.FLOAT64;
            case 'y' -> Type.Scalar.BYTES;
            case 'q' -> Type.Scalar.QUANTITY;
            case 't' -> Type.Scalar.TIME;
            case 'u' -> Type.Scalar.MICRO_TIME;
            case 'D' -> Type.Scalar.DURATION;
            case 'x' -> Type.Scalar.INT_OR_STRING;
            case 'r' -> Type.Scalar.RAW;
            case 'f' -> Type.Scalar.FIELDS_V1;
            case '[' -> new Type.ListOf(type(code.substring(1)));
            case '{' -> new Type.MapOf(type(code.substring(1)));
            case '@' -> new Type.Ref(code.indexOf('.') < 0 ? home + code.substring(1) : code.substring(1));
            case '?' -> oneOf(code.substring(1).split("\\|"));
            default -> throw new IllegalStateException("unknown type " + code);
        };
    }

    private Type oneOf(String[] parts) {
        List<Type> choices = new ArrayList<>();
        for (int i = 1; i < parts.length; i++) {
            choices.add(type(parts[i]));
        }
        return new Type.OneOf(parts[0], choices);
    }

    private static List<Integer> wirePath(@Nullable String text) {
        if (text == null) {
            return List.of();
        }
        List<Integer> path = new ArrayList<>();
        for (String step : text.split("\\.", -1)) {
            path.add(Integer.valueOf(step));
        }
        return path;
    }

    private static ListKind listKind(@Nullable String text) {
        return text == null ? ListKind.ATOMIC : text.equals("map") ? ListKind.MAP : ListKind.SET;
    }

    private static @Nullable JsonNode defaultValue(@Nullable String text) {
        return text == null ? null : Json.parse(text);
    }
}
