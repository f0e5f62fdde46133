package lavaflow;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Base64;
import java.util.List;

import lavaflow.access.TokenKeys;
import lavaflow.apiserver.CertificateAuthority;
import lavaflow.apiserver.FrontProxy;
import lavaflow.apiserver.Identity;
import lavaflow.apiserver.NodeClient;

/** The keys of one local cluster: made at first start, kept private, shared with no other install. */
final class Credentials {
    private final Identity authority;
    private final Identity server;
    private final Identity admin;

    private Credentials(Identity authority, Identity server, Identity admin) {
        this.authority = authority;
        this.server = server;
        this.admin = admin;
    }

    static Credentials loadOrCreate(Home home, String listenHost, Instant now) throws IOException {
        Identity authority = load(home, "ca");
        if (authority == null) {
            authority = CertificateAuthority.create("lavaflow", now).identity();
            save(home, "ca", authority);
        }
        Identity admin = load(home, "admin");
        if (admin == null) {
            admin = CertificateAuthority.of(authority).issueClient("lava-admin", List.of("system:masters"), now);
            save(home, "admin", admin);
        }
        String serverFile = "server-" + fileName(listenHost);
        Identity server = load(home, serverFile);
        if (server == null) {
            server = issueServer(CertificateAuthority.of(authority), listenHost, now);
            save(home, serverFile, server);
        }
        return new Credentials(authority, server, admin);
    }

    static String fileName(String host) {
        return host.replaceAll("[^A-Za-z0-9.-]", "_");
    }

    private static Identity issueServer(CertificateAuthority authority, String listenHost, Instant now) {
        List<String> names = new java.util.ArrayList<>(List.of(
                "localhost",
                "kubernetes",
                "kubernetes.default",
                "kubernetes.default.svc",
                "kubernetes.default.svc.cluster.local"));
        List<String> addresses = new java.util.ArrayList<>(List.of("127.0.0.1", "::1", "10.96.0.1"));
        boolean address = listenHost.matches("[0-9.]+") || listenHost.contains(":");
        List<String> where = address ? addresses : names;
        if (!where.contains(listenHost)) {
            where.add(listenHost);
        }
        return authority.issueServer("lavaflow-apiserver", names, addresses, now);
    }

    static @org.jspecify.annotations.Nullable Identity load(Home home, String name) throws IOException {
        Path certificate = home.pki().resolve(name + ".crt");
        Path key = home.pki().resolve(name + ".key");
        if (!Files.exists(certificate) || !Files.exists(key)) {
            return null;
        }
        return Identity.parse(Files.readString(certificate), Files.readString(key));
    }

    static void save(Home home, String name, Identity identity) throws IOException {
        home.writePrivate(home.pki().resolve(name + ".key"), identity.keyPem());
        home.writePrivate(home.pki().resolve(name + ".crt"), identity.certificatePem());
    }

    /**
     * The keys of service-account tokens: made when first needed, kept private. Public keys in files named tokens-*.pub
     * beside it are accepted too, which is how a key is exchanged without ending the tokens of the old one.
     */
    static TokenKeys tokenKeys(Home home) {
        Path file = home.pki().resolve("tokens.key");
        try {
            if (!Files.exists(file)) {
                home.writePrivate(file, TokenKeys.newSigningKey());
            }
            List<String> others = new java.util.ArrayList<>();
            try (var files = Files.newDirectoryStream(home.pki(), "tokens-*.pub")) {
                for (Path other : files) {
                    others.add(Files.readString(other));
                }
            }
            return TokenKeys.of(Files.readString(file), others);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException("cannot read the keys of tokens in " + home.pki(), e);
        }
    }

    Identity authority() {
        return authority;
    }

    Identity server() {
        return server;
    }

    /** What other API servers know this one by: an authority of its own, so that it can sign nobody else. */
    static FrontProxy frontProxy(Home home, Instant now) throws IOException {
        Identity authority = load(home, "front-proxy-ca");
        Identity client = load(home, "front-proxy-client");
        if (authority == null || client == null) {
            CertificateAuthority made = CertificateAuthority.create("front-proxy-ca", now);
            authority = made.identity();
            client = made.issueClient("front-proxy-client", List.of(), now);
            save(home, "front-proxy-ca", authority);
            save(home, "front-proxy-client", client);
        }
        return new FrontProxy(authority.certificate(), client, "front-proxy-client");
    }

    /** The same for a node of another cluster, whose authority is not here: it vouches for itself. */
    static Identity ownNode(Home home, String name, String address) throws IOException {
        String file = "own-node-" + fileName(name + "-" + address);
        Identity node = load(home, file);
        if (node == null) {
            Instant now = Instant.now();
            node = CertificateAuthority.create(name + "-ca", now)
                    .issueServer(name, List.of(name), List.of(address), now);
            save(home, file, node);
        }
        return node;
    }

    /** What the node of this machine shows to those who ask it. */
    Identity node(Home home, String name, String address, Instant now) throws IOException {
        String file = "node-" + fileName(name + "-" + address);
        Identity node = load(home, file);
        if (node == null) {
            node = CertificateAuthority.of(authority)
                    .issueServer("system:node:" + name, List.of(name), List.of(address), now);
            save(home, file, node);
        }
        return node;
    }

    /** What kubelets know this server by, made when first needed. */
    NodeClient nodeClient(Home home, InstantSource clock, NodeTrust trust) {
        return NodeClient.lazily(
                () -> {
                    try {
                        Identity client = load(home, "kube-apiserver-kubelet-client");
                        if (client == null) {
                            client = CertificateAuthority.of(authority)
                                    .issueClient(
                                            "kube-apiserver-kubelet-client",
                                            List.of("system:masters"),
                                            clock.instant());
                            save(home, "kube-apiserver-kubelet-client", client);
                        }
                        return client;
                    } catch (IOException e) {
                        throw new java.io.UncheckedIOException("cannot read the keys in " + home.pki(), e);
                    }
                },
                trust.authorities(authority.certificatePem()));
    }

    /** A kubeconfig for the administrator, complete in itself. */
    String kubeconfig(String url) {
        return """
                apiVersion: v1
                kind: Config
                clusters:
                - name: lava
                  cluster:
                    server: %s
                    certificate-authority-data: %s
                users:
                - name: lava-admin
                  user:
                    client-certificate-data: %s
                    client-key-data: %s
                contexts:
                - name: lava
                  context:
                    cluster: lava
                    user: lava-admin
                current-context: lava
                """.formatted(
                        url,
                        base64(authority.certificatePem()),
                        base64(admin.certificatePem()),
                        base64(admin.ellipticKeyPem()));
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(java.nio.charset.StandardCharsets.US_ASCII));
    }
}
