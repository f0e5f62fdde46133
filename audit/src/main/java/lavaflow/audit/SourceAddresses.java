package lavaflow.audit;

import java.util.ArrayList;
import java.util.List;

import lavaflow.kube.IpAddress;

import org.jspecify.annotations.Nullable;

/** Where a request came from: what proxies say, then the address of the connection, which nobody can make up. */
public final class SourceAddresses {
    private SourceAddresses() {}

    public static List<String> of(@Nullable String forwardedFor, @Nullable String realIp, String remote) {
        List<String> addresses = new ArrayList<>();
        if (forwardedFor != null) {
            for (String part : forwardedFor.split(",", -1)) {
                add(addresses, part.strip());
            }
        }
        if (realIp != null) {
            IpAddress address = IpAddress.parse(realIp);
            if (address != null && !addresses.contains(address.toString())) {
                addresses.add(address.toString());
            }
        }
        IpAddress connection = IpAddress.parse(remote);
        if (connection != null && (addresses.isEmpty() || !addresses.getLast().equals(connection.toString()))) {
            addresses.add(connection.toString());
        }
        return addresses;
    }

    private static void add(List<String> addresses, String text) {
        IpAddress address = IpAddress.parse(text);
        if (address != null) {
            addresses.add(address.toString());
        }
    }
}
