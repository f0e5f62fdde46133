package lavaflow.admission;

import lavaflow.cel.CelCompilation;
import lavaflow.cel.CelProgram;
import lavaflow.cel.CelType;
import lavaflow.kinds.AdmissionVocabulary;

import org.jspecify.annotations.Nullable;

/** An expression of a webhook or policy, compiled when it is first needed. */
final class Expression {
    private final String source;
    private final AdmissionVocabulary vocabulary;
    private volatile @Nullable CelCompilation compiled;

    Expression(String source, AdmissionVocabulary vocabulary) {
        this.source = source.strip();
        this.vocabulary = vocabulary;
    }

    String source() {
        return source;
    }

    /** The same whichever thread is first, so no lock. */
    CelCompilation compiled() {
        CelCompilation known = compiled;
        if (known == null) {
            known = vocabulary.compile(source);
            compiled = known;
        }
        return known;
    }

    /** The type of its values, or of anything where it does not compile. */
    CelType type() {
        return switch (compiled()) {
            case CelCompilation.Compiled(CelProgram program) -> program.resultType();
            case CelCompilation.Failed _ -> CelType.DYN;
        };
    }
}
