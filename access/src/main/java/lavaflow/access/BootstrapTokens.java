package lavaflow.access;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Instant;
import java.time.InstantSource;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import lavaflow.kube.Json;
import lavaflow.store.Store;
import lavaflow.store.StoredObject;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** Tokens with which nodes join: {@code id.secret}, each a Secret in kube-system. */
public final class BootstrapTokens implements TokenAuthenticator {
    private static final Pattern FORM = Pattern.compile("([a-z0-9]{6})\\.([a-z0-9]{16})");
    private static final Pattern GROUP = Pattern.compile("system:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9]");
    private static final String TYPE = "bootstrap.kubernetes.io/token";

    private final Store store;
    private final InstantSource clock;

    public BootstrapTokens(Store store, InstantSource clock) {
        this.store = store;
        this.clock = clock;
    }

    @Override
    public Outcome authenticate(String token, List<String> audiences) {
        Matcher form = FORM.matcher(token);
        if (!form.matches()) {
            return NOT_MINE;
        }
        String id = form.group(1);
        StoredObject stored = store.get("secrets", "kube-system/bootstrap-token-" + id);
        ObjectNode secret = stored == null ? null : Json.parseObject(stored.bytes());
        boolean good = secret != null
                && Json.textAt(secret, "type").equals(TYPE)
                && Json.textAt(secret, "metadata", "deletionTimestamp").isEmpty()
                && same(data(secret, "token-secret"), form.group(2))
                && data(secret, "token-id").equals(id)
                && !expired(data(secret, "expiration"))
                && data(secret, "usage-bootstrap-authentication").equals("true");
        if (secret == null || !good) {
            return NOT_MINE;
        }
        List<String> groups = new ArrayList<>(List.of("system:bootstrappers"));
        for (String group : data(secret, "auth-extra-groups").split(",", -1)) {
            if (GROUP.matcher(group).matches()) {
                groups.add(group);
            }
        }
        groups.add(User.AUTHENTICATED);
        return new Good(new User("system:bootstrap:" + id, "", List.copyOf(groups), Map.of()), audiences);
    }

    private static String data(ObjectNode secret, String field) {
        byte[] bytes = Base64.getDecoder().decode(Json.textAt(secret, "data", field));
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private static boolean same(String stored, String given) {
        return MessageDigest.isEqual(stored.getBytes(StandardCharsets.UTF_8), given.getBytes(StandardCharsets.UTF_8));
    }

    private boolean expired(String expiration) {
        try {
            return !expiration.isEmpty() && clock.instant().isAfter(Instant.parse(expiration));
        } catch (DateTimeParseException e) {
            return true;
        }
    }
}
