package lavaflow.image;

/** A line of the image table: images of such names come from there. */
public record ImageRule(String pattern, Origin origin, boolean isBuiltin) {
    boolean matches(Reference reference) {
        return new NamePattern(pattern).matches(reference);
    }
}
