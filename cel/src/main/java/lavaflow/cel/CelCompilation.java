package lavaflow.cel;

import java.util.List;

/** What came of a compilation. */
public sealed interface CelCompilation {
    /** A program ready to run. */
    record Compiled(CelProgram program) implements CelCompilation {}

    /**
     * Mistakes in the source, in the order and with the text upstream reports them.
     *
     * @param instantiation whether the source is right but a constant part of it fails when computed; upstream calls
     *     this {@code program instantiation failed} rather than {@code compilation failed}
     */
    record Failed(List<String> issues, boolean instantiation) implements CelCompilation {
        /** All mistakes joined by newlines. */
        public String text() {
            return String.join("\n", issues);
        }

        /** The text as rules of custom resources report it. */
        public String detail() {
            return (instantiation ? "program instantiation failed: " : "compilation failed: ") + text();
        }
    }
}
