package lavaflow.scheduler;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class PluginJarsTest {
    @TempDir
    private Path folder;

    private void jar(String name, String entry) throws IOException {
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(folder.resolve(name)))) {
            out.putNextEntry(new JarEntry(entry));
        }
    }

    @Test
    void allJarsOfADirectoryAreLookedInto() throws IOException {
        jar("b.jar", "of-b");
        jar("a.jar", "of-a");
        jar("c.zip", "of-c");
        try (URLClassLoader loader = (URLClassLoader) PluginJars.loader(folder)) {
            assertThat(loader.getResource("of-a")).isNotNull();
            assertThat(loader.getResource("of-b")).isNotNull();
            assertThat(loader.getResource("of-c")).isNull();
            assertThat(loader.getURLs()[0].toString()).endsWith("/a.jar");
        }
    }

    @Test
    void withoutADirectoryThereIsWhatIsAlwaysThere() {
        assertThat(PluginJars.loader(null)).isSameAs(PluginJars.class.getClassLoader());
        assertThatThrownBy(() -> PluginJars.loader(folder.resolve("missing"))).isInstanceOf(UncheckedIOException.class);
    }
}
