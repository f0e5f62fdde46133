package lavaflow.cel;

import java.time.Duration;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;

/** Operators, conversions, and functions of the language itself. */
final class StandardFunctions {
    private StandardFunctions() {}

    static void register(Implementations all) {
        all.function("_+_", args -> Arithmetic.add(args[0], args[1]));
        all.function("_-_", args -> Arithmetic.subtract(args[0], args[1]));
        all.function("_*_", args -> Arithmetic.multiply(args[0], args[1]));
        all.function("_/_", args -> Arithmetic.divide(args[0], args[1]));
        all.function("_%_", args -> Arithmetic.modulo(args[0], args[1]));
        all.function("-_", args -> Arithmetic.negate(args[0]));
        all.function("!_", args -> {
            if (args[0] instanceof Boolean bool) {
                return !bool;
            }
            throw Errors.noSuchOverload();
        });
        all.counted("_==_", (args, work) -> Equality.equal(args[0], args[1], work));
        all.counted("_!=_", (args, work) -> !Equality.equal(args[0], args[1], work));
        all.function("_<_", args -> compare("_<_", args) < 0);
        all.function("_<=_", args -> compare("_<=_", args) <= 0);
        all.function("_>_", args -> compare("_>_", args) > 0);
        all.function("_>=_", args -> compare("_>=_", args) >= 0);
        all.counted("@in", (args, work) -> isIn(args[0], args[1], work));
        all.function("size", args -> size(args[0]));
        conversions(all);
        texts(all);
        for (String getter : List.of(
                "getFullYear",
                "getMonth",
                "getDayOfYear",
                "getDayOfMonth",
                "getDate",
                "getDayOfWeek",
                "getHours",
                "getMinutes",
                "getSeconds",
                "getMilliseconds")) {
            all.function(getter, args -> part(getter, args));
        }
    }

    private static void conversions(Implementations all) {
        all.function("int", args -> Conversions.toInt(args[0]));
        all.function("uint", args -> Conversions.toUint(args[0]));
        all.function("double", args -> Conversions.toDouble(args[0]));
        all.function("bool", args -> Conversions.toBool(args[0]));
        all.function("bytes", args -> Conversions.toBytes(args[0]));
        all.function("string", args -> Conversions.toText(args[0]));
        all.function("timestamp", args -> Conversions.toTimestamp(args[0]));
        all.function("duration", args -> Conversions.toDuration(args[0]));
        all.function("dyn", args -> args[0]);
        all.function("type", args -> Types.of(args[0]));
    }

    private static void texts(Implementations all) {
        all.function("contains", args -> text(args[0]).contains(text(args[1])));
        all.function("startsWith", args -> text(args[0]).startsWith(text(args[1])));
        all.function("endsWith", args -> text(args[0]).endsWith(text(args[1])));
        all.function("matches", args -> Regex.matches(text(args[0]), text(args[1])));
    }

    private static String text(Object value) {
        if (value instanceof String text) {
            return text;
        }
        throw Errors.noSuchOverload();
    }

    private static int compare(String operator, Object[] args) {
        if (!Equality.isOrdered(args[0])) {
            throw Errors.noSuchOverload(operator);
        }
        return Equality.compare(args[0], args[1]);
    }

    private static Object isIn(Object value, Object container, Work work) {
        return switch (container) {
            case CelList list -> Equality.contains(list, value, work);
            case CelMap map -> map.has(value);
            default -> throw Errors.noSuchOverload();
        };
    }

    static long sizeOf(Object value) {
        return switch (value) {
            case String text -> text.codePointCount(0, text.length());
            case CelList list -> list.size();
            case CelMap map -> map.size();
            case CelBytes bytes -> bytes.size();
            default -> -1;
        };
    }

    private static Object size(Object value) {
        long size = sizeOf(value);
        if (size < 0) {
            throw Errors.noSuchOverload("size");
        }
        return size;
    }

    private static Object part(String getter, Object[] args) {
        if (args[0] instanceof OffsetDateTime time) {
            if (args.length == 1) {
                return Times.part(getter, time, ZoneOffset.UTC);
            }
            if (args[1] instanceof String zone) {
                return Times.part(getter, time, Times.zone(zone));
            }
        }
        if (args[0] instanceof Duration duration && args.length == 1) {
            return Times.part(getter, duration);
        }
        throw Errors.noSuchOverload(getter, args);
    }
}
