package lavaflow.kube;

import java.util.Arrays;

import org.jspecify.annotations.Nullable;

/**
 * An IP address, read as leniently as upstream reads old fields and judged as strictly as it judges new ones.
 *
 * <p>Never resolves names. IPv4 addresses inside IPv6 ({@code ::ffff:1.2.3.4}) are IPv4 addresses, as for Go.
 */
public final class IpAddress {
    private static final int GROUPS = 8;

    /** Sixteen bytes; IPv4 addresses have the prefix ::ffff. */
    private final byte[] bytes;

    private final boolean mapped;
    private final boolean leadingZeros;

    private IpAddress(byte[] bytes, boolean mapped, boolean leadingZeros) {
        this.bytes = bytes;
        this.mapped = mapped;
        this.leadingZeros = leadingZeros;
    }

    /** Reads an address; null where it is none. Leading zeros are read as decimal. */
    public static @Nullable IpAddress parse(String text) {
        return text.indexOf(':') >= 0 ? parse6(text) : parse4(text);
    }

    private static @Nullable IpAddress parse4(String text) {
        byte[] bytes = new byte[16];
        bytes[10] = bytes[11] = (byte) 0xff;
        String[] parts = text.split("\\.", -1);
        if (parts.length != 4) {
            return null;
        }
        boolean zeros = false;
        for (int i = 0; i < 4; i++) {
            int value = decimal(parts[i], 255);
            if (value < 0) {
                return null;
            }
            zeros |= parts[i].length() > 1 && parts[i].charAt(0) == '0';
            bytes[12 + i] = (byte) value;
        }
        return new IpAddress(bytes, false, zeros);
    }

    /** A number of decimal digits only, at most the given one; -1 where it is not. */
    static int decimal(String digits, int most) {
        int value = 0;
        for (int i = 0; i < digits.length(); i++) {
            char c = digits.charAt(i);
            if (c < '0' || c > '9') {
                return -1;
            }
            value = value * 10 + c - '0';
            if (value > most) {
                return -1;
            }
        }
        return digits.isEmpty() ? -1 : value;
    }

    private static @Nullable IpAddress parse6(String text) {
        int gap = text.indexOf("::");
        if (gap >= 0 && text.indexOf("::", gap + 1) >= 0) {
            return null;
        }
        boolean[] zeros = new boolean[1];
        byte[] head = groups(gap < 0 ? text : text.substring(0, gap), gap < 0, zeros);
        byte[] tail = gap < 0 ? new byte[0] : groups(text.substring(gap + 2), true, zeros);
        if (head == null || tail == null) {
            return null;
        }
        int given = head.length + tail.length;
        // A double colon must stand for at least one group.
        if (gap < 0 ? given != 16 : given >= 16) {
            return null;
        }
        byte[] bytes = Arrays.copyOf(head, 16);
        System.arraycopy(tail, 0, bytes, 16 - tail.length, tail.length);
        return new IpAddress(bytes, isMapped(bytes), zeros[0]);
    }

    private static boolean isMapped(byte[] bytes) {
        for (int i = 0; i < 10; i++) {
            if (bytes[i] != 0) {
                return false;
            }
        }
        return bytes[10] == -1 && bytes[11] == -1;
    }

    private static byte @Nullable [] groups(String text, boolean last, boolean[] zeros) {
        if (text.isEmpty()) {
            return new byte[0];
        }
        String[] parts = text.split(":", -1);
        if (parts.length > GROUPS) {
            return null;
        }
        byte[] bytes = new byte[2 * parts.length];
        for (int i = 0; i < parts.length; i++) {
            String part = parts[i];
            if (last && i == parts.length - 1 && part.indexOf('.') >= 0) {
                IpAddress four = parse4(part);
                if (four == null) {
                    return null;
                }
                zeros[0] |= four.leadingZeros;
                byte[] wider = Arrays.copyOf(bytes, bytes.length + 2);
                System.arraycopy(four.bytes, 12, wider, bytes.length - 2, 4);
                return wider;
            }
            int value = hex(part);
            if (value < 0) {
                return null;
            }
            zeros[0] |= part.length() > 4;
            bytes[2 * i] = (byte) (value >> 8);
            bytes[2 * i + 1] = (byte) value;
        }
        return bytes;
    }

    private static int hex(String digits) {
        int value = 0;
        for (int i = 0; i < digits.length(); i++) {
            int digit = Character.digit(digits.charAt(i), 16);
            if (digit < 0 || digits.charAt(i) > 'f') {
                return -1;
            }
            value = value * 16 + digit;
            if (value > 0xffff) {
                return -1;
            }
        }
        return digits.isEmpty() ? -1 : value;
    }

    /** Four bytes or sixteen. */
    public byte[] bytes() {
        return is4() ? Arrays.copyOfRange(bytes, 12, 16) : bytes.clone();
    }

    public boolean is4() {
        return isMapped(bytes);
    }

    /** Whether an IPv4 address was written as IPv6. */
    public boolean mapped() {
        return mapped;
    }

    /** Whether it was written with zeros that some read as octal. */
    public boolean leadingZeros() {
        return leadingZeros;
    }

    public boolean unspecified() {
        byte[] own = bytes();
        return Arrays.equals(own, new byte[own.length]);
    }

    public boolean loopback() {
        return is4() ? bytes[12] == 127 : equals(parse("::1"));
    }

    public boolean linkLocal() {
        return is4()
                ? (bytes[12] & 0xff) == 169 && (bytes[13] & 0xff) == 254
                : bytes[0] == (byte) 0xfe && (bytes[1] & 0xc0) == 0x80;
    }

    public boolean linkLocalMulticast() {
        return is4()
                ? (bytes[12] & 0xff) == 224 && bytes[13] == 0 && bytes[14] == 0
                : bytes[0] == (byte) 0xff && (bytes[1] & 0x0f) == 2;
    }

    /** This address with all bits behind the prefix cleared; the prefix counts from the address's own width. */
    IpAddress masked(int prefix) {
        byte[] kept = bytes.clone();
        int from = (is4() && !mapped ? 96 : 0) + prefix;
        for (int bit = from; bit < 128; bit++) {
            kept[bit / 8] &= (byte) ~(0x80 >> (bit % 8));
        }
        return new IpAddress(kept, mapped, false);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof IpAddress address && Arrays.equals(bytes, address.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    /** The one form that RFC 5952 allows; mapped addresses are printed as IPv4. */
    @Override
    public String toString() {
        if (is4()) {
            return (bytes[12] & 0xff) + "." + (bytes[13] & 0xff) + "." + (bytes[14] & 0xff) + "." + (bytes[15] & 0xff);
        }
        int start = -1;
        int length = 1;
        for (int i = 0; i < GROUPS; i++) {
            int run = 0;
            while (i + run < GROUPS && group(i + run) == 0) {
                run++;
            }
            if (run > length) {
                start = i;
                length = run;
            }
            i += run;
        }
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < GROUPS; i++) {
            if (i == start) {
                text.append("::");
                i += length - 1;
                continue;
            }
            if (!text.isEmpty() && text.charAt(text.length() - 1) != ':') {
                text.append(':');
            }
            text.append(Integer.toHexString(group(i)));
        }
        return text.toString();
    }

    private int group(int index) {
        return ((bytes[2 * index] & 0xff) << 8) | (bytes[2 * index + 1] & 0xff);
    }
}
