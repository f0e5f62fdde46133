package lavaflow.scheduler;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Plugins of others: what a directory of jars brings. */
public final class PluginJars {
    private static final Logger LOG = LoggerFactory.getLogger(PluginJars.class);

    private PluginJars() {}

    /**
     * Finds what the jars of a directory bring, for as long as the program runs; null for none.
     *
     * @throws UncheckedIOException if it cannot be read
     */
    public static ClassLoader loader(@Nullable Path directory) {
        ClassLoader own = PluginJars.class.getClassLoader();
        if (directory == null) {
            return own;
        }
        try (Stream<Path> files = Files.list(directory)) {
            List<Path> jars = files.filter(file -> file.toString().endsWith(".jar"))
                    .sorted()
                    .toList();
            LOG.info("plugins of {} jars in {} can be named", jars.size(), directory);
            URL[] places = new URL[jars.size()];
            for (int i = 0; i < places.length; i++) {
                places[i] = place(jars.get(i));
            }
            return new URLClassLoader("plugins", places, own);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static URL place(Path jar) throws MalformedURLException {
        return jar.toUri().toURL();
    }
}
