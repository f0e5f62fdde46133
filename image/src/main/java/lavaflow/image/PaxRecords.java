package lavaflow.image;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/** The records of extended headers: {@code 30 mtime=1700000000.123\n}. */
final class PaxRecords {
    private static final String ATTRIBUTE = "SCHILY.xattr.";

    private PaxRecords() {}

    record Time(long seconds, int nanos) {}

    static void parse(byte[] bytes, Map<String, byte[]> records) throws IOException {
        int at = 0;
        while (at < bytes.length) {
            int blank = at;
            int length = 0;
            while (blank < bytes.length && bytes[blank] >= '0' && bytes[blank] <= '9' && length <= bytes.length) {
                length = length * 10 + (bytes[blank++] - '0');
            }
            int end = at + length;
            if (blank == at
                    || blank >= bytes.length
                    || bytes[blank] != ' '
                    || length > bytes.length - at
                    || end <= blank + 1
                    || bytes[end - 1] != '\n') {
                throw BadLayerException.damaged("an extended header is malformed");
            }
            int equals = blank + 1;
            while (equals < end && bytes[equals] != '=') {
                equals++;
            }
            if (equals >= end - 1) {
                throw BadLayerException.damaged("an extended header is malformed");
            }
            String key = new String(bytes, blank + 1, equals - blank - 1, StandardCharsets.ISO_8859_1);
            if (key.startsWith("GNU.sparse.")) {
                throw BadLayerException.damaged("the archive has a sparse file, which images may not have");
            }
            records.put(key, java.util.Arrays.copyOfRange(bytes, equals + 1, end - 1));
            at = end;
        }
    }

    static long number(Map<String, byte[]> records, String key, long otherwise) throws IOException {
        byte[] value = records.get(key);
        if (value == null || value.length == 0) {
            return otherwise;
        }
        try {
            return Long.parseLong(new String(value, StandardCharsets.ISO_8859_1));
        } catch (NumberFormatException e) {
            throw BadLayerException.damaged("an extended header has no number as " + key);
        }
    }

    static Time time(Map<String, byte[]> records, long otherwise) throws IOException {
        byte[] value = records.get("mtime");
        if (value == null || value.length == 0) {
            return new Time(otherwise, 0);
        }
        String text = new String(value, StandardCharsets.ISO_8859_1);
        int dot = text.indexOf('.');
        try {
            long seconds = Long.parseLong(dot < 0 ? text : text.substring(0, dot));
            String digits = dot < 0 ? "" : text.substring(dot + 1);
            int nanos = digits.isEmpty() ? 0 : Integer.parseInt((digits + "00000000").substring(0, 9));
            boolean before = text.startsWith("-") && nanos != 0;
            return before ? new Time(seconds - 1, 1_000_000_000 - nanos) : new Time(seconds, Math.max(0, nanos));
        } catch (NumberFormatException e) {
            throw BadLayerException.damaged("an extended header has no time as mtime");
        }
    }

    static Map<String, byte[]> attributes(Map<String, byte[]> records) {
        Map<String, byte[]> found = new LinkedHashMap<>();
        records.forEach((key, value) -> {
            if (key.startsWith(ATTRIBUTE)) {
                found.put(key.substring(ATTRIBUTE.length()), value);
            }
        });
        return found;
    }
}
