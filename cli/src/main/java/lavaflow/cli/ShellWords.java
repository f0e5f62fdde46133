package lavaflow.cli;

import java.util.ArrayList;
import java.util.List;

/** Takes a line apart as a shell does, without doing anything else a shell does. */
final class ShellWords {
    private ShellWords() {}

    static List<String> of(String line) {
        List<String> words = new ArrayList<>();
        StringBuilder word = new StringBuilder();
        boolean inWord = false;
        char quote = 0;
        for (int i = 0; i < line.length(); i++) {
            char c = line.charAt(i);
            boolean escapes = c == '\\' && quote != '\'';
            if (escapes) {
                if (++i == line.length()) {
                    throw new Verb.Refusal("EOF found after escape character");
                }
                char next = line.charAt(i);
                // Within double quotes only those that would mean something there lose their backslash.
                if (quote == '"' && next != '"' && next != '\\') {
                    word.append(c);
                }
                word.append(next);
                inWord = true;
            } else if (quote != 0) {
                if (c == quote) {
                    quote = 0;
                } else {
                    word.append(c);
                }
            } else if (c == '"' || c == '\'') {
                quote = c;
                inWord = true;
            } else if (c == '#' && !inWord) {
                break;
            } else if (c == ' ' || c == '\t' || c == '\r' || c == '\n') {
                if (inWord) {
                    words.add(word.toString());
                    word.setLength(0);
                    inWord = false;
                }
            } else {
                word.append(c);
                inWord = true;
            }
        }
        if (quote != 0) {
            throw new Verb.Refusal("EOF found when expecting closing quote");
        }
        if (inWord) {
            words.add(word.toString());
        }
        return words;
    }
}
