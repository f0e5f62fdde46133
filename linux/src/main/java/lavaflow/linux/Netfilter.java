package lavaflow.linux;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

/** Connections that the kernel keeps track of, and tables of rules, of the network namespace it was opened in (IPv4). */
public final class Netfilter implements AutoCloseable {
    /** A connection as it began, and who answers. Addresses are numbers, as those of {@link Links}. */
    public record Flow(
            int protocol,
            int source,
            int sourcePort,
            int destination,
            int destinationPort,
            int answers,
            int answersPort) {}

    public static final int UDP = 17;

    private static final int GET_TABLE = (10 << 8) | 1;
    private static final int GET_FLOW = (1 << 8) | 1;
    private static final int DELETE_FLOW = (1 << 8) | 2;
    private static final int INET = 2;
    private static final int ORIGINAL = 1;
    private static final int REPLY = 2;

    private final NetlinkSocket socket;

    private Netfilter(NetlinkSocket socket) {
        this.socket = socket;
    }

    public static Netfilter open() throws IOException {
        return new Netfilter(NetlinkSocket.open(NetlinkSocket.NETFILTER));
    }

    private static NetlinkMessage message(int type, int flags) {
        return new NetlinkMessage(type, flags).put8(INET).put8(0).put8(0).put8(0);
    }

    /** Whether there is a table of this name. */
    public boolean hasTable(String name) throws IOException {
        try {
            return !socket.ask("table", message(GET_TABLE, 0).attribute(1, name))
                    .isEmpty();
        } catch (KernelException e) {
            if (e.errno() == KernelException.ENOENT) {
                return false;
            }
            throw e;
        }
    }

    /** Forgets connections: the next packet of each is looked at as if it were the first. Returns how many. */
    public int forget(Predicate<Flow> unwanted) throws IOException {
        List<byte[]> found = new ArrayList<>();
        for (ByteBuffer entry : socket.ask("connections", message(GET_FLOW, NetlinkMessage.DUMP))) {
            ByteBuffer original = part(entry, 4, ORIGINAL);
            ByteBuffer reply = part(entry, 4, REPLY);
            if (original != null && reply != null && unwanted.test(flow(original, reply))) {
                byte[] tuple = new byte[original.remaining()];
                original.duplicate().get(tuple);
                found.add(tuple);
            }
        }
        int forgotten = 0;
        for (byte[] tuple : found) {
            try {
                int nested = 0x8000;
                socket.ask(
                        "connection",
                        message(DELETE_FLOW, NetlinkMessage.ACKNOWLEDGE).attribute(ORIGINAL | nested, tuple));
                forgotten++;
            } catch (KernelException e) {
                if (e.errno() != KernelException.ENOENT) {
                    throw e;
                }
            }
        }
        return forgotten;
    }

    private static Flow flow(ByteBuffer original, ByteBuffer reply) {
        return new Flow(
                number(original, 2, 1),
                number(original, 1, 1),
                number(original, 2, 2),
                number(original, 1, 2),
                number(original, 2, 3),
                number(reply, 1, 1),
                number(reply, 2, 2));
    }

    /** A number in an attribute of an attribute; these are written with the most significant byte first. */
    private static int number(ByteBuffer tuple, int outer, int inner) {
        ByteBuffer part = part(tuple, 0, outer);
        ByteBuffer value = part == null ? null : part(part, 0, inner);
        int number = 0;
        while (value != null && value.hasRemaining()) {
            number = (number << 8) | (value.get() & 0xff);
        }
        return number;
    }

    private static @Nullable ByteBuffer part(ByteBuffer bytes, int from, int wanted) {
        int at = from;
        while (at + 4 <= bytes.limit()) {
            int length = bytes.getShort(at) & 0xffff;
            if (length < 4) {
                return null;
            }
            if ((bytes.getShort(at + 2) & 0x3fff) == wanted) {
                return bytes.slice(at + 4, length - 4).order(bytes.order());
            }
            at += (length + 3) & ~3;
        }
        return null;
    }

    @Override
    public void close() {
        socket.close();
    }
}
