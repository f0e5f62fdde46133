package lavaflow.sandbox;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;

/** What an OCI runtime writes down about a container. */
final class RuntimeState {
    private static final int STARTED = 19;

    private RuntimeState() {}

    /** The first process of a container if it is still there; its number may be another's by now, but not with the same start. */
    static long process(Path directory) {
        try {
            if (Files.exists(directory.resolve("state.json"))) {
                JsonNode state = Json.parse(Files.readString(directory.resolve("state.json")));
                return ifStartedAt(
                        state.path("init_process_pid").asLong(),
                        state.path("init_process_start").asText());
            }
            if (Files.exists(directory.resolve("status"))) { // crun's
                JsonNode state = Json.parse(Files.readString(directory.resolve("status")));
                return ifStartedAt(
                        state.path("pid").asLong(),
                        state.path("process-start-time").asText());
            }
        } catch (IOException | RuntimeException e) {
            return 0; // cut off while it was written: then there is no process that waits
        }
        return 0;
    }

    private static long ifStartedAt(long pid, String start) {
        String[] fields = ProcessTable.stat(pid);
        return fields.length > STARTED && fields[STARTED].equals(start) ? pid : 0;
    }
}
