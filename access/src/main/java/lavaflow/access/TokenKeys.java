package lavaflow.access;

import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.MessageDigest;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.interfaces.ECPublicKey;
import java.security.interfaces.RSAPrivateCrtKey;
import java.security.interfaces.RSAPublicKey;
import java.security.spec.PKCS8EncodedKeySpec;
import java.security.spec.RSAPublicKeySpec;
import java.security.spec.X509EncodedKeySpec;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * The keys of service-account tokens: one that signs, and all whose tokens are good. To rotate, keep the public part of
 * the old key among the accepted ones for as long as its tokens shall live.
 */
public final class TokenKeys {
    private static final int BITS = 2048;
    private static final Base64.Encoder URL = Base64.getUrlEncoder().withoutPadding();

    private final PrivateKey signing;
    private final String signingId;
    private final Map<String, PublicKey> accepted = new LinkedHashMap<>();

    private TokenKeys(PrivateKey signing, PublicKey own, List<PublicKey> others) {
        this.signing = signing;
        this.signingId = id(own);
        accepted.put(signingId, own);
        others.forEach(key -> accepted.putIfAbsent(id(key), key));
    }

    /** A new key, in the PEM form that {@link #of} reads. */
    public static String newSigningKey() {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
            generator.initialize(BITS);
            KeyPair pair = generator.generateKeyPair();
            return "-----BEGIN PRIVATE KEY-----\n"
                    + Base64.getMimeEncoder(64, new byte[] {'\n'})
                            .encodeToString(pair.getPrivate().getEncoded())
                    + "\n-----END PRIVATE KEY-----\n";
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this Java has no RSA", e);
        }
    }

    /**
     * Reads keys.
     *
     * @param signingPem an RSA key as {@link #newSigningKey} makes it
     * @param publicPems public keys of RSA or elliptic curves that are accepted too
     */
    public static TokenKeys of(String signingPem, List<String> publicPems) {
        try {
            KeyFactory rsa = KeyFactory.getInstance("RSA");
            PrivateKey signing = rsa.generatePrivate(new PKCS8EncodedKeySpec(body(signingPem)));
            if (!(signing instanceof RSAPrivateCrtKey key)) {
                throw new IllegalArgumentException("the signing key of tokens is no RSA key");
            }
            PublicKey own = rsa.generatePublic(new RSAPublicKeySpec(key.getModulus(), key.getPublicExponent()));
            return new TokenKeys(
                    signing, own, publicPems.stream().map(TokenKeys::publicKey).toList());
        } catch (GeneralSecurityException e) {
            throw new IllegalArgumentException("no private key for tokens in the PEM text", e);
        }
    }

    private static PublicKey publicKey(String pem) {
        X509EncodedKeySpec spec = new X509EncodedKeySpec(body(pem));
        try {
            return KeyFactory.getInstance("RSA").generatePublic(spec);
        } catch (GeneralSecurityException notRsa) {
            try {
                return KeyFactory.getInstance("EC").generatePublic(spec);
            } catch (GeneralSecurityException e) {
                e.addSuppressed(notRsa);
                throw new IllegalArgumentException("no public key for tokens in the PEM text", e);
            }
        }
    }

    private static byte[] body(String pem) {
        return Base64.getMimeDecoder().decode(pem.replaceAll("-----[A-Z ]+-----", ""));
    }

    /** Names a key by its content. */
    private static String id(PublicKey key) {
        try {
            return URL.encodeToString(MessageDigest.getInstance("SHA-256").digest(key.getEncoded()));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    String sign(ObjectNode claims) {
        return Jwt.sign(claims, signingId, signing);
    }

    /** Whether one of the accepted keys signed a token: the one it names, or any where it names none. */
    boolean signed(Jwt token) {
        if (!token.keyId().isEmpty()) {
            PublicKey key = accepted.get(token.keyId());
            return key != null && token.isSignedBy(key);
        }
        return accepted.values().stream().anyMatch(token::isSignedBy);
    }

    /** The public keys, for others who check tokens. */
    public ObjectNode keySet() {
        ObjectNode set = Json.object();
        ArrayNode keys = set.putArray("keys");
        accepted.forEach((id, key) -> {
            if (key instanceof RSAPublicKey rsa) {
                keys.addObject()
                        .put("use", "sig")
                        .put("kty", "RSA")
                        .put("kid", id)
                        .put("alg", "RS256")
                        .put("n", number(rsa.getModulus(), 0))
                        .put("e", number(rsa.getPublicExponent(), 0));
            } else if (key instanceof ECPublicKey curve) {
                int bits = curve.getParams().getCurve().getField().getFieldSize();
                int bytes = (bits + 7) / 8;
                keys.addObject()
                        .put("use", "sig")
                        .put("kty", "EC")
                        .put("kid", id)
                        .put("crv", "P-" + bits)
                        .put("alg", bits == 521 ? "ES512" : "ES" + bits)
                        .put("x", number(curve.getW().getAffineX(), bytes))
                        .put("y", number(curve.getW().getAffineY(), bytes));
            }
        });
        return set;
    }

    /** Which algorithms the keys use. */
    public List<String> algorithms() {
        return accepted.values().stream()
                .map(key -> key instanceof ECPublicKey curve
                        ? "ES" + curve.getParams().getCurve().getField().getFieldSize()
                        : "RS256")
                .distinct()
                .toList();
    }

    private static String number(BigInteger value, int length) {
        byte[] bytes = value.toByteArray();
        int skip = bytes.length > 1 && bytes[0] == 0 ? 1 : 0;
        int size = Math.max(length, bytes.length - skip);
        byte[] plain = new byte[size];
        System.arraycopy(bytes, skip, plain, size - (bytes.length - skip), bytes.length - skip);
        return URL.encodeToString(plain);
    }
}
