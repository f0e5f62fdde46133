package lavaflow.network;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** The name servers of this machine, looked up again now and then: networks change while programs run. */
final class MachineResolvers implements Supplier<List<InetSocketAddress>> {
    private static final int PORT = 53;
    private static final Duration KEPT = Duration.ofSeconds(5);

    private final List<String> own;
    private final LongSupplier nanoTime;
    private List<InetSocketAddress> known = List.of();
    private long untilNanos;
    private boolean read;

    /** @param own addresses of the cluster's name server, who must not ask itself */
    MachineResolvers(List<String> own, LongSupplier nanoTime) {
        this.own = own;
        this.nanoTime = nanoTime;
    }

    @Override
    public synchronized List<InetSocketAddress> get() {
        long now = nanoTime.getAsLong();
        if (!read || untilNanos - now <= 0) {
            List<InetSocketAddress> found = new ArrayList<>();
            for (String server : ResolverFile.ofMachine().nameServers()) {
                if (!own.contains(server)) {
                    add(found, server);
                }
            }
            known = List.copyOf(found);
            untilNanos = now + KEPT.toNanos();
            read = true;
        }
        return known;
    }

    private static void add(List<InetSocketAddress> found, String server) {
        try {
            found.add(new InetSocketAddress(InetAddress.ofLiteral(server), PORT));
        } catch (IllegalArgumentException e) {
            // Not an address: nobody could ask it.
        }
    }
}
