package lavaflow.nodeserver;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;

/** Keys and certificates, made by the JDK's own tool. */
final class TestingKeys {
    private static final String PASSWORD = "testing";

    private final KeyStore store;

    private TestingKeys(KeyStore store) {
        this.store = store;
    }

    /** A pair of keys that certifies itself; more words are options of the tool. */
    static TestingKeys selfSigned(Path directory, String name, String... more) throws Exception {
        Path file = directory.resolve(name.replaceAll("[^a-z]", "") + ".p12");
        List<String> line = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-keyalg",
                "EC",
                "-groupname",
                "secp256r1",
                "-alias",
                "key",
                "-dname",
                name,
                "-keystore",
                file.toString(),
                "-storetype",
                "PKCS12",
                "-storepass",
                PASSWORD));
        line.addAll(List.of(more));
        Process tool = new ProcessBuilder(line).redirectErrorStream(true).start();
        String said = new String(tool.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
        if (tool.waitFor() != 0) {
            throw new IOException(said);
        }
        KeyStore store = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(file)) {
            store.load(in, PASSWORD.toCharArray());
        }
        return new TestingKeys(store);
    }

    PrivateKey key() throws GeneralSecurityException {
        return (PrivateKey) store.getKey("key", PASSWORD.toCharArray());
    }

    X509Certificate certificate() throws GeneralSecurityException {
        return (X509Certificate) store.getCertificate("key");
    }

    /** Shows this certificate, and believes every server. */
    SSLContext client() throws GeneralSecurityException {
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(store, PASSWORD.toCharArray());
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), new TrustManager[] {new TestingTrust()}, null);
        return context;
    }

    /** Shows nothing. */
    static SSLContext nobody() throws GeneralSecurityException {
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, new TrustManager[] {new TestingTrust()}, null);
        return context;
    }
}
