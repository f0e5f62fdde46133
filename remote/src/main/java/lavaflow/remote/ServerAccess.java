package lavaflow.remote;

import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * How one API server is reached, and as whom.
 *
 * @param server its address, without a slash at the end
 * @param serverName the name its certificate must have; null for that of the address
 * @param authority the certificates that vouch for it, PEM; null where those of the system do
 * @param trusting whether it may show any certificate
 * @param proxy the address of the proxy on the way; null for what the environment says
 * @param identity what is shown to it; null for nothing
 * @param credentials what goes with every request
 * @param acting in whose name the user acts, as headers
 */
record ServerAccess(
        String server,
        @Nullable String serverName,
        @Nullable String authority,
        boolean trusting,
        @Nullable String proxy,
        @Nullable Identity identity,
        Credentials credentials,
        List<Map.Entry<String, String>> acting) {
    /** A certificate with its key, both PEM. */
    record Identity(String certificate, String key) {
        /** Nothing of the key: this may end up in a log. */
        @Override
        public String toString() {
            return "a certificate with its key";
        }
    }

    /** The same server as nobody. */
    ServerAccess ofNobody() {
        return new ServerAccess(server, serverName, authority, trusting, proxy, null, Credentials.none(), List.of());
    }

    /** The same at another address. */
    ServerAccess at(String address) {
        return new ServerAccess(address, serverName, authority, trusting, proxy, identity, credentials, acting);
    }
}
