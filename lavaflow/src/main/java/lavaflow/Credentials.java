package lavaflow;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Base64;
import java.util.List;

import lavaflow.apiserver.CertificateAuthority;

/** The keys of one local cluster: made at first start, kept private, shared with no other install. */
final class Credentials {
    private final CertificateAuthority authority;
    private final CertificateAuthority.Identity server;
    private final CertificateAuthority.Identity admin;

    private Credentials(
            CertificateAuthority authority, CertificateAuthority.Identity server, CertificateAuthority.Identity admin) {
        this.authority = authority;
        this.server = server;
        this.admin = admin;
    }

    static Credentials loadOrCreate(Home home, String listenHost, Instant now) throws IOException {
        CertificateAuthority.Identity ca = load(home, "ca");
        CertificateAuthority authority =
                ca == null ? CertificateAuthority.create("lavaflow", now) : CertificateAuthority.of(ca);
        if (ca == null) {
            save(home, "ca", authority.identity());
        }
        CertificateAuthority.Identity admin = load(home, "admin");
        if (admin == null) {
            admin = authority.issueClient("lava-admin", List.of("system:masters"), now);
            save(home, "admin", admin);
        }
        CertificateAuthority.Identity server = load(home, "server-" + fileName(listenHost));
        if (server == null) {
            server = issueServer(authority, listenHost, now);
            save(home, "server-" + fileName(listenHost), server);
        }
        return new Credentials(authority, server, admin);
    }

    private static String fileName(String host) {
        return host.replaceAll("[^A-Za-z0-9.-]", "_");
    }

    private static CertificateAuthority.Identity issueServer(
            CertificateAuthority authority, String listenHost, Instant now) {
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

    private static CertificateAuthority.@org.jspecify.annotations.Nullable Identity load(Home home, String name)
            throws IOException {
        Path certificate = home.pki().resolve(name + ".crt");
        Path key = home.pki().resolve(name + ".key");
        if (!Files.exists(certificate) || !Files.exists(key)) {
            return null;
        }
        return CertificateAuthority.parse(Files.readString(certificate), Files.readString(key));
    }

    private static void save(Home home, String name, CertificateAuthority.Identity identity) throws IOException {
        home.writePrivate(home.pki().resolve(name + ".key"), identity.keyPem());
        home.writePrivate(home.pki().resolve(name + ".crt"), identity.certificatePem());
    }

    CertificateAuthority authority() {
        return authority;
    }

    CertificateAuthority.Identity server() {
        return server;
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
                        base64(authority.identity().certificatePem()),
                        base64(admin.certificatePem()),
                        base64(admin.keyPem()));
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(java.nio.charset.StandardCharsets.US_ASCII));
    }
}
