package lavaflow.cel;

import java.util.ArrayList;
import java.util.List;

import lavaflow.cel.CostEstimator.Argument;

import org.jspecify.annotations.Nullable;

/** Estimated costs of calls: the language's, its extensions', and Kubernetes' own. */
final class CallEstimates {
    private static final double TEXT = 0.1;
    private static final double PATTERN = 0.25;
    private static final int LONGEST_FORMAT_PATTERN = 128;

    /** A cost and the size of the result if known; {@code complete} if costs of arguments are in it already. */
    record Estimate(Range cost, @Nullable Range size, boolean complete) {
        static Estimate of(Range cost) {
            return new Estimate(cost, null, false);
        }

        static Estimate of(Range cost, Range size) {
            return new Estimate(cost, size, false);
        }
    }

    private static final Estimate ONE = Estimate.of(Range.of(1));

    private final CostEstimator estimator;

    CallEstimates(CostEstimator estimator) {
        this.estimator = estimator;
    }

    private Range size(Argument argument) {
        if (argument.size() != null) {
            return argument.size();
        }
        Range declared = estimator.declaredSize(argument.path());
        return declared == null ? Range.UNKNOWN : declared;
    }

    /** The language's own functions. */
    Estimate standard(String overload, @Nullable Argument target, List<Argument> args) {
        return switch (overload) {
            case "string_format" ->
                target == null
                        ? ONE
                        : Estimate.of(CostEstimator.sizeOrUnknown(target).times(TEXT));
            case "string_to_bytes" -> {
                Range size = CostEstimator.sizeOrUnknown(args.getFirst());
                yield Estimate.of(size.times(TEXT), new Range(size.min(), size.max() * 4));
            }
            case "bytes_to_string" -> {
                Range size = CostEstimator.sizeOrUnknown(args.getFirst());
                yield Estimate.of(size.times(TEXT), new Range(Long.divideUnsigned(size.min(), 4), size.max()));
            }
            case "strings_quote" -> {
                Range size = CostEstimator.sizeOrUnknown(args.getFirst());
                yield Estimate.of(size.times(TEXT), new Range(size.min() + 2, size.max() * 2 + 2));
            }
            case "starts_with_string", "ends_with_string" ->
                Estimate.of(CostEstimator.sizeOrUnknown(args.getFirst()).times(TEXT));
            case "in_list" ->
                Estimate.of(CostEstimator.sizeOrUnknown(args.get(1)).times(1.0));
            case "matches_string" -> {
                Range text = CostEstimator.sizeOrUnknown(requireTarget(target))
                        .plus(Range.of(1))
                        .times(TEXT);
                Range pattern = CostEstimator.sizeOrUnknown(args.getFirst()).times(PATTERN);
                yield Estimate.of(text.times(pattern));
            }
            case "contains_string" ->
                Estimate.of(CostEstimator.sizeOrUnknown(requireTarget(target))
                        .times(TEXT)
                        .times(CostEstimator.sizeOrUnknown(args.getFirst()).times(TEXT)));
            case "less_string",
                    "greater_string",
                    "less_equals_string",
                    "greater_equals_string",
                    "less_bytes",
                    "greater_bytes",
                    "less_equals_bytes",
                    "greater_equals_bytes",
                    "equals",
                    "not_equals" -> Estimate.of(comparison(args));
            default -> ONE;
        };
    }

    private static Argument requireTarget(@Nullable Argument target) {
        if (target == null) {
            throw new IllegalStateException("a member without target");
        }
        return target;
    }

    private static Range comparison(List<Argument> args) {
        long left = CostEstimator.sizeOrUnknown(args.get(0)).max();
        long right = CostEstimator.sizeOrUnknown(args.get(1)).max();
        long smaller = Long.compareUnsigned(left, right) < 0 ? left : right;
        return new Range(smaller != 0 ? 1 : 0, smaller).times(TEXT);
    }

    Estimate addition(String overload, List<Argument> args) {
        Range size = CostEstimator.sizeOrUnknown(args.get(0)).plus(CostEstimator.sizeOrUnknown(args.get(1)));
        return Estimate.of(overload.equals("add_list") ? Range.of(1) : size.times(TEXT), size);
    }

