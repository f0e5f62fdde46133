package lavaflow.store;

import java.util.List;

/**
 * What a {@link Cursor} met.
 *
 * @param changes in order of revision
 * @param revision every change of the cursor's range up to here has been delivered, now or before: a bookmark
 */
public record Progress(List<Change> changes, long revision) {}
