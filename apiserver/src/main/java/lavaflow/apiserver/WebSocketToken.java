package lavaflow.apiserver;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

import org.jspecify.annotations.Nullable;

/** The token of a browser, which cannot set headers of a WebSocket and says it in the name of a protocol instead. */
final class WebSocketToken {
    static final String HEADER = "sec-websocket-protocol";
    private static final String PREFIX = "base64url.bearer.authorization.k8s.io.";

    /** A name that should be a token and is not one that can be used. */
    static final class Unusable extends Exception {
        private static final long serialVersionUID = 1L;

        Unusable(String message) {
            super(message);
        }
    }

    private WebSocketToken() {}

    /** Null where there is none. */
    static @Nullable String of(Exchange exchange) throws Unusable {
        if (!exchange.wantsWebSocket()) {
            return null;
        }
        List<String> names = names(exchange.headers(HEADER));
        List<String> tokens =
                names.stream().filter(name -> name.startsWith(PREFIX)).toList();
        if (tokens.isEmpty()) {
            return null;
        }
        if (tokens.size() > 1) {
            throw new Unusable("multiple base64.bearer.authorization tokens specified");
        }
        String token = decode(tokens.getFirst().substring(PREFIX.length()));
        if (token.isEmpty()) {
            return null;
        }
        if (names.size() == 1) {
            // The answer must name a protocol, and must not name the token.
            throw new Unusable("missing additional subprotocol");
        }
        return token;
    }

    private static String decode(String text) throws Unusable {
        try {
            byte[] bytes = Base64.getUrlDecoder().decode(text);
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (IllegalArgumentException | CharacterCodingException e) {
            throw new Unusable("invalid base64.bearer.authorization token encoding");
        }
    }

    /** The protocols that are ones, for whoever shall not read the token. */
    static List<String> withoutTokens(List<String> values) {
        return names(values).stream().filter(name -> !name.startsWith(PREFIX)).toList();
    }

    private static List<String> names(List<String> values) {
        List<String> names = new ArrayList<>();
        for (String value : values) {
            for (String name : value.split(",", -1)) {
                if (!name.isBlank()) {
                    names.add(name.strip());
                }
            }
        }
        return names;
    }
}
