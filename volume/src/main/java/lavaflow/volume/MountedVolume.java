package lavaflow.volume;

import java.nio.file.Path;

/** A volume that is ready to be bound into containers. */
public record MountedVolume(String name, Path path, boolean readOnly) {}
