package lavaflow.batch;

import java.util.Comparator;
import java.util.List;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * A Command about a queue, as long as nobody has done what it says.
 *
 * @param targetUid empty where any queue of that name is meant
 */
record QueueCommand(
        String namespace,
        String name,
        String uid,
        String queue,
        String targetUid,
        String action,
        String created,
        long revision) {
    /** In the order in which they were given. */
    static final Comparator<QueueCommand> OLDEST_FIRST =
            Comparator.comparing(QueueCommand::created).thenComparingLong(QueueCommand::revision);

    /** Null for a Command about something else. */
    static @Nullable QueueCommand of(ObjectNode command) {
        boolean aboutQueue = Json.textAt(command, "target", "kind").equals("Queue")
                && Json.textAt(command, "target", "apiVersion").startsWith(Batch.GROUP + "/");
        if (!aboutQueue) {
            return null;
        }
        return new QueueCommand(
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

    List<String> words() {
        return List.of(queue);
    }

    boolean means(ObjectNode object) {
        return targetUid.isEmpty() || targetUid.equals(Batch.uid(object));
    }

    QueueState.Wish wish() {
        return QueueState.Wish.of(action);
    }
}