    /** Functions of the extensions of sets and lists, or null if it is none of them. */
    @Nullable
    Estimate extension(String overload, @Nullable Argument target, List<Argument> args) {
        return switch (overload) {
            case "list_sets_contains_list", "list_sets_intersects_list" -> sets(args, 1);
            case "list_sets_equivalent_list" -> sets(args, 2);
            case "list_slice" -> {
                Range size = size(requireTarget(target));
                long start = constant(args.get(0), 0);
                long end = constant(args.get(1), size.max());
                yield allocating(1, Range.of(end - start));
            }
            case "lists_range" -> allocating(1, Range.of(constant(args.getFirst(), -1)));
            case "list_reverse" -> allocating(1, size(requireTarget(target)));
            case "list_flatten" -> allocating(1, size(requireTarget(target)));
            case "list_flatten_int" -> {
                long depth = constant(args.getFirst(), -1);
                yield allocating(Conversions.toDouble(new UnsignedLong(depth)), size(requireTarget(target)));
            }
            case "list_distinct" -> {
                Range size = size(requireTarget(target));
                yield allocating(2, size.times(size));
            }
            default -> sorting(overload, target, args);
        };
    }

    private @Nullable Estimate sorting(String overload, @Nullable Argument target, List<Argument> args) {
        boolean byKey = overload.endsWith("_sortByAssociatedKeys");
        if (!byKey && !overload.endsWith("_sort")) {
            return null;
        }
        Range size = size(byKey ? args.getFirst() : requireTarget(target));
        boolean text = overload.startsWith("list_string") || overload.startsWith("list_bytes");
        return allocating(text ? 2.1 : 2, size.times(size));
    }

    private Estimate sets(List<Argument> args, double factor) {
        Range product = size(args.get(0)).times(size(args.get(1)));
        return Estimate.of(product.times(factor).plus(Range.of(1)));
    }

    private static Estimate allocating(double factor, Range size) {
        return Estimate.of(size.times(factor).plus(Range.of(11)), size);
    }

    private static long constant(Argument argument, long otherwise) {
        return argument.expr() instanceof Expr.Literal literal && literal.value() instanceof Long number
                ? Math.max(0, number)
                : otherwise;
    }

    /** Kubernetes' functions, or null if it is none of them. */
    @Nullable
    Estimate kubernetes(String function, String overload, @Nullable Argument target, List<Argument> args) {
        return switch (function) {
            case "check" -> Estimate.of(Range.of(350_000));
            case "serviceAccount",
                    "path",
                    "group",
                    "resource",
                    "subresource",
                    "namespace",
                    "name",
                    "allowed",
                    "reason",
                    "error",
                    "errored",
                    "masked",
                    "prefixLength",
                    "family",
                    "isUnspecified",
                    "isLoopback",
                    "isLinkLocalMulticast",
                    "isLinkLocalUnicast",
                    "isGlobalUnicast",
                    "format.named",
                    "sign",
                    "asInteger",
                    "isInteger",
                    "asApproximateFloat",
                    "isGreaterThan",
                    "isLessThan",
                    "compareTo",
                    "add",
                    "sub",
                    "major",
                    "minor",
                    "patch",
                    "getScheme",
                    "getHostname",
                    "getHost",
                    "getPort",
                    "getEscapedPath",
                    "getQuery" -> ONE;
            case "fieldSelector", "labelSelector" -> {
                Range length = size(args.getFirst());
                yield Estimate.of(Range.of(10)
                        .plus(length.times(TEXT))
                        .plus(length.times(0.5).times(50.0)));
            }
            case "isSorted", "sum", "max", "min", "indexOf", "lastIndexOf" -> target == null ? null : traversal(target);
            case "url", "jsonpatch.escapeKey" -> {
                Range size = size(args.getFirst());
                yield Estimate.of(size.times(TEXT), size);
            }
            case "lowerAscii", "upperAscii", "substring", "trim" -> {
                Range size = size(requireTarget(target));
                yield Estimate.of(size.times(TEXT), size);
            }
            case "replace" -> replacement(size(requireTarget(target)), size(args.get(0)), size(args.get(1)));
            case "split" -> {
                Range size = size(requireTarget(target));
                long most = size.max();
                if (args.size() > 1
                        && args.get(1).expr() instanceof Expr.Literal literal
                        && literal.value() instanceof Long limit) {
                    most = limit;
                }
                yield Estimate.of(size.times(2 * TEXT), new Range(0, most));
            }
            case "join" -> join(requireTarget(target), args);
            case "find", "findAll" -> {
                Range size = size(requireTarget(target));
                Range text = size.plus(Range.of(1)).times(TEXT);
                Range cost = text.times(size(args.getFirst()).times(PATTERN));
                yield Estimate.of(cost, new Range(0, size.max()));
            }
            case "cidr", "isIP", "isCIDR", "quantity", "isQuantity", "semver", "isSemver" ->
                Estimate.of(size(args.getFirst()).times(TEXT));
            case "ip" ->
                overload.equals("cidr_ip")
                        ? ONE
                        : Estimate.of(size(args.getFirst()).times(TEXT));
            case "ip.isCanonical" -> Estimate.of(size(args.getFirst()).times(2 * TEXT));
            case "containsIP" -> contains(overload.equals("cidr_contains_ip_string"), false, args);
            case "containsCIDR" -> contains(overload.equals("cidr_contains_cidr_string"), true, args);
            case "validate" -> Estimate.of(size(args.getFirst()).times(TEXT).times(LONGEST_FORMAT_PATTERN * PATTERN));
            case "_==_" -> equality(args);
            default -> null;
        };
    }

