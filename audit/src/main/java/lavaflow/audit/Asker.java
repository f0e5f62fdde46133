package lavaflow.audit;

import java.util.List;
import java.util.Map;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Who asks, as events show it. */
public record Asker(String name, String uid, List<String> groups, Map<String, List<String>> extra) {
    ObjectNode json() {
        ObjectNode user = Json.object();
        if (!name.isEmpty()) {
            user.put("username", name);
        }
        if (!uid.isEmpty()) {
            user.put("uid", uid);
        }
        if (!groups.isEmpty()) {
            ArrayNode list = user.putArray("groups");
            groups.forEach(list::add);
        }
        if (!extra.isEmpty()) {
            ObjectNode more = user.putObject("extra");
            extra.forEach((key, values) -> {
                ArrayNode list = more.putArray(key);
                values.forEach(list::add);
            });
        }
        return user;
    }
}
