package lavaflow.cluster;

import java.io.IOException;
import java.time.Duration;
import java.util.List;

/** The cluster's certificate authority, as far as the controller of requests needs it. */
public interface CertificateSigner {
    /** Signs a request in PEM; the answer is a certificate in PEM. */
    String sign(String requestPem, List<String> usages, Duration lifetime) throws IOException;
}
