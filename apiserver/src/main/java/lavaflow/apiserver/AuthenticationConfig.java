package lavaflow.apiserver;

import java.util.List;

import lavaflow.access.User;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Publishes whom other API servers should trust: this server's authority for users, and that of its front proxies. */
final class AuthenticationConfig {
    private static final String NAMESPACE = "kube-system";
    private static final String NAME = "extension-apiserver-authentication";
    private static final LocalApi.Path PATH = new LocalApi.Path("", "v1", "configmaps");
    private static final User SERVER = new User("system:kube-apiserver", List.of(User.MASTERS));

    private AuthenticationConfig() {}

    static void publish(LocalApi api, String clientAuthority, @Nullable FrontProxy frontProxy) {
        ObjectNode data = Json.object();
        data.put("client-ca-file", clientAuthority);
        if (frontProxy != null) {
            data.put("requestheader-allowed-names", list(frontProxy.allowedName()));
            data.put("requestheader-client-ca-file", Identity.certificatePem(frontProxy.authority()));
            data.put("requestheader-extra-headers-prefix", list(FrontProxy.EXTRA));
            data.put("requestheader-group-headers", list(FrontProxy.GROUP));
            data.put("requestheader-uid-headers", list(FrontProxy.UID));
            data.put("requestheader-username-headers", list(FrontProxy.USER));
        }
        ObjectNode known = api.find(SERVER, PATH, NAMESPACE, NAME).orElse(null);
        try {
            if (known == null) {
                ObjectNode object = Json.object();
                object.putObject("metadata").put("name", NAME).put("namespace", NAMESPACE);
                object.set("data", data);
                api.create(SERVER, PATH, NAMESPACE, object);
            } else if (!data.equals(known.get("data"))) {
                known.set("data", data);
                api.update(SERVER, PATH, "", known);
            }
        } catch (ApiException e) {
            if (e.code() != 409) {
                throw e;
            }
        }
    }

    private static String list(String value) {
        return "[\"" + value + "\"]";
    }
}
