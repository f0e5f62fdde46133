package lavaflow.cel;

import java.util.Iterator;

/** What a call costs when it is made. Arguments and the result may be errors. */
@FunctionalInterface
interface CallCost {
    long of(Object[] args, Object result);

    CallCost ONE = (args, result) -> 1;

    /** The price of a call: Kubernetes' list by function name first, then the language's by overload. */
    static CallCost of(String function, String overload) {
        CallCost byOverload = extension(overload);
        if (byOverload != null) {
            return byOverload;
        }
        return switch (function) {
            case "check" -> (args, result) -> 350_000;
            case "fieldSelector", "labelSelector" -> (args, result) -> selector(size(args[1]));
            case "isSorted", "sum", "max", "min", "indexOf", "lastIndexOf" -> (args, result) -> traversal(args[0]);
            case "url",
                    "lowerAscii",
                    "upperAscii",
                    "substring",
                    "trim",
                    "jsonpatch.escapeKey",
                    "cidr",
                    "isIP",
                    "isCIDR",
                    "quantity",
                    "isQuantity",
                    "semver",
                    "isSemver" -> (args, result) -> text(size(args[0]));
            case "replace", "split", "ip.isCanonical" -> (args, result) -> ceil(size(args[0]) * 0.2);
            case "join" -> (args, result) -> ceil(size(result) * 0.2);
            case "find", "findAll" -> (args, result) -> text(1 + size(args[0])) * ceil(size(args[1]) * 0.25);
            case "ip" -> overload.equals("cidr_ip") ? ONE : (args, result) -> text(size(args[0]));
            case "containsIP" -> (args, result) -> text(size(args[0]) * 2) + parsed(overload, args[1]);
            case "containsCIDR" ->
                (args, result) -> text(size(args[0]) * 2) + text(size(args[0])) + 1 + parsed(overload, args[1]);
            case "validate" -> CallCost::validation;
            case "_==_", "_!=_" -> comparison(function);
            default -> standard(overload);
        };
    }

    private static CallCost comparison(String function) {
        return (args, result) -> function.equals("_==_") && args[0] instanceof TypedValue
                ? 1
                : text(Math.min(size(args[0]), size(args[1])));
    }

    private static CallCost standard(String overload) {
        return switch (overload) {
            case "starts_with_string",
                    "ends_with_string",
                    "string_to_bytes",
                    "bytes_to_string",
                    "strings_quote",
                    "string_format" -> (args, result) -> text(size(args[0]));
            case "in_list" -> (args, result) -> size(args[1]);
            case "less_string",
                    "greater_string",
                    "less_equals_string",
                    "greater_equals_string",
                    "less_bytes",
                    "greater_bytes",
                    "less_equals_bytes",
                    "greater_equals_bytes" -> (args, result) -> text(Math.min(size(args[0]), size(args[1])));
            case "add_string", "add_bytes" -> (args, result) -> text(size(args[0]) + size(args[1]));
            case "matches_string" -> (args, result) -> text(1 + size(args[0])) * ceil(size(args[1]) * 0.25);
            case "contains_string" -> (args, result) -> text(size(args[0])) * text(size(args[1]));
            default -> ONE;
        };
    }

    private static @org.jspecify.annotations.Nullable CallCost extension(String overload) {
        return switch (overload) {
            case "list_sets_contains_list", "list_sets_intersects_list" ->
                (args, result) -> 1 + size(args[0]) * size(args[1]);
            case "list_sets_equivalent_list" -> (args, result) -> 1 + size(args[0]) * size(args[1]) * 2;
            case "list_slice", "lists_range", "list_reverse" -> (args, result) -> allocation(1, size(result));
            case "list_flatten" -> (args, result) -> allocation(1, size(args[0]));
            case "list_flatten_int" ->
                (args, result) -> allocation(args[1] instanceof Long depth ? depth : 1, size(args[0]));
            case "list_distinct" -> (args, result) -> selfCompare(args[0]);
            default -> {
                if (overload.endsWith("_sort")) {
                    yield (args, result) -> selfCompare(args[0]);
                }
                yield overload.endsWith("_sortByAssociatedKeys") ? (args, result) -> selfCompare(args[1]) : null;
            }
        };
    }

    private static long allocation(double factor, long size) {
        return (long) (size * factor) + 1 + 10;
    }

    private static long selfCompare(Object value) {
        if (!(value instanceof CelList list) || list.size() == 0) {
            return allocation(2, value instanceof CelList ? 0 : 1);
        }
        long size = list.size();
        Object first = list.get(0);
        return allocation(first instanceof String || first instanceof CelBytes ? 2.1 : 2, size * size);
    }

    private static long validation(Object[] args, Object result) {
        if (!(args[0] instanceof FormatFunctions.NamedFormat format)) {
            return 1;
        }
        return text(1 + size(args[1])) * ceil(format.regexSize() * 0.25);
    }

    private static long parsed(String overload, Object value) {
        return overload.endsWith("_string") ? text(size(value)) : 0;
    }

    private static long selector(long length) {
        return 10 + text(length) + ceil(ceil(length * 0.5) * 50.0);
    }

    private static long text(long size) {
        return ceil(size * 0.1);
    }

    private static long ceil(double value) {
        return (long) Math.ceil(value);
    }

    private static long size(Object value) {
        return switch (value) {
            case NetworkValues.Ip ip -> ip.bytes().length;
            case NetworkValues.Network network -> (network.bits() + 7) / 8;
            case CelOptional optional -> optional.value() == null ? 1 : size(optional.value());
            default -> {
                long size = StandardFunctions.sizeOf(value);
                yield size < 0 ? 1 : size;
            }
        };
    }

    private static long traversal(Object value) {
        return traversal(value, 0);
    }

    /** The price of all parts, added to what was counted before; stops counting where no budget reaches. */
    private static long traversal(Object value, long before) {
        long cost = before;
        switch (value) {
            case String text -> cost += (long) (lavaflow.kube.Names.utf8Length(text) * 0.1);
            case CelBytes bytes -> cost += (long) (bytes.size() * 0.1);
            case CelList list -> {
                for (int i = 0; i < list.size() && cost < Work.MOST; i++) {
                    cost = traversal(list.get(i), cost);
                }
            }
            case CelMap map -> {
                for (Iterator<Object> keys = map.keys(); keys.hasNext() && cost < Work.MOST; ) {
                    Object key = keys.next();
                    Object held = map.find(key);
                    cost = traversal(key, cost);
                    cost = held == null ? cost : traversal(held, cost);
                }
            }
            default -> cost++;
        }
        return cost;
    }
}
