package lavaflow.node;

import java.util.List;

import lavaflow.kube.IpAddress;
import lavaflow.kube.MalformedException;
import lavaflow.kube.Quantity;

/**
 * Addresses of nodes, and a network for the pods of each. Nobody can reach any of them: they only look right.
 *
 * @param podBits how many bits of an address tell the pods of a node apart
 */
record AddressPlan(int podBits) {
    private static final int NODES = (172 << 24) | (16 << 16);
    private static final int PODS = (10 << 24) | (128 << 16);
    private static final int USUAL_BITS = 8;
    private static final int MOST_BITS = 16;

    static AddressPlan of(List<SimShape> shapes) {
        int bits = USUAL_BITS;
        for (SimShape shape : shapes) {
            long pods = amount(shape.resources().getOrDefault("pods", "110"));
            // The first address is the network's, the second its router's, the last is for all.
            while (bits < MOST_BITS && (1L << bits) - 3 < pods) {
                bits++;
            }
        }
        return new AddressPlan(bits);
    }

    private static long amount(String text) {
        try {
            return Quantity.parse(text).value();
        } catch (MalformedException e) {
            return 0;
        }
    }

    private static String text(int address) {
        return (address >>> 24) + "." + ((address >>> 16) & 255) + "." + ((address >>> 8) & 255) + "."
                + (address & 255);
    }

    String ofNode(int number) {
        return text(NODES + number + 1);
    }

    private int network(int number) {
        return PODS + (number << podBits);
    }

    String networkOf(int number) {
        return text(network(number)) + "/" + (32 - podBits);
    }

    /** How many pods of a node can have an address. */
    int podsPerNode() {
        return (1 << podBits) - 3;
    }

    /** The address of a pod, counted from 0. */
    String ofPod(int number, int pod) {
        return text(network(number) + 2 + pod);
    }

    /** Which pod of a node an address is for; -1 if it is none of that node's. */
    int podOf(int number, String address) {
        IpAddress parsed = IpAddress.parse(address);
        if (parsed == null || !parsed.is4()) {
            return -1;
        }
        byte[] bytes = parsed.bytes();
        int value = 0;
        for (int i = bytes.length - 4; i < bytes.length; i++) {
            value = (value << 8) | (bytes[i] & 255);
        }
        int pod = value - network(number) - 2;
        return pod >= 0 && pod < podsPerNode() ? pod : -1;
    }
}
