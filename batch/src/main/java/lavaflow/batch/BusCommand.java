package lavaflow.batch;

import java.util.Comparator;

import lavaflow.controller.KubeApi;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * A Command ({@code bus.volcano.sh}) about a queue or a Job, as long as nobody has done what it says.
 *
 * @param target the name of what it is about
 * @param targetUid empty where any object of that name is meant
 */
public record BusCommand(
        String namespace,
        String name,
        String uid,
        String target,
        String targetUid,
        String action,
        String created,
        long revision) {
    /** In the order in which they were given. */
    public static final Comparator<BusCommand> OLDEST_FIRST =
            Comparator.comparing(BusCommand::created).thenComparingLong(BusCommand::revision);

    /** Null for a Command about something else than objects of a kind and group. */
    public static @Nullable BusCommand about(String kind, String group, ObjectNode command) {
        boolean isAbout = Json.textAt(command, "target", "kind").equals(kind)
                && Json.textAt(command, "target", "apiVersion").startsWith(group + "/");
        if (!isAbout) {
            return null;
        }
        return new BusCommand(
                Batch.namespace(command),
                Batch.name(command),
                Batch.uid(command),
                Json.textAt(command, "target", "name"),
                Json.textAt(command, "target", "uid"),
                Json.textAt(command, "action"),
                Json.textAt(command, "metadata", "creationTimestamp"),
                number(Json.textAt(command, "metadata", "resourceVersion")));
    }

    private static long number(String text) {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException _) {
            return 0; // another server may count otherwise; then seconds must do
        }
    }

    /** Whether it is about the object of this uid. */
    public boolean means(String object) {
        return targetUid.isEmpty() || targetUid.equals(object);
    }

    /** Whether it still is to be done: what followers know of it may be old. */
    public boolean isThere(KubeApi api) {
        return api.find(Batch.COMMANDS, namespace, name)
                .filter(found -> Batch.uid(found).equals(uid))
                .isPresent();
    }

    /** Takes it away. */
    public void drop(KubeApi api) {
        api.delete(Batch.COMMANDS, namespace, name, KubeApi.Deletion.ofUid(uid));
    }
}
