package lavaflow.cel;

/** A uint: the bits of an unsigned 64-bit number. */
public record UnsignedLong(long bits) implements Comparable<UnsignedLong> {
    @Override
    public int compareTo(UnsignedLong other) {
        return Long.compareUnsigned(bits, other.bits);
    }

    @Override
    public String toString() {
        return Long.toUnsignedString(bits);
    }
}
