package lavaflow.apiserver;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import lavaflow.access.AccountTokenReader;
import lavaflow.access.User;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Labels secrets with the day on which their token was last used, once a day, beside the request that used it. */
final class LegacyTokenUse implements AccountTokenReader.LegacyUse {
    private static final Logger LOG = LoggerFactory.getLogger(LegacyTokenUse.class);
    private static final LocalApi.Path SECRETS = new LocalApi.Path("", "v1", "secrets");
    private static final User SERVER = new User("system:kube-apiserver", List.of(User.MASTERS));
    private static final int MOST = 10_000;

    private final Supplier<LocalApi> api;
    private final Map<String, String> noted = new ConcurrentHashMap<>();

    LegacyTokenUse(Supplier<LocalApi> api) {
        this.api = api;
    }

    @Override
    public void on(String namespace, String secret, String date) {
        if (noted.size() > MOST) {
            noted.clear();
        }
        if (!date.equals(noted.put(namespace + "/" + secret, date))) {
            Thread.ofVirtual().name("use of a token").start(() -> label(namespace, secret, date));
        }
    }

    private void label(String namespace, String secret, String date) {
        ObjectNode patch = Json.object();
        Json.ensureObject(patch, "metadata", "labels").put(AccountTokenReader.LAST_USED, date);
        try {
            api.get().patch(SERVER, new LocalApi.Place(SECRETS, namespace, secret, ""), false, patch);
        } catch (ApiException e) {
            LOG.warn("secret {}/{}: the use of its token could not be noted: {}", namespace, secret, e.getMessage());
        }
    }
}
