package lavaflow.flows;

import java.util.Map;

/** Asks pods whether they answer. Whoever waits for a Job that serves something wants to know. */
public interface Probes {
    /** Whether somebody accepts connections there. */
    boolean accepts(String host, int port);

    /** Whether a GET is answered there with anything from 200 to 399. */
    boolean answers(String host, int port, String path, Map<String, String> headers);
}
