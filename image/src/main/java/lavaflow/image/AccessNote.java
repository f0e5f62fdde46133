package lavaflow.image;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.List;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * That a credential opened an image: enough to know it again, not enough to use it.
 *
 * @param salt makes the hashes of the same credential differ from note to note
 * @param source of the credential, as it tells itself
 */
record AccessNote(String salt, String hash, String source) {
    private static final int SALT_BYTES = 16;
    private static final SecureRandom RANDOM = new SecureRandom();

    static AccessNote of(Credential credential) {
        byte[] salt = new byte[SALT_BYTES];
        RANDOM.nextBytes(salt);
        String text = HexFormat.of().formatHex(salt);
        return new AccessNote(text, hash(text, credential), credential.source());
    }

    /** Whether it is this credential, or one that has taken its place where it came from. */
    boolean admits(Credential credential) {
        return isFrom(credential.source()) || isOf(credential);
    }

    boolean isOf(Credential credential) {
        return MessageDigest.isEqual(
                hash.getBytes(StandardCharsets.UTF_8), hash(salt, credential).getBytes(StandardCharsets.UTF_8));
    }

    boolean isFrom(String other) {
        return !source.isEmpty() && source.equals(other);
    }

    /** Lengths come before the parts, so that none can pass for a piece of another. */
    private static String hash(String salt, Credential credential) {
        MessageDigest hash = Digest.sha256();
        for (String part : List.of(salt, credential.user(), credential.password(), credential.token())) {
            byte[] bytes = part.getBytes(StandardCharsets.UTF_8);
            hash.update(ByteBuffer.allocate(Integer.BYTES).putInt(bytes.length).array());
            hash.update(bytes);
        }
        return HexFormat.of().formatHex(hash.digest());
    }

    ObjectNode toJson() {
        return Json.object().put("salt", salt).put("hash", hash).put("source", source);
    }

    static AccessNote parse(JsonNode node) {
        return new AccessNote(Json.textAt(node, "salt"), Json.textAt(node, "hash"), Json.textAt(node, "source"));
    }
}
