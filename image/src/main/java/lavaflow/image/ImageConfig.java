package lavaflow.image;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

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

    /** The same where this says nothing as another one says; what is to run is said as a whole. */
    ImageConfig over(ImageConfig base) {
        Map<String, String> variables = new LinkedHashMap<>();
        for (String variable :
                Stream.concat(base.environment.stream(), environment.stream()).toList()) {
            variables.put(variable.substring(0, variable.indexOf('=') + 1), variable);
        }
        boolean says = !entrypoint.isEmpty() || !command.isEmpty();
        return new ImageConfig(
                says ? entrypoint : base.entrypoint,
                says ? command : base.command,
                List.copyOf(variables.values()),
                user.isEmpty() ? base.user : user,
                directory.isEmpty() ? base.directory : directory,
                volumes.isEmpty() ? base.volumes : volumes,
                stopSignal == null ? base.stopSignal : stopSignal);
    }
}
