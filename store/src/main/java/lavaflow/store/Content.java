package lavaflow.store;

import java.nio.charset.StandardCharsets;

/**
 * The JSON of an object as the caller encoded it, complete but for its revision, which only the writer knows.
 *
 * <p>The array belongs to the store from here on: do not change it.
 *
 * @param bytes the encoded object
 * @param revisionOffset where the decimal digits of the revision are inserted, or -1 to store the bytes as they are
 */
@SuppressWarnings("ArrayRecordComponent") // copying every object to protect an array nobody changes is not worth it
public record Content(byte[] bytes, int revisionOffset) {

    /** Marks content that carries no revision. */
    public static final int NO_REVISION = -1;

    public Content {
        if (revisionOffset < NO_REVISION || revisionOffset > bytes.length) {
            throw new IllegalArgumentException(
                    "revision offset " + revisionOffset + " is outside of " + bytes.length + " bytes");
        }
    }

    byte[] at(long revision) {
        if (revisionOffset == NO_REVISION) {
            return bytes;
        }
        byte[] digits = Long.toString(revision).getBytes(StandardCharsets.ISO_8859_1);
        byte[] complete = new byte[bytes.length + digits.length];
        System.arraycopy(bytes, 0, complete, 0, revisionOffset);
        System.arraycopy(digits, 0, complete, revisionOffset, digits.length);
        System.arraycopy(
                bytes, revisionOffset, complete, revisionOffset + digits.length, bytes.length - revisionOffset);
        return complete;
    }
}
