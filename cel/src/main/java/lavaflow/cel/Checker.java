package lavaflow.cel;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/** Finds the types of an expression and reports what does not fit, in upstream's words. */
final class Checker {
    private final Source source;
    private final TypeScope environment;
    private final FunctionTable functions;
    private final TypeMapping mapping = new TypeMapping();
    private final OverloadResolution resolution = new OverloadResolution(mapping);
    private final Deque<Map<String, CelType>> scopes = new ArrayDeque<>();
    private final @Nullable CelType[] types;
    private final @Nullable List<Overload>[] overloads;
    private final @Nullable String[] names;

    @SuppressWarnings({"unchecked", "rawtypes"}) // an array of lists
    private Checker(Source source, TypeScope environment, FunctionTable functions, int nodes) {
        this.source = source;
        this.environment = environment;
        this.functions = functions;
        this.types = new CelType[nodes];
        this.overloads = new List[nodes];
        this.names = new String[nodes];
    }

    static CheckedExpr check(Expr root, int nodes, Source source, TypeScope environment, FunctionTable functions) {
        Checker checker = new Checker(source, environment, functions, nodes);
        checker.check(root);
        for (int i = 0; i < nodes; i++) {
            CelType type = checker.types[i];
            if (type != null) {
                checker.types[i] = checker.mapping.resolve(type, true);
            }
        }
        return new CheckedExpr(root, checker.types, checker.overloads, checker.names);
    }

    private CelType type(Expr expr) {
        CelType type = types[expr.id()];
        return type == null ? CelType.Basic.ERROR : type;
    }

    private void set(Expr expr, CelType type) {
        types[expr.id()] = type;
    }

    private void fail(Expr expr, String message) {
        source.report(expr.offset(), message);
    }

    /** Parts of optional macros occur twice: they are checked once. */
    private void check(Expr expr) {
        if (types[expr.id()] != null) {
            return;
        }
        switch (expr) {
            case Expr.Literal literal -> set(literal, Types.of(literal.value()));
            case Expr.Ident ident -> ident(ident);
            case Expr.Select select -> select(select);
            case Expr.Call call -> call(call);
            case Expr.ListLiteral list -> list(list);
            case Expr.MapLiteral map -> map(map);
            case Expr.ObjectLiteral object -> object(object);
            case Expr.Comprehension loop -> loop(loop);
        }
    }

    private @Nullable CelType lookup(String name) {
        String bare = name.startsWith(".") ? name.substring(1) : name;
        if (!name.startsWith(".")) {
            for (Map<String, CelType> scope : scopes) {
                CelType type = scope.get(bare);
                if (type != null) {
                    return type;
                }
            }
        }
        return environment.find(bare);
    }

    private void ident(Expr.Ident ident) {
        CelType type = lookup(ident.name());
        if (type == null) {
            set(ident, CelType.Basic.ERROR);
            undeclared(ident, ident.name());
            return;
        }
        set(ident, type);
        names[ident.id()] = ident.name();
    }

    private void undeclared(Expr expr, String name) {
        fail(expr, "undeclared reference to '" + name + "' (in container '')");
    }

    /** {@code a.b.c} if the expression is nothing but names. */
    private static @Nullable String qualifiedName(Expr expr) {
        return switch (expr) {
            case Expr.Ident ident -> ident.name();
            case Expr.Select select -> {
                String prefix = select.test() ? null : qualifiedName(select.operand());
                yield prefix == null ? null : prefix + "." + select.field();
            }
            default -> null;
        };
    }

    private void select(Expr.Select select) {
        String name = qualifiedName(select);
        CelType whole = name == null ? null : whole(name);
        if (whole != null) {
            set(select, whole);
            names[select.id()] = name;
            return;
        }
        CelType field = field(select, select.operand(), select.field(), false);
        set(select, select.test() ? CelType.BOOL : mapping.resolve(field, false));
    }

    /** Types are named after variables sometimes: what begins with a variable's name can only be a variable. */
    private @Nullable CelType whole(String qualified) {
        int dot = qualified.indexOf('.', 1);
        CelType first = dot < 0 ? null : lookup(qualified.substring(0, dot));
        boolean variable = first != null && !(first instanceof CelType.TypeOf);
        return variable ? environment.variable(bare(qualified)) : lookup(qualified);
    }

