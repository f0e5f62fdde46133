package lavaflow.plugins;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;

import lavaflow.gang.Plugin;
import lavaflow.kube.MalformedException;
import lavaflow.placement.PodClass;

import com.fasterxml.jackson.core.TreeNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Plugins of others: the example of the documentation, made into a jar. */
class PluginJarTest {
    private static final Path EXAMPLE = Path.of("..", "docs", "examples", "fifo-plugin");
    private static final String SERVICES = "META-INF/services/lavaflow.gang.PluginFactory";

    @TempDir
    private Path folder;

    private Path jar(String services) throws IOException {
        Path classes = Files.createDirectories(folder.resolve("classes"));
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        int failed = compiler.run(
                null,
                OutputStream.nullOutputStream(),
                OutputStream.nullOutputStream(),
                "-d",
                classes.toString(),
                "-cp",
                classPath(),
                "-proc:none",
                EXAMPLE.resolve("src/example/FifoPlugin.java").toString());
        assertThat(failed).as("the example compiles").isZero();
        Path jar = folder.resolve("fifo.jar");
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar));
                Stream<Path> files = Files.walk(classes)) {
            out.putNextEntry(new JarEntry(SERVICES));
            out.write(services.getBytes(StandardCharsets.UTF_8));
            for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
                out.putNextEntry(new JarEntry(classes.relativize(file).toString()));
                Files.copy(file, out);
            }
        }
        return jar;
    }

    /** Where what the example needs is, however the tests were started. */
    private static String classPath() {
        return Stream.of(
                        Plugin.class,
                        MalformedException.class,
                        PodClass.class,
                        ObjectNode.class,
                        TreeNode.class,
                        Nullable.class)
                .map(type -> Path.of(URI.create(type.getProtectionDomain()
                                .getCodeSource()
                                .getLocation()
                                .toString()))
                        .toString())
                .collect(Collectors.joining(File.pathSeparator));
    }

    private URLClassLoader loader(Path jar) throws IOException {
        return new URLClassLoader(new URL[] {jar.toUri().toURL()}, getClass().getClassLoader());
    }

    private static final String FILE = """
            actions: "allocate"
            tiers:
            - plugins:
              - name: fifo
                arguments: {newestFirst: %s}
              - name: priority
              - name: gang
            """;

    private static List<String> order(TestingGangs gangs) {
        gangs.core.onPriority("high", 100, false);
        gangs.node("n1", 2)
                .gang("old", 2)
                .gang("high", 2, "{\"spec\":{\"priorityClassName\":\"high\"}}")
                .gang("young", 2);
        return List.copyOf(gangs.placed().keySet());
    }

    @Test
    void aJarBringsAPluginWithItsArguments() throws IOException {
        String services = Files.readString(EXAMPLE.resolve(SERVICES));
        try (URLClassLoader loader = loader(jar(services))) {
            assertThat(order(new TestingGangs(Plugins.with(loader)).configured(FILE.formatted(false))))
                    .containsExactly("old");
            assertThat(order(new TestingGangs(Plugins.with(loader)).configured(FILE.formatted(true))))
                    .containsExactly("young");
            assertThat(order(new TestingGangs(Plugins.with(loader))
                            .configured(FILE.formatted(true)
                                    .replace("    arguments", "    enableJobOrder: false\n    arguments"))))
                    .as("it can be turned off like any other")
                    .containsExactly("high");
        }
    }

    @Test
    void aJarThatPromisesWhatItDoesNotHaveIsRefused() throws IOException {
        try (URLClassLoader loader = loader(jar("example.Missing\n"))) {
            TestingGangs gangs = new TestingGangs(Plugins.with(loader));

            assertThatThrownBy(() -> gangs.configured(FILE.formatted(false)))
                    .isInstanceOf(MalformedException.class)
                    .hasMessageContaining("plugin fifo")
                    .hasMessageContaining("example.Missing");
        }
    }

    @Test
    void aPluginThatNobodyHasIsLeftOut() {
        assertThat(order(new TestingGangs().configured(FILE.formatted(true)))).containsExactly("high");
    }
}
