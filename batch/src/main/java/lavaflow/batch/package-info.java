/**
 * Volcano's controllers, and the rules by which its objects are accepted, without its webhooks: queues, and PodGroups for
 * pods that have none.
 *
 * <p>State: derived from the API and rebuilt at start. Threading: the runtime's. Kinds that are not served cost nothing. The
 * rules of admission are functions of values. Entry class: {@link lavaflow.batch.BatchControllers}.
 */
@NullMarked
package lavaflow.batch;

import org.jspecify.annotations.NullMarked;
