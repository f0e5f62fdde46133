package lavaflow.apiserver;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * What a request is about, read from method, path and query as upstream reads it.
 *
 * @param resourceRequest false for paths such as /healthz and for discovery
 * @param verb get, list, watch, create, update, patch, delete, deletecollection; the method in lower case otherwise
 * @param group empty for the core group
 * @param rest what follows the subresource
 */
public record RequestInfo(
        boolean resourceRequest,
        String path,
        String verb,
        String group,
        String version,
        String namespace,
        String resource,
        String name,
        String subresource,
        String rest) {

    /** Reads a request; never fails: what is no resource is a non-resource request for that path. */
    public static RequestInfo parse(String method, String rawPath, Query query) {
        String decoded = Query.decode(rawPath, false);
        String path = decoded == null ? rawPath : decoded;
        List<String> parts = segments(path);
        String methodVerb = method.toLowerCase(Locale.ROOT);
        RequestInfo other = new RequestInfo(false, path, methodVerb, "", "", "", "", "", "", "");
        boolean core = !parts.isEmpty() && parts.getFirst().equals("api");
        boolean grouped = !parts.isEmpty() && parts.getFirst().equals("apis");
        int prefix = core ? 2 : 3;
        if (!(core || grouped) || parts.size() <= prefix) {
            return other;
        }
        String group = core ? "" : parts.get(1);
        String version = parts.get(prefix - 1);
        List<String> rest = parts.subList(prefix, parts.size());
        boolean watchPrefix = rest.getFirst().equals("watch") && rest.size() > 1;
        if (watchPrefix) {
            rest = rest.subList(1, rest.size());
        }
        String namespace = "";
        // /namespaces/X is the namespace itself, /namespaces/X/pods is inside it, /namespaces/X/status is the former.
        if (rest.getFirst().equals("namespaces") && rest.size() > 1) {
            namespace = rest.get(1);
            boolean ofNamespace = rest.size() > 2
                    && (rest.get(2).equals("status") || rest.get(2).equals("finalize"));
            if (rest.size() > 2 && !ofNamespace) {
                rest = rest.subList(2, rest.size());
            }
        }
        String resource = rest.get(0);
        String name = rest.size() > 1 ? rest.get(1) : "";
        String subresource = rest.size() > 2 ? rest.get(2) : "";
        String tail = rest.size() > 3 ? String.join("/", rest.subList(3, rest.size())) : "";
        String verb = verb(method, name, subresource, query, watchPrefix);
        return new RequestInfo(true, path, verb, group, version, namespace, resource, name, subresource, tail);
    }

    private static String verb(String method, String name, String subresource, Query query, boolean watchPrefix) {
        return switch (method) {
            case "POST" -> "create";
            case "PUT" -> "update";
            case "PATCH" -> "patch";
            case "DELETE" -> name.isEmpty() ? "deletecollection" : "delete";
            case "GET", "HEAD" -> {
                // The query makes a watch of a list only; an object is read, whatever else was asked.
                boolean watch = watchPrefix || (name.isEmpty() && query.flag("watch"));
                if (watch && subresource.isEmpty()) {
                    yield "watch";
                }
                yield name.isEmpty() ? "list" : "get";
            }
            // Upstream has no verb for other methods on resources.
            default -> "";
        };
    }

    /** Splits on slashes; empty leading and trailing segments do not count. */
    static List<String> segments(String path) {
        List<String> parts = new ArrayList<>(List.of(path.split("/", -1)));
        while (!parts.isEmpty() && parts.getFirst().isEmpty()) {
            parts.removeFirst();
        }
        while (!parts.isEmpty() && parts.getLast().isEmpty()) {
            parts.removeLast();
        }
        return parts;
    }
}
