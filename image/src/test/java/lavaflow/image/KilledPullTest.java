package lavaflow.image;

import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** A process that pulls and removes images is killed at moments of no choice; the next one finds whole images or none. */
class KilledPullTest {
    private static final int KILLS = Integer.getInteger("image.kills", 3);
    private static final int IMAGES = 4;
    private static final int FILES = 200;

    @TempDir
    Path directory;

    /** What is killed: pulls all images and removes them, for ever. */
    public static final class Puller {
        private Puller() {}

        public static void main(String[] words) throws Exception {
            try (ImageStore images = ImageStore.open(Path.of(words[0]))) {
                while (true) {
                    for (int i = 0; i < IMAGES; i++) {
                        Image image = images.pull("image" + i, List.of(), _ -> {});
                        Files.write(Path.of(words[0]).resolve("alive"), new byte[] {1});
                        if (i % 2 == 0) {
                            images.remove(image.id());
                        }
                    }
                    images.collect(Set.of(), Long.MAX_VALUE);
                }
            }
        }
    }

    @Test
    void whatIsVisibleIsWhole() throws Exception {
        Path home = Files.createDirectory(directory.resolve("home"));
        StringBuilder table = new StringBuilder();
        for (int i = 0; i < IMAGES; i++) {
            TestingTar base = new TestingTar();
            TestingTar top = new TestingTar();
            for (int file = 0; file < FILES; file++) {
                base.file("base" + file, "shared");
                top.file("top" + file, "of image " + i);
            }
            Path layout = TestingImage.of(base, top).writeLayout(directory.resolve("layout" + i));
            table.append("- {image: image" + i + ", layout: " + layout + "}\n");
        }
        Files.writeString(home.resolve("images.yaml"), table);
        Random random = new Random(11);
        for (int kill = 0; kill < KILLS; kill++) {
            Files.deleteIfExists(home.resolve("alive"));
            Process process = start(home);
            try {
                while (!Files.exists(home.resolve("alive"))) {
                    assertThat(process.waitFor(5, TimeUnit.MILLISECONDS))
                            .as("it runs")
                            .isFalse();
                }
                assertThat(process.waitFor(random.nextInt(300), TimeUnit.MILLISECONDS))
                        .as("it runs")
                        .isFalse();
            } finally {
                process.destroyForcibly().waitFor();
            }
            assertWhole(home);
        }
        try (ImageStore images = ImageStore.open(home)) {
            for (int i = 0; i < IMAGES; i++) {
                images.pull("image" + i, List.of(), _ -> {});
            }
            images.collect(Set.of(), Long.MAX_VALUE);
        }
        assertThat(home.resolve("images/unpacking")).isEmptyDirectory();
        assertThat(home.resolve("images/layers")).isEmptyDirectory();
    }

    private static Process start(Path home) throws Exception {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        classPath(),
                        Puller.class.getName(),
                        home.toString())
                .redirectErrorStream(true)
                .redirectOutput(home.resolve("log").toFile())
                .start();
    }

    /** From the classes themselves: the property names whatever started the tests. */
    private static String classPath() {
        return Stream.of(
                        Puller.class,
                        ImageStore.class,
                        lavaflow.linux.FileCalls.class,
                        lavaflow.kube.Json.class,
                        com.fasterxml.jackson.databind.JsonNode.class,
                        com.fasterxml.jackson.core.JsonFactory.class,
                        com.fasterxml.jackson.annotation.JsonProperty.class,
                        org.yaml.snakeyaml.events.Event.class,
                        org.slf4j.Logger.class)
                .map(type -> Path.of(URI.create(type.getProtectionDomain()
                                .getCodeSource()
                                .getLocation()
                                .toString()))
                        .toString())
                .distinct()
                .collect(Collectors.joining(":"));
    }

    private static void assertWhole(Path home) {
        try (ImageStore images = ImageStore.open(home)) {
            for (Image image : images.list()) {
                List<Path> layers = ((Image.Layers) image.source()).lowestFirst();
                assertThat(layers).hasSize(2);
                for (int file = 0; file < FILES; file++) {
                    assertThat(layers.getFirst().resolve("base" + file)).hasContent("shared");
                    assertThat(layers.getLast().resolve("top" + file)).content().startsWith("of image ");
                }
            }
        }
    }
}
