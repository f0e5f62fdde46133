package lavaflow.apiserver;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import javax.net.ssl.SSLSocketFactory;

import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Where the kubelets of nodes are, and how to be believed by them. */
final class Nodes {
    static final String BUCKET = "nodes";

    private static final int KUBELET_PORT = 10250;
    /** Addresses before names: a small cluster's names are in no DNS. */
    private static final List<String> PREFERRED =
            List.of("InternalIP", "ExternalIP", "Hostname", "InternalDNS", "ExternalDNS");

    private final Stored stored;
    private final @Nullable NodeClient client;
    private final WebhookTrust trust = new WebhookTrust();

    Nodes(Stored stored, @Nullable NodeClient client) {
        this.stored = stored;
        this.client = client;
    }

    /** A kubelet's place, as far as its node tells. */
    record Kubelet(String host, int port) {
        /** As it stands in a URL. */
        String authority() {
            return (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
        }
    }

    @Nullable
    ObjectNode find(String name) {
        return stored.find(BUCKET, name);
    }

    List<ObjectNode> all() {
        return stored.all(BUCKET, "");
    }

    /**
     * @param asked the resource the client asked for, which upstream names where the node is not there
     */
    Kubelet kubelet(String asked, String name) {
        ObjectNode node = find(name);
        if (node == null) {
            throw ApiException.notFound("", asked, name);
        }
        return kubelet(node);
    }

    static Kubelet kubelet(ObjectNode node) {
        List<String> known = new ArrayList<>();
        String best = "";
        int rank = PREFERRED.size();
        for (JsonNode address : Json.listAt(node, "status", "addresses")) {
            String type = Json.textAt(address, "type");
            String text = Json.textAt(address, "address");
            known.add("{" + type + " " + text + "}");
            int here = PREFERRED.indexOf(type);
            if (here >= 0 && here < rank) {
                rank = here;
                best = text;
            }
        }
        if (best.isEmpty()) {
            throw ApiException.of(
                    500, "", "no preferred addresses found; known addresses: [" + String.join(" ", known) + "]");
        }
        long port = Json.longAt(node, 0, "status", "daemonEndpoints", "kubeletEndpoint", "Port");
        return new Kubelet(best, port > 0 ? (int) port : KUBELET_PORT);
    }

    /** @param blindly whether to believe whoever answers there */
    RemoteConnections.Place place(Kubelet kubelet, boolean blindly) throws IOException {
        return new RemoteConnections.Place(
                List.of(new InetSocketAddress(kubelet.host(), kubelet.port())), kubelet.host(), sockets(blindly));
    }

    private SSLSocketFactory sockets(boolean blindly) throws IOException {
        Identity shown = client == null ? null : client.identity().get();
        if (blindly || client == null || client.authority() == null) {
            return trust.sockets("", shown, true);
        }
        byte[] pem = client.authority().getBytes(StandardCharsets.US_ASCII);
        return trust.sockets(Base64.getEncoder().encodeToString(pem), shown, false);
    }

    /** Sockets to programs in pods, which are believed: nobody knows who should have signed their certificates. */
    SSLSocketFactory programs() throws IOException {
        return trust.sockets("programs", null, true);
    }
}
