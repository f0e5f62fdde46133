package lavaflow.image;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** How a registry wants to be told who asks: {@code Bearer realm="https://auth.example/token",service="registry"}. */
record Challenge(String scheme, Map<String, String> parameters) {
    /** Reads a header, which may hold several. What cannot be read is left out. */
    static List<Challenge> parse(String header) {
        List<Challenge> challenges = new ArrayList<>();
        Map<String, String> parameters = new LinkedHashMap<>();
        int at = 0;
        while (at < header.length()) {
            char c = header.charAt(at);
            if (c == ' ' || c == ',' || c == '\t') {
                at++;
                continue;
            }
            int end = at;
            while (end < header.length() && " ,=\t".indexOf(header.charAt(end)) < 0) {
                end++;
            }
            String word = header.substring(at, end).toLowerCase(Locale.ROOT);
            if (end < header.length() && header.charAt(end) == '=' && !challenges.isEmpty()) {
                StringBuilder value = new StringBuilder();
                at = value(header, end + 1, value);
                parameters.put(word, value.toString());
            } else {
                parameters = new LinkedHashMap<>();
                challenges.add(new Challenge(word, parameters));
                at = Math.max(end, at + 1);
            }
        }
        return challenges;
    }

    private static int value(String header, int from, StringBuilder value) {
        int at = from;
        if (at < header.length() && header.charAt(at) == '"') {
            at++;
            while (at < header.length() && header.charAt(at) != '"') {
                if (header.charAt(at) == '\\' && at + 1 < header.length()) {
                    at++;
                }
                value.append(header.charAt(at++));
            }
            return at + 1;
        }
        while (at < header.length() && header.charAt(at) != ',' && header.charAt(at) != ' ') {
            value.append(header.charAt(at++));
        }
        return at;
    }

    String parameter(String name) {
        return parameters.getOrDefault(name, "");
    }
}
