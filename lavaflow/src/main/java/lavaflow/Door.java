package lavaflow;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramSocket;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;

import lavaflow.sandbox.OwnNamespaces;

import org.jspecify.annotations.Nullable;

/**
 * Where the API server is reached. A program in a network of its own has two sides: a socket on the machine, which it was handed,
 * and the same port inside, where its pods find it.
 *
 * @param listen where users want it
 * @param outside the socket on the machine that somebody opened already; null where this process is on the machine's network
 */
record Door(InetSocketAddress listen, @Nullable ServerSocketChannel outside) {
    private static final InetAddress LOOPBACK = InetAddress.ofLiteral("127.0.0.1");

    /** That of this process, which may have been handed a socket when it was started. */
    static Door of(InetSocketAddress wanted) throws IOException {
        OwnNamespaces.Outside given = OwnNamespaces.outside().orElse(null);
        return given == null
                ? new Door(wanted, null)
                : new Door(new InetSocketAddress(wanted.getAddress(), given.port()), given.socket());
    }

    /** What this process itself listens at. */
    InetSocketAddress inside() {
        return outside == null ? listen : new InetSocketAddress(LOOPBACK, listen.getPort());
    }

    String host() {
        return listen.getHostString();
    }

    /** For clients, who cannot dial the address that means all addresses. */
    String url(int port) {
        String host = isEverywhere() ? LOOPBACK.getHostAddress() : host();
        return "https://" + (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
    }

    private boolean isEverywhere() {
        return host().equals("0.0.0.0") || host().equals("::");
    }

    /** Where programs on the network of this process reach the server. */
    InetSocketAddress local(int port) {
        InetAddress address = inside().getAddress();
        boolean specific = address instanceof Inet4Address && !address.isAnyLocalAddress();
        return new InetSocketAddress(specific ? address : LOOPBACK, port);
    }

    /** What others reach a server at that listens at all addresses: the one this machine would speak from. */
    String advertised() {
        if (outside != null) {
            return LOOPBACK.getHostAddress(); // rules of the node lead pods there
        }
        if (!isEverywhere()) {
            return host();
        }
        try (DatagramSocket socket = new DatagramSocket()) {
            // Choosing a route sends nothing; the address is reserved for documentation.
            socket.connect(new InetSocketAddress(InetAddress.ofLiteral("192.0.2.1"), 9));
            return socket.getLocalAddress().getHostAddress();
        } catch (IOException | UncheckedIOException e) {
            return LOOPBACK.getHostAddress(); // no network
        }
    }
}
