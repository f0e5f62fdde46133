package lavaflow.cel;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import lavaflow.cel.AttributeNode.Qualifier;

import org.jspecify.annotations.Nullable;

/** Turns a checked expression into steps. What can be computed beforehand is, as upstream does: that also decides costs. */
final class Planner {
    private static final Set<String> CONVERSIONS =
            Set.of("bool", "bytes", "double", "dyn", "duration", "int", "string", "timestamp", "type", "uint");

    private final CheckedExpr checked;
    private final FunctionTable functions;
    private final Map<String, Integer> variables = new HashMap<>();
    private final Map<String, List<Integer>> locals = new HashMap<>();
    private final @Nullable Node[] planned;
    private int slots;

    Planner(CheckedExpr checked, FunctionTable functions) {
        this.checked = checked;
        this.functions = functions;
        this.planned = new Node[checked.types().length];
    }

    /** Variables in the order of their numbers. */
    List<String> variables() {
        List<String> names = new ArrayList<>(variables.keySet());
        names.sort(java.util.Comparator.comparing(variables::get));
        return names;
    }

    int slots() {
        return slots;
    }

    /** Throws {@link CelException} where something computed beforehand fails. */
    Node plan(Expr expr) {
        Node known = planned[expr.id()];
        if (known == null) {
            known = planned(expr);
            planned[expr.id()] = known;
        }
        return known;
    }

    private Node planned(Expr expr) {
        return switch (expr) {
            case Expr.Literal literal -> new Node.Constant(literal.value());
            case Expr.Ident ident -> ident(ident, ident.name());
            case Expr.Select select -> select(select);
            case Expr.Call call -> call(call);
            case Expr.ListLiteral list -> list(list);
            case Expr.MapLiteral map -> map(map);
            case Expr.ObjectLiteral object -> object(object);
            case Expr.Comprehension loop -> loop(loop);
        };
    }

    private Node ident(Expr expr, String name) {
        List<Integer> local = locals.get(name);
        if (local != null && !local.isEmpty()) {
            return new AttributeNode.Local(local.getLast());
        }
        String bare = name.startsWith(".") ? name.substring(1) : name;
        if (checked.type(expr) instanceof CelType.TypeOf of && !bare.isEmpty() && isTypeName(bare, of)) {
            if (of.of() instanceof CelType.ObjectOf) {
                throw new CelException("reference to undefined type: " + bare);
            }
            return new Node.Constant(of.of());
        }
        return new AttributeNode.Variable(variables.computeIfAbsent(bare, key -> variables.size()));
    }

    private static boolean isTypeName(String name, CelType.TypeOf of) {
        return of.of().typeName().equals(name);
    }

    private Node select(Expr.Select select) {
        String name = checked.name(select);
        if (name != null) {
            return ident(select, name);
        }
        AttributeNode operand = attribute(plan(select.operand()));
        Qualifier qualifier = Qualifier.constant(select.field(), false);
        return select.test() ? operand.test(qualifier) : operand.with(qualifier);
    }

    private static AttributeNode attribute(Node node) {
        return node instanceof AttributeNode attribute ? attribute : new AttributeNode.Relative(node);
    }

    private Node[] args(Expr.Call call, boolean qualified) {
        List<Node> args = new ArrayList<>();
        if (call.target() != null && !qualified) {
            args.add(plan(call.target()));
        }
        call.args().forEach(arg -> args.add(plan(arg)));
        return args.toArray(Node[]::new);
    }

    private Node call(Expr.Call call) {
        String qualified = checked.name(call);
        String function = qualified != null ? qualified : bare(call.function());
        Node append = inPlace(call, function);
        if (append != null) {
            return append;
        }
        Node[] args = args(call, qualified != null);
        return switch (function) {
            case "_&&_" -> new CallNodes.Logic(args, false);
            case "_||_" -> new CallNodes.Logic(args, true);
            case "_?_:_" -> new AttributeNode.Conditional(args[0], attribute(args[1]), attribute(args[2]));
            case "_[_]" -> index(args, false);
            case "_[?_]", "_?._" -> index(args, true);
            case "@not_strictly_false" -> new CallNodes.NotStrictlyFalse(args[0]);
            case "or", "orValue" -> new CallNodes.OptionalOr(args[0], args[1], function.equals("orValue"));
            default -> function(call, function, args);
        };
    }

