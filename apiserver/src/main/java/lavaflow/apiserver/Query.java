package lavaflow.apiserver;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/** The parameters of a URL, read as leniently as Go reads them: a pair with a bad escape is dropped. */
public final class Query {
    private static final Query EMPTY = new Query(Map.of());

    private final Map<String, List<String>> values;

    private Query(Map<String, List<String>> values) {
        this.values = values;
    }

    public static Query empty() {
        return EMPTY;
    }

    public static Query parse(@Nullable String raw) {
        if (raw == null || raw.isEmpty()) {
            return EMPTY;
        }
        Map<String, List<String>> values = new LinkedHashMap<>();
        for (String pair : raw.split("&", -1)) {
            int equals = pair.indexOf('=');
            String name = decode(equals < 0 ? pair : pair.substring(0, equals), true);
            String value = equals < 0 ? "" : decode(pair.substring(equals + 1), true);
            if (name != null && value != null && !pair.isEmpty() && pair.indexOf(';') < 0) {
                values.computeIfAbsent(name, _ -> new ArrayList<>()).add(value);
            }
        }
        return new Query(values);
    }

    /** Percent-decodes as UTF-8, or null for a broken escape. */
    static @Nullable String decode(String text, boolean plusIsSpace) {
        if (text.indexOf('%') < 0 && !(plusIsSpace && text.indexOf('+') >= 0)) {
            return text;
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(text.length());
        byte[] raw = text.getBytes(StandardCharsets.UTF_8);
        for (int i = 0; i < raw.length; i++) {
            byte b = raw[i];
            if (b == '%') {
                int high = i + 2 <= raw.length - 1 ? Character.digit(raw[i + 1], 16) : -1;
                int low = i + 2 <= raw.length - 1 ? Character.digit(raw[i + 2], 16) : -1;
                if (high < 0 || low < 0) {
                    return null;
                }
                bytes.write(high << 4 | low);
                i += 2;
            } else {
                bytes.write(plusIsSpace && b == '+' ? ' ' : b);
            }
        }
        return bytes.toString(StandardCharsets.UTF_8);
    }

    public boolean has(String name) {
        return values.containsKey(name);
    }

    /** The first value, or the empty string. */
    public String first(String name) {
        List<String> all = values.get(name);
        return all == null ? "" : all.getFirst();
    }

    public List<String> all(String name) {
        return values.getOrDefault(name, List.of());
    }

    /** Upstream's reading of booleans: absent, 0 and false are false, anything else is true, the empty string too. */
    public boolean flag(String name) {
        List<String> all = values.get(name);
        if (all == null) {
            return false;
        }
        String value = all.getFirst();
        return !value.equals("0") && !value.toLowerCase(Locale.ROOT).equals("false");
    }
}
