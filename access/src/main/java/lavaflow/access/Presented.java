package lavaflow.access;

import java.security.cert.X509Certificate;
import java.util.List;

/**
 * What a client showed to say who it is, checked by nobody yet.
 *
 * @param certificates the chain of the handshake, empty where there was none
 * @param authorization every Authorization header, as it came
 */
public record Presented(List<X509Certificate> certificates, List<String> authorization) {
    /** Credentials do not belong into logs. */
    @Override
    public String toString() {
        return "Presented[" + certificates.size() + " certificates, " + authorization.size() + " headers]";
    }
}
