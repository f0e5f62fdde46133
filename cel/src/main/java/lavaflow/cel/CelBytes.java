package lavaflow.cel;

import java.util.Arrays;

import org.jspecify.annotations.Nullable;

/** Bytes. The array must not be changed. */
@SuppressWarnings("ArrayRecordComponent") // equality is of contents, below
public record CelBytes(byte[] bytes) implements Comparable<CelBytes> {
    public int size() {
        return bytes.length;
    }

    @Override
    public int compareTo(CelBytes other) {
        return Arrays.compareUnsigned(bytes, other.bytes);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof CelBytes that && Arrays.equals(bytes, that.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }
}
