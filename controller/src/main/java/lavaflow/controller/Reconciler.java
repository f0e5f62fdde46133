package lavaflow.controller;

import java.time.Duration;
import java.util.Optional;

/** Makes the world match what one key asks for. Called by one thread at a time per key. */
@FunctionalInterface
public interface Reconciler<K> {
    /** Does what is needed; the result says when to look again although nothing changed. */
    Optional<Duration> reconcile(K key);
}