    private static String bare(String name) {
        return name.startsWith(".") ? name.substring(1) : name;
    }

    /** Loops that collect do so in place. */
    private @Nullable Node inPlace(Expr.Call call, String function) {
        if (call.args().isEmpty()
                || !(call.args().getFirst() instanceof Expr.Ident ident)
                || !ident.name().equals(ExprFactory.ACCUMULATOR)
                || !(plan(ident) instanceof AttributeNode.Local accumulator)) {
            return null;
        }
        if (function.equals("_+_")
                && call.args().get(1) instanceof Expr.ListLiteral list
                && list.elements().size() == 1) {
            return new BuildNodes.Append(accumulator, plan(list.elements().getFirst()));
        }
        if (function.equals("cel.@mapInsert")) {
            Node key = call.args().size() == 3 ? plan(call.args().get(1)) : null;
            return new BuildNodes.Insert(accumulator, key, plan(call.args().getLast()));
        }
        return null;
    }

    private static Node index(Node[] args, boolean optional) {
        if (args[1] instanceof Node.Constant constant) {
            Lookup.checkKey(constant.value);
        }
        Qualifier qualifier = args[1] instanceof Node.Constant constant
                ? Qualifier.constant(constant.value, optional)
                : Qualifier.computed(args[1], optional);
        return attribute(args[0]).with(qualifier);
    }

    private Node function(Expr.Call call, String function, Node[] args) {
        List<Overload> fitting = checked.overloads(call);
        String overload = fitting.size() == 1 ? fitting.getFirst().id() : "";
        CallCost cost = CallCost.of(function, overload);
        Node known = optimized(function, overload, args, cost);
        if (known != null) {
            return known;
        }
        Implementation direct = Implementations.find(function);
        if (direct != null) {
            return folded(function, args, new CallNodes.Direct(direct, args, cost));
        }
        return new CallNodes.Dispatched(function, candidates(call, function, fitting), args, cost);
    }

    private List<Overload> candidates(Expr.Call call, String function, List<Overload> fitting) {
        if (fitting.size() == 1) {
            return fitting;
        }
        int count = fitting.isEmpty()
                ? call.args().size()
                : fitting.getFirst().args().size();
        return functions.overloads(function).stream()
                .filter(overload -> overload.args().size() == count)
                .toList();
    }

    private @Nullable Node optimized(String function, String overload, Node[] args, CallCost cost) {
        if (overload.equals("in_list") && args[1] instanceof Node.Constant list) {
            return constants(args[0], (CelList) list.value);
        }
        if (args.length > 1 && args[1] instanceof Node.Constant pattern && pattern.value instanceof String text) {
            return switch (function) {
                case "matches" -> new CallNodes.Matches(Regex.compile(text), args, cost);
                case "find", "findAll" ->
                    new CallNodes.Find(Regex.compile(text), function.equals("findAll"), args, cost);
                default -> null;
            };
        }
        return null;
    }

    private static @Nullable Node constants(Node value, CelList list) {
        if (list.size() == 0) {
            return new Node.Constant(false);
        }
        Set<Object> set = new HashSet<>();
        for (int i = 0; i < list.size(); i++) {
            Object constant = list.get(i);
            switch (constant) {
                case String text -> set.add(text);
                case Boolean bool -> set.add(bool);
                case Long number -> addNumber(set, number);
                case UnsignedLong number -> addNumber(set, number);
                case Double number -> addNumber(set, number);
                default -> {
                    return null;
                }
            }
        }
        return new CallNodes.InConstants(value, set);
    }

