package lavaflow.training;

/**
 * Something to tell about a job, as an event.
 *
 * @param about whose trouble it is, told once for each; empty for what happens to the job itself
 */
record Notice(boolean warning, String reason, String message, String about) {
    static Notice normal(String reason, String message) {
        return new Notice(false, reason, message, "");
    }

    static Notice warning(String reason, String message) {
        return new Notice(true, reason, message, "");
    }
}
