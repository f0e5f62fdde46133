package lavaflow.cel;

import java.time.OffsetDateTime;
import java.util.Iterator;

import org.jspecify.annotations.Nullable;

/** Equality and order of values of any types: numbers compare by value, everything else only with its like. */
final class Equality {
    private Equality() {}

    static boolean equal(Object left, Object right) {
        return equal(left, right, new Work());
    }

    static boolean equal(Object left, Object right, Work work) {
        work.step();
        return switch (left) {
            case Long a -> right instanceof Long b ? a.longValue() == b.longValue() : isNumber(right) && same(a, right);
            case Double a -> isNumber(right) && same(a, right);
            case UnsignedLong a -> isNumber(right) && same(a, right);
            case CelList a -> right instanceof CelList b ? equalLists(a, b, work) : a.sameAsOther(right);
            case CelMap a -> right instanceof CelMap b ? equalMaps(a, b, work) : a.sameAsOther(right);
            case OffsetDateTime a -> right instanceof OffsetDateTime b && a.isEqual(b);
            case CelOptional a -> right instanceof CelOptional b && equalOptionals(a, b, work);
            case CelType a -> right instanceof CelType b && a.typeName().equals(b.typeName());
            case JsonPatchOperation a -> right instanceof JsonPatchOperation b && equalOperations(a, b, work);
            case TypedValue a -> a.sameAs(right);
            default -> left.equals(right);
        };
    }

    private static boolean isNumber(Object value) {
        return value instanceof Long || value instanceof Double || value instanceof UnsignedLong;
    }

    private static boolean isNaN(Object value) {
        return value instanceof Double real && real.isNaN();
    }

    private static boolean same(Object left, Object right) {
        if (isNaN(left) || isNaN(right)) {
            return false;
        }
        return compareNumbers(left, right) == 0;
    }

    private static boolean equalOrAbsent(@Nullable Object left, @Nullable Object right, Work work) {
        return (left == null || right == null) ? (left == null && right == null) : equal(left, right, work);
    }

    private static boolean equalOptionals(CelOptional left, CelOptional right, Work work) {
        Object a = left.value();
        Object b = right.value();
        return equalOrAbsent(a, b, work);
    }

    private static boolean equalOperations(JsonPatchOperation left, JsonPatchOperation right, Work work) {
        Object a = left.value();
        Object b = right.value();
        return left.op().equals(right.op())
                && left.path().equals(right.path())
                && left.from().equals(right.from())
                && equalOrAbsent(a, b, work);
    }

    private static boolean equalLists(CelList left, CelList right, Work work) {
        if (left.size() != right.size()) {
            return false;
        }
        if (left instanceof KeyedList keyed) {
            return keyed.sameAs(right);
        }
        return sameOrder(left, right, work);
    }

    private static boolean sameOrder(CelList left, CelList right, Work work) {
        for (int i = 0; i < left.size(); i++) {
            if (!equal(left.get(i), right.get(i), work)) {
                return false;
            }
        }
        return true;
    }

    private static boolean equalMaps(CelMap left, CelMap right, Work work) {
        if (left.size() != right.size()) {
            return false;
        }
        for (Iterator<Object> keys = left.keys(); keys.hasNext(); ) {
            Object key = keys.next();
            if (!equalOrAbsent(left.find(key), right.find(key), work)) {
                return false;
            }
        }
        return left.sameBeyondKeys(right);
    }

    static boolean contains(CelList list, Object value, Work work) {
        for (int i = 0; i < list.size(); i++) {
            if (equal(list.get(i), value, work)) {
                return true;
            }
        }
        return false;
    }

    /** Order; throws where there is none. */
    static int compare(Object left, Object right) {
        if (isNumber(left) && isNumber(right)) {
            if (isNaN(left) || isNaN(right)) {
                throw new CelException("NaN values cannot be ordered");
            }
            return compareNumbers(left, right);
        }
        return switch (left) {
            case String a when right instanceof String b -> compareText(a, b);
            case Boolean a when right instanceof Boolean b -> Boolean.compare(a, b);
            case CelBytes a when right instanceof CelBytes b -> a.compareTo(b);
            case OffsetDateTime a
            when right instanceof OffsetDateTime b -> a.toInstant().compareTo(b.toInstant());
            case java.time.Duration a when right instanceof java.time.Duration b -> a.compareTo(b);
            default -> throw Errors.noSuchOverload();
        };
    }

    static boolean isOrdered(Object value) {
        return isNumber(value)
                || value instanceof String
                || value instanceof Boolean
                || value instanceof CelBytes
                || value instanceof OffsetDateTime
                || value instanceof java.time.Duration;
    }

    /** By code points, as UTF-8 sorts. */
    private static int compareText(String left, String right) {
        int length = Math.min(left.length(), right.length());
        for (int i = 0; i < length; i++) {
            char a = left.charAt(i);
            char b = right.charAt(i);
            if (a != b) {
                boolean surrogates = Character.isSurrogate(a) != Character.isSurrogate(b);
                return surrogates ? (Character.isSurrogate(a) ? 1 : -1) : Character.compare(a, b);
            }
        }
        return Integer.compare(left.length(), right.length());
    }

    private static int compareNumbers(Object left, Object right) {
        return switch (left) {
            case Long a ->
                switch (right) {
                    case Long b -> Long.compare(a, b);
                    case UnsignedLong b -> signedToUnsigned(a, b);
                    default -> -realToSigned((Double) right, a);
                };
            case UnsignedLong a ->
                switch (right) {
                    case Long b -> -signedToUnsigned(b, a);
                    case UnsignedLong b -> a.compareTo(b);
                    default -> -realToUnsigned((Double) right, a);
                };
            default ->
                switch (right) {
                    case Long b -> realToSigned((Double) left, b);
                    case UnsignedLong b -> realToUnsigned((Double) left, b);
                    default -> reals((Double) left, (Double) right);
                };
        };
    }

    private static int signedToUnsigned(long signed, UnsignedLong unsigned) {
        return signed < 0 || unsigned.bits() < 0 ? -1 : Long.compare(signed, unsigned.bits());
    }

    private static int realToSigned(double real, long integer) {
        if (real < Long.MIN_VALUE) {
            return -1;
        }
        return real > Long.MAX_VALUE ? 1 : reals(real, (double) integer);
    }

    private static int realToUnsigned(double real, UnsignedLong integer) {
        if (real < 0) {
            return -1;
        }
        return real > 0x1p64 ? 1 : reals(real, Conversions.toDouble(integer));
    }

    private static int reals(double left, double right) {
        return left < right ? -1 : left > right ? 1 : 0;
    }
}
