package lavaflow.kube;

import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.error.Mark;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.reader.ReaderException;
import org.yaml.snakeyaml.scanner.ScannerException;

/** Translates SnakeYAML's complaints into those of upstream's parser; both descend from the same scanner. */
final class YamlProblem {
    private YamlProblem() {}

    static DecodingException of(YAMLException e) {
        return switch (e) {
            case ReaderException _ -> new DecodingException("yaml: control characters are not allowed");
            case MarkedYAMLException marked -> new DecodingException("yaml: " + where(marked) + what(marked));
            default -> new DecodingException("yaml: " + e.getMessage());
        };
    }

    /** The first line goes without a number, and the parser, unlike the scanner, counts from zero. */
    private static String where(MarkedYAMLException e) {
        int line = lineOf(e.getProblemMark());
        if (!(e instanceof ScannerException) && isUnfinishedLine(e.getProblemMark())) {
            line++;
        } else if (line > 0 && e instanceof ScannerException) {
            line++;
        } else if (line == 0) {
            line = lineOf(e.getContextMark());
        }
        return line == 0 ? "" : "line " + line + ": ";
    }

    /** Upstream's parser sees the end of the text on a line of its own. */
    private static boolean isUnfinishedLine(@Nullable Mark mark) {
        return mark != null && mark.getColumn() > 0 && mark.getPointer() >= mark.getBuffer().length;
    }

    private static int lineOf(@Nullable Mark mark) {
        return mark == null ? 0 : mark.getLine();
    }

    private static String what(MarkedYAMLException e) {
        String problem = String.valueOf(e.getProblem());
        String context = String.valueOf(e.getContext());
        if (problem.endsWith(" are not allowed here")) {
            return problem.substring(0, problem.length() - "here".length()) + "in this context";
        }
        if (problem.startsWith("found character ")) {
            return "found character that cannot start any token";
        }
        if (problem.startsWith("found unknown escape character")) {
            return "found unknown escape character";
        }
        if (problem.startsWith("found undefined tag handle")) {
            return "found undefined tag handle";
        }
        if (problem.startsWith("found incompatible YAML document")) {
            return "found incompatible YAML document";
        }
        if (problem.startsWith("expected <block end>")) {
            return context.contains("mapping") ? "did not find expected key" : "did not find expected '-' indicator";
        }
        if (problem.startsWith("expected ")) {
            int end = problem.indexOf(", but ");
            String thing = problem.substring("expected ".length(), end < 0 ? problem.length() : end);
            String bare = thing.replaceFirst("^(the|an?) ", "").replace("a line break", "line break");
            return "did not find expected " + (bare.startsWith("chomping") ? "comment or line break" : bare);
        }
        return problem;
    }
}
