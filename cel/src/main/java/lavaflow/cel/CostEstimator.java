package lavaflow.cel;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * Estimates what an expression costs at least and at most, given how large its variables can be. It follows upstream's
 * estimate step by step, because limits are written in its units.
 */
final class CostEstimator {
    /** What is known of elements: of keys and of values, or of indices and of items. */
    record EntrySize(boolean list, Range key, Range value) {
        static @Nullable EntrySize union(@Nullable EntrySize left, @Nullable EntrySize right) {
            return left == null || right == null
                    ? null
                    : new EntrySize(left.list, left.key.union(right.key), left.value.union(right.value));
        }
    }

    /** A loop's variable. */
    private record Local(
            List<String> path,
            @Nullable Range size,
            @Nullable EntrySize entry) {}

    /** An argument as functions see it when they estimate. */
    record Argument(
            Expr expr,
            CelType type,
            @Nullable List<String> path,
            @Nullable Range size) {}

    private final CheckedExpr checked;
    private final Map<String, DeclaredType> declared;
    private final Map<String, Deque<Local>> locals = new HashMap<>();
    private final @Nullable List<String>[] paths;
    private final @Nullable Range[] sizes;
    private final @Nullable EntrySize[] entrySizes;
    private final @Nullable Range[] costs;

    @SuppressWarnings({"unchecked", "rawtypes"}) // an array of lists
    private CostEstimator(CheckedExpr checked, Map<String, DeclaredType> declared) {
        int nodes = checked.types().length;
        this.checked = checked;
        this.declared = declared;
        this.paths = new List[nodes];
        this.sizes = new Range[nodes];
        this.entrySizes = new EntrySize[nodes];
        this.costs = new Range[nodes];
    }

    static CostEstimate estimate(CheckedExpr checked, Map<String, DeclaredType> declared) {
        Range cost = new CostEstimator(checked, declared).cost(checked.root());
        return new CostEstimate(Range.clamped(cost.min()), Range.clamped(cost.max()));
    }

    /** Parts that occur twice (in optional macros) have one estimate. */
    private Range cost(Expr expr) {
        Range known = costs[expr.id()];
        if (known == null) {
            known = compute(expr);
            costs[expr.id()] = known;
        }
        return known;
    }

    private Range compute(Expr expr) {
        return switch (expr) {
            case Expr.Literal literal -> Range.ZERO;
            case Expr.Ident ident -> ident(ident, ident.name());
            case Expr.Select select -> select(select);
            case Expr.Call call -> call(call);
            case Expr.ListLiteral list -> list(list);
            case Expr.MapLiteral map -> map(map);
            case Expr.ObjectLiteral object -> {
                Range sum = Range.ZERO;
                for (Expr.Field field : object.fields()) {
                    sum = sum.plus(cost(field.value()));
                }
                yield sum.plus(Range.of(40));
            }
            case Expr.Comprehension loop -> isBinding(loop) ? binding(loop) : loop(loop);
        };
    }

    private @Nullable Local local(String name) {
        Deque<Local> open = locals.get(name);
        return open == null ? null : open.peek();
    }

    private Range ident(Expr expr, String name) {
        Local local = local(name);
        paths[expr.id()] = local != null ? local.path : List.of(name);
        return Range.of(1);
    }

    private List<String> path(Expr expr) {
        if (expr instanceof Expr.Ident ident) {
            Local local = local(ident.name());
            if (local != null) {
                return local.path;
            }
        }
        List<String> path = paths[expr.id()];
        return path == null ? List.of() : path;
    }

    private static List<String> extended(List<String> path, String step) {
        List<String> longer = new ArrayList<>(path);
        longer.add(step);
        return longer;
    }

    private Range select(Expr.Select select) {
        String whole = checked.name(select);
        if (whole != null) {
            return ident(select, whole);
        }
        if (select.test()) {
            return cost(select.operand());
        }
        Range sum = cost(select.operand());
        CelType target = checked.type(select.operand());
        if (target instanceof CelType.MapOf || target instanceof CelType.ObjectOf) {
            sum = sum.plus(Range.of(1));
        }
        paths[select.id()] = extended(path(select.operand()), select.field());
        return sum;
    }

    private Argument argument(Expr expr) {
        List<String> path = path(expr);
        boolean hidden = !path.isEmpty() && path.getFirst().equals(ExprFactory.ACCUMULATOR);
        return new Argument(expr, checked.type(expr), hidden || path.isEmpty() ? null : path, size(expr));
    }

