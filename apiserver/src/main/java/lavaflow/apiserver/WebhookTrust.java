package lavaflow.apiserver;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.Socket;
import java.net.UnknownHostException;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertPathBuilderException;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateFactory;
import java.security.cert.CertificateNotYetValidException;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;
import javax.net.ssl.X509TrustManager;

import lavaflow.kube.IpAddress;

import org.jspecify.annotations.Nullable;

/** Whom to believe to be a webhook: those its CA bundle signed, or where it has none, those the system trusts. */
final class WebhookTrust {
    private static final int REMEMBERED = 256;
    private static final String UNTRUSTED = "x509: certificate signed by unknown authority";

    /** By CA bundle, the least recently used forgotten first. */
    private final Map<String, SSLSocketFactory> bundles = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, SSLSocketFactory> eldest) {
            return size() > REMEMBERED;
        }
    };

    /** Sockets that trust a bundle: base64 of PEM certificates, empty for the system's trust. */
    synchronized SSLSocketFactory sockets(String bundle) throws IOException {
        SSLSocketFactory known = bundles.get(bundle);
        if (known == null) {
            known = make(bundle);
            bundles.put(bundle, known);
        }
        return known;
    }

    /** The same for another API server, to which this one shows who it is, and which may be trusted blindly. */
    synchronized SSLSocketFactory sockets(String bundle, @Nullable Identity client, boolean blindly)
            throws IOException {
        String key = (blindly ? "blindly " : "as ourselves ") + bundle;
        SSLSocketFactory known = bundles.get(key);
        if (known == null) {
            known = make(bundle, client, blindly);
            bundles.put(key, known);
        }
        return known;
    }

    private static SSLSocketFactory make(String bundle) throws IOException {
        return make(bundle, null, false);
    }

    private static SSLSocketFactory make(String bundle, @Nullable Identity client, boolean blindly) throws IOException {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            TrustManager trusted = blindly ? new BlindTrust() : new NamedTrust(signatures(bundle));
            KeyManager[] keys = client == null ? null : new KeyManager[] {new ShownIdentity(client)};
            context.init(keys, new TrustManager[] {trusted}, null);
            return context.getSocketFactory();
        } catch (GeneralSecurityException | IllegalArgumentException e) {
            throw new IOException("unable to load root certificates: unable to parse bytes as PEM block", e);
        }
    }

    private static X509TrustManager signatures(String bundle) throws GeneralSecurityException, IOException {
        TrustManagerFactory factory = TrustManagerFactory.getInstance("PKIX");
        factory.init(bundle.isEmpty() ? null : keyStore(bundle));
        for (TrustManager manager : factory.getTrustManagers()) {
            if (manager instanceof X509TrustManager found) {
                return found;
            }
        }
        throw new GeneralSecurityException("no trust manager");
    }

    private static KeyStore keyStore(String bundle) throws GeneralSecurityException, IOException {
        Collection<? extends Certificate> certificates = CertificateFactory.getInstance("X.509")
                .generateCertificates(
                        new ByteArrayInputStream(Base64.getDecoder().decode(bundle)));
        if (certificates.isEmpty()) {
            throw new GeneralSecurityException("no certificates");
        }
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        int number = 0;
        for (Certificate certificate : certificates) {
            store.setCertificateEntry("authority-" + number++, certificate);
        }
        return store;
    }

    /** What Go would have said. */
    static String goText(IOException failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof Untrusted untrusted) {
                return "tls: failed to verify certificate: " + untrusted.getMessage();
            }
        }
        String said = String.valueOf(failure.getMessage());
        if (failure instanceof UnknownHostException) {
            return "dial tcp: lookup " + said + ": no such host";
        }
        if (failure instanceof SSLException && said.startsWith("Unsupported or unrecognized SSL message")) {
            return "http: server gave HTTP response to HTTPS client";
        }
        if (said.toLowerCase(Locale.ROOT).contains("connection reset")) {
            return "read: connection reset by peer";
        }
        boolean closedEarly = said.contains("terminated the handshake") || said.equals("Socket closed");
        return closedEarly ? "EOF" : said;
    }

    /** A certificate that is not believed, in Go's words. */
    private static final class Untrusted extends CertificateException {
        private static final long serialVersionUID = 1L;

        Untrusted(String message) {
            super(message);
        }
    }

    /** Believes the signatures the delegate believes, if the certificate is for the name that was asked for. */
    private static final class NamedTrust extends X509ExtendedTrustManager {
        private final X509TrustManager signatures;

        NamedTrust(X509TrustManager signatures) {
            this.signatures = signatures;
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket)
                throws CertificateException {
            String name = ((SSLSocket) socket).getHandshakeSession().getPeerHost();
            checkSignatures(chain, type);
            String problem = nameProblem(chain[0], name);
            if (problem != null) {
                throw new Untrusted(problem);
            }
        }

        private void checkSignatures(X509Certificate[] chain, String type) throws Untrusted {
            try {
                signatures.checkServerTrusted(chain, type);
            } catch (CertificateException e) {
                throw new Untrusted(signatureProblem(chain[0], e));
            }
        }

        private static String signatureProblem(X509Certificate certificate, CertificateException problem) {
            for (Throwable cause = problem; cause != null; cause = cause.getCause()) {
                if (cause instanceof CertificateExpiredException) {
                    return validity("after", certificate.getNotAfter().toInstant());
                }
                if (cause instanceof CertificateNotYetValidException) {
                    return validity("before", certificate.getNotBefore().toInstant());
                }
                if (cause instanceof CertPathBuilderException) {
                    return UNTRUSTED;
                }
            }
            boolean usage = String.valueOf(problem.getMessage()).contains("xtended key usage");
            return usage ? "x509: certificate specifies an incompatible key usage" : UNTRUSTED;
        }

        private static String validity(String relation, Instant bound) {
            return "x509: certificate has expired or is not yet valid: current time "
                    + Instant.now().truncatedTo(ChronoUnit.SECONDS) + " is " + relation + " " + bound;
        }

        private static @Nullable String nameProblem(X509Certificate certificate, String name)
                throws CertificateException {
            List<String> names = new ArrayList<>();
            List<String> addresses = new ArrayList<>();
            Collection<List<?>> alternatives = certificate.getSubjectAlternativeNames();
            for (List<?> alternative : alternatives == null ? List.<List<?>>of() : alternatives) {
                int kind = (Integer) alternative.get(0);
                if (kind == 2) {
                    names.add((String) alternative.get(1));
                } else if (kind == 7) {
                    addresses.add((String) alternative.get(1));
                }
            }
            IpAddress address = IpAddress.parse(name);
            if (address != null) {
                return addressProblem(address, name, addresses);
            }
            if (names.stream().anyMatch(pattern -> covers(pattern, name))) {
                return null;
            }
            if (names.isEmpty() && alternatives == null) {
                return "x509: certificate relies on legacy Common Name field, use SANs instead";
            }
            return names.isEmpty()
                    ? "x509: certificate is not valid for any names, but wanted to match " + name
                    : "x509: certificate is valid for " + String.join(", ", names) + ", not " + name;
        }

        private static @Nullable String addressProblem(IpAddress wanted, String name, List<String> addresses) {
            if (addresses.isEmpty()) {
                return "x509: cannot validate certificate for " + name + " because it doesn't contain any IP SANs";
            }
            boolean found = addresses.stream().anyMatch(each -> wanted.equals(IpAddress.parse(each)));
            return found
                    ? null
                    : addresses.stream().collect(Collectors.joining(", ", "x509: certificate is valid for ", ""))
                            + ", not " + name;
        }

        /** A star stands for the whole first label. */
        private static boolean covers(String pattern, String name) {
            if (pattern.startsWith("*.")) {
                int dot = name.indexOf('.');
                return dot > 0 && name.substring(dot).equalsIgnoreCase(pattern.substring(1));
            }
            return pattern.equalsIgnoreCase(name);
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine)
                throws CertificateException {
            throw new CertificateException("sockets only");
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) throws CertificateException {
            throw new CertificateException("sockets only");
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket)
                throws CertificateException {
            throw new CertificateException("no clients here");
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine)
                throws CertificateException {
            throw new CertificateException("no clients here");
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) throws CertificateException {
            throw new CertificateException("no clients here");
        }

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return signatures.getAcceptedIssuers();
        }
    }
}