    private CelType field(Expr at, Expr operand, String field, boolean optional) {
        check(operand);
        CelType operandType = mapping.resolve(type(operand), false);
        CelType inner = TypeMapping.optionalValue(operandType);
        CelType target = inner == null ? operandType : inner;
        CelType result = switch (target) {
            case CelType.MapOf map -> map.value();
            case CelType.ObjectOf object -> objectField(at.offset(), object, field);
            case CelType.Parameter parameter -> {
                mapping.assign(CelType.DYN, parameter);
                yield CelType.DYN;
            }
            default -> {
                if (!TypeMapping.isDynamic(target)) {
                    fail(at, "type '" + target + "' does not support field selection");
                }
                yield CelType.DYN;
            }
        };
        return inner != null || optional ? CelType.optional(result) : result;
    }

    private CelType objectField(int offset, CelType.ObjectOf object, String field) {
        CelType.ObjectOf declared = environment.object(object);
        CelType type = environment.field(declared, field);
        if (type == null && declared.fields().isEmpty() && declared.name().startsWith("kubernetes.")) {
            source.report(offset, "unexpected failed resolution of '" + declared.name() + "'");
            return CelType.Basic.ERROR;
        }
        if (type == null) {
            source.report(offset, "undefined field '" + field + "'");
            return CelType.Basic.ERROR;
        }
        return type;
    }

    private void call(Expr.Call call) {
        if (call.function().equals("_?._")) {
            optionalSelect(call);
            return;
        }
        call.args().forEach(this::check);
        Expr target = call.target();
        if (target == null) {
            List<Overload> candidates = functions.overloads(bare(call.function()));
            if (candidates.isEmpty()) {
                undeclared(call, call.function());
                set(call, CelType.Basic.ERROR);
                return;
            }
            resolve(call, bare(call.function()), candidates, null);
            return;
        }
        String prefix = qualifiedName(target);
        if (prefix != null) {
            String qualified = bare(prefix + "." + call.function());
            List<Overload> candidates = functions.overloads(qualified);
            if (!candidates.isEmpty()) {
                names[call.id()] = qualified;
                resolve(call, qualified, candidates, null);
                return;
            }
        }
        check(target);
        List<Overload> candidates = functions.overloads(call.function());
        if (candidates.isEmpty()) {
            set(call, CelType.Basic.ERROR);
            undeclared(call, call.function());
            return;
        }
        resolve(call, call.function(), candidates, target);
    }

    private static String bare(String name) {
        return name.startsWith(".") ? name.substring(1) : name;
    }

    private void optionalSelect(Expr.Call call) {
        if (call.args().get(1) instanceof Expr.Literal literal && literal.value() instanceof String field) {
            CelType type = field(call, call.args().getFirst(), field, true);
            set(literal, CelType.STRING);
            set(call, mapping.resolve(type, false));
            overloads[call.id()] = functions.overloads(call.function());
        }
    }

    private void resolve(Expr.Call call, String function, List<Overload> candidates, @Nullable Expr target) {
        List<CelType> argTypes = new ArrayList<>();
        if (target != null) {
            argTypes.add(type(target));
        }
        call.args().forEach(arg -> argTypes.add(type(arg)));
        if (function.equals("_&&_") || function.equals("_||_")) {
            logic(call, candidates, argTypes);
            return;
        }
        OverloadResolution.Found found = resolution.resolve(candidates, target != null, argTypes);
        if (found == null) {
            fail(call, resolution.refusal(function, argTypes, target != null));
            set(call, CelType.Basic.ERROR);
            return;
        }
        set(call, found.result());
        overloads[call.id()] = found.overloads();
    }

    private void logic(Expr.Call call, List<Overload> candidates, List<CelType> argTypes) {
        boolean wrong = false;
        for (int i = 0; i < argTypes.size(); i++) {
            if (!mapping.assign(argTypes.get(i), CelType.BOOL)) {
                mismatch(call.args().get(i), CelType.BOOL, argTypes.get(i));
                wrong = true;
            }
        }
        set(call, wrong ? CelType.Basic.ERROR : CelType.BOOL);
        overloads[call.id()] = candidates;
    }

    private void mismatch(Expr at, CelType expected, CelType found) {
        fail(at, "expected type '" + expected + "' but found '" + found + "'");
    }

    private CelType optionalElement(Expr value) {
        CelType type = type(value);
        CelType inner = TypeMapping.optionalValue(type);
        if (inner == null && !type.equals(CelType.DYN)) {
            mismatch(value, CelType.optional(type), type);
        }
        return inner == null ? type : inner;
    }

    private CelType join(@Nullable CelType previous, CelType current) {
        if (previous == null) {
            return current;
        }
        if (mapping.assign(previous, current)) {
            return TypeMapping.mostGeneral(previous, current);
        }
        return CelType.DYN;
    }

