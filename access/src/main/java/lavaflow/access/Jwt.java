package lavaflow.access;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.SignatureException;
import java.security.interfaces.ECPublicKey;
import java.security.interfaces.RSAPublicKey;
import java.security.spec.MGF1ParameterSpec;
import java.security.spec.PSSParameterSpec;
import java.util.Base64;

import lavaflow.kube.Json;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * A signed token in compact form, taken apart. Nothing in it is to be believed before {@link #isSignedBy} said so.
 *
 * <p>The algorithm a token names only selects among those that fit the key's type, so that neither {@code none} nor a
 * public key used as a secret can pass.
 */
final class Jwt {
    /** Upstream's headers are limited to less; tokens beyond are refused before they are decoded. */
    private static final int MAX_LENGTH = 64 * 1024;

    private static final Base64.Encoder ENCODER = Base64.getUrlEncoder().withoutPadding();
    private static final Base64.Decoder DECODER = Base64.getUrlDecoder();

    private final ObjectNode header;
    private final ObjectNode claims;
    private final byte[] signedPart;
    private final byte[] signature;

    private Jwt(ObjectNode header, ObjectNode claims, byte[] signedPart, byte[] signature) {
        this.header = header;
        this.claims = claims;
        this.signedPart = signedPart;
        this.signature = signature;
    }

    /** Takes a token apart; null where it is none. */
    static @Nullable Jwt parse(String token) {
        int first = token.indexOf('.');
        int second = first < 0 ? -1 : token.indexOf('.', first + 1);
        if (token.length() > MAX_LENGTH || second < 0 || token.indexOf('.', second + 1) >= 0 || token.contains("=")) {
            return null;
        }
        try {
            JsonNode header = Json.parseUntrusted(DECODER.decode(token.substring(0, first)));
            JsonNode claims = Json.parseUntrusted(DECODER.decode(token.substring(first + 1, second)));
            byte[] signature = DECODER.decode(token.substring(second + 1));
            byte[] signed = token.substring(0, second).getBytes(StandardCharsets.US_ASCII);
            return header instanceof ObjectNode head && claims instanceof ObjectNode body && !head.has("crit")
                    ? new Jwt(head, body, signed, signature)
                    : null;
        } catch (IllegalArgumentException | JsonProcessingException e) {
            return null;
        }
    }

    String keyId() {
        return Json.textAt(header, "kid");
    }

    String issuer() {
        return claims.path("iss").isTextual() ? claims.path("iss").asText() : "";
    }

    ObjectNode claims() {
        return claims;
    }

    boolean isSignedBy(PublicKey key) {
        try {
            Signature verifier = verifier(key, Json.textAt(header, "alg"));
            if (verifier == null) {
                return false;
            }
            verifier.initVerify(key);
            verifier.update(signedPart);
            return verifier.verify(signature);
        } catch (SignatureException e) {
            return false;
        } catch (GeneralSecurityException e) {
            return false;
        }
    }

    private static @Nullable Signature verifier(PublicKey key, String algorithm) throws GeneralSecurityException {
        if (key instanceof RSAPublicKey) {
            return switch (algorithm) {
                case "RS256" -> Signature.getInstance("SHA256withRSA");
                case "RS384" -> Signature.getInstance("SHA384withRSA");
                case "RS512" -> Signature.getInstance("SHA512withRSA");
                case "PS256" -> probabilistic("SHA-256", MGF1ParameterSpec.SHA256, 32);
                case "PS384" -> probabilistic("SHA-384", MGF1ParameterSpec.SHA384, 48);
                case "PS512" -> probabilistic("SHA-512", MGF1ParameterSpec.SHA512, 64);
                default -> null;
            };
        }
        if (key instanceof ECPublicKey curve) {
            int bits = curve.getParams().getCurve().getField().getFieldSize();
            return switch (algorithm) {
                case "ES256" -> bits == 256 ? Signature.getInstance("SHA256withECDSAinP1363Format") : null;
                case "ES384" -> bits == 384 ? Signature.getInstance("SHA384withECDSAinP1363Format") : null;
                case "ES512" -> bits == 521 ? Signature.getInstance("SHA512withECDSAinP1363Format") : null;
                default -> null;
            };
        }
        return null;
    }

    private static Signature probabilistic(String digest, MGF1ParameterSpec mask, int salt)
            throws GeneralSecurityException {
        Signature verifier = Signature.getInstance("RSASSA-PSS");
        verifier.setParameter(new PSSParameterSpec(digest, "MGF1", mask, salt, 1));
        return verifier;
    }

    /** A token with an RSA signature. */
    static String sign(ObjectNode claims, String keyId, PrivateKey key) {
        ObjectNode header = Json.object().put("alg", "RS256").put("kid", keyId);
        String signed = ENCODER.encodeToString(Json.bytes(header)) + "." + ENCODER.encodeToString(Json.bytes(claims));
        try {
            Signature signer = Signature.getInstance("SHA256withRSA");
            signer.initSign(key);
            signer.update(signed.getBytes(StandardCharsets.US_ASCII));
            return signed + "." + ENCODER.encodeToString(signer.sign());
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("cannot sign a token", e);
        }
    }
}
