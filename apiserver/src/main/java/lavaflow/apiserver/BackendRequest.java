package lavaflow.apiserver;

import java.io.IOException;

/**
 * A client's request as a kubelet, or a program in a pod, gets to read it. It learns nothing of who asks: this server has decided about that.
 *
 * @param host as the other server is called
 * @param target path and query there
 * @param proxied true where the answer is a program's, to be shown below a path of this server
 * @param prefix of the paths of such a program here
 */
record BackendRequest(Exchange exchange, String host, String target, boolean proxied, String prefix)
        implements PassedRequest {
    @Override
    public boolean isRepeatable() {
        return !RemoteRequest.hasBody(exchange);
    }

    @Override
    public void send(RemoteConnection connection) throws IOException {
        StringBuilder head = head();
        boolean body = RemoteRequest.hasBody(exchange);
        if (body) {
            RemoteRequest.header(head, "Transfer-Encoding", "chunked");
        }
        connection.write(head.append("\r\n").toString());
        if (body) {
            connection.writeChunked(exchange.body());
        }
        connection.flush();
    }

    @Override
    public void sendUpgrade(RemoteConnection connection, String protocol) throws IOException {
        StringBuilder head = head();
        RemoteRequest.header(head, "Connection", "Upgrade");
        RemoteRequest.header(head, "Upgrade", protocol);
        if (RemoteRequest.hasBody(exchange)) {
            RemoteRequest.header(head, "Content-Length", "0");
        }
        connection.write(head.append("\r\n").toString());
        connection.flush();
    }

    private StringBuilder head() {
        StringBuilder head = new StringBuilder(1024);
        head.append(exchange.method()).append(' ').append(target).append(" HTTP/1.1\r\n");
        String asked = exchange.header("Host");
        RemoteRequest.header(head, "Host", proxied && asked != null ? asked : host);
        RemoteRequest.passHeaders(exchange, head);
        if (proxied) {
            int mark = target.indexOf('?');
            RemoteRequest.header(head, "X-Forwarded-Uri", prefix + (mark < 0 ? target : target.substring(0, mark)));
            if (asked != null) {
                RemoteRequest.header(head, "X-Forwarded-Host", asked);
            }
            RemoteRequest.header(head, "X-Forwarded-Proto", "https");
        }
        return head;
    }

    /** A program does not know the path it is shown below, so where it points to something of its own the path is added. */
    @Override
    public String answered(String header, String value) {
        if (!proxied || !header.equalsIgnoreCase("Location")) {
            return value;
        }
        String path = value;
        for (String scheme : new String[] {"http://", "https://"}) {
            String asked = exchange.header("Host");
            for (String own : new String[] {host, asked == null ? host : asked}) {
                if (path.startsWith(scheme + own + "/")) {
                    path = path.substring(scheme.length() + own.length());
                }
            }
        }
        boolean own = path.startsWith("/") && !path.startsWith("//");
        return own && !path.startsWith(prefix + "/") ? prefix + path : value;
    }

    @Override
    public boolean isRewritten(String type) {
        return proxied && type.split(";", 2)[0].strip().equalsIgnoreCase("text/html");
    }

    @Override
    public void unreachable(IOException failure) {
        throw proxied
                ? lavaflow.kube.ApiException.of(
                        503, "ServiceUnavailable", "error trying to reach service: " + WebhookTrust.goText(failure))
                : lavaflow.kube.ApiException.of(500, "", "error dialing backend: " + WebhookTrust.goText(failure));
    }

    @Override
    public void unavailable(String why) {
        throw lavaflow.kube.ApiException.of(500, "", why);
    }
}
