package lavaflow.cel;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import lavaflow.cel.Token.Kind;

/**
 * Reads tokens and recovers from wrong ones exactly as the strategy of upstream's parser generator does (one token too
 * many, one missing, else skip to what may follow), because its error texts are what users see.
 *
 * <p>Sets of tokens are bit masks over {@link Kind}; {@link #NOTHING} in a set means that the rule may end there.
 */
class TokenReader {
    /** A mistake that ends a rule; it has been described but not yet reported. */
    static final class SyntaxException extends RuntimeException {
        final int offset;

        SyntaxException(int offset, String message) {
            super(message, null, false, false);
            this.offset = offset;
        }
    }

    /** The source is beyond a limit: parsing ends. */
    static final class LimitException extends RuntimeException {
        LimitException(String message) {
            super(message, null, false, false);
        }
    }

    static final long NOTHING = 1L << 63;

    private static final int MOST_RECOVERIES = 30;
    private static final int MOST_SKIPPED = 256;

    final Source source;
    private final List<Token> tokens;
    private final Deque<Long> followers = new ArrayDeque<>();
    private int index;
    private boolean recovering;
    private int recoveries;
    private int lastErrorIndex = -1;
    private final Set<Integer> lastErrorStates = new HashSet<>();

    TokenReader(Source source) {
        this.source = source;
        this.tokens = Lexer.tokens(source);
    }

    static long set(Kind... kinds) {
        long mask = 0;
        for (Kind kind : kinds) {
            mask |= kind.mask();
        }
        return mask;
    }

    /** A rule begins; in the rule that calls it, {@code follow} may come next. */
    final void enter(long follow) {
        followers.push(follow);
    }

    final void exit() {
        followers.pop();
    }

    final Token look(int ahead) {
        return tokens.get(Math.min(index + ahead, tokens.size() - 1));
    }

    final Kind kind() {
        return look(0).kind();
    }

    final boolean sees(long set) {
        return (kind().mask() & set) != 0;
    }

    /** Takes the token whatever it is. */
    final Token take() {
        Token token = look(0);
        if (index < tokens.size() - 1) {
            index++;
        }
        return token;
    }

    private Token accept() {
        recovering = false;
        lastErrorIndex = -1;
        lastErrorStates.clear();
        return take();
    }

    /** Takes a token of a kind; {@code next} is what may follow it in this rule. */
    final Token match(Kind kind, long next) {
        if (kind() == kind) {
            return accept();
        }
        countRecovery();
        long expected = kind.mask();
        if (deleteOne(expected)) {
            return accept();
        }
        if ((kind().mask() & expected(next)) != 0) {
            reportNow(look(0).offset(), "missing " + display(expected) + " at " + look(0).quoted());
            return new Token(kind, look(0).offset(), "<missing " + kind.display + ">", "");
        }
        throw mismatch(expected);
    }

    /** Takes a token that was looked at before. */
    final Token matched() {
        return accept();
    }

    /** Before a choice: one token too many is dropped; else a token that fits none of the choices ends the rule. */
    final void sync(long choices) {
        if (recovering || sees(choices)) {
            return;
        }
        if (!deleteOne(choices)) {
            throw mismatch(choices);
        }
    }

    /** After a repetition: tokens that neither repeat nor follow it are dropped. */
    final void syncLoop(long choices) {
        if (recovering || sees(choices)) {
            return;
        }
        reportNow(look(0).offset(), "extraneous input " + look(0).quoted() + " expecting " + display(choices));
        skipTo(expected(choices) | recoverySet());
    }

    private boolean deleteOne(long expected) {
        if ((look(1).kind().mask() & expected(expected)) == 0) {
            return false;
        }
        if (look(0).kind() == Kind.END) {
            return false;
        }
        reportNow(
                look(0).offset(), "extraneous input " + look(0).quoted() + " expecting " + display(expected(expected)));
        take();
        recovering = false;
        return true;
    }

    private SyntaxException mismatch(long expected) {
        return new SyntaxException(
                look(0).offset(), "mismatched input " + look(0).quoted() + " expecting " + display(expected(expected)));
    }

    /** No choice fits the tokens from here up to the one {@code ahead}. */
    final SyntaxException noViable(int ahead) {
        Token offending = look(ahead);
        boolean keyword =
                (set(Kind.TRUE, Kind.FALSE, Kind.NULL) & offending.kind().mask()) != 0;
        if (ahead == 1 && keyword && offending.before().isEmpty()) {
            return new SyntaxException(
                    offending.offset(), "mismatched input '" + offending.text() + "' expecting IDENTIFIER");
        }
        StringBuilder text = new StringBuilder();
        for (int i = 0; i <= ahead; i++) {
            text.append(i == 0 ? "" : look(i).before()).append(look(i).text());
        }
        if (ahead == 0 && offending.kind() == Kind.END) {
            text.append("<EOF>");
        }
        return new SyntaxException(
                offending.offset(), "no viable alternative at input '" + Token.escaped(text.toString()) + "'");
    }

    /** A rule failed: reports why and skips to what may follow. */
    final void recover(SyntaxException failure, int state) {
        reportNow(failure.offset, String.valueOf(failure.getMessage()));
        countRecovery();
        if (lastErrorIndex == index && lastErrorStates.contains(state)) {
            take();
        }
        lastErrorIndex = index;
        lastErrorStates.add(state);
        skipTo(recoverySet());
    }

    private void countRecovery() {
        if (recoveries++ == MOST_RECOVERIES) {
            String message = "error recovery attempt limit exceeded: " + MOST_RECOVERIES;
            source.report(look(0).offset(), "Syntax error: " + message);
            throw new LimitException("");
        }
    }

    private void reportNow(int offset, String message) {
        if (!recovering) {
            recovering = true;
            source.report(offset, "Syntax error: " + message);
        }
    }

    private void skipTo(long set) {
        int skipped = 0;
        while (kind() != Kind.END && !sees(set)) {
            if (skipped++ >= MOST_SKIPPED) {
                throw new LimitException("error recovery token lookahead limit exceeded: " + MOST_SKIPPED);
            }
            take();
        }
    }

    /** What may come at a place in this rule, and after it if the rule may end there. */
    private long expected(long here) {
        long all = here & ~NOTHING;
        long last = here;
        for (long follow : followers) {
            if ((last & NOTHING) == 0) {
                return all;
            }
            all |= follow & ~NOTHING;
            last = follow;
        }
        return (last & NOTHING) != 0 ? all | Kind.END.mask() : all;
    }

    private long recoverySet() {
        long all = 0;
        for (long follow : followers) {
            all |= follow;
        }
        return all & ~NOTHING;
    }

    private String display(long set) {
        List<String> names = new ArrayList<>();
        for (Kind kind : Kind.values()) {
            if ((set & kind.mask()) != 0) {
                names.add(kind.display);
            }
        }
        return names.size() == 1 ? names.getFirst() : "{" + String.join(", ", names) + "}";
    }
}
