package lavaflow.cel;

import java.util.function.Predicate;

import lavaflow.kube.GoQuote;

/** Kubernetes' functions on addresses, networks and URLs. */
final class NetworkFunctions {
    private NetworkFunctions() {}

    static void register(Implementations all) {
        all.overload("string_to_ip", args -> ip((String) args[0]));
        all.overload("is_ip", args -> succeeds(() -> ip((String) args[0])));
        all.overload("ip_is_canonical", args -> ip((String) args[0]).toString().equals(args[0]));
        all.overload("ip_family", args -> ((NetworkValues.Ip) args[0]).isV4() ? 4L : 6L);
        is(all, "ip_is_unspecified", NetworkValues.Ip::isUnspecified);
        is(all, "ip_is_loopback", NetworkValues.Ip::isLoopback);
        is(all, "ip_is_link_local_multicast", NetworkValues.Ip::isLinkLocalMulticast);
        is(all, "ip_is_link_local_unicast", NetworkValues.Ip::isLinkLocalUnicast);
        is(all, "ip_is_global_unicast", NetworkValues.Ip::isGlobalUnicast);
        all.overload("string_to_cidr", args -> {
            try {
                return network((String) args[0]);
            } catch (CelException wrong) {
                throw new CelException("network address parse error during conversion from string: " + wrong.text());
            }
        });
        all.overload("is_cidr", args -> succeeds(() -> network((String) args[0])));
        all.overload("cidr_ip", args -> ((NetworkValues.Network) args[0]).address());
        all.overload("cidr_masked", args -> ((NetworkValues.Network) args[0]).masked());
        all.overload("cidr_prefix_length", args -> (long) ((NetworkValues.Network) args[0]).bits());
        all.overload(
                "cidr_contains_ip_ip", args -> ((NetworkValues.Network) args[0]).contains((NetworkValues.Ip) args[1]));
        all.overload("cidr_contains_ip_string", args -> {
            NetworkValues.Ip other = orNoOverload(() -> ip((String) args[1]));
            return ((NetworkValues.Network) args[0]).contains(other);
        });
        all.overload(
                "cidr_contains_cidr",
                args -> ((NetworkValues.Network) args[0]).contains((NetworkValues.Network) args[1]));
        all.overload("cidr_contains_cidr_string", args -> {
            String text = (String) args[1];
            try {
                return ((NetworkValues.Network) args[0]).contains(network(text));
            } catch (CelException wrong) {
                throw new CelException("network address parse error during conversion from string: " + wrong.text());
            }
        });
        urls(all);
    }

    private static void urls(Implementations all) {
        all.overload("string_to_url", args -> {
            try {
                return GoUrl.parseRequest((String) args[0]);
            } catch (CelException wrong) {
                throw new CelException("URL parse error during conversion from string: " + wrong.text());
            }
        });
        all.overload("is_url_string", args -> succeeds(() -> GoUrl.parseRequest((String) args[0])));
        all.overload("url_get_scheme", args -> ((GoUrl) args[0]).scheme());
        all.overload("url_get_host", args -> ((GoUrl) args[0]).host());
        all.overload("url_get_hostname", args -> ((GoUrl) args[0]).hostname());
        all.overload("url_get_port", args -> ((GoUrl) args[0]).port());
        all.overload("url_get_escaped_path", args -> ((GoUrl) args[0]).escapedPath());
        all.overload("url_get_query", args -> ((GoUrl) args[0]).query());
    }

    private static void is(Implementations all, String overload, Predicate<NetworkValues.Ip> test) {
        all.overload(overload, args -> test.test((NetworkValues.Ip) args[0]));
    }

    private static Object succeeds(Runnable parse) {
        try {
            parse.run();
            return true;
        } catch (CelException wrong) {
            return false;
        }
    }

    private static <T> T orNoOverload(java.util.function.Supplier<T> parse) {
        try {
            return parse.get();
        } catch (CelException wrong) {
            throw Errors.noSuchOverload();
        }
    }

    private static NetworkValues.Ip ip(String text) {
        NetworkValues.Ip ip;
        try {
            ip = IpText.parse(text);
        } catch (CelException wrong) {
            throw new CelException("IP Address " + GoQuote.quote(text) + " parse error during conversion from string: "
                    + wrong.text());
        }
        if (!ip.zone().isEmpty()) {
            throw new CelException("IP address " + GoQuote.quote(text) + " with zone value is not allowed");
        }
        if (ip.isMapped()) {
            throw new CelException("IPv4-mapped IPv6 address " + GoQuote.quote(text) + " is not allowed");
        }
        return ip;
    }

    private static NetworkValues.Network network(String text) {
        NetworkValues.Network network;
        try {
            network = IpText.parseNetwork(text);
        } catch (CelException wrong) {
            throw new CelException("network address parse error during conversion from string: " + wrong.text());
        }
        if (network.address().isMapped()) {
            throw new CelException("IPv4-mapped IPv6 address " + GoQuote.quote(text) + " is not allowed");
        }
        return network;
    }
}
