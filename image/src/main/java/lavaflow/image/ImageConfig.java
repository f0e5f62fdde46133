package lavaflow.image;

import java.util.List;

import org.jspecify.annotations.Nullable;

/** What an image says about running it. */
public record ImageConfig(
        List<String> entrypoint,
        List<String> command,
        List<String> environment,
        String user,
        String directory,
        List<String> volumes,
        @Nullable String stopSignal) {
    public static final ImageConfig EMPTY = new ImageConfig(List.of(), List.of(), List.of(), "", "", List.of(), null);

    /** The same with another environment. */
    ImageConfig withEnvironment(List<String> variables) {
        return new ImageConfig(entrypoint, command, List.copyOf(variables), user, directory, volumes, stopSignal);
    }
}
