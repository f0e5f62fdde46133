package lavaflow.remote;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.SocketAddress;
import java.net.URI;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import lavaflow.kube.Cidr;
import lavaflow.kube.IpAddress;

import org.jspecify.annotations.Nullable;

/** The proxy on the way to a server: the one of its kubeconfig, or what the environment says, as Go's programs read it. */
final class Proxies extends ProxySelector {
    private final @Nullable InetSocketAddress proxy;

    private Proxies(@Nullable InetSocketAddress proxy) {
        this.proxy = proxy;
    }

    static Proxies of(ServerAccess access, Map<String, String> environment) {
        if (access.proxy() != null) {
            return new Proxies(address(access.proxy()));
        }
        URI server = URI.create(access.server());
        String wanted = said(environment, server.getScheme().equals("https") ? "https_proxy" : "http_proxy");
        boolean none = wanted.isEmpty() || isLeftOut(server.getHost(), said(environment, "no_proxy"));
        return new Proxies(none ? null : address(wanted));
    }

    private static String said(Map<String, String> environment, String name) {
        String upper = environment.getOrDefault(name.toUpperCase(Locale.ROOT), "");
        return upper.isEmpty() ? environment.getOrDefault(name, "") : upper;
    }

    private static InetSocketAddress address(String url) {
        URI uri;
        try {
            uri = URI.create(url.contains("://") ? url : "http://" + url);
        } catch (IllegalArgumentException _) {
            throw new IllegalArgumentException("the proxy " + url + " is no address");
        }
        if (!"http".equals(uri.getScheme()) || uri.getHost() == null || uri.getUserInfo() != null) {
            throw new IllegalArgumentException(
                    "the proxy of the kubeconfig or of the environment must be http://HOST:PORT, without a password");
        }
        return InetSocketAddress.createUnresolved(uri.getHost(), uri.getPort() < 0 ? 80 : uri.getPort());
    }

    /** Go never asks a proxy for this machine itself. */
    private static boolean isLeftOut(String host, String list) {
        if (host.equals("localhost") || host.startsWith("127.") || host.equals("[::1]")) {
            return true;
        }
        for (String each : list.split(",", -1)) {
            String pattern = each.strip().toLowerCase(Locale.ROOT);
            String suffix = pattern.startsWith("*.") ? pattern.substring(1) : pattern;
            if (!pattern.isEmpty() && (pattern.equals("*") || isOf(host.toLowerCase(Locale.ROOT), suffix))) {
                return true;
            }
        }
        return false;
    }

    private static boolean isOf(String host, String pattern) {
        if (pattern.contains("/")) {
            Cidr range = Cidr.parse(pattern);
            IpAddress address = IpAddress.parse(host);
            return range != null && address != null && range.contains(address);
        }
        String suffix = pattern.startsWith(".") ? pattern : "." + pattern;
        return host.equals(pattern) || host.endsWith(suffix);
    }

    @Override
    public List<Proxy> select(URI uri) {
        return List.of(proxy == null ? Proxy.NO_PROXY : new Proxy(Proxy.Type.HTTP, proxy));
    }

    @Override
    public void connectFailed(URI uri, SocketAddress address, IOException failure) {
        // The request fails with the same, and says so.
    }
}
