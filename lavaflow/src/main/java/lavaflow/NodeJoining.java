package lavaflow;

import java.io.IOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;

import lavaflow.apiserver.Identity;
import lavaflow.controller.KubeApi;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;
import lavaflow.remote.RemoteKubeApi;
import lavaflow.remote.Settings;

import org.jspecify.annotations.Nullable;

/**
 * How this machine becomes a node of a cluster. It works as itself, as the user {@code system:node:NAME}, with what a node may and no
 * more: who comes with the credentials of somebody else uses them once, to ask for a certificate of the node's own.
 *
 * @param name what the node is called
 * @param settings how it reaches the cluster
 */
record NodeJoining(String name, Settings settings) {
    private static final KubeApi.Kind SELF =
            new KubeApi.Kind("authentication.k8s.io", "v1", "selfsubjectreviews", false);
    private static final String NODE = "system:node:";

    /**
     * Waits until the node has credentials.
     *
     * @param given null for what those say whose kubeconfig it is, or the machine
     */
    static NodeJoining of(Home home, Settings settings, @Nullable String given)
            throws IOException, InterruptedException {
        Settings own = new Settings(file(home), null, settings.userAgent(), settings.perSecond(), settings.burst());
        try {
            return join(home, settings, own, given);
        } catch (ApiException e) {
            // Who brought it here may be gone: tokens for joining live for a day.
            String expected = given == null ? WorkerNode.machineName() : given;
            if (e.code() == 401 && isOf(expected, own, RemoteKubeApi.server(settings))) {
                return new NodeJoining(expected, own);
            }
            throw e;
        }
    }

    private static NodeJoining join(Home home, Settings settings, Settings own, @Nullable String given)
            throws IOException, InterruptedException {
        try (RemoteKubeApi api = new RemoteKubeApi(settings)) {
            String user = user(api);
            boolean itself = user.startsWith(NODE);
            String name = itself ? user.substring(NODE.length()) : given == null ? WorkerNode.machineName() : given;
            if (given != null && !given.equals(name)) {
                throw new CommandFailure(
                        Lava.USAGE, "the kubeconfig is that of the node " + name + ", so it cannot be " + given);
            }
            if (isOf(name, own, api.server())) {
                return new NodeJoining(name, own);
            }
            if (itself) {
                return new NodeJoining(name, settings);
            }
            renew(home, api, name);
            return new NodeJoining(name, own);
        }
    }

    private static Path file(Home home) {
        return home.node().resolve("kubeconfig");
    }

    /** Asks for a certificate and keeps it; waits as long as that takes. */
    static X509Certificate renew(Home home, RemoteKubeApi api, String name) throws IOException, InterruptedException {
        Identity identity =
                new CertificateRequests(api).ask(CertificateRequests.Purpose.CLIENT, name, List.of(), List.of());
        home.writePrivate(file(home), kubeconfig(api, name, identity));
        return identity.certificate();
    }

    /** The certificate that the node itself has asked for; null where it came with credentials that are not its own to renew. */
    static @Nullable X509Certificate certificate(Home home, Settings settings) throws IOException {
        return file(home).equals(settings.kubeconfig()) ? certificate(file(home)) : null;
    }

    private static String user(RemoteKubeApi api) {
        return Json.textAt(
                api.create(
                        SELF,
                        "",
                        Json.object().put("kind", "SelfSubjectReview").put("apiVersion", "authentication.k8s.io/v1")),
                "status",
                "userInfo",
                "username");
    }

    /** Whether a node that was here before can go on as it was: same name, same cluster, and alive. */
    private static boolean isOf(String name, Settings own, String server) throws IOException {
        Path file = own.kubeconfig();
        if (file == null
                || Files.notExists(file)
                || Instant.now().isAfter(certificate(file).getNotAfter().toInstant())) {
            return false;
        }
        try (RemoteKubeApi api = new RemoteKubeApi(own)) {
            return api.server().equals(server) && user(api).equals(NODE + name);
        } catch (ApiException | IllegalArgumentException e) {
            return false; // another cluster does not know it
        }
    }

    private static X509Certificate certificate(Path kubeconfig) throws IOException {
        String text = Files.readString(kubeconfig);
        String encoded = text.replaceAll("(?s).*client-certificate-data: (\\S+).*", "$1");
        return Identity.parseCertificate(new String(Base64.getDecoder().decode(encoded), StandardCharsets.US_ASCII));
    }

    /** Whether it need not be renewed yet. */
    static boolean lasts(X509Certificate certificate, Instant now) {
        return now.isBefore(renewal(certificate));
    }

    /**
     * When the next one is due: between 70 and 90 % of its life, as with kubelets, so that many nodes made at once do not all ask at
     * once. Its number decides, which is random and stays the same.
     */
    static Instant renewal(X509Certificate certificate) {
        Instant begin = certificate.getNotBefore().toInstant();
        Duration life = Duration.between(begin, certificate.getNotAfter().toInstant());
        long chance =
                certificate.getSerialNumber().mod(BigInteger.valueOf(2001)).longValue();
        return begin.plus(life.dividedBy(10_000).multipliedBy(7_000 + chance));
    }

    private static String kubeconfig(RemoteKubeApi api, String name, Identity identity) {
        String authority = api.certificateAuthority();
        return """
                apiVersion: v1
                kind: Config
                clusters:
                - name: cluster
                  cluster:
                    server: %s
                %susers:
                - name: node
                  user:
                    client-certificate-data: %s
                    client-key-data: %s
                contexts:
                - name: %s
                  context:
                    cluster: cluster
                    user: node
                current-context: %s
                """.formatted(
                        api.server(),
                        authority == null ? "" : "    certificate-authority-data: " + base64(authority) + "\n",
                        base64(identity.certificatePem()),
                        base64(identity.ellipticKeyPem()),
                        name,
                        name);
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.US_ASCII));
    }
}
