package lavaflow.linux;

import java.io.IOException;
import java.io.OutputStream;

/** A stream that takes what it is given piece by piece, as much at a time as the other side takes. */
abstract class PieceOutput extends OutputStream {
    /** Sends some of the bytes, at least one, and tells how many. */
    abstract int send(byte[] bytes, int offset, int length) throws IOException;

    @Override
    public final void write(int value) throws IOException {
        write(new byte[] {(byte) value}, 0, 1);
    }

    @Override
    public final void write(byte[] bytes, int offset, int length) throws IOException {
        int at = offset;
        while (at < offset + length) {
            at += send(bytes, at, offset + length - at);
        }
    }

    @Override
    public abstract void close();
}
