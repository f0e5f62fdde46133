package lavaflow.cel;

import java.util.List;

/** What came of a compilation. */
public sealed interface CelCompilation {
    /** A program ready to run. */
    record Compiled(CelProgram program) implements CelCompilation {}

    /** Mistakes in the source, in the order and with the text upstream reports them: all of them joined by newlines. */
    record Failed(List<String> issues) implements CelCompilation {
        public String text() {
            return String.join("\n", issues);
        }
    }
}
