package lavaflow.fairness;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * Deals each flow a hand of queues: flows share one queue often, but hardly ever a whole hand, so a flow that fills its queues
 * leaves others at least one.
 */
final class ShuffleSharding {
    private ShuffleSharding() {}

    /** The queues of a flow, all different. */
    static int[] hand(String schema, String flow, int queues, int handSize) {
        long remaining = hash(schema, flow);
        int[] hand = new int[Math.min(handSize, queues)];
        for (int dealt = 0; dealt < hand.length; dealt++) {
            int left = queues - dealt;
            int card = (int) Long.remainderUnsigned(remaining, left);
            remaining = Long.divideUnsigned(remaining, left);
            // A card counts positions among those that are left: step over the ones dealt, in ascending order.
            int place = 0;
            while (place < dealt && hand[place] <= card) {
                card++;
                place++;
            }
            System.arraycopy(hand, place, hand, place + 1, dealt - place);
            hand[place] = card;
        }
        return hand;
    }

    private static long hash(String schema, String flow) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update(schema.getBytes(StandardCharsets.UTF_8));
            digest.update((byte) 0);
            byte[] bytes = digest.digest(flow.getBytes(StandardCharsets.UTF_8));
            long value = 0;
            for (int i = 7; i >= 0; i--) {
                value = value << 8 | (bytes[i] & 0xff);
            }
            return value;
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}
