package lavaflow.batch;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** Whether a queue takes PodGroups, and what becomes of that. */
public enum QueueState {
    OPEN("Open"),
    CLOSED("Closed"),
    /** Takes no more, and still has some. */
    CLOSING("Closing"),
    UNKNOWN("Unknown");

    /** What somebody wants of a queue. */
    enum Wish {
        OPEN("OpenQueue"),
        CLOSE("CloseQueue"),
        /** Nothing but that its state be right. */
        SYNC("SyncQueue");

        private final String word;

        Wish(String word) {
            this.word = word;
        }

        /** The action of a Command; one that is not about queues changes nothing. */
        static Wish of(String action) {
            return action.equals(OPEN.word) ? OPEN : action.equals(CLOSE.word) ? CLOSE : SYNC;
        }

        String word() {
            return word;
        }
    }

    private final String word;

    QueueState(String word) {
        this.word = word;
    }

    /** The state of a Queue; one that was never looked at is open. */
    public static QueueState of(ObjectNode queue) {
        String said = Json.textAt(queue, "status", "state");
        if (said.isEmpty()) {
            return OPEN;
        }
        for (QueueState state : values()) {
            if (state.word.equals(said)) {
                return state;
            }
        }
        return UNKNOWN;
    }

    /** As the API says it. */
    public String word() {
        return word;
    }

    /** What it becomes; a queue with PodGroups, of whatever phase, cannot be closed at once. */
    QueueState after(Wish wish, boolean empty) {
        QueueState closed = empty ? CLOSED : CLOSING;
        return switch (wish) {
            case OPEN -> OPEN;
            case CLOSE -> this == CLOSED ? CLOSED : closed;
            case SYNC -> this == CLOSING ? closed : this;
        };
    }
}
