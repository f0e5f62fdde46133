package lavaflow.kube;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/**
 * A block of PEM: certificates, keys and requests as text.
 *
 * @param type what its first line says it is
 * @param headers whether lines about it come before what it holds
 */
public record Pem(String type, boolean headers, String base64) {
    /** What it holds; fails with {@link IllegalArgumentException} where that is not base64. */
    public byte[] content() {
        return Base64.getMimeDecoder().decode(base64);
    }

    /** What it is, and nothing of a key: this may end up in a log. */
    @Override
    public String toString() {
        return type;
    }

    /** All blocks in a text; what is between them does not count. */
    public static List<Pem> blocks(byte[] pem) {
        String text = new String(pem, StandardCharsets.ISO_8859_1);
        List<Pem> blocks = new ArrayList<>();
        int at = 0;
        while (true) {
            int begin = text.indexOf("-----BEGIN ", at);
            int head = begin < 0 ? -1 : text.indexOf("-----", begin + 11);
            if (head < 0) {
                return blocks;
            }
            String type = text.substring(begin + 11, head);
            int end = text.indexOf("-----END " + type + "-----", head);
            if (end < 0) {
                return blocks;
            }
            String body = text.substring(head + 5, end);
            boolean headers = body.indexOf(':') >= 0;
            blocks.add(new Pem(type, headers, headers ? body.substring(body.indexOf("\n\n") + 1) : body));
            at = end + type.length() + 14;
        }
    }
}
