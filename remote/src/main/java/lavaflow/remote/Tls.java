package lavaflow.remote;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;

import lavaflow.kube.PrivateKeys;

import org.jspecify.annotations.Nullable;

/** Whom a connection trusts, and what it shows. */
final class Tls {
    private static final char[] PASSWORD = "unused".toCharArray();
    private static final int DNS_NAME = 2;
    private static final int ADDRESS = 7;

    private Tls() {}

    static SSLContext of(ServerAccess access) {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(keys(access.identity()), trusted(access), null);
            return context;
        } catch (GeneralSecurityException | IOException e) {
            throw new IllegalArgumentException("the certificates of the kubeconfig do not fit: " + e.getMessage(), e);
        }
    }

    private static KeyManager @Nullable [] keys(ServerAccess.@Nullable Identity identity)
            throws GeneralSecurityException, IOException {
        if (identity == null) {
            return null;
        }
        PrivateKey key = PrivateKeys.find(identity.key().getBytes(StandardCharsets.UTF_8));
        if (key == null) {
            throw new IllegalArgumentException("the client key of the kubeconfig cannot be read");
        }
        KeyStore store = empty();
        store.setKeyEntry(
                "client", key, PASSWORD, certificates(identity.certificate()).toArray(new Certificate[0]));
        KeyManagerFactory factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        factory.init(store, PASSWORD);
        return factory.getKeyManagers();
    }

    /** Null for what Java trusts by itself. */
    private static TrustManager @Nullable [] trusted(ServerAccess access) throws GeneralSecurityException, IOException {
        if (access.trusting()) {
            return new TrustManager[] {new Checked(null, null)};
        }
        if (access.authority() == null && access.serverName() == null) {
            return null;
        }
        KeyStore store = null;
        if (access.authority() != null) {
            store = empty();
            int next = 0;
            for (Certificate each : certificates(access.authority())) {
                store.setCertificateEntry("authority-" + next++, each);
            }
        }
        TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(store);
        TrustManager[] managers = factory.getTrustManagers();
        if (access.serverName() == null) {
            return managers;
        }
        return new TrustManager[] {new Checked((X509ExtendedTrustManager) managers[0], access.serverName())};
    }

    /** In the old form: the new one encrypts each key ten thousand times over, a third of a second for what never leaves memory. */
    private static KeyStore empty() throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance("JKS");
        store.load(null, null);
        return store;
    }

    private static Collection<? extends Certificate> certificates(String pem) throws CertificateException {
        Collection<? extends Certificate> certificates = CertificateFactory.getInstance("X.509")
                .generateCertificates(new ByteArrayInputStream(pem.getBytes(StandardCharsets.UTF_8)));
        if (certificates.isEmpty()) {
            throw new CertificateException("no certificate in the PEM text");
        }
        return certificates;
    }

    /** Looks for another name in a certificate than that of the address; without anybody to ask it trusts everybody. */
    static final class Checked extends X509ExtendedTrustManager {
        private final @Nullable X509ExtendedTrustManager chains;
        private final @Nullable String name;

        Checked(@Nullable X509ExtendedTrustManager chains, @Nullable String name) {
            this.chains = chains;
            this.name = name;
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) throws CertificateException {
            if (chains != null) {
                chains.checkServerTrusted(chain, type);
            }
            if (name != null && !isNamed(chain[0], name)) {
                throw new CertificateException("the server's certificate is not for " + name);
            }
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket)
                throws CertificateException {
            checkServerTrusted(chain, type);
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine)
                throws CertificateException {
            checkServerTrusted(chain, type);
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) throws CertificateException {
            throw new CertificateException("this is a client");
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket)
                throws CertificateException {
            checkClientTrusted(chain, type);
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine)
                throws CertificateException {
            checkClientTrusted(chain, type);
        }

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return chains == null ? new X509Certificate[0] : chains.getAcceptedIssuers();
        }
    }

    static boolean isNamed(X509Certificate certificate, String name) throws CertificateException {
        Collection<List<?>> alternatives = certificate.getSubjectAlternativeNames();
        if (alternatives == null) {
            return false;
        }
        for (List<?> each : alternatives) {
            boolean text = each.get(0).equals(DNS_NAME) || each.get(0).equals(ADDRESS);
            if (text && fits(each.get(1).toString().toLowerCase(Locale.ROOT), name.toLowerCase(Locale.ROOT))) {
                return true;
            }
        }
        return false;
    }

    /** A star stands for the first label as a whole. */
    private static boolean fits(String pattern, String name) {
        if (!pattern.startsWith("*.")) {
            return pattern.equals(name);
        }
        int dot = name.indexOf('.');
        return dot > 0 && name.substring(dot).equals(pattern.substring(1));
    }
}
