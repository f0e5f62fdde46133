package lavaflow.cel;

import java.util.ArrayList;
import java.util.List;

import lavaflow.kube.PatternSize;

import com.google.re2j.Matcher;
import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;

/** Regular expressions in RE2's syntax, which match in time linear to the text. */
final class Regex {
    private Regex() {}

    static Pattern compile(String pattern) {
        try {
            return sized(pattern);
        } catch (PatternSyntaxException wrong) {
            throw new CelException(problem(wrong));
        }
    }

    /** The library writes repetitions out without the limit that Go has. */
    private static Pattern sized(String pattern) {
        String tooLarge = PatternSize.problem(pattern);
        if (tooLarge != null) {
            int part = tooLarge.indexOf(": `");
            throw new PatternSyntaxException(
                    tooLarge.substring(0, part), tooLarge.substring(part + 3, tooLarge.length() - 1));
        }
        return Pattern.compile(pattern);
    }

    private static String problem(PatternSyntaxException wrong) {
        String description = wrong.getDescription();
        String part = wrong.getPattern();
        return "error parsing regexp: " + description + (part == null || part.isEmpty() ? "" : ": `" + part + "`");
    }

    static boolean isValid(String pattern) {
        try {
            sized(pattern);
            return true;
        } catch (PatternSyntaxException wrong) {
            return false;
        }
    }

    static boolean matches(String text, String pattern) {
        return compile(pattern).matcher(text).find();
    }

    static Pattern compileForFind(String pattern) {
        try {
            return sized(pattern);
        } catch (PatternSyntaxException wrong) {
            throw new CelException("Illegal regex: " + problem(wrong));
        }
    }

    static String find(String text, Pattern pattern) {
        Matcher matcher = pattern.matcher(text);
        return matcher.find() ? matcher.group() : "";
    }

    static CelList findAll(String text, Pattern pattern, long limit) {
        List<Object> found = new ArrayList<>();
        Matcher matcher = pattern.matcher(text);
        int end = -1;
        while ((limit < 0 || found.size() < limit) && matcher.find()) {
            // An empty match right behind another one does not count.
            if (matcher.start() < matcher.end() || matcher.start() != end) {
                found.add(matcher.group());
            }
            end = matcher.end();
        }
        return new Lists.Values(found);
    }
}
