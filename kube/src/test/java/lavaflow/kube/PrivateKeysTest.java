package lavaflow.kube;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.interfaces.ECPrivateKey;
import java.util.Arrays;
import java.util.Base64;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class PrivateKeysTest {
    /** As OpenSSL writes a key that nobody uses. */
    private static final String CURVE_AND_KEY = """
            -----BEGIN EC PARAMETERS-----
            BggqhkjOPQMBBw==
            -----END EC PARAMETERS-----
            -----BEGIN EC PRIVATE KEY-----
            MHcCAQEEIMxZYpTyM83kYc+nJ+0y/L+aA8n9TlnYMn3wRD0mqUEJoAoGCCqGSM49
            AwEHoUQDQgAEBFC/RYWAAJVT5Ju0J5v4TBCNU2N+Tmkq6Z8kUMvGYpBZ6XstLzGO
            x8ezaQhTzNPZsk2M8a0yTQ/0j+o0XYqSgQ==
            -----END EC PRIVATE KEY-----
            """;

    private static PrivateKey find(String pem) {
        return PrivateKeys.find(pem.getBytes(StandardCharsets.US_ASCII));
    }

    private static String pem(String type, byte[] der) {
        return "-----BEGIN " + type + "-----\n" + Base64.getMimeEncoder().encodeToString(der) + "\n-----END " + type
                + "-----\n";
    }

    private static KeyPair pair(String algorithm) throws GeneralSecurityException {
        return KeyPairGenerator.getInstance(algorithm).generateKeyPair();
    }

    @ParameterizedTest
    @ValueSource(strings = {"RSA", "EC", "Ed25519"})
    void theNewFormIsReadWhateverTheAlgorithm(String algorithm) throws GeneralSecurityException {
        PrivateKey key = pair(algorithm).getPrivate();

        assertThat(find(pem("PRIVATE KEY", key.getEncoded()))).isEqualTo(key);
    }

    @Test
    void theOldFormOfRsaIsRead() throws GeneralSecurityException {
        PrivateKey key = pair("RSA").getPrivate();
        byte[] envelope = key.getEncoded();
        // The envelope: two heads of four bytes each for lengths above 255, a version and the algorithm.
        byte[] old = Arrays.copyOfRange(envelope, 4 + 3 + 15 + 4, envelope.length);

        assertThat(find(pem("RSA PRIVATE KEY", old))).isEqualTo(key);
    }

    @Test
    void theOldFormOfEllipticCurvesIsReadAfterTheNameOfItsCurve() {
        assertThat(find(CURVE_AND_KEY)).isInstanceOfSatisfying(ECPrivateKey.class, key -> {
            assertThat(key.getS().toString(16)).startsWith("cc596294f233cde4");
            assertThat(key.getParams().getOrder().bitLength()).isEqualTo(256);
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"PRIVATE KEY", "RSA PRIVATE KEY", "EC PRIVATE KEY"})
    void whatCannotBeReadIsNone(String type) {
        assertThat(find(pem(type, new byte[0]))).isNull();
        assertThat(find(pem(type, new byte[] {0x30, (byte) 0x84, 127, -1, -1, -1, 2})))
                .isNull();
        assertThat(find(CURVE_AND_KEY.replace("MHcC", "MHdC"))).isNull();
        assertThat(find("-----BEGIN " + type + "-----\n")).isNull();
        assertThat(find(pem("CERTIFICATE", new byte[3]))).isNull();
    }

    @Test
    void nothingOfAKeyIsPrinted() {
        assertThat(Pem.blocks(CURVE_AND_KEY.getBytes(StandardCharsets.US_ASCII)))
                .hasToString("[EC PARAMETERS, EC PRIVATE KEY]");
    }
}
