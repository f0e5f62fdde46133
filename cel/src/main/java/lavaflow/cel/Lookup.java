package lavaflow.cel;

import org.jspecify.annotations.Nullable;

/** Fields of objects, entries of maps, elements of lists. */
final class Lookup {
    private Lookup() {}

    /** The value under a key, or null if there is none. */
    static @Nullable Object find(Object operand, Object key, boolean strict) {
        return switch (operand) {
            case CelMap map -> map.find(key);
            case CelList list -> {
                long index = index(key);
                yield index >= 0 && index < list.size() ? list.get((int) index) : null;
            }
            case CelOptional optional -> {
                Object inner = optional.value() == null ? null : find(optional.value(), key, strict);
                yield inner == null ? null : CelOptional.of(inner);
            }
            case JsonPatchOperation operation -> JsonPatches.field(operation, key);
            default -> null;
        };
    }

    static boolean has(Object operand, Object key) {
        return switch (operand) {
            case CelMap map -> map.has(key);
            case JsonPatchOperation operation -> {
                Object value = JsonPatches.field(operation, key);
                yield value != null && !value.equals("");
            }
            default -> find(operand, key, false) != null;
        };
    }

    static CelException missing(Object operand, Object key) {
        return new CelException(
                operand instanceof CelList
                        ? "index out of bounds: " + GoFormat.value(key)
                        : "no such key: " + GoFormat.value(key));
    }

    /** Only some types can be keys. */
    static Object checkKey(Object key) {
        return switch (key) {
            case String text -> key;
            case Long number -> key;
            case UnsignedLong number -> key;
            case Double number -> key;
            case Boolean bool -> key;
            default -> throw new CelException("invalid qualifier type: " + Types.goName(key));
        };
    }

    private static long index(Object key) {
        return switch (key) {
            case Long index -> index;
            case UnsignedLong index -> index.bits();
            case Double real -> {
                if (real != Math.rint(real) || Double.isInfinite(real)) {
                    throw new CelException("unsupported index value " + GoFormat.value(real) + " in list");
                }
                yield real.longValue();
            }
            default -> throw new CelException("unsupported index type '" + Types.name(key) + "' in list");
        };
    }
}
