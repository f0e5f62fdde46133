package lavaflow.access;

import lavaflow.cel.CelBudget;
import lavaflow.cel.CelCompilation;
import lavaflow.cel.CelEnvironment;
import lavaflow.cel.CelException;
import lavaflow.cel.CelLimits;
import lavaflow.cel.CelProgram;
import lavaflow.cel.CelResult;
import lavaflow.cel.CelType;
import lavaflow.cel.CelValues;

import com.fasterxml.jackson.databind.JsonNode;

/** An expression about the claims of a token, or about the user that was made of them. Equal where its text is. */
record ClaimExpression(String source, boolean aboutUser) {
    /** What could not be evaluated. */
    static final class Failure extends Exception {
        private static final long serialVersionUID = 1L;

        Failure(String message) {
            super(message, null, false, false);
        }

        String text() {
            return String.valueOf(getMessage());
        }
    }

    private static final class Environments {
        static final CelEnvironment CLAIMS = CelEnvironment.kubernetes()
                .variable("claims", CelType.map(CelType.STRING, CelType.DYN))
                .build();
        static final CelEnvironment USERS =
                CelEnvironment.kubernetes().variable("user", CelType.USER_INFO).build();
    }

    CelCompilation compile() {
        return (aboutUser ? Environments.USERS : Environments.CLAIMS).compile(source);
    }

    /** Ready to be evaluated again and again; only for what has been found to compile. */
    CelProgram program() {
        return switch (compile()) {
            case CelCompilation.Compiled(CelProgram program) -> program;
            case CelCompilation.Failed failed -> throw new IllegalArgumentException(failed.text());
        };
    }

    static JsonNode evaluate(CelProgram program, JsonNode value) throws Failure {
        Object bound = CelValues.of(value);
        CelResult result = program.evaluate(
                name -> name.equals("claims") || name.equals("user") ? bound : null,
                new CelBudget(CelLimits.RUNTIME_PER_CALL));
        try {
            return switch (result) {
                case CelResult.Value(Object answer, long _) -> CelValues.toJson(answer);
                case CelResult.Failure failure ->
                    throw new Failure("expression '" + program.source() + "' resulted in error: " + failure.message());
            };
        } catch (CelException e) {
            throw new Failure("expression '" + program.source() + "' resulted in error: " + e.getMessage());
        }
    }
}
