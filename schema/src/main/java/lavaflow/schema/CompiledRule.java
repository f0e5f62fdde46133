package lavaflow.schema;

import java.util.ArrayList;
import java.util.List;

import lavaflow.cel.CelCompilation;
import lavaflow.cel.CelEnvironment;
import lavaflow.cel.CelProgram;
import lavaflow.cel.CelType;
import lavaflow.cel.DeclaredType;

import org.jspecify.annotations.Nullable;

/**
 * A rule with its program.
 *
 * @param error why the rule cannot run, in upstream's words; then there is no program
 * @param message the program of the message, where there is one
 * @param messageError why the message cannot be made
 * @param field where the rule reports, as error messages name it, or empty
 */
record CompiledRule(
        SchemaRule rule,
        @Nullable CelProgram program,
        @Nullable String error,
        @Nullable CelProgram message,
        @Nullable String messageError,
        String field) {
    private static final String SELF = "self";
    static final String OLD_SELF = "oldSelf";

    /** Compiles the rules of one node of a schema. */
    static List<CompiledRule> compile(StructuralSchema schema, DeclaredType type) {
        DeclaredType named = type.named("selfType");
        CelEnvironment plain = null;
        CelEnvironment optional = null;
        List<CompiledRule> compiled = new ArrayList<>(schema.validations().size());
        for (SchemaRule rule : schema.validations()) {
            if (Boolean.TRUE.equals(rule.optionalOldSelf())) {
                optional = optional == null
                        ? CelEnvironment.kubernetes()
                                .variable(SELF, named)
                                .optionalVariable(OLD_SELF, named)
                                .build()
                        : optional;
                compiled.add(compile(rule, schema, optional));
            } else {
                plain = plain == null
                        ? CelEnvironment.kubernetes()
                                .variable(SELF, named)
                                .variable(OLD_SELF, named)
                                .build()
                        : plain;
                compiled.add(compile(rule, schema, plain));
            }
        }
        return List.copyOf(compiled);
    }

    private static CompiledRule compile(SchemaRule rule, StructuralSchema schema, CelEnvironment environment) {
        if (rule.rule().isBlank()) {
            return new CompiledRule(rule, null, null, null, null, "");
        }
        CelProgram program;
        switch (environment.compile(rule.rule())) {
            case CelCompilation.Failed failed -> {
                return new CompiledRule(rule, null, "compilation failed: " + failed.text(), null, null, "");
            }
            case CelCompilation.Compiled done -> program = done.program();
        }
        if (!program.resultType().equals(CelType.BOOL)) {
            return new CompiledRule(rule, null, "cel expression must evaluate to a bool", null, null, "");
        }
        CelProgram message = null;
        String messageError = null;
        if (!rule.messageExpression().isEmpty()) {
            switch (environment.compile(rule.messageExpression())) {
                case CelCompilation.Failed failed ->
                    messageError = "messageExpression compilation failed: " + failed.text();
                case CelCompilation.Compiled done -> message = done.program();
            }
            if (message != null && !message.resultType().equals(CelType.STRING)) {
                message = null;
                messageError = "messageExpression must evaluate to a string";
            }
        }
        return new CompiledRule(rule, program, null, message, messageError, field(rule, schema));
    }

    private static String field(SchemaRule rule, StructuralSchema schema) {
        if (rule.fieldPath().isEmpty()) {
            return "";
        }
        try {
            return SchemaPath.follow(rule.fieldPath(), schema, true).path().toString();
        } catch (SchemaPath.Invalid e) {
            return "";
        }
    }

    boolean usesOldSelf() {
        return program != null && program.reads(OLD_SELF);
    }

    boolean isOptional() {
        return Boolean.TRUE.equals(rule.optionalOldSelf());
    }

    /** How messages call the rule. */
    String name() {
        return rule.message().isEmpty() ? rule.rule().strip() : rule.message().strip();
    }

    /** What is said where the rule does not hold and no expression says it. */
    String plainMessage() {
        return rule.message().isEmpty()
                ? "failed rule: " + name()
                : rule.message().strip();
    }
}
