package lavaflow.plugins;

import java.time.Duration;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Asks a program elsewhere. What goes over a wire is the business of who implements it; deciding waits for the answer. */
public interface Extender {
    /**
     * Posts a question and waits for the answer.
     *
     * @param url prefix and verb, with a slash between them
     * @param patience how long to wait, at most
     * @throws UnansweredException where there is no answer that can be read
     */
    JsonNode ask(String url, ObjectNode question, Duration patience) throws UnansweredException;

    /** There was no answer. */
    final class UnansweredException extends Exception {
        private static final long serialVersionUID = 1;

        public UnansweredException(String message) {
            super(message);
        }
    }
}