    private Range call(Expr.Call call) {
        String qualified = checked.name(call);
        String function = qualified != null ? qualified : call.function();
        if (function.equals("dyn")) {
            Expr arg = call.args().getFirst();
            Range cost = Range.of(1).plus(cost(arg));
            setSize(call, size(arg));
            setEntry(call, entry(arg));
            return cost;
        }
        List<Range> argCosts = new ArrayList<>();
        List<Argument> args = new ArrayList<>();
        for (Expr arg : call.args()) {
            argCosts.add(cost(arg));
            args.add(argument(arg));
        }
        Range sum = Range.ZERO;
        Argument target = null;
        if (call.target() != null && qualified == null) {
            sum = cost(call.target());
            target = argument(call.target());
        }
        Range functionCost = new Range(-1, 0);
        Range resultSize = null;
        for (Overload overload : checked.overloads(call)) {
            CallEstimates.Estimate estimate = overloadCost(call, function, overload.id(), target, args, argCosts);
            functionCost = functionCost.union(estimate.cost());
            if (estimate.size() != null) {
                resultSize = resultSize == null ? estimate.size() : resultSize.union(estimate.size());
            }
            resultSize = indexed(call, overload.id(), resultSize);
            if (resultSize == null) {
                resultSize = size(call);
            }
        }
        setSize(call, resultSize);
        return sum.plus(functionCost);
    }

    private @Nullable Range indexed(Expr.Call call, String overload, @Nullable Range resultSize) {
        if (!overload.equals("index_list") && !overload.equals("index_map")) {
            return resultSize;
        }
        Expr container = call.args().getFirst();
        paths[call.id()] = extended(path(container), overload.equals("index_list") ? "@items" : "@values");
        EntrySize entry = entry(container);
        return entry == null ? null : entry.value();
    }

    private static Range sum(List<Range> costs) {
        Range sum = Range.ZERO;
        for (Range cost : costs) {
            sum = sum.plus(cost);
        }
        return sum;
    }

    private CallEstimates.Estimate overloadCost(
            Expr.Call call,
            String function,
            String overload,
            @Nullable Argument target,
            List<Argument> args,
            List<Range> argCosts) {
        CallEstimates estimates = new CallEstimates(this);
        CallEstimates.Estimate special = estimates.extension(overload, target, args);
        if (special == null) {
            special = estimates.kubernetes(function, overload, target, args);
        }
        if (special == null) {
            special = switch (overload) {
                case "logical_or", "logical_and" -> {
                    Range first = argCosts.getFirst();
                    yield new CallEstimates.Estimate(
                            new Range(first.min(), sum(argCosts).max()), null, true);
                }
                case "conditional" -> conditional(call, args, argCosts);
                case "add_string", "add_bytes", "add_list" -> {
                    setEntry(
                            call,
                            EntrySize.union(
                                    entry(call.args().get(0)), entry(call.args().get(1))));
                    yield estimates.addition(overload, args);
                }
                default -> estimates.standard(overload, target, args);
            };
        }
        return special.complete()
                ? special
                : new CallEstimates.Estimate(special.cost().plus(sum(argCosts)), special.size(), true);
    }

    private CallEstimates.Estimate conditional(Expr.Call call, List<Argument> args, List<Range> argCosts) {
        Range size = sizeOrUnknown(args.get(1)).union(sizeOrUnknown(args.get(2)));
        setEntry(
                call,
                EntrySize.union(entry(call.args().get(1)), entry(call.args().get(2))));
        Range cost = argCosts.get(0).plus(argCosts.get(1).union(argCosts.get(2)));
        return new CallEstimates.Estimate(cost, size, true);
    }

    private Range list(Expr.ListLiteral list) {
        Range sum = Range.ZERO;
        Range items = new Range(list.elements().isEmpty() ? 0 : -1, 0);
        for (Expr element : list.elements()) {
            sum = sum.plus(cost(element));
            items = items.union(sizeOrUnknown(element));
        }
        setEntry(list, new EntrySize(true, Range.of(1), items));
        return sum.plus(Range.of(10));
    }

    private Range map(Expr.MapLiteral map) {
        Range sum = Range.ZERO;
        Range keys = new Range(map.entries().isEmpty() ? 0 : -1, 0);
        Range values = keys;
        for (Expr.Entry entry : map.entries()) {
            sum = sum.plus(cost(entry.key())).plus(cost(entry.value()));
            keys = keys.union(sizeOrUnknown(entry.key()));
            values = values.union(sizeOrUnknown(entry.value()));
        }
        setEntry(map, new EntrySize(false, keys, values));
        return sum.plus(Range.of(30));
    }

    private static boolean isBinding(Expr.Comprehension loop) {
        return loop.range() instanceof Expr.ListLiteral list
                && list.elements().isEmpty()
                && loop.condition() instanceof Expr.Literal literal
                && Boolean.FALSE.equals(literal.value());
    }

    private Range binding(Expr.Comprehension loop) {
        Range sum = cost(loop.range()).plus(cost(loop.initial()));
        push(loop.accumulator(), accumulator(loop));
        sum = sum.plus(cost(loop.result()));
        pop(loop.accumulator());
        setSize(loop, size(loop.result()));
        setEntry(loop, entry(loop.result()));
        return sum;
    }

