package lavaflow.trainer;

/** Something to tell about an object, as an event. */
record Notice(boolean warning, String reason, String message) {}
