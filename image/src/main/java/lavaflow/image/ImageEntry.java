package lavaflow.image;

import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * An image that is here, for people.
 *
 * @param names in full, each with where the image came from under it; empty for one whose name another has now
 * @param usedAt when a container was made of it last, or else when it came
 */
public record ImageEntry(String id, Map<String, String> names, List<String> digests, long size, Instant usedAt) {}
