package lavaflow;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.concurrent.CountDownLatch;

/** Where a role listens, as people write it: {@code 127.0.0.1:6443}. */
final class ListenAddress {
    private ListenAddress() {}

    static InetSocketAddress parse(Command command, String option, String text) {
        try {
            URI uri = URI.create("tcp://" + text);
            String host = uri.getHost();
            if (host != null && uri.getPort() >= 0 && uri.getPort() <= 65_535) {
                String bare = host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
                return new InetSocketAddress(InetAddress.getAllByName(bare)[0], uri.getPort());
            }
        } catch (IllegalArgumentException _) {
            // Told below, in one way for every malformed address.
        } catch (UnknownHostException _) {
            throw Arguments.wrong(command, option + ": nobody knows the host of '" + text + "'");
        }
        throw Arguments.wrong(command, option + " wants HOST:PORT, for example 127.0.0.1:6443, not '" + text + "'");
    }

    /** Waits for something that a role does before its process ends. */
    static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }
}
