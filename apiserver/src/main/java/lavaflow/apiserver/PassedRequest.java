package lavaflow.apiserver;

import java.io.IOException;

/** A client's request as another server gets to read it. */
interface PassedRequest {
    Exchange exchange();

    /** What may be asked again on another connection, should the first one turn out to be dead. */
    boolean isRepeatable();

    void send(RemoteConnection connection) throws IOException;

    /** Asks for another protocol. What a client says with such a request is said in that protocol, so there is no body. */
    void sendUpgrade(RemoteConnection connection, String protocol) throws IOException;

    /** What becomes of a header of the answer. */
    default String answered(String header, String value) {
        return value;
    }

    /** Whether links in an answer of a type are changed as headers are. */
    default boolean isRewritten(String type) {
        return false;
    }

    /** Answers the client that the other server cannot be reached. */
    void unreachable(IOException failure) throws IOException;

    /** Answers the client that it cannot be served, and why. */
    void unavailable(String why) throws IOException;
}
