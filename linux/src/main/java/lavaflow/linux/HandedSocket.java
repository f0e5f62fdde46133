package lavaflow.linux;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.BindException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.nio.ByteOrder;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Locale;

/**
 * A socket that is listened at in one network and served by a program that lives in another: whoever is here opens it, becomes
 * that program, and hands it over by its number. Sockets stay in the network they were opened in.
 */
public final class HandedSocket {
    private static final int INET = 2;
    private static final int INET6 = 10;
    private static final int STREAM = 1;
    private static final int CLOSE_ON_EXEC = 0x80000;
    private static final int SOCKET_LEVEL = 1;
    private static final int REUSE_ADDRESS = 2;
    private static final int BACKLOG = 1024;
    private static final ValueLayout.OfShort PORT = ValueLayout.JAVA_SHORT.withOrder(ByteOrder.BIG_ENDIAN);

    private HandedSocket() {}

    /**
     * Listens at an address of the network this process is in.
     *
     * @throws BindException where somebody else does
     */
    public static OpenFile listen(InetSocketAddress address) throws IOException {
        InetAddress host = address.getAddress();
        int family = host instanceof Inet4Address ? INET : INET6;
        OpenFile socket =
                new OpenFile((int) CLibrary.call("socket", SystemCall.SOCKET, family, STREAM | CLOSE_ON_EXEC, 0));
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment yes = arena.allocateFrom(ValueLayout.JAVA_INT, 1);
            CLibrary.call(
                    "reuse addresses",
                    SystemCall.SETSOCKOPT,
                    socket.number(),
                    SOCKET_LEVEL,
                    REUSE_ADDRESS,
                    yes.address(),
                    yes.byteSize());
            MemorySegment place = place(arena, family, host.getAddress(), address.getPort());
            CLibrary.call("listen at " + address, SystemCall.BIND, socket.number(), place.address(), place.byteSize());
            CLibrary.call("listen at " + address, SystemCall.LISTEN, socket.number(), BACKLOG);
            return socket;
        } catch (SystemException e) {
            socket.close();
            BindException failure = new BindException(e.getMessage());
            failure.initCause(e);
            throw failure;
        }
    }

    /** The port that a socket listens at. */
    public static int port(OpenFile socket) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment place = arena.allocate(28, 4);
            MemorySegment size = arena.allocateFrom(ValueLayout.JAVA_INT, (int) place.byteSize());
            CLibrary.call("name of a socket", SystemCall.GETSOCKNAME, socket.number(), place.address(), size.address());
            return Short.toUnsignedInt(place.get(PORT, 2));
        }
    }

    /** As the kernel wants it: family, port, address; between the last two, in the newer family, a label of flows. */
    private static MemorySegment place(Arena arena, int family, byte[] host, int port) {
        MemorySegment place = arena.allocate(family == INET ? 16 : 28, 4);
        place.set(ValueLayout.JAVA_SHORT, 0, (short) family);
        place.set(PORT, 2, (short) port);
        MemorySegment.copy(host, 0, place, ValueLayout.JAVA_BYTE, family == INET ? 4 : 8, host.length);
        return place;
    }

    /**
     * What was handed over, as a channel. Java gives none for a number, so one of its own, which nobody knows of yet, is made to
     * mean the other socket.
     *
     * @param number under which this process got it
     */
    public static ServerSocketChannel adopt(int number) throws IOException {
        ServerSocketChannel channel = ServerSocketChannel.open(StandardProtocolFamily.INET);
        try {
            channel.bind(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0));
            int own = number(((InetSocketAddress) channel.getLocalAddress()).getPort());
            CLibrary.call("hand over a socket", SystemCall.DUP3, number, own, CLOSE_ON_EXEC);
            CLibrary.call("close", SystemCall.CLOSE, number);
            return channel;
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    /** Under which number this process has the socket that listens at a port of 127.0.0.1. */
    private static int number(int port) throws IOException {
        String place = String.format(Locale.ROOT, "0100007F:%04X", port);
        for (String line : Files.readAllLines(Path.of("/proc/thread-self/net/tcp"))) {
            String[] fields = line.strip().split("\\s+", -1);
            if (fields.length > 9 && fields[1].equals(place) && fields[3].equals("0A")) {
                return numberOf(Path.of("socket:[" + fields[9] + "]"));
            }
        }
        throw new IOException("nobody listens at port " + port);
    }

    private static int numberOf(Path file) throws IOException {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
            for (Path each : files) {
                try {
                    if (Files.readSymbolicLink(each).equals(file)) {
                        return Integer.parseInt(each.getFileName().toString());
                    }
                } catch (NoSuchFileException e) {
                    // Closed meanwhile.
                }
            }
        }
        throw new IOException("this process does not have " + file);
    }
}
