package lavaflow.apiserver;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;

import lavaflow.access.User;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** Writes down since when the use of tokens in secrets is noted, for the controller that ends those nobody uses. */
final class LegacyTokenTracking {
    private static final String NAMESPACE = "kube-system";
    private static final String NAME = "kube-apiserver-legacy-service-account-token-tracking";
    private static final LocalApi.Path PATH = new LocalApi.Path("", "v1", "configmaps");
    private static final User SERVER = new User("system:kube-apiserver", List.of(User.MASTERS));

    private LegacyTokenTracking() {}

    static void publish(LocalApi api, Instant now) {
        String today = now.atOffset(ZoneOffset.UTC).toLocalDate().toString();
        ObjectNode known = api.find(SERVER, PATH, NAMESPACE, NAME).orElse(null);
        try {
            if (known == null) {
                ObjectNode object = Json.object();
                object.putObject("metadata").put("name", NAME).put("namespace", NAMESPACE);
                object.putObject("data").put("since", today);
                api.create(SERVER, PATH, NAMESPACE, object);
            } else if (!isDate(Json.textAt(known, "data", "since"))) {
                Json.ensureObject(known, "data").put("since", today);
                api.update(SERVER, PATH, "", known);
            }
        } catch (ApiException e) {
            if (e.code() != 409) {
                throw e;
            }
        }
    }

    private static boolean isDate(String text) {
        try {
            LocalDate.parse(text);
            return true;
        } catch (DateTimeException e) {
            return false;
        }
    }
}
