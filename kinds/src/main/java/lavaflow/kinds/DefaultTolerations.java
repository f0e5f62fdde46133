package lavaflow.kinds;

import java.util.List;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Lets pods stay five minutes on a node that is in trouble, unless they say otherwise. */
public final class DefaultTolerations {
    private static final long SECONDS = 300;

    private DefaultTolerations() {}

    /** Adds what is missing; of pods themselves, on create and update, not of subresources. */
    public static void apply(ObjectNode pod) {
        for (String key : new String[] {"node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"}) {
            if (!tolerates(Nodes.objects(pod, "spec", "tolerations"), key)) {
                ObjectNode spec = Json.ensureObject(pod, "spec");
                ArrayNode tolerations = Json.listAt(spec, "tolerations");
                tolerations
                        .addObject()
                        .put("key", key)
                        .put("operator", "Exists")
                        .put("effect", "NoExecute")
                        .put("tolerationSeconds", SECONDS);
                spec.set("tolerations", tolerations);
            }
        }
    }

    private static boolean tolerates(List<ObjectNode> tolerations, String taint) {
        for (ObjectNode toleration : tolerations) {
            String key = Json.textAt(toleration, "key");
            String effect = Json.textAt(toleration, "effect");
            if ((key.isEmpty() || key.equals(taint)) && (effect.isEmpty() || effect.equals("NoExecute"))) {
                return true;
            }
        }
        return false;
    }
}
