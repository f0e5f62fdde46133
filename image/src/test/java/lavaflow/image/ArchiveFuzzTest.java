package lavaflow.image;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import com.code_intelligence.jazzer.junit.FuzzTest;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Whatever comes as an archive, a manifest, a name or a challenge is read or refused, and unpacking touches nothing outside.
 *
 * <p>Runs the kept inputs as a test; with {@code JAZZER_FUZZ=1} it looks for new ones.
 */
class ArchiveFuzzTest {
    @FuzzTest
    void archive(byte[] input) throws IOException {
        TarReader reader = new TarReader(new ByteArrayInputStream(input));
        try {
            byte[] buffer = new byte[1024];
            long read = 0;
            for (TarEntry entry = reader.next(); entry != null; entry = reader.next()) {
                assertThat(entry.size()).isNotNegative();
                assertThat(entry.name()).doesNotContain("\0");
                for (int count = reader.read(buffer, 0, 1024); count >= 0; count = reader.read(buffer, 0, 1024)) {
                    read += count;
                }
            }
            assertThat(read).isLessThanOrEqualTo(input.length);
        } catch (IOException refused) {
            assertThat(refused.getMessage()).isNotBlank();
        }
    }

    /** The input is a list of entries rather than an archive, so that the search is about names and not about checksums. */
    @FuzzTest
    void unpacking(byte[] input) throws IOException {
        Path directory = Files.createTempDirectory("lava-unpack");
        try {
            Path outside = Files.writeString(directory.resolve("outside"), "untouched");
            Path lower = directory.resolve("lower");
            LayerTree below = new LayerTree(lower, List.of(), true);
            below.makeRoot();
            new LayerUnpacker(below, LayerLimits.USUAL)
                    .unpack(new ByteArrayInputStream(new TestingTar()
                            .directory("d")
                            .file("d/f", "1")
                            .link("up", "../..")
                            .link("root", "/")
                            .link("loop", "loop")
                            .bytes()));
            LayerTree tree = new LayerTree(directory.resolve("upper"), List.of(lower), true);
            tree.makeRoot();
            try {
                new LayerUnpacker(tree, LayerLimits.USUAL).unpack(new ByteArrayInputStream(entries(input)));
            } catch (IOException refused) {
                assertThat(refused.getMessage()).isNotBlank();
            }
            assertThat(outside).hasContent("untouched");
            try (Stream<Path> files = Files.list(directory)) {
                assertThat(files.map(file -> file.getFileName().toString()))
                        .containsExactlyInAnyOrder("outside", "lower", "upper");
            }
            assertThat(lower.resolve("d/f")).hasContent("1");
            assertThat(Files.isDirectory(lower.resolve("d"), LinkOption.NOFOLLOW_LINKS))
                    .isTrue();
        } finally {
            FileTrees.delete(directory);
        }
    }

    private static byte[] entries(byte[] input) {
        TestingTar archive = new TestingTar();
        String[] lines = new String(input, StandardCharsets.ISO_8859_1).split("\n", 40);
        for (String line : lines) {
            String[] words = line.split(" ", 3);
            if (words.length < 2 || words[0].isEmpty()) {
                continue;
            }
            String rest = words.length > 2 ? words[2] : "";
            char type = words[0].charAt(0);
            if (type == '0') {
                archive.file(words[1], "x");
            } else if (type >= '1' && type <= '6' && type != '4') {
                archive.entry(words[1], type, rest, new byte[0]);
            }
        }
        return archive.bytes();
    }

    @FuzzTest
    void names(byte[] input) {
        String text = new String(input, StandardCharsets.UTF_8);
        try {
            Reference reference = Reference.parse(text);
            assertThat(Reference.parse(reference.toString())).isEqualTo(reference);
            assertThat(Reference.parse(reference.familiar())).isEqualTo(reference);
            assertThat(reference.path()).doesNotContain("..");
        } catch (ImageException refused) {
            assertThat(refused.kind()).isEqualTo(ImageException.Kind.INVALID_NAME);
        }
        assertThat(Challenge.parse(text)).isNotNull();
    }

    @FuzzTest
    void documents(byte[] input) {
        try {
            Manifest.parse(input);
        } catch (ImageException refused) {
            assertThat(refused.getMessage()).isNotBlank();
        }
        try {
            ConfigFile.parse(input);
        } catch (ImageException refused) {
            assertThat(refused.getMessage()).isNotBlank();
        }
        try {
            DockerConfig.parse(input);
            DockerConfig.parseLegacy(input);
        } catch (IllegalArgumentException refused) {
            assertThat(refused.getMessage()).isNotBlank();
        }
        try {
            new RuleReader(Path.of("/")).read(input);
        } catch (IllegalArgumentException refused) {
            assertThat(refused.getMessage()).isNotBlank();
        }
    }
}
