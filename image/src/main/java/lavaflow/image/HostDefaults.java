package lavaflow.image;

import java.util.ArrayList;
import java.util.List;

/** How programs of the machine itself run where nobody says more. */
final class HostDefaults {
    static final String PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
    static final ImageConfig CONFIG = completed(ImageConfig.EMPTY);

    private HostDefaults() {}

    /** With a search path, without which shells find nothing. */
    static ImageConfig completed(ImageConfig config) {
        if (config.environment().stream().anyMatch(variable -> variable.startsWith("PATH="))) {
            return config;
        }
        List<String> environment = new ArrayList<>(List.of("PATH=" + PATH));
        environment.addAll(config.environment());
        return config.withEnvironment(environment);
    }
}
