package lavaflow.apiserver;

import java.util.List;

import lavaflow.kube.Json;
import lavaflow.kube.KindInfo;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** What a client wants of a connection to an object (exec, attach, port-forward, proxy), as admission sees it. */
final class ConnectOptions {
    private ConnectOptions() {}

    static ObjectNode of(KindInfo.Subresource sub, String rest, Query query) {
        ObjectNode options = Json.object();
        options.put("kind", sub.kind()).put("apiVersion", sub.version());
        switch (sub.name()) {
            case "exec", "attach" -> streams(options, query, sub.name().equals("exec"));
            case "portforward" -> ports(options, query.all("ports"));
            default -> text(options, "path", rest.isEmpty() || rest.startsWith("/") ? rest : "/" + rest);
        }
        return options;
    }

    private static void streams(ObjectNode options, Query query, boolean command) {
        for (String stream : List.of("stdin", "stdout", "stderr", "tty")) {
            if (query.flag(stream)) {
                options.put(stream, true);
            }
        }
        text(options, "container", query.first("container"));
        if (command) {
            ArrayNode words = Json.array();
            query.all("command").forEach(words::add);
            options.set("command", words);
        }
    }

    private static void ports(ObjectNode options, List<String> given) {
        ArrayNode ports = Json.array();
        for (String port : given) {
            if (port.matches("[0-9]{1,5}")) {
                ports.add(Long.parseLong(port));
            }
        }
        if (!ports.isEmpty()) {
            options.set("ports", ports);
        }
    }

    private static void text(ObjectNode options, String field, String value) {
        if (!value.isEmpty()) {
            options.put(field, value);
        }
    }
}
