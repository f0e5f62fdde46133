package lavaflow.linux;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * A conversation with the kernel about the network of the namespace it was opened in, whichever thread uses it later. One
 * request at a time.
 */
final class NetlinkSocket implements AutoCloseable {
    static final int ROUTE = 0;
    static final int NETFILTER = 12;

    private static final int AF_NETLINK = 16;
    private static final int RAW_CLOSE_ON_EXEC = 3 | 0x80000;
    private static final int ERROR = 2;
    private static final int DONE = 3;
    private static final int MULTI = 2;
    private static final int ROOM = 32 * 1024;

    private final int socket;
    private final ByteBuffer room = ByteBuffer.allocateDirect(ROOM).order(ByteOrder.nativeOrder());
    private final MemorySegment memory = MemorySegment.ofBuffer(room);
    private int sequence;
    private boolean closed;

    private NetlinkSocket(int socket) {
        this.socket = socket;
    }

    static NetlinkSocket open(int protocol) throws IOException {
        return new NetlinkSocket(NetworkCalls.socket(AF_NETLINK, RAW_CLOSE_ON_EXEC, protocol));
    }

    /** What the kernel answered, each without its header; empty where it only agreed. */
    synchronized List<ByteBuffer> ask(String what, NetlinkMessage message) throws IOException {
        if (closed) {
            throw new IOException(what + ": closed");
        }
        int own = ++sequence;
        byte[] sent = message.finished(own);
        MemorySegment.copy(sent, 0, memory, ValueLayout.JAVA_BYTE, 0, sent.length);
        NetworkCalls.send(socket, memory.asSlice(0, sent.length));
        List<ByteBuffer> answers = new ArrayList<>();
        while (!received(what, own, answers)) {
            // More is to come.
        }
        return answers;
    }

    /** True once the answer is complete. */
    private boolean received(String what, int own, List<ByteBuffer> answers) throws IOException {
        int length = NetworkCalls.receive(socket, memory);
        boolean complete = false;
        int at = 0;
        while (at + NetlinkMessage.HEADER <= length) {
            int size = room.getInt(at);
            int type = room.getShort(at + 4) & 0xffff;
            int flags = room.getShort(at + 6) & 0xffff;
            // What is left of an earlier request that failed halfway concerns nobody.
            if (room.getInt(at + 8) == own) {
                if (type == ERROR) {
                    int errno = -room.getInt(at + NetlinkMessage.HEADER);
                    if (errno != 0) {
                        throw NetworkCalls.failure(what, errno);
                    }
                    complete = true;
                } else if (type == DONE) {
                    complete = true;
                } else {
                    byte[] answer = new byte[size - NetlinkMessage.HEADER];
                    room.get(at + NetlinkMessage.HEADER, answer);
                    answers.add(ByteBuffer.wrap(answer).order(ByteOrder.nativeOrder()));
                    complete |= (flags & MULTI) == 0;
                }
            }
            at += (size + 3) & ~3;
        }
        return complete;
    }

    @Override
    public synchronized void close() {
        if (!closed) {
            closed = true;
            try {
                NetworkCalls.close(socket);
            } catch (KernelException e) {
                // It is closed all the same.
            }
        }
    }
}
