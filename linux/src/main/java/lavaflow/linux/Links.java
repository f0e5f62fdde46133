package lavaflow.linux;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

/**
 * Interfaces, addresses and routes (IPv4) of the network namespace it was opened in. Addresses are numbers, the first
 * part of what is written being the most significant. Safe for concurrent use.
 */
public final class Links implements AutoCloseable {
    /** An interface. */
    public record Link(int index, String name, int mtu, boolean up) {}

    /** An address of an interface. */
    public record Address(int link, int address, int prefix) {}

    /** A route; that of everything else has the prefix 0. Number 0 is no interface. */
    public record Route(int destination, int prefix, int link) {}

    /** The end of a pair that goes to another namespace. */
    public record Peer(String name, long hardwareAddress, int namespace) {}

    private static final int NEW_LINK = 16;
    private static final int DELETE_LINK = 17;
    private static final int GET_LINK = 18;
    private static final int NEW_ADDRESS = 20;
    private static final int GET_ADDRESS = 22;
    private static final int NEW_ROUTE = 24;
    private static final int GET_ROUTE = 26;
    private static final int UP = 1;
    private static final int INET = 2;
    private static final int INET6 = 10;
    private static final int MADE = NetlinkMessage.ACKNOWLEDGE | NetlinkMessage.CREATE | NetlinkMessage.EXCLUSIVE;

    private final NetlinkSocket socket;
    /** Interfaces give themselves IPv6 addresses unless told not to; where there is no IPv6, telling them fails. */
    private final boolean inet6 = Files.exists(Path.of("/proc/sys/net/ipv6"));

    private Links(NetlinkSocket socket) {
        this.socket = socket;
    }

    /** Of the calling thread's namespace. */
    public static Links open() throws IOException {
        return new Links(NetlinkSocket.open(NetlinkSocket.ROUTE));
    }

    public Optional<Link> find(String name) throws IOException {
        try {
            NetlinkMessage message =
                    NetlinkMessage.link(GET_LINK, 0, 0, 0, 0, 0).attribute(3, name);
            return socket.ask("interface " + name, message).stream()
                    .map(Links::link)
                    .findFirst();
        } catch (KernelException e) {
            if (e.errno() == KernelException.ENODEV) {
                return Optional.empty();
            }
            throw e;
        }
    }

    public List<Link> all() throws IOException {
        NetlinkMessage message = NetlinkMessage.link(GET_LINK, NetlinkMessage.DUMP, 0, 0, 0, 0);
        return socket.ask("interfaces", message).stream().map(Links::link).toList();
    }

    private static Link link(ByteBuffer answer) {
        int index = answer.getInt(4);
        int flags = answer.getInt(8);
        byte[] name = attribute(answer, 16, 3);
        byte[] mtu = attribute(answer, 16, 4);
        return new Link(
                index,
                name == null ? "" : new String(name, 0, name.length - 1, StandardCharsets.UTF_8),
                mtu == null ? 0 : ByteBuffer.wrap(mtu).order(answer.order()).getInt(),
                (flags & UP) != 0);
    }

    /** The value of an attribute behind the fixed part of an answer. */
    private static byte @Nullable [] attribute(ByteBuffer answer, int fixed, int wanted) {
        int at = fixed;
        while (at + 4 <= answer.limit()) {
            int length = answer.getShort(at) & 0xffff;
            if (length < 4) {
                return null;
            }
            if ((answer.getShort(at + 2) & 0x3fff) == wanted) {
                byte[] value = new byte[length - 4];
                answer.get(at + 4, value);
                return value;
            }
            at += (length + 3) & ~3;
        }
        return null;
    }

    private static int number(byte @Nullable [] address) {
        return address == null || address.length != 4
                ? 0
                : ByteBuffer.wrap(address).getInt();
    }

    private static byte[] bytes(int address) {
        return ByteBuffer.allocate(4).putInt(address).array();
    }

    private static byte[] hardware(long address) {
        return Arrays.copyOfRange(ByteBuffer.allocate(8).putLong(address).array(), 2, 8);
    }

    /** A bridge with an address of its own, which would otherwise change with its ports. */
    public void addBridge(String name, long hardwareAddress, int mtu) throws IOException {
        NetlinkMessage message = NetlinkMessage.link(NEW_LINK, MADE, 0, 0, 0, 0)
                .attribute(3, name)
                .attribute(1, hardware(hardwareAddress))
                .attribute32(4, mtu)
                .nested(18, info -> info.attribute(1, "bridge"));
        socket.ask("bridge " + name, message);
    }

    /** A pair of interfaces: this end a port of a bridge, the other in another namespace. */
    public void addPair(String name, int bridge, int mtu, Peer peer) throws IOException {
        NetlinkMessage message = NetlinkMessage.link(NEW_LINK, MADE, 0, 0, 0, 0)
                .attribute(3, name)
                .attribute32(4, mtu)
                .attribute32(10, bridge)
                .nested(
                        18,
                        info -> info.attribute(1, "veth")
                                .nested(
                                        2,
                                        data -> data.nested(1, end -> {
                                            end.put32(0).put32(0).put32(0).put32(0);
                                            end.attribute(3, peer.name())
                                                    .attribute(1, hardware(peer.hardwareAddress()))
                                                    .attribute32(4, mtu)
                                                    .attribute32(28, peer.namespace());
                                        })));
        socket.ask("interface " + name, message);
    }

