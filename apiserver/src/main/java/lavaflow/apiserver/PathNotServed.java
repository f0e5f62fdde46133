package lavaflow.apiserver;

/** A path at which nothing is: answered in plain text, as upstream's mux does, because no API was addressed. */
final class PathNotServed extends RuntimeException {
    PathNotServed() {
        super("404 page not found", null, false, false);
    }
}
