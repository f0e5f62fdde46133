package lavaflow.image;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class ImageStoreTest {
    @TempDir
    Path directory;

    private Path home;
    private ImageStore images;

    @BeforeEach
    void open() throws IOException {
        home = Files.createDirectory(directory.resolve("home"));
        images = ImageStore.open(home);
    }

    @AfterEach
    void close() {
        images.close();
    }

    private void table(String yaml) throws IOException {
        Files.writeString(home.resolve("images.yaml"), yaml);
    }

    private Image pull(String name) throws ImageException {
        return images.pull(name, List.of(), _ -> {});
    }

    private static List<Path> layers(Image image) {
        return ((Image.Layers) image.source()).lowestFirst();
    }

    private static TestingTar text(String name, String text) {
        return new TestingTar().file(name, text);
    }

    private List<String> left(String part) throws IOException {
        if (!Files.exists(home.resolve("images").resolve(part))) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(home.resolve("images").resolve(part))) {
            return files.map(file -> file.getFileName().toString()).toList();
        }
    }

    @Test
    void theMachineItselfIsAlwaysThere() throws ImageException {
        Image host = images.find("host").orElseThrow();
        assertThat(host.source()).isEqualTo(new Image.HostTree(List.of()));
        assertThat(host.reference()).isEqualTo("docker.io/library/host:latest");
        assertThat(host.id()).startsWith("sha256:");
        assertThat(pull("host:2").id()).isEqualTo(host.id());
        assertThat(images.find(host.id())).isPresent();
        assertThat(images.list()).extracting(Image::reference).contains("docker.io/library/host:2");
        images.used(host.id());
    }

    @Test
    void aDirectoryCanBeAnImage() throws Exception {
        Path root = Files.createDirectory(directory.resolve("root"));
        table("- {image: mine, directory: " + root + ", command: [run]}");
        Image image = images.find("mine").orElseThrow();
        assertThat(layers(image)).containsExactly(root);
        assertThat(image.config().command()).containsExactly("run");
        table("- {image: mine, directory: /does/not/exist}");
        assertThat(images.find("mine")).isEmpty();
        assertThatThrownBy(() -> pull("mine")).hasMessageContaining("there is no directory /does/not/exist");
    }

    @Test
    void aLayoutIsUnpackedOnce() throws Exception {
        TestingImage made = TestingImage.of(text("a", "1"), text("b", "2"));
        table("- {image: \"x/*\", layout: " + made.writeLayout(directory.resolve("layout")) + "}");
        assertThat(images.find("x/y:1")).isEmpty();
        Image image = pull("x/y:1");
        assertThat(image.id()).isEqualTo(made.id());
        assertThat(image.digest()).isEqualTo("docker.io/x/y@" + made.digest());
        assertThat(layers(image)).hasSize(2);
        assertThat(layers(image).getFirst().resolve("a")).hasContent("1");
        assertThat(layers(image).getLast().resolve("b")).hasContent("2");
        assertThat(image.config())
                .isEqualTo(new ImageConfig(
                        List.of(), List.of("sh"), List.of("A=b"), "1000", "/home/app", List.of("/data"), "SIGQUIT"));
        assertThat(image.size()).isGreaterThan(0);
        assertThat(images.find("x/y:1")).contains(image);
        assertThat(images.find("x/y@" + made.digest())).map(Image::id).contains(made.id());
        assertThat(images.find(made.id())).map(Image::id).contains(made.id());
        assertThat(pull("x/z").id()).isEqualTo(made.id());
        assertThat(left("layers")).hasSize(2);
        assertThat(left("unpacking")).isEmpty();
    }

    @Test
    void layersOfSeveralImagesAreShared() throws Exception {
        TestingTar base = text("a", "1");
        TestingImage one = TestingImage.of(base, text("b", "2"));
        TestingImage two = TestingImage.of(base, text("c", "3"));
        table("- {image: one, layout: " + one.writeLayout(directory.resolve("l1")) + "}\n- {image: two, layout: "
                + two.writeLayout(directory.resolve("l2")) + "}");
        assertThat(layers(pull("one")).getFirst()).isEqualTo(layers(pull("two")).getFirst());
        assertThat(left("layers")).hasSize(3);
        images.remove(one.id());
        assertThat(left("layers")).hasSize(2);
        assertThat(images.find("one")).isEmpty();
        assertThat(layers(images.find("two").orElseThrow())).allMatch(Files::isDirectory);
    }

    @Test
    void archivesOfBothKindsAreUnderstood() throws Exception {
        TestingImage made = TestingImage.of(text("a", "1"), text("b", "2"), text("a", "1"));
        Files.write(directory.resolve("docker.tar"), made.dockerArchive("some:1"));
        Files.write(directory.resolve("oci.tar"), made.ociArchive(""));
        Files.write(directory.resolve("docker.tar.gz"), TestingTar.gzip(made.dockerArchive("some:1")));
        for (String file : List.of("docker.tar", "oci.tar", "docker.tar.gz")) {
            table("- {image: " + file + ", archive: " + directory.resolve(file) + "}");
            Image image = pull(file);
            assertThat(image.id()).isEqualTo(made.id());
            assertThat(layers(image)).hasSize(3);
        }
        assertThat(left("unpacking")).isEmpty();
    }

    @Test
    void aChangedArchiveIsReadAgain() throws Exception {
        Path file = directory.resolve("a.tar");
        table("- {image: a, archive: " + file + "}");
        Files.write(file, TestingImage.of(text("a", "1")).dockerArchive("a"));
        String before = pull("a").id();
        assertThat(images.find("a")).isPresent();
        Files.write(file, TestingImage.of(text("a", "a longer one")).dockerArchive("a"));
        Files.setLastModifiedTime(file, FileTime.from(Instant.now().plusSeconds(5)));
        assertThat(images.find("a")).isEmpty();
        assertThat(pull("a").id()).isNotEqualTo(before);
        Files.delete(file);
        assertThat(images.find("a")).as("what was made of a file outlives it").isPresent();
    }

    @Test
    void theTableDecidesEvenOverWhatIsHere() throws Exception {
        Files.write(directory.resolve("a.tar"), TestingImage.of(text("a", "1")).dockerArchive("a"));
        table("- {image: a, archive: " + directory.resolve("a.tar") + "}");
        pull("a");
        table("- {image: a, host: true}");
        assertThat(images.find("a").orElseThrow().source()).isInstanceOf(Image.HostTree.class);
    }

    @Test
    void importedImagesNeedNoTable() throws Exception {
        TestingImage made = TestingImage.of(text("a", "1"));
        Path file = Files.write(directory.resolve("a.tar"), made.dockerArchive("team/a:1", "gcr.io/team/a:1"));
        assertThat(images.load(file, List.of(), Progress.SILENT))
                .containsExactly("docker.io/team/a:1", "gcr.io/team/a:1");
        assertThat(images.find("gcr.io/team/a:1")).map(Image::id).contains(made.id());
        assertThat(pull("team/a:1").id())
                .as("nobody is asked for what was imported")
                .isEqualTo(made.id());
        assertThat(images.load(file, List.of("other"), Progress.SILENT))
                .containsExactly("docker.io/library/other:latest");
        Files.write(directory.resolve("same.tar"), made.dockerArchive("x"));
        table("- {image: elsewhere, archive: " + directory.resolve("same.tar") + "}");
        pull("elsewhere");
        assertThat(pull("team/a:1").id())
                .as("still, now that it also came from elsewhere")
                .isEqualTo(made.id());
        assertThat(images.collect(Set.of(), Long.MAX_VALUE))
                .as("nothing could bring it back")
                .isZero();
        images.remove(made.id());
        assertThat(images.list()).isEmpty();
        assertThat(left("layers")).isEmpty();
    }

    @Test
    void anImportWithoutANameIsRefused() throws Exception {
        Path file = Files.write(
                directory.resolve("a.tar"), TestingImage.of(text("a", "1")).ociArchive(""));
        assertThatThrownBy(() -> images.load(file, List.of(), Progress.SILENT)).hasMessageContaining("--name");
        Path other = Files.write(
                directory.resolve("b.tar"), TestingImage.of(text("a", "1")).ociArchive("gcr.io/a/b:2"));
        assertThat(images.load(other, List.of(), Progress.SILENT)).containsExactly("gcr.io/a/b:2");
    }

    @Test
    void whatIsNoArchiveIsRefused() throws Exception {
        Path text = Files.writeString(directory.resolve("a.tar"), "no archive at all".repeat(100));
        assertThatThrownBy(() -> images.load(text, List.of(), Progress.SILENT)).isInstanceOf(ImageException.class);
        Path other = Files.write(directory.resolve("b.tar"), text("x", "y").bytes());
        assertThatThrownBy(() -> images.load(other, List.of(), Progress.SILENT))
                .hasMessageContaining("neither an OCI image nor");
    }

    @Test
    void damagedContentIsNeverVisible() throws Exception {
        TestingImage made = TestingImage.of(text("a", "1"), text("b", "2"));
        Path layout = made.writeLayout(directory.resolve("layout"));
        String last = made.blobs.keySet().stream().reduce((_, b) -> b).orElseThrow();
        Files.write(
                layout.resolve("blobs").resolve(last.replace(':', '/')),
                text("b", "other").compressed());
        table("- {image: a, layout: " + layout + "}");
        assertKind("a", ImageException.Kind.DAMAGED, "should be " + last);
        Files.write(
                layout.resolve("blobs").resolve(made.digest().replace(':', '/')),
                "{}".getBytes(java.nio.charset.StandardCharsets.UTF_8));
        assertKind("a", ImageException.Kind.DAMAGED, "should be " + made.digest());
        assertThat(images.find("a")).isEmpty();
        assertThat(images.list()).isEmpty();
        images.collect(Set.of(), Long.MAX_VALUE);
        assertThat(left("layers")).isEmpty();
        assertThat(left("unpacking")).isEmpty();
    }

    @Test
    void aLayerThatIsNotWhatTheConfigurationSaysIsRefused() throws Exception {
        TestingImage made = TestingImage.of(
                List.of(text("a", "1").bytes()), List.of(text("a", "2").compressed()), "amd64");
        table("- {image: a, layout: " + made.writeLayout(directory.resolve("layout")) + "}");
        assertKind("a", ImageException.Kind.DAMAGED, "should unpack to");
    }

    @Test
    void layersThatUnpackToTooMuchAreRefused() throws Exception {
        images = ImageStore.open(home, new LayerLimits(1 << 20, 100, 50, 1 << 16, 0), RegistryClient.Patience.USUAL);
        byte[] zeros =
                new TestingTar().entry("zeros", '0', "", new byte[1 << 19]).bytes();
        TestingImage bomb = TestingImage.of(List.of(zeros), List.of(TestingTar.gzip(zeros)), "amd64");
        table("- {image: a, layout: " + bomb.writeLayout(directory.resolve("layout")) + "}");
        assertKind("a", ImageException.Kind.TOO_LARGE, "more than 50 times its size");
        byte[] big = new TestingTar().entry("big", '0', "", new byte[2 << 20]).bytes();
        TestingImage large = TestingImage.of(List.of(big), List.of(big), "amd64");
        table("- {image: a, layout: " + large.writeLayout(directory.resolve("layout2")) + "}");
        assertKind("a", ImageException.Kind.TOO_LARGE, "more than 1048576 bytes");
        assertThat(left("unpacking")).isEmpty();
    }

    @Test
    void imagesForOtherMachinesAreRefused() throws Exception {
        byte[] layer = text("a", "1").bytes();
        TestingImage made = TestingImage.of(List.of(layer), List.of(layer), "s390x");
        table("- {image: a, layout: " + made.writeLayout(directory.resolve("layout")) + "}");
        assertKind("a", ImageException.Kind.NOT_FOUND, "linux/s390x");
    }

    private void assertKind(String name, ImageException.Kind kind, String why) {
        assertThatThrownBy(() -> pull(name))
                .isInstanceOfSatisfying(
                        ImageException.class,
                        refused -> assertThat(refused.kind()).isEqualTo(kind))
                .hasMessageContaining(why);
    }

    @Test
    void whatWasUsedLongestAgoGoesFirst() throws Exception {
        StringBuilder rules = new StringBuilder();
        for (int i = 0; i < 4; i++) {
            Path layout = TestingImage.of(text("f", "x".repeat(100 + i))).writeLayout(directory.resolve("l" + i));
            rules.append("- {image: i" + i + ", layout: " + layout + "}\n");
        }
        table(rules.toString());
        for (int i = 0; i < 4; i++) {
            Image image = pull("i" + i);
            Files.setLastModifiedTime(
                    home.resolve("images/used").resolve(Digest.hex(image.id())),
                    FileTime.from(Instant.now().minusSeconds(1000 - i)));
        }
        images.used(images.find("i0").orElseThrow().id());
        long each = images.find("i1").orElseThrow().size();
        String kept = images.find("i2").orElseThrow().id();
        assertThat(images.collect(Set.of(kept), each)).isEqualTo(each);
        assertThat(images.find("i1")).isEmpty();
        assertThat(images.collect(Set.of(kept), 2 * each)).isEqualTo(2 * each);
        assertThat(images.find("i3")).isEmpty();
        assertThat(images.find("i0")).isEmpty();
        assertThat(images.find("i2")).isPresent();
        assertThat(images.collect(Set.of(kept), Long.MAX_VALUE)).isZero();
    }

    @Test
    void manyMayWantTheSameAtOnce() throws Exception {
        TestingImage made = TestingImage.of(text("a", "1"), text("b", "2"));
        table("- {image: \"*\", layout: " + made.writeLayout(directory.resolve("layout")) + "}");
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
                ImageStore other = ImageStore.open(home)) {
            List<Future<Image>> all = IntStream.range(0, 16)
                    .mapToObj(i -> threads.submit(
                            () -> (i % 2 == 0 ? images : other).pull("name" + i % 4, List.of(), _ -> {})))
                    .toList();
            for (Future<Image> one : all) {
                assertThat(one.get().id()).isEqualTo(made.id());
            }
        }
        assertThat(left("layers")).hasSize(2);
        assertThat(left("unpacking")).isEmpty();
    }

    @Test
    void leftoversOfAKilledProcessAreSweptAndNothingElse() throws Exception {
        Path dead = Files.createDirectories(home.resolve("images/unpacking/dead/0/tree"));
        Files.writeString(dead.resolve("half"), "a layer");
        Files.writeString(home.resolve("images/unpacking/dead/lease"), "");
        TestingImage made = TestingImage.of(text("a", "1"));
        table("- {image: a, layout: " + made.writeLayout(directory.resolve("layout")) + "}");
        Warehouse warehouse = new Warehouse(home.resolve("images"), LayerLimits.USUAL);
        try (WorkArea.Job running = warehouse.begin()) {
            Path place = Files.createDirectory(running.place());
            pull("a");
            assertThat(place).exists();
            assertThat(home.resolve("images/unpacking/dead")).doesNotExist();
        }
        assertThat(left("unpacking")).isEmpty();
    }

    @Test
    void leftoversOfTheVersionBeforeAreSweptWithTheirPlace() throws Exception {
        Path former = home.resolve("images").resolve("work");
        Files.createDirectories(former.resolve("dead").resolve("0"));
        new Warehouse(home.resolve("images"), LayerLimits.USUAL).begin().close();
        assertThat(former).doesNotExist();
    }

    @Test
    void layersARunningPullCountsOnStay() throws Exception {
        TestingImage made = TestingImage.of(text("a", "1"));
        table("- {image: a, layout: " + made.writeLayout(directory.resolve("layout")) + "}");
        pull("a");
        Warehouse warehouse = new Warehouse(home.resolve("images"), LayerLimits.USUAL);
        try (WorkArea.Job running = warehouse.begin()) {
            running.lease(Digest.of(text("a", "1").bytes()));
            images.remove(made.id());
            assertThat(left("layers")).hasSize(1);
        }
        images.collect(Set.of(), 0);
        assertThat(left("layers")).isEmpty();
    }
}
