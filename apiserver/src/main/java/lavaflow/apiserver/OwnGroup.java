package lavaflow.apiserver;

import java.io.IOException;
import java.util.List;

import lavaflow.access.User;
import lavaflow.kube.Json;
import lavaflow.kube.KindInfo;
import lavaflow.kube.Types;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * A group this server answers for although its objects are not stored, until an APIService says that somebody else does.
 *
 * @param types what its kinds are made of
 */
record OwnGroup(String group, String version, long priority, List<KindInfo> kinds, Types types, Handler handler) {
    /** Answers requests about its objects. */
    interface Handler {
        void serve(Exchange exchange, RequestInfo info, User user) throws IOException;
    }

    String key() {
        return group + "/" + version;
    }

    /** What discovery shows of it, as an APIResourceList. */
    ObjectNode resources() {
        ObjectNode list = Json.object();
        list.put("kind", "APIResourceList").put("apiVersion", "v1").put("groupVersion", key());
        ArrayNode resources = list.putArray("resources");
        for (KindInfo kind : kinds) {
            ArrayNode verbs = resources
                    .addObject()
                    .put("name", kind.resource())
                    .put("singularName", kind.singular())
                    .put("namespaced", kind.namespaced())
                    .put("kind", kind.kind())
                    .putArray("verbs");
            kind.verbs().forEach(verbs::add);
        }
        return list;
    }

    /** The same among those that others answer for. */
    RemoteService asService() {
        return new RemoteService(version + "." + group, group, version, "", "", 0, "", false, priority, priority, true);
    }
}