    /** Lets a port of a bridge send frames back to where they came from, and switches it on. */
    public void openPort(String name) throws IOException {
        NetlinkMessage message = NetlinkMessage.link(NEW_LINK, NetlinkMessage.ACKNOWLEDGE, 0, 0, UP, UP)
                .attribute(3, name)
                .nested(18, info -> info.attribute(4, "bridge").nested(5, data -> data.attribute8(4, 1)));
        withoutOwnAddresses(message);
        socket.ask("port " + name, message);
    }

    /** Keeps an interface from giving itself addresses. */
    public void plain(String name) throws IOException {
        if (inet6) {
            NetlinkMessage message = NetlinkMessage.link(NEW_LINK, NetlinkMessage.ACKNOWLEDGE, 0, 0, 0, 0)
                    .attribute(3, name);
            withoutOwnAddresses(message);
            socket.ask("interface " + name, message);
        }
    }

    private void withoutOwnAddresses(NetlinkMessage message) {
        if (inet6) {
            message.nested(26, families -> families.nested(INET6, family -> family.attribute8(8, 1)));
        }
    }

    public void up(String name) throws IOException {
        NetlinkMessage message = NetlinkMessage.link(NEW_LINK, NetlinkMessage.ACKNOWLEDGE, 0, 0, UP, UP)
                .attribute(3, name);
        socket.ask("interface " + name, message);
    }

    /** False where there was none. */
    public boolean delete(String name) throws IOException {
        try {
            NetlinkMessage message = NetlinkMessage.link(DELETE_LINK, NetlinkMessage.ACKNOWLEDGE, 0, 0, 0, 0)
                    .attribute(3, name);
            socket.ask("interface " + name, message);
            return true;
        } catch (KernelException e) {
            if (e.errno() == KernelException.ENODEV) {
                return false;
            }
            throw e;
        }
    }

    /**
     * Gives an interface an address.
     *
     * @param neighbours whether others of the network are reached directly
     */
    public void addAddress(int link, int address, int prefix, boolean neighbours) throws IOException {
        NetlinkMessage message = new NetlinkMessage(NEW_ADDRESS, MADE)
                .put8(INET)
                .put8(prefix)
                .put8(0)
                .put8(0)
                .put32(link)
                .attribute(2, bytes(address))
                .attribute(1, bytes(address));
        if (!neighbours) {
            message.attribute32(8, 0x200);
        }
        socket.ask("address", message);
    }

    public List<Address> addresses() throws IOException {
        NetlinkMessage message = new NetlinkMessage(GET_ADDRESS, NetlinkMessage.DUMP)
                .put8(INET)
                .put8(0)
                .put8(0)
                .put8(0)
                .put32(0);
        List<Address> addresses = new ArrayList<>();
        for (ByteBuffer answer : socket.ask("addresses", message)) {
            addresses.add(new Address(answer.getInt(4), number(attribute(answer, 8, 2)), answer.get(1) & 0xff));
        }
        return addresses;
    }

    /**
     * Adds a route, beside others to the same place.
     *
     * @param gateway 0 where the destination is on the link
     */
    public void addRoute(int link, int destination, int prefix, int gateway) throws IOException {
        int onLink = 253;
        int flags = NetlinkMessage.ACKNOWLEDGE | NetlinkMessage.CREATE | NetlinkMessage.APPEND;
        NetlinkMessage message =
                route(NEW_ROUTE, flags, prefix, gateway == 0 ? onLink : 0).attribute32(4, link);
        if (prefix > 0) {
            message.attribute(1, bytes(destination));
        }
        if (gateway != 0) {
            message.attribute(5, bytes(gateway));
        }
        socket.ask("route", message);
    }

    private static NetlinkMessage route(int type, int flags, int prefix, int scope) {
        int main = 254;
        int boot = 3;
        int unicast = 1;
        return new NetlinkMessage(type, flags)
                .put8(INET)
                .put8(prefix)
                .put8(0)
                .put8(0)
                .put8(main)
                .put8(boot)
                .put8(scope)
                .put8(unicast)
                .put32(0);
    }

    /** The routes of all tables. */
    public List<Route> routes() throws IOException {
        List<Route> routes = new ArrayList<>();
        for (ByteBuffer answer : socket.ask("routes", route(GET_ROUTE, NetlinkMessage.DUMP, 0, 0))) {
            byte[] link = attribute(answer, 12, 4);
            routes.add(new Route(
                    number(attribute(answer, 12, 1)),
                    answer.get(1) & 0xff,
                    link == null
                            ? 0
                            : ByteBuffer.wrap(link).order(answer.order()).getInt()));
        }
        return routes;
    }

    @Override
    public void close() {
        socket.close();
    }
}
