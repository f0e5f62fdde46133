package lavaflow.image;

/** Hears how something long is going. May be told by several threads. */
public interface Progress {
    Progress SILENT = _ -> {};

    /** A short line about what is being done now. */
    void note(String text);

    /**
     * How far it is.
     *
     * @param total zero where nobody knows
     */
    default void amount(long done, long total) {}
}
