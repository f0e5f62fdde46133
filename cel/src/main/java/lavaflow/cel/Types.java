package lavaflow.cel;

import java.time.Duration;
import java.time.OffsetDateTime;

/** Types of values. */
final class Types {
    private Types() {}

    static CelType of(Object value) {
        return switch (value) {
            case Boolean bool -> CelType.BOOL;
            case Long integer -> CelType.INT;
            case UnsignedLong unsigned -> CelType.UINT;
            case Double real -> CelType.DOUBLE;
            case String text -> CelType.STRING;
            case CelBytes bytes -> CelType.BYTES;
            case OffsetDateTime time -> CelType.TIMESTAMP;
            case Duration duration -> CelType.DURATION;
            case CelList list -> CelType.list(CelType.DYN);
            case CelMap map -> map.type();
            case CelOptional optional -> CelType.optional(CelType.DYN);
            case CelType type -> CelType.type(CelType.DYN);
            case TypedValue typed -> typed.type();
            case JsonPatchOperation operation -> CelType.JSON_PATCH;
            default -> CelValues.NULL.equals(value) ? CelType.NULL : CelType.DYN;
        };
    }

    /** The name of the value's type, as runtime errors give it. */
    static String name(Object value) {
        return of(value).typeName();
    }

    /** The name of the Go type by which upstream's interpreter calls the value where it expected something to loop over. */
    static String goName(Object value) {
        return switch (value) {
            case Boolean bool -> "types.Bool";
            case Long integer -> "types.Int";
            case UnsignedLong unsigned -> "types.Uint";
            case Double real -> "types.Double";
            case String text -> "types.String";
            case CelBytes bytes -> "types.Bytes";
            case OffsetDateTime time -> "types.Timestamp";
            case Duration duration -> "types.Duration";
            case CelOptional optional -> "*types.Optional";
            case CelType type -> "*types.Type";
            default -> CelValues.NULL.equals(value) ? "types.Null" : "cel." + simpleName(name(value));
        };
    }

    /** The name of the Go type that holds such a value. */
    static String goNativeName(Object value) {
        return switch (value) {
            case Boolean bool -> "bool";
            case Long integer -> "int64";
            case UnsignedLong unsigned -> "uint64";
            case Double real -> "float64";
            case String text -> "string";
            case CelBytes bytes -> "[]uint8";
            case OffsetDateTime time -> "time.Time";
            case Duration duration -> "time.Duration";
            case CelList list -> "[]ref.Val";
            case CelMap map -> "map[ref.Val]ref.Val";
            default -> goName(value);
        };
    }

    private static String simpleName(String name) {
        return name.substring(name.lastIndexOf('.') + 1);
    }
}
