package lavaflow.access;

import java.math.BigInteger;
import java.security.AlgorithmParameters;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.ECParameterSpec;
import java.security.spec.ECPoint;
import java.security.spec.ECPublicKeySpec;
import java.security.spec.RSAPublicKeySpec;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;

/** The public keys in a JSON Web Key Set. */
final class IssuerKeys {
    private static final int MAX_KEYS = 100;
    private static final int LEAST_RSA_BITS = 2048;

    private final Map<String, PublicKey> byId = new LinkedHashMap<>();

    /** Reads the keys that are for signatures; others, and those that cannot be read, do not count. */
    static IssuerKeys of(JsonNode set) {
        IssuerKeys keys = new IssuerKeys();
        for (JsonNode key : Json.listAt(set, "keys")) {
            String use = Json.textAt(key, "use");
            PublicKey read = use.isEmpty() || use.equals("sig") ? read(key) : null;
            if (read != null && keys.byId.size() < MAX_KEYS) {
                keys.byId.put(Json.textAt(key, "kid"), read);
            }
        }
        return keys;
    }

    private static @Nullable PublicKey read(JsonNode key) {
        try {
            return switch (Json.textAt(key, "kty")) {
                case "RSA" -> {
                    BigInteger modulus = number(key, "n");
                    yield modulus.bitLength() < LEAST_RSA_BITS
                            ? null
                            : KeyFactory.getInstance("RSA")
                                    .generatePublic(new RSAPublicKeySpec(modulus, number(key, "e")));
                }
                case "EC" -> {
                    AlgorithmParameters parameters = AlgorithmParameters.getInstance("EC");
                    parameters.init(new ECGenParameterSpec(
                            switch (Json.textAt(key, "crv")) {
                                case "P-256" -> "secp256r1";
                                case "P-384" -> "secp384r1";
                                case "P-521" -> "secp521r1";
                                default -> "unknown";
                            }));
                    ECPoint point = new ECPoint(number(key, "x"), number(key, "y"));
                    yield KeyFactory.getInstance("EC")
                            .generatePublic(
                                    new ECPublicKeySpec(point, parameters.getParameterSpec(ECParameterSpec.class)));
                }
                default -> null;
            };
        } catch (GeneralSecurityException | IllegalArgumentException e) {
            return null;
        }
    }

    private static BigInteger number(JsonNode key, String field) {
        return new BigInteger(1, Base64.getUrlDecoder().decode(Json.textAt(key, field)));
    }

    boolean knows(String id) {
        return byId.containsKey(id);
    }

    boolean signed(Jwt token) {
        PublicKey named = byId.get(token.keyId());
        if (named != null) {
            return token.isSignedBy(named);
        }
        return token.keyId().isEmpty() && byId.values().stream().anyMatch(token::isSignedBy);
    }
}