    private static @Nullable Estimate equality(List<Argument> args) {
        CelType type = args.get(0).type();
        if (!type.equals(args.get(1).type())) {
            return null;
        }
        if (type.equals(CelType.NAMED_FORMAT)) {
            return Estimate.of(new Range(1, 64).times(TEXT));
        }
        if (type.equals(CelType.URL)) {
            Range size = args.get(1).size();
            return Estimate.of(new Range(1, size == null ? 1 : size.max()).times(TEXT));
        }
        boolean single = type.equals(CelType.IP)
                || type.equals(CelType.CIDR)
                || type.equals(CelType.QUANTITY)
                || type.equals(CelType.AUTHORIZER)
                || type.equals(CelType.PATH_CHECK)
                || type.equals(CelType.GROUP_CHECK)
                || type.equals(CelType.RESOURCE_CHECK)
                || type.equals(CelType.DECISION)
                || type.equals(CelType.SEMVER);
        return single ? ONE : null;
    }

    private static @Nullable Argument element(Argument list) {
        if (!(list.type() instanceof CelType.ListOf of)) {
            return null;
        }
        List<String> path = list.path();
        List<String> items = path == null ? null : new ArrayList<>(path);
        if (items != null) {
            items.add("@items");
        }
        return new Argument(list.expr(), of.element(), items, null);
    }

    private Estimate traversal(Argument target) {
        Argument element = element(target);
        if (element == null) {
            return Estimate.of(size(target).times(TEXT));
        }
        Range each = Range.of(1);
        if (element.type().equals(CelType.STRING) || element.type().equals(CelType.BYTES)) {
            each = each.plus(size(element).times(TEXT));
        }
        return Estimate.of(size(target).times(each));
    }

    private Estimate join(Argument target, List<Argument> args) {
        Range list = size(target);
        Argument element = element(target);
        Range size = element == null ? Range.ZERO : list.times(size(element));
        if (!args.isEmpty()) {
            Range separators = new Range(list.min() == 0 ? 0 : list.min() - 1, list.max() == 0 ? 0 : list.max() - 1);
            size = size.plus(size(args.getFirst()).times(separators));
        }
        return Estimate.of(size.times(TEXT), size);
    }

    private Estimate contains(boolean parses, boolean network, List<Argument> args) {
        Range bytes = new Range(4, 16);
        Range cost = bytes.plus(bytes).times(TEXT);
        if (network) {
            cost = cost.plus(bytes.times(TEXT)).plus(Range.of(1));
        }
        return Estimate.of(parses ? cost.plus(size(args.getFirst()).times(TEXT)) : cost);
    }

    /** The longest result replaces the shortest parts by the longest text, the shortest the other way round. */
    private static Estimate replacement(Range text, Range part, Range with) {
        long mostCount = 0;
        long mostKept = 0;
        if (part.min() == 0) {
            mostCount = text.max() == -1 ? -1 : text.max() + 1;
            mostKept = text.max();
        } else if (Long.compareUnsigned(with.max(), part.min()) <= 0) {
            mostKept = text.max();
        } else {
            mostCount = quotient(text.max(), part.min());
        }
        long leastCount = 0;
        long leastKept = 0;
        if (part.max() == 0) {
            leastCount = text.min() == -1 ? -1 : text.min() + 1;
            leastKept = text.min();
        } else if (Long.compareUnsigned(part.max(), with.min()) <= 0) {
            leastKept = text.min();
        } else {
            leastCount = quotient(text.min(), part.max());
        }
        Range size = new Range(leastCount, mostCount).times(with).plus(new Range(leastKept, mostKept));
        return Estimate.of(text.times(2 * TEXT), size);
    }

    private static long quotient(long dividend, long divisor) {
        double exact =
                Conversions.toDouble(new UnsignedLong(dividend)) / Conversions.toDouble(new UnsignedLong(divisor));
        double ceiling = Math.ceil(exact);
        return ceiling >= 0x1p63 ? -1 : (long) ceiling;
    }
}
