package lavaflow;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;

import lavaflow.apiserver.CertificateRequest;
import lavaflow.apiserver.Identity;
import lavaflow.controller.KubeApi;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Asks the signers of a cluster for certificates, as kubelets do, and waits for whoever approves that. */
final class CertificateRequests {
    private static final Logger LOG = LoggerFactory.getLogger(CertificateRequests.class);
    private static final KubeApi.Kind REQUESTS =
            new KubeApi.Kind("certificates.k8s.io", "v1", "certificatesigningrequests", false);
    private static final Duration POLL = Duration.ofMinutes(1);
    private static final Duration PAUSE = Duration.ofSeconds(1);
    /** Some clusters approve at once; only where nobody does, somebody has to be told. */
    private static final Duration AT_ONCE = Duration.ofSeconds(2);

    /** What a node asks for. */
    enum Purpose {
        CLIENT("kubernetes.io/kube-apiserver-client-kubelet", "node-csr-", "client auth"),
        SERVER("kubernetes.io/kubelet-serving", "csr-", "server auth");

        private final String signer;
        private final String prefix;
        private final String usage;

        Purpose(String signer, String prefix, String usage) {
            this.signer = signer;
            this.prefix = prefix;
            this.usage = usage;
        }
    }

    private final KubeApi api;

    CertificateRequests(KubeApi api) {
        this.api = api;
    }

    /**
     * Waits as long as it takes.
     *
     * @param names what a server is called; empty for clients
     * @param addresses where it is
     */
    Identity ask(Purpose purpose, String node, List<String> names, List<String> addresses)
            throws IOException, InterruptedException {
        CertificateRequest request =
                CertificateRequest.create("system:node:" + node, List.of("system:nodes"), names, addresses);
        ObjectNode object = Json.object();
        object.put("kind", "CertificateSigningRequest").put("apiVersion", "certificates.k8s.io/v1");
        object.putObject("metadata").put("generateName", purpose.prefix);
        ObjectNode spec = object.putObject("spec");
        spec.put("request", Base64.getEncoder().encodeToString(request.pem().getBytes(StandardCharsets.US_ASCII)));
        spec.put("signerName", purpose.signer);
        spec.putArray("usages").add("digital signature").add(purpose.usage);
        String name = Json.textAt(api.create(REQUESTS, "", object), "metadata", "name");
        return request.answered(await(name));
    }

    private String await(String name) throws IOException, InterruptedException {
        Patience patience = new Patience(name);
        while (true) {
            try {
                Optional<String> issued = follow(name, patience);
                if (issued.isPresent()) {
                    return issued.get();
                }
            } catch (ApiException e) {
                if (e.code() < 500 && e.code() != 410 && e.code() != 429) {
                    throw new IOException(e.getMessage(), e);
                }
            }
            Thread.sleep(PAUSE);
        }
    }

    private Optional<String> follow(String name, Patience patience) throws IOException, InterruptedException {
        KubeApi.Scope scope = KubeApi.Scope.of("", name);
        List<ObjectNode> found = new ArrayList<>();
        long revision = api.list(REQUESTS, scope, KubeApi.View.WHOLE, found::add);
        if (found.isEmpty()) {
            throw new IOException("the request " + name + " for a certificate was deleted");
        }
        Optional<String> issued = issued(found.getFirst());
        if (issued.isPresent()) {
            return issued;
        }
        try (KubeApi.Watch watch = api.watch(REQUESTS, scope, revision, KubeApi.View.WHOLE)) {
            while (true) {
                for (KubeApi.Event event : watch.next(patience.next()).events()) {
                    issued = event.deleted() ? Optional.empty() : issued(event.object());
                    if (event.deleted() || issued.isPresent()) {
                        return issued;
                    }
                }
            }
        }
    }

    private static Optional<String> issued(ObjectNode request) throws IOException {
        for (JsonNode condition : Json.listAt(request, "status", "conditions")) {
            String type = Json.textAt(condition, "type");
            if (type.equals("Denied") || type.equals("Failed")) {
                throw new IOException("no certificate: " + Json.textAt(request, "metadata", "name") + " is "
                        + type.toLowerCase(java.util.Locale.ROOT) + ": " + Json.textAt(condition, "message"));
            }
        }
        String certificate = Json.textAt(request, "status", "certificate");
        return certificate.isEmpty()
                ? Optional.empty()
                : Optional.of(new String(Base64.getDecoder().decode(certificate), StandardCharsets.US_ASCII));
    }

    /** Says once, and not at once, what is waited for. */
    private static final class Patience {
        private final String name;
        private boolean tried;
        private boolean said;

        Patience(String name) {
            this.name = name;
        }

        Duration next() {
            if (tried && !said) {
                said = true;
                LOG.info("the node waits for a certificate; somebody has to say: kubectl certificate approve {}", name);
            }
            Duration wait = tried ? POLL : AT_ONCE;
            tried = true;
            return wait;
        }
    }
}
