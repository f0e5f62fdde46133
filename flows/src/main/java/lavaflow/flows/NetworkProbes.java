package lavaflow.flows;

import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.Socket;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Map;

/** Asks over the network, and waits a second at most. */
public final class NetworkProbes implements Probes {
    private static final int PATIENCE_MILLIS = 1000;

    @Override
    public boolean accepts(String host, int port) {
        try (Socket socket = new Socket(Proxy.NO_PROXY)) {
            socket.connect(new InetSocketAddress(host, port), PATIENCE_MILLIS);
            return true;
        } catch (IOException | IllegalArgumentException _) {
            return false;
        }
    }

    @Override
    public boolean answers(String host, int port, String path, Map<String, String> headers) {
        try {
            URI uri = new URI("http", null, host, port, path.startsWith("/") ? path : "/" + path, null, null);
            HttpURLConnection connection = (HttpURLConnection) uri.toURL().openConnection(Proxy.NO_PROXY);
            try {
                connection.setConnectTimeout(PATIENCE_MILLIS);
                connection.setReadTimeout(PATIENCE_MILLIS);
                connection.setInstanceFollowRedirects(false);
                headers.forEach(connection::setRequestProperty);
                int code = connection.getResponseCode();
                return code >= 200 && code < 400;
            } finally {
                connection.disconnect();
            }
        } catch (IOException | URISyntaxException | IllegalArgumentException _) {
            return false;
        }
    }
}
