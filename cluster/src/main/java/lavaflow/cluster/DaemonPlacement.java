package lavaflow.cluster;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import lavaflow.kube.Json;
import lavaflow.kube.NodeAffinity;
import lavaflow.kube.Taint;
import lavaflow.kube.Toleration;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** On which nodes the pods of a DaemonSet run. Remembers its answers, because most nodes never change. Thread-safe. */
final class DaemonPlacement {
    /** What a node is to a DaemonSet. */
    enum Fit {
        /** A pod should run there. */
        RUN,
        /** None should start there; one that runs may stay. */
        STAY,
        /** None may run there. */
        LEAVE
    }

    private record Answer(DaemonNode node, Fit fit) {
        /** By identity: comparing labels would cost as much as answering anew. */
        @SuppressWarnings("ReferenceEquality")
        boolean isAbout(DaemonNode other) {
            return node == other;
        }
    }

    /** Parts of a pod's spec that matter. */
    private static final List<String> PARTS =
            List.of("nodeName", "nodeSelector", "affinity", "tolerations", "hostNetwork");

    private final ObjectNode asked;
    private final String nodeName;
    private final NodeAffinity affinity;
    private final List<Toleration> tolerations;
    private final Map<String, Answer> answers = new ConcurrentHashMap<>();

    DaemonPlacement(ObjectNode set) {
        this.asked = asked(set);
        ObjectNode spec = asked.deepCopy();
        DaemonTemplate.addTolerations(spec);
        this.nodeName = Json.textAt(spec, "nodeName");
        this.affinity = NodeAffinity.of(spec);
        this.tolerations = Toleration.of(spec);
    }

    private static ObjectNode asked(ObjectNode set) {
        JsonNode spec = Json.at(set, "spec", "template", "spec");
        ObjectNode asked = Json.object();
        for (String part : PARTS) {
            JsonNode value = Json.at(spec, part);
            if (value != null) {
                asked.set(part, value);
            }
        }
        return asked;
    }

    /** Whether the set still asks for the same. */
    boolean isOf(ObjectNode set) {
        return asked.equals(asked(set));
    }

    Fit fit(DaemonNode node) {
        Answer known = answers.get(node.name());
        if (known != null && known.isAbout(node)) {
            return known.fit();
        }
        Fit fit = decide(node);
        answers.put(node.name(), new Answer(node, fit));
        return fit;
    }

    /** Forgets a node that is gone. */
    void forget(String node) {
        answers.remove(node);
    }

    private Fit decide(DaemonNode node) {
        boolean named = nodeName.isEmpty() || nodeName.equals(node.name());
        if (!named || !affinity.accepts(node.name(), node.labels())) {
            return Fit.LEAVE;
        }
        Fit fit = Fit.RUN;
        for (Taint taint : node.taints()) {
            if (taint.keepsOff() && !Toleration.anyTolerates(tolerations, taint)) {
                if (taint.effect().equals(Taint.NO_EXECUTE)) {
                    return Fit.LEAVE;
                }
                fit = Fit.STAY;
            }
        }
        return fit;
    }
}
