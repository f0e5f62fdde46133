package lavaflow.network;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;

import lavaflow.kube.Cidr;

import org.jspecify.annotations.Nullable;

/** A range of IPv4 addresses, as numbers. Its first address names it, the second is the gateway's, the last is for all. */
record AddressRange(int first, int prefix) {
    private static final int LARGEST = 8;
    private static final int SMALLEST = 29;

    AddressRange {
        first &= mask(prefix);
    }

    /** Reads a range that is good for pods; null where it is none. */
    static @Nullable AddressRange parse(String text) {
        Cidr cidr = Cidr.parse(text);
        if (cidr == null || cidr.address().bytes().length != 4) {
            return null;
        }
        if (cidr.prefix() < LARGEST || cidr.prefix() > SMALLEST) {
            return null;
        }
        return new AddressRange(number(cidr.address().bytes()), cidr.prefix());
    }

    static int number(byte[] address) {
        return ByteBuffer.wrap(address).getInt();
    }

    static byte[] bytes(int address) {
        return ByteBuffer.allocate(4).putInt(address).array();
    }

    static Inet4Address address(int number) {
        try {
            return (Inet4Address) InetAddress.getByAddress(bytes(number));
        } catch (UnknownHostException e) {
            throw new IllegalStateException(e);
        }
    }

    static String text(int address) {
        return (address >>> 24) + "." + ((address >>> 16) & 255) + "." + ((address >>> 8) & 255) + "."
                + (address & 255);
    }

    private static int mask(int prefix) {
        return prefix == 0 ? 0 : -1 << (32 - prefix);
    }

    int gateway() {
        return first + 1;
    }

    /** How many pods can have one. */
    int capacity() {
        return (1 << (32 - prefix)) - 3;
    }

    /** The address of a pod, counted from 0. */
    int pod(int number) {
        return first + 2 + number;
    }

    /** Which pod's an address is; outside 0 to {@link #capacity} it is none's. */
    int podNumber(int address) {
        return address - first - 2;
    }

    boolean contains(int address) {
        return (address & mask(prefix)) == first;
    }

    boolean overlaps(int otherFirst, int otherPrefix) {
        int shared = mask(Math.min(prefix, otherPrefix));
        return (first & shared) == (otherFirst & shared);
    }

    @Override
    public String toString() {
        return text(first) + "/" + prefix;
    }
}