    private void list(Expr.ListLiteral list) {
        CelType element = null;
        for (int i = 0; i < list.elements().size(); i++) {
            Expr value = list.elements().get(i);
            check(value);
            boolean optional = !list.optional().isEmpty() && list.optional().get(i);
            element = join(element, optional ? optionalElement(value) : type(value));
        }
        set(list, CelType.list(element == null ? resolution.newParameter() : element));
    }

    private void map(Expr.MapLiteral map) {
        CelType key = null;
        CelType value = null;
        for (Expr.Entry entry : map.entries()) {
            check(entry.key());
            key = join(key, type(entry.key()));
            check(entry.value());
            CelType entryType = entry.optional() ? optionalElement(entry.value()) : type(entry.value());
            value = join(value, entryType);
        }
        set(
                map,
                key == null || value == null
                        ? CelType.map(resolution.newParameter(), resolution.newParameter())
                        : CelType.map(key, value));
    }

    private void object(Expr.ObjectLiteral object) {
        CelType type = lookup(object.typeName());
        if (type == null) {
            undeclared(object, object.typeName());
            set(object, CelType.Basic.ERROR);
            return;
        }
        CelType result = CelType.Basic.ERROR;
        if (!(type instanceof CelType.TypeOf of)) {
            fail(object, "'" + type.typeName() + "' is not a type");
        } else if (of.of() instanceof CelType.ObjectOf made) {
            result = made;
        } else {
            fail(object, "'" + of.of().typeName() + "' is not a message type");
        }
        set(object, result);
        for (Expr.Field field : object.fields()) {
            check(field.value());
            CelType declared = madeField(object, result, field);
            if (declared == null) {
                continue;
            }
            CelType given = field.optional() ? optionalElement(field.value()) : type(field.value());
            if (!mapping.assign(declared, given)) {
                source.report(
                        field.offset(),
                        "expected type of field '%s' is '%s' but provided type is '%s'"
                                .formatted(field.name(), declared, given));
            }
        }
    }

    /** The type of a field of an object to be made, or null if that cannot be checked. */
    private @Nullable CelType madeField(Expr.ObjectLiteral object, CelType type, Expr.Field field) {
        if (!(type instanceof CelType.ObjectOf made)) {
            source.report(field.offset(), "unexpected failed resolution of '" + object.typeName() + "'");
            return null;
        }
        if (made.equals(CelType.JSON_PATCH) && !made.fields().containsKey(field.name())) {
            source.report(
                    field.offset(),
                    "expected type of field '%s' is '' but provided type is '%s'"
                            .formatted(field.name(), type(field.value())));
            return null;
        }
        return objectField(field.offset(), made, field.name());
    }

    private void loop(Expr.Comprehension loop) {
        check(loop.range());
        check(loop.initial());
        CelType range = mapping.resolve(type(loop.range()), false);
        CelType accumulator = type(loop.initial());
        Map<String, CelType> outer = new HashMap<>();
        outer.put(loop.accumulator(), accumulator);
        scopes.push(outer);
        scopes.push(loopVariables(loop, range));
        check(loop.condition());
        assertType(loop.condition(), CelType.BOOL);
        check(loop.step());
        assertType(loop.step(), accumulator);
        scopes.pop();
        check(loop.result());
        scopes.pop();
        set(loop, mapping.resolve(type(loop.result()), false));
    }

    private Map<String, CelType> loopVariables(Expr.Comprehension loop, CelType range) {
        boolean two = loop.secondVariable() != null;
        CelType first;
        CelType second;
        switch (range) {
            case CelType.ListOf list -> {
                first = two ? CelType.INT : list.element();
                second = list.element();
            }
            case CelType.MapOf map -> {
                first = map.key();
                second = map.value();
            }
            default -> {
                if (TypeMapping.isDynamic(range) || range instanceof CelType.Parameter) {
                    mapping.assign(CelType.DYN, range);
                    first = CelType.DYN;
                } else {
                    fail(
                            loop.range(),
                            "expression of type '" + range
                                    + "' cannot be range of a comprehension (must be list, map, or dynamic)");
                    first = CelType.Basic.ERROR;
                }
                second = first;
            }
        }
        Map<String, CelType> variables = new HashMap<>();
        variables.put(loop.variable(), first);
        if (loop.secondVariable() != null) {
            variables.put(loop.secondVariable(), second);
        }
        return variables;
    }

    private void assertType(Expr expr, CelType expected) {
        if (!mapping.assign(expected, type(expr))) {
            mismatch(expr, expected, type(expr));
        }
    }
}
