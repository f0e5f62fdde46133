package lavaflow.kube;

import java.util.Arrays;

/**
 * Walks one protobuf message inside a byte array. Never reads outside its bounds; everything malformed is a {@link
 * DecodingException}.
 */
final class WireReader {
    static final int VARINT = 0;
    static final int FIXED64 = 1;
    static final int BYTES = 2;
    static final int START_GROUP = 3;
    static final int END_GROUP = 4;
    static final int FIXED32 = 5;

    private static final int MAX_GROUP_DEPTH = 100;

    private final byte[] in;
    private final int end;
    private int at;
    private int number;
    private int wireType;

    private WireReader(byte[] in, int start, int end) {
        this.in = in;
        this.at = start;
        this.end = end;
    }

    static WireReader of(byte[] in, int start) {
        return new WireReader(in, start, in.length);
    }

    /** Moves to the next field; false at the end of the message. */
    boolean next() throws DecodingException {
        if (at == end) {
            return false;
        }
        long tag = varint();
        number = (int) (tag >>> 3);
        wireType = (int) (tag & 7);
        if (number <= 0 || tag >>> 32 != 0) {
            throw new DecodingException("proto: illegal tag " + number + " (wire type " + wireType + ")");
        }
        return true;
    }

    /** Number of the current field. */
    int number() {
        return number;
    }

    int wireType() {
        return wireType;
    }

    /** Refuses the current field unless it is encoded as expected. */
    void expect(int expected) throws DecodingException {
        if (wireType != expected) {
            throw new DecodingException("proto: wrong wireType = " + wireType + " for field " + number);
        }
    }

    boolean atEnd() {
        return at == end;
    }

    long varint() throws DecodingException {
        long value = 0;
        for (int shift = 0; shift < 64; shift += 7) {
            if (at == end) {
                throw endOfInput();
            }
            byte b = in[at++];
            value |= (long) (b & 0x7f) << shift;
            if (b >= 0) {
                return value;
            }
        }
        throw new DecodingException("proto: integer overflow");
    }

    long fixed64() throws DecodingException {
        require(8);
        long value = 0;
        for (int i = 7; i >= 0; i--) {
            value = (value << 8) | (in[at + i] & 0xff);
        }
        at += 8;
        return value;
    }

    /** The message in the current field. */
    WireReader message() throws DecodingException {
        expect(BYTES);
        return packed();
    }

    /** The bytes of the current field as a reader of their own. */
    WireReader packed() throws DecodingException {
        int length = length();
        at += length;
        return new WireReader(in, at - length, at);
    }

    String string() throws DecodingException {
        expect(BYTES);
        int length = length();
        at += length;
        return Utf8.decode(in, at - length, at);
    }

    byte[] bytes() throws DecodingException {
        expect(BYTES);
        int length = length();
        at += length;
        return Arrays.copyOfRange(in, at - length, at);
    }

    private int length() throws DecodingException {
        long length = varint();
        if (length < 0 || length > end - at) {
            throw endOfInput();
        }
        return (int) length;
    }

    private void require(int count) throws DecodingException {
        if (end - at < count) {
            throw endOfInput();
        }
    }

    /** Passes over a field nobody knows. */
    void skip() throws DecodingException {
        int depth = 0;
        do {
            switch (wireType) {
                case VARINT -> varint();
                case FIXED64 -> {
                    require(8);
                    at += 8;
                }
                case BYTES -> {
                    int length = length();
                    at += length;
                }
                case START_GROUP -> depth++;
                case END_GROUP -> depth--;
                case FIXED32 -> {
                    require(4);
                    at += 4;
                }
                default -> throw new DecodingException("proto: illegal wireType " + wireType);
            }
            if (depth < 0 || depth > MAX_GROUP_DEPTH) {
                throw new DecodingException("proto: unexpected end of group");
            }
        } while (depth > 0 && nextInGroup());
    }

    private boolean nextInGroup() throws DecodingException {
        if (!next()) {
            throw endOfInput();
        }
        return true;
    }

    static DecodingException endOfInput() {
        return new DecodingException("unexpected EOF");
    }
}