    /** A number and its equals of the other types. */
    private static void addNumber(Set<Object> set, Object number) {
        set.add(number);
        if (number instanceof Double real) {
            if (real == Math.rint(real) && Math.abs(real) < 0x1p63) {
                set.add(real.longValue());
                if (real >= 0) {
                    set.add(new UnsignedLong(real.longValue()));
                }
            }
            return;
        }
        set.add(Conversions.toDouble(number));
        if (number instanceof Long signed && signed >= 0) {
            set.add(new UnsignedLong(signed));
        } else if (number instanceof UnsignedLong unsigned && unsigned.bits() >= 0) {
            set.add(unsigned.bits());
        }
    }

    private static Node folded(String function, Node[] args, Node call) {
        if (args.length != 1 || !CONVERSIONS.contains(function) || !(args[0] instanceof Node.Constant)) {
            return call;
        }
        Frame frame = new Frame(new CelProgram.Variable[0], 0, name -> null, Long.MAX_VALUE);
        return new Node.Constant(call.eval(frame));
    }

    private static boolean areConstant(Node[] nodes) {
        for (Node node : nodes) {
            if (!(node instanceof Node.Constant)) {
                return false;
            }
        }
        return true;
    }

    private static Node evaluated(Node node) {
        return new Node.Constant(node.eval(new Frame(new CelProgram.Variable[0], 0, name -> null, Long.MAX_VALUE)));
    }

    private Node list(Expr.ListLiteral list) {
        Node[] elements = list.elements().stream().map(this::plan).toArray(Node[]::new);
        boolean[] optional = new boolean[elements.length];
        for (int i = 0; i < list.optional().size(); i++) {
            optional[i] = list.optional().get(i);
        }
        Node made = new BuildNodes.MakeList(elements, optional);
        return areConstant(elements) ? evaluated(made) : made;
    }

    private Node map(Expr.MapLiteral map) {
        int size = map.entries().size();
        Node[] keys = new Node[size];
        Node[] values = new Node[size];
        boolean[] optional = new boolean[size];
        for (int i = 0; i < size; i++) {
            Expr.Entry entry = map.entries().get(i);
            keys[i] = plan(entry.key());
            values[i] = plan(entry.value());
            optional[i] = entry.optional();
        }
        Node made = new BuildNodes.MakeMap(keys, values, optional);
        return areConstant(keys) && areConstant(values) ? evaluated(made) : made;
    }

    private Node object(Expr.ObjectLiteral object) {
        int size = object.fields().size();
        String[] names = new String[size];
        Node[] values = new Node[size];
        boolean[] optional = new boolean[size];
        for (int i = 0; i < size; i++) {
            Expr.Field field = object.fields().get(i);
            names[i] = field.name();
            values[i] = plan(field.value());
            optional[i] = field.optional();
        }
        CelType.ObjectOf type = checked.type(object) instanceof CelType.ObjectOf made
                ? made
                : new CelType.ObjectOf(object.typeName(), Map.of());
        return new BuildNodes.MakeObject(type, names, values, optional);
    }

    private int declare(String name) {
        locals.computeIfAbsent(name, key -> new ArrayList<>()).add(slots);
        return slots++;
    }

    private void forget(String name) {
        List<Integer> open = locals.get(name);
        if (open != null) {
            open.removeLast();
        }
    }

    private Node loop(Expr.Comprehension loop) {
        Node range = plan(loop.range());
        Node initial = plan(loop.initial());
        int accumulator = declare(loop.accumulator());
        int first = declare(loop.variable());
        int second = loop.secondVariable() == null ? -1 : declare(loop.secondVariable());
        Node condition = plan(loop.condition());
        Node step = plan(loop.step());
        forget(loop.variable());
        if (loop.secondVariable() != null) {
            forget(loop.secondVariable());
        }
        Node result = plan(loop.result());
        forget(loop.accumulator());
        return new BuildNodes.Loop(
                range, initial, condition, step, result, new BuildNodes.Slots(accumulator, first, second));
    }
}
