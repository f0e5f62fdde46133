package lavaflow.simulation;

/** What can go wrong. */
enum Fault {
    /** The server does not do what it was asked: it is busy. */
    REFUSAL,
    /** A change is refused although nobody else changed the object. */
    CONFLICT,
    /** The server does what it was asked, and the answer does not arrive. */
    LOST_ANSWER,
    /** A process ends before a request. */
    CRASH_BEFORE,
    /** A process ends after a request was done, before it can do anything else. */
    CRASH_AFTER,
    /** A watch has news and does not tell all of it yet. */
    LATE_NEWS,
    /** A process hears of something before it hears of something else that happened earlier. */
    REORDERED_NEWS,
    /** A watch ends and everything is listed again. */
    BROKEN_WATCH,
    /** A list was made a while before it arrives. */
    STALE_LIST,
    /** A node is not heard of any more. */
    LOST_NODE
}
