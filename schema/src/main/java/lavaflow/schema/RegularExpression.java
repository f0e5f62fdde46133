package lavaflow.schema;

import lavaflow.kube.PatternSize;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import org.jspecify.annotations.Nullable;

/**
 * A pattern in the syntax that upstream uses, whose time to match is linear in the text.
 *
 * <p>Compiled when first used: a definition has many patterns, of which most objects touch few.
 */
public final class RegularExpression {
    /** What came of compiling: either a pattern or a problem. */
    private record Compiled(
            @Nullable Pattern pattern, @Nullable String problem) {}

    private final String source;
    private volatile @Nullable Compiled compiled;

    public RegularExpression(String source) {
        this.source = source;
    }

    public String source() {
        return source;
    }

    /** Whether the pattern is found anywhere in a text; never where the pattern is broken. */
    public boolean isFoundIn(String text) {
        Pattern pattern = compiled().pattern;
        return pattern != null && pattern.matcher(text).find();
    }

    /** What is wrong with the pattern, in upstream's words; null if nothing. */
    public @Nullable String problem() {
        return compiled().problem;
    }

    private Compiled compiled() {
        Compiled known = compiled;
        if (known == null) {
            known = compile(source);
            compiled = known;
        }
        return known;
    }

    private static Compiled compile(String source) {
        String tooLarge = PatternSize.problem(source);
        if (tooLarge != null) {
            return new Compiled(null, "error parsing regexp: " + tooLarge);
        }
        try {
            return new Compiled(Pattern.compile(source), null);
        } catch (PatternSyntaxException e) {
            return new Compiled(null, "error parsing regexp: " + e.getDescription() + ": `" + e.getPattern() + "`");
        } catch (StackOverflowError e) {
            return new Compiled(null, "error parsing regexp: expression nests too deeply: `" + source + "`");
        }
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof RegularExpression that && source.equals(that.source);
    }

    @Override
    public int hashCode() {
        return source.hashCode();
    }

    @Override
    public String toString() {
        return source;
    }
}
