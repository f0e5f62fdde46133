package lavaflow.remote;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Puts lines together that come in pieces. */
final class Lines {
    /** No object is as large; something that is no watch may be. */
    static final int LONGEST = 64 << 20;

    private byte[] rest = new byte[0];

    /** The lines that are complete with these bytes. */
    List<byte[]> add(byte[] chunk) {
        List<byte[]> lines = new ArrayList<>();
        int from = 0;
        for (int i = 0; i < chunk.length; i++) {
            if (chunk[i] == '\n') {
                byte[] line = joined(chunk, from, i);
                rest = new byte[0];
                from = i + 1;
                if (line.length > 0) {
                    lines.add(line);
                }
            }
        }
        if (from < chunk.length) {
            rest = joined(chunk, from, chunk.length);
            if (rest.length > LONGEST) {
                throw new IllegalStateException("a line does not end");
            }
        }
        return lines;
    }

    private byte[] joined(byte[] chunk, int from, int to) {
        if (rest.length == 0) {
            return Arrays.copyOfRange(chunk, from, to);
        }
        byte[] joined = Arrays.copyOf(rest, rest.length + to - from);
        System.arraycopy(chunk, from, joined, rest.length, to - from);
        return joined;
    }
}
