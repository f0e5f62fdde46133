package lavaflow.cel;

import java.util.Arrays;

import org.jspecify.annotations.Nullable;

/** Addresses and networks as Go's package netip reads and prints them: strict, with zones, IPv4-mapped ones refused. */
final class NetworkValues {
    private NetworkValues() {}

    /** An address of four or sixteen bytes. */
    @SuppressWarnings("ArrayRecordComponent") // equality is of contents, below
    record Ip(byte[] bytes, String zone) implements TypedValue {
        @Override
        public CelType type() {
            return CelType.IP;
        }

        boolean isV4() {
            return bytes.length == 4;
        }

        boolean isMapped() {
            if (isV4()) {
                return false;
            }
            for (int i = 0; i < 10; i++) {
                if (bytes[i] != 0) {
                    return false;
                }
            }
            return bytes[10] == -1 && bytes[11] == -1;
        }

        boolean isUnspecified() {
            for (byte b : bytes) {
                if (b != 0) {
                    return false;
                }
            }
            return zone.isEmpty();
        }

        boolean isLoopback() {
            return isV4() ? bytes[0] == 127 : bytes[15] == 1 && allZero(15);
        }

        private boolean allZero(int end) {
            for (int i = 0; i < end; i++) {
                if (bytes[i] != 0) {
                    return false;
                }
            }
            return true;
        }

        boolean isLinkLocalMulticast() {
            return isV4()
                    ? bytes[0] == (byte) 224 && bytes[1] == 0 && bytes[2] == 0
                    : bytes[0] == (byte) 0xff && (bytes[1] & 0x0f) == 2;
        }

        boolean isLinkLocalUnicast() {
            return isV4()
                    ? bytes[0] == (byte) 169 && bytes[1] == (byte) 254
                    : bytes[0] == (byte) 0xfe && (bytes[1] & 0xc0) == 0x80;
        }

        boolean isMulticast() {
            return isV4() ? (bytes[0] & 0xf0) == 0xe0 : bytes[0] == (byte) 0xff;
        }

        boolean isGlobalUnicast() {
            boolean broadcast = isV4() && Arrays.equals(bytes, new byte[] {-1, -1, -1, -1});
            return !isUnspecified() && !broadcast && !isLoopback() && !isMulticast() && !isLinkLocalUnicast();
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Ip ip && Arrays.equals(bytes, ip.bytes) && zone.equals(ip.zone);
        }

        @Override
        public int hashCode() {
            return Arrays.hashCode(bytes);
        }

        @Override
        public String toString() {
            if (isV4()) {
                return "%d.%d.%d.%d".formatted(bytes[0] & 255, bytes[1] & 255, bytes[2] & 255, bytes[3] & 255);
            }
            return IpText.print(bytes) + (zone.isEmpty() ? "" : "%" + zone);
        }
    }

    /** An address and how many of its first bits name the network. */
    record Network(Ip address, int bits) implements TypedValue {
        @Override
        public CelType type() {
            return CelType.CIDR;
        }

        Network masked() {
            byte[] kept = address.bytes().clone();
            for (int i = 0; i < kept.length; i++) {
                int left = Math.clamp(bits - i * 8L, 0, 8);
                kept[i] &= (byte) (0xff00 >> left);
            }
            return new Network(new Ip(kept, ""), bits);
        }

        boolean contains(Ip other) {
            if (other.bytes().length != address.bytes().length || !other.zone().isEmpty()) {
                return false;
            }
            return new Network(other, bits).masked().equals(masked());
        }

        /** Whether all of the other network is in this one. */
        boolean contains(Network other) {
            return bits <= other.bits
                    && other.address.bytes().length == address.bytes().length
                    && new Network(other.address, bits).masked().equals(masked());
        }

        @Override
        public String toString() {
            return address + "/" + bits;
        }
    }
}
