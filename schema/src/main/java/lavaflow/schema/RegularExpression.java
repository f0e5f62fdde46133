package lavaflow.schema;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import org.jspecify.annotations.Nullable;

/**
 * A pattern in the syntax that upstream uses, whose time to match is linear in the text.
 *
 * <p>Compiled when first used: a definition has many patterns, of which most objects touch few.
 */
public final class RegularExpression {
    private final String source;
    private volatile @Nullable Pattern compiled;

    public RegularExpression(String source) {
        this.source = source;
    }

    public String source() {
        return source;
    }

    /** Whether the pattern is found anywhere in a text. */
    public boolean isFoundIn(String text) {
        return compiled().matcher(text).find();
    }

    /** What is wrong with the pattern, in upstream's words; null if nothing. */
    public @Nullable String problem() {
        try {
            compiled();
            return null;
        } catch (PatternSyntaxException e) {
            return "error parsing regexp: " + e.getDescription() + ": `" + e.getPattern() + "`";
        }
    }

    private Pattern compiled() {
        Pattern known = compiled;
        if (known == null) {
            known = Pattern.compile(source);
            compiled = known;
        }
        return known;
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
