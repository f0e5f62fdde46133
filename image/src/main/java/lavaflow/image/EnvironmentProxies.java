package lavaflow.image;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.SocketAddress;
import java.net.URI;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The proxies that HTTPS_PROXY, HTTP_PROXY and NO_PROXY name, as every other tool has them; Java looks elsewhere. */
final class EnvironmentProxies extends ProxySelector {
    private final Map<String, String> environment;

    private EnvironmentProxies(Map<String, String> environment) {
        this.environment = environment;
    }

    static ProxySelector of(Map<String, String> environment) {
        return new EnvironmentProxies(environment);
    }

    @Override
    public List<Proxy> select(URI uri) {
        String proxy = value(uri.getScheme() + "_proxy");
        String host = uri.getHost();
        if (proxy.isEmpty() || host == null || Repository.isLoopback(host) || isExcepted(host)) {
            return List.of(Proxy.NO_PROXY);
        }
        URI address = URI.create(proxy.contains("://") ? proxy : "http://" + proxy);
        if (address.getHost() == null) {
            return List.of(Proxy.NO_PROXY);
        }
        int port = address.getPort() < 0 ? 80 : address.getPort();
        return List.of(new Proxy(Proxy.Type.HTTP, InetSocketAddress.createUnresolved(address.getHost(), port)));
    }

    private String value(String name) {
        String small = environment.getOrDefault(name, "");
        return small.isEmpty() ? environment.getOrDefault(name.toUpperCase(Locale.ROOT), "") : small;
    }

    private boolean isExcepted(String host) {
        for (String entry : value("no_proxy").split(",", -1)) {
            String name = entry.trim().replaceFirst("^\\*?\\.", "");
            if (name.equals("*") || (!name.isEmpty() && (host.equals(name) || host.endsWith("." + name)))) {
                return true;
            }
        }
        return false;
    }

    @Override
    public void connectFailed(URI uri, SocketAddress address, IOException problem) {
        // the request that fails tells
    }
}
