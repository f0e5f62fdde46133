package lavaflow.scheduler;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import lavaflow.controller.KubeApi;
import lavaflow.gang.GangCore;
import lavaflow.gang.GroupSpec;
import lavaflow.gang.QueueSpec;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Groups and queues as the API tells them, which can be of several kinds: of two with one name, the one of the first kind counts. */
final class Spellings {
    /** The kinds of groups: Volcano's, that of its forerunner, Kubernetes' own, that of its scheduler's plugin. */
    static final List<KubeApi.Kind> GROUPS =
            List.of(GangKinds.GROUPS, GangKinds.OLD_GROUPS, GangKinds.NATIVE_GROUPS, GangKinds.PLUGIN_GROUPS);

    /** A group as the API tells it, with the kind it is of. */
    record Group(GroupSpec spec, KubeApi.Kind kind, JsonNode conditions, long generation) {
        static Group of(ObjectNode object, KubeApi.Kind kind) {
            ObjectNode form = inVolcanosForm(object, kind);
            return new Group(
                    GroupSpec.of(form),
                    kind,
                    Json.listAt(form, "status", "conditions"),
                    Json.longAt(form, 0, "metadata", "generation"));
        }
    }

    /** What a group of any kind says, in the form of Volcano's. */
    static ObjectNode inVolcanosForm(ObjectNode object, KubeApi.Kind kind) {
        if (kind.equals(GangKinds.NATIVE_GROUPS)) {
            return NativeGroup.inVolcanosForm(object);
        }
        return kind.equals(GangKinds.PLUGIN_GROUPS) ? PluginGroup.inVolcanosForm(object) : object;
    }

    private final GangCore core;
    private final Map<KubeApi.Kind, Map<String, Group>> groups = new HashMap<>();
    private final Map<String, QueueSpec> oldQueues = new HashMap<>();
    private final Set<String> newQueues = new HashSet<>();

    Spellings(GangCore core) {
        this.core = core;
        GROUPS.forEach(kind -> groups.put(kind, new HashMap<>()));
    }

    /** A group by namespace and name; null if there is none. */
    @Nullable
    Group find(String key) {
        for (KubeApi.Kind kind : GROUPS) {
            Group found = groups.getOrDefault(kind, Map.of()).get(key);
            if (found != null) {
                return found;
            }
        }
        return null;
    }

    /** A group of a kind, or that it is gone. */
    void group(KubeApi.Kind kind, String key, @Nullable Group told) {
        Map<String, Group> same = groups.computeIfAbsent(kind, _ -> new HashMap<>());
        if (told == null) {
            same.remove(key);
        } else {
            same.put(key, told);
        }
        Group counts = find(key);
        if (counts == null) {
            core.onGroupGone(key);
        } else {
            core.onGroup(counts.spec());
        }
    }

    /** A queue, or that it is gone. */
    void queue(String name, @Nullable QueueSpec queue) {
        if (queue == null) {
            newQueues.remove(name);
            tell(name, oldQueues.get(name));
        } else {
            newQueues.add(name);
            tell(name, queue);
        }
    }

    /** A queue in the spelling of kube-batch, or that it is gone. */
    void oldQueue(String name, @Nullable QueueSpec queue) {
        if (queue == null) {
            oldQueues.remove(name);
        } else {
            oldQueues.put(name, queue);
        }
        if (!newQueues.contains(name)) {
            tell(name, queue);
        }
    }

    private void tell(String name, @Nullable QueueSpec queue) {
        if (queue == null) {
            core.onQueueGone(name);
        } else {
            core.onQueue(queue);
        }
    }
}
