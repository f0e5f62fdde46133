package lavaflow.kinds;

import java.util.List;
import java.util.Map;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** What the server adds to requests for certificates before the rules see them. */
public final class CertificateRequests {
    private CertificateRequests() {}

    /** Sets who asks: the server knows, the client may not say. */
    public static void requestedBy(
            ObjectNode object, String user, String uid, List<String> groups, Map<String, List<String>> extra) {
        ObjectNode spec = Json.ensureObject(object, "spec");
        spec.remove(List.of("username", "uid", "groups", "extra"));
        if (!user.isEmpty()) {
            spec.put("username", user);
        }
        if (!uid.isEmpty()) {
            spec.put("uid", uid);
        }
        if (!groups.isEmpty()) {
            ArrayNode list = spec.putArray("groups");
            groups.forEach(list::add);
        }
        extra.forEach((key, values) -> {
            ArrayNode list = Json.ensureObject(spec, "extra").putArray(key);
            values.forEach(list::add);
        });
    }
}
