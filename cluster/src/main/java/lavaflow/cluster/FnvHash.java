package lavaflow.cluster;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;

/** The hash by which upstream puts ports and subsets in order: FNV-1a of 128 bits over what Go prints of them. */
final class FnvHash {
    private static final BigInteger OFFSET = new BigInteger("6c62272e07bb014262b821756295c58d", 16);
    private static final BigInteger PRIME = new BigInteger("0000000001000000000000000000013b", 16);
    private static final BigInteger MASK = BigInteger.ONE.shiftLeft(128).subtract(BigInteger.ONE);

    private FnvHash() {}

    static BigInteger of(String text) {
        BigInteger hash = OFFSET;
        for (byte each : text.getBytes(StandardCharsets.UTF_8)) {
            hash = hash.xor(BigInteger.valueOf(each & 0xff)).multiply(PRIME).and(MASK);
        }
        return hash;
    }
}
