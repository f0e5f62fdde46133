package lavaflow.linux;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.function.Consumer;

/** Local sockets that keep the borders of what was sent (SOCK_SEQPACKET). */
public final class PacketSocket {
    private static final int UNIX = 1;
    private static final int SEQUENCED_PACKETS = 5;
    private static final int CLOSE_ON_EXEC = 0x80000;
    private static final int MAX_PATH = 107;

    private PacketSocket() {}

    public static Duplex connect(Path path, Consumer<byte[]> received, Runnable ended) throws IOException {
        byte[] name = path.toString().getBytes(StandardCharsets.UTF_8);
        if (name.length > MAX_PATH) {
            throw new IOException("the path of a socket is too long: " + path);
        }
        OpenFile socket = new OpenFile(
                (int) CLibrary.call("socket", SystemCall.SOCKET, UNIX, SEQUENCED_PACKETS | CLOSE_ON_EXEC, 0));
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment address = arena.allocate(2L + MAX_PATH + 1, 8);
            address.set(ValueLayout.JAVA_SHORT, 0, (short) UNIX);
            MemorySegment.copy(name, 0, address, ValueLayout.JAVA_BYTE, 2, name.length);
            CLibrary.call(
                    "connect to " + path, SystemCall.CONNECT, socket.number(), address.address(), 2L + name.length + 1);
            Duplex duplex = new Duplex(socket, "attached", received, ended);
            duplex.begin();
            return duplex;
        } catch (IOException | RuntimeException e) {
            socket.close();
            throw e;
        }
    }
}
