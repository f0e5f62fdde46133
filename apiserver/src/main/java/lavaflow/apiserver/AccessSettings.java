package lavaflow.apiserver;

import java.util.List;
import java.util.function.Supplier;

import lavaflow.access.AnonymousRequests;
import lavaflow.access.TokenAuthenticator;
import lavaflow.access.TokenKeys;

/**
 * How a server knows its users, beyond their certificates.
 *
 * @param tokenKeys the keys of service-account tokens, asked for when first needed
 * @param tokens other readers of bearer tokens, in the order in which they are asked
 * @param bootstrapTokens whether secrets in kube-system may be tokens for joining nodes
 * @param anonymous what may be asked without any credential
 */
public record AccessSettings(
        Supplier<TokenKeys> tokenKeys,
        List<TokenAuthenticator> tokens,
        boolean bootstrapTokens,
        AnonymousRequests anonymous) {
    public AccessSettings(Supplier<TokenKeys> tokenKeys, List<TokenAuthenticator> tokens, boolean bootstrapTokens) {
        this(tokenKeys, tokens, bootstrapTokens, AnonymousRequests.HEALTH);
    }

    /** Only service accounts have tokens, and those die with the process. */
    public static AccessSettings ofProcess() {
        return new AccessSettings(() -> TokenKeys.of(TokenKeys.newSigningKey(), List.of()), List.of(), false);
    }

    /** The keys, read or made once. */
    Supplier<TokenKeys> tokenKeysOnce() {
        return new Supplier<>() {
            private @org.jspecify.annotations.Nullable TokenKeys keys;

            @Override
            public synchronized TokenKeys get() {
                TokenKeys known = keys;
                if (known == null) {
                    known = tokenKeys.get();
                    keys = known;
                }
                return known;
            }
        };
    }
}