    private Local accumulator(Expr.Comprehension loop) {
        return new Local(path(loop.initial()), size(loop.initial()), entry(loop.initial()));
    }

    private void push(String name, Local local) {
        locals.computeIfAbsent(name, key -> new ArrayDeque<>()).push(local);
    }

    private void pop(String name) {
        Deque<Local> open = locals.get(name);
        if (open != null) {
            open.pop();
        }
    }

    private Range loop(Expr.Comprehension loop) {
        Range sum = cost(loop.range()).plus(cost(loop.initial()));
        push(loop.accumulator(), accumulator(loop));
        pushVariables(loop);
        Range round = cost(loop.condition());
        round = cost(loop.step()).plus(round);
        pop(loop.variable());
        if (loop.secondVariable() != null) {
            pop(loop.secondVariable());
        }
        sum = sum.plus(cost(loop.result()));
        pop(loop.accumulator());
        Range rounds = sizeOrUnknown(loop.range());
        sum = sum.plus(rounds.times(round));
        switch (loop.initial()) {
            case Expr.Literal literal -> setSize(loop, size(literal));
            case Expr.ListLiteral list -> collected(loop, rounds);
            case Expr.MapLiteral map -> collected(loop, rounds);
            default -> {}
        }
        return sum;
    }

    private void collected(Expr.Comprehension loop, Range rounds) {
        setSize(loop, rounds);
        setEntry(loop, entry(loop.step()));
    }

    private void pushVariables(Expr.Comprehension loop) {
        EntrySize entry = entry(loop.range());
        List<String> path = path(loop.range());
        boolean list = entry != null ? entry.list : checked.type(loop.range()) instanceof CelType.ListOf;
        Range keySize = entry == null ? null : entry.key;
        Range valueSize = entry == null ? null : entry.value;
        Local key = new Local(extended(path, list ? "@indices" : "@keys"), keySize, null);
        Local value = new Local(extended(path, list ? "@items" : "@values"), valueSize, null);
        if (loop.secondVariable() != null) {
            push(loop.variable(), key);
            push(loop.secondVariable(), value);
        } else {
            push(loop.variable(), list ? value : key);
        }
    }

    private void setSize(Expr expr, @Nullable Range size) {
        if (size != null) {
            sizes[expr.id()] = size;
        }
    }

    private void setEntry(Expr expr, @Nullable EntrySize entry) {
        if (entry != null) {
            entrySizes[expr.id()] = entry;
        }
    }

    private @Nullable EntrySize entry(Expr expr) {
        EntrySize known = entrySizes[expr.id()];
        if (known != null) {
            return known;
        }
        Local local = expr instanceof Expr.Ident ident ? local(ident.name()) : null;
        return local == null ? null : local.entry;
    }

    private Range sizeOrUnknown(Expr expr) {
        Range size = size(expr);
        return size == null ? Range.UNKNOWN : size;
    }

    static Range sizeOrUnknown(Argument argument) {
        return argument.size == null ? Range.UNKNOWN : argument.size;
    }

    private @Nullable Range size(Expr expr) {
        Range known = sizes[expr.id()];
        if (known != null) {
            return known;
        }
        Range literal = literalSize(expr);
        if (literal != null) {
            return literal;
        }
        Range declaredSize = declaredSize(path(expr));
        if (declaredSize != null) {
            sizes[expr.id()] = declaredSize;
            return declaredSize;
        }
        if (isScalar(checked.type(expr))) {
            return Range.of(1);
        }
        Local local = expr instanceof Expr.Ident ident ? local(ident.name()) : null;
        return local == null ? null : local.size;
    }

    private static @Nullable Range literalSize(Expr expr) {
        return switch (expr) {
            case Expr.Literal literal -> {
                long size = StandardFunctions.sizeOf(literal.value());
                yield Range.of(size < 0 ? 1 : size);
            }
            case Expr.ListLiteral list -> Range.of(list.elements().size());
            case Expr.MapLiteral map -> Range.of(map.entries().size());
            default -> null;
        };
    }

    /** What the schema says of the value at a path. All variables are taken to be of the first one's type. */
    @Nullable
    Range declaredSize(@Nullable List<String> path) {
        if (path == null || path.isEmpty() || declared.isEmpty()) {
            return null;
        }
        DeclaredType type = declared.getOrDefault(
                path.getFirst(), declared.values().iterator().next());
        for (String step : path.subList(1, path.size())) {
            type = type.part(step);
            if (type == null) {
                return null;
            }
        }
        return new Range(0, type.maxElements());
    }

    private static boolean isScalar(CelType type) {
        CelType held = TypeMapping.optionalValue(type);
        if (held != null) {
            return isScalar(held);
        }
        return type.equals(CelType.BOOL)
                || type.equals(CelType.DOUBLE)
                || type.equals(CelType.DURATION)
                || type.equals(CelType.INT)
                || type.equals(CelType.TIMESTAMP)
                || type.equals(CelType.UINT);
    }
}
