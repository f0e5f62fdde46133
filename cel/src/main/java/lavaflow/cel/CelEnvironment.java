package lavaflow.cel;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/** What expressions may refer to: variables and functions. Immutable. */
public final class CelEnvironment {
    /** Everything Kubernetes gives to every expression. */
    private static final Set<CelLibrary> KUBERNETES =
            EnumSet.complementOf(EnumSet.of(CelLibrary.MUTATION, CelLibrary.BINDINGS));

    /** A variable: its type, and what is known beyond it. */
    record Variable(CelType type, @Nullable DeclaredType declared, boolean optional) {}

    private final Map<String, Variable> variables;
    private final Macros macros;
    private final FunctionTable functions;
    private final TypeScope scope;
    private final Map<String, DeclaredType> declared = new LinkedHashMap<>();

    private CelEnvironment(Builder builder) {
        this.variables = new LinkedHashMap<>(builder.variables);
        Set<CelLibrary> libraries = EnumSet.copyOf(builder.libraries);
        this.macros = new Macros(libraries);
        this.functions = FunctionTable.of(libraries);
        Map<String, CelType> types = new LinkedHashMap<>();
        variables.forEach((name, variable) -> {
            types.put(name, variable.type);
            if (variable.declared != null) {
                declared.put(name, variable.declared);
            }
        });
        this.scope = new TypeScope(types, libraries);
    }

    /** With Kubernetes' libraries. */
    public static Builder kubernetes() {
        return new Builder(KUBERNETES);
    }

    /** With the standard functions only. */
    public static Builder builder() {
        return new Builder(EnumSet.noneOf(CelLibrary.class));
    }

    /** Collects declarations. */
    public static final class Builder {
        private final Map<String, Variable> variables = new LinkedHashMap<>();
        private final EnumSet<CelLibrary> libraries;

        private Builder(Set<CelLibrary> libraries) {
            this.libraries = EnumSet.copyOf(libraries);
        }

        public Builder variable(String name, CelType type) {
            variables.put(name, new Variable(type, null, false));
            return this;
        }

        /** A variable whose JSON is viewed by a schema, and whose sizes bound the estimated cost. */
        public Builder variable(String name, DeclaredType type) {
            variables.put(name, new Variable(type.type(), type, false));
            return this;
        }

        /**
         * A variable that may be absent: an optional of the declared type. Bind JSON where there is some, else
         * {@link CelOptional#NONE}.
         */
        public Builder optionalVariable(String name, DeclaredType type) {
            variables.put(name, new Variable(CelType.optional(type.type()), type, true));
            return this;
        }

        public Builder library(CelLibrary library) {
            libraries.add(library);
            return this;
        }

        public CelEnvironment build() {
            return new CelEnvironment(this);
        }
    }

    /** Checks a source and makes a program of it. Never throws, whatever the source. */
    public CelCompilation compile(String text) {
        Source source = new Source(text);
        ExprFactory factory = new ExprFactory();
        Expr root = Parser.parse(source, macros, factory);
        if (root == null) {
            return new CelCompilation.Failed(source.issues(), false);
        }
        CheckedExpr checked;
        try {
            checked = Checker.check(root, factory.size(), source, scope, functions);
        } catch (TokenReader.LimitException limit) {
            source.report(Source.NOWHERE, String.valueOf(limit.getMessage()));
            return new CelCompilation.Failed(source.issues(), false);
        }
        if (!source.hasIssues()) {
            LiteralRules.check(checked, source);
        }
        if (source.hasIssues()) {
            return new CelCompilation.Failed(source.issues(), false);
        }
        try {
            return new CelCompilation.Compiled(program(text, checked));
        } catch (CelException failure) {
            return new CelCompilation.Failed(List.of(failure.text()), true);
        }
    }

    private CelProgram program(String text, CheckedExpr checked) {
        Planner planner = new Planner(checked, functions);
        Node root = planner.plan(checked.root());
        List<CelProgram.Variable> read = new ArrayList<>();
        for (String name : planner.variables()) {
            Variable variable = variables.get(name);
            read.add(new CelProgram.Variable(
                    name, variable == null ? null : variable.declared, variable != null && variable.optional));
        }
        return new CelProgram(text, checked, root, read, planner.slots(), new HashSet<>(planner.variables()), declared);
    }
}
