package lavaflow.batch;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class QueueStateTest {
    @ParameterizedTest
    @CsvSource({
        "OPEN, OPEN, true, OPEN",
        "OPEN, OPEN, false, OPEN",
        "OPEN, CLOSE, true, CLOSED",
        "OPEN, CLOSE, false, CLOSING",
        "OPEN, SYNC, true, OPEN",
        "OPEN, SYNC, false, OPEN",
        "CLOSING, OPEN, true, OPEN",
        "CLOSING, OPEN, false, OPEN",
        "CLOSING, CLOSE, true, CLOSED",
        "CLOSING, CLOSE, false, CLOSING",
        "CLOSING, SYNC, true, CLOSED",
        "CLOSING, SYNC, false, CLOSING",
        "CLOSED, OPEN, true, OPEN",
        "CLOSED, OPEN, false, OPEN",
        "CLOSED, CLOSE, true, CLOSED",
        "CLOSED, CLOSE, false, CLOSED",
        "CLOSED, SYNC, true, CLOSED",
        "CLOSED, SYNC, false, CLOSED",
        "UNKNOWN, OPEN, true, OPEN",
        "UNKNOWN, OPEN, false, OPEN",
        "UNKNOWN, CLOSE, true, CLOSED",
        "UNKNOWN, CLOSE, false, CLOSING",
        "UNKNOWN, SYNC, true, UNKNOWN",
        "UNKNOWN, SYNC, false, UNKNOWN"
    })
    void whatAQueueBecomes(QueueState before, QueueState.Wish wish, boolean empty, QueueState after) {
        assertThat(before.after(wish, empty)).isEqualTo(after);
    }

    private static QueueState read(String state) {
        ObjectNode queue = Json.object();
        queue.putObject("status").put("state", state);
        return QueueState.of(queue);
    }

    @Test
    void whatNobodySaidIsOpenAndWhatNobodyKnowsIsUnknown() {
        assertThat(QueueState.of(Json.object())).isEqualTo(QueueState.OPEN);
        assertThat(read("Closing")).isEqualTo(QueueState.CLOSING);
        assertThat(read("Ajar")).isEqualTo(QueueState.UNKNOWN);
    }
}
