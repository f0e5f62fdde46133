package lavaflow.image;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

class RecipeTest {
    @TempDir
    Path directory;

    private Path home;

    @BeforeEach
    void prepare() throws IOException {
        home = Files.createDirectories(directory.resolve("home"));
        Files.createDirectories(home.resolve("recipes"));
        Files.writeString(home.resolve("images.yaml"), "- {image: train, recipe: train}");
    }

    private void recipe(String yaml) throws IOException {
        Files.writeString(home.resolve("recipes/train.yaml"), yaml);
    }

    private static void needsPython() {
        try {
            Interpreter.find("", true);
        } catch (ImageException e) {
            assumeTrue(false, e.getMessage());
        }
    }

    /** A package with a program, as an installer knows it. */
    private Path wheel() throws IOException {
        Path file = directory.resolve("tiny-1.0-py3-none-any.whl");
        try (OutputStream out = Files.newOutputStream(file);
                ZipOutputStream zip = new ZipOutputStream(out)) {
            put(zip, "tiny.py", "def main():\n    print('tiny works')\n");
            put(zip, "tiny-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: tiny\nVersion: 1.0\n");
            put(
                    zip,
                    "tiny-1.0.dist-info/WHEEL",
                    "Wheel-Version: 1.0\nGenerator: x\nRoot-Is-Purelib: true\nTag: py3-none-any\n");
            put(zip, "tiny-1.0.dist-info/entry_points.txt", "[console_scripts]\ntiny = tiny:main\n");
            put(
                    zip,
                    "tiny-1.0.dist-info/RECORD",
                    "tiny.py,,\ntiny-1.0.dist-info/METADATA,,\ntiny-1.0.dist-info/WHEEL,,\n");
        }
        return file;
    }

    private static void put(ZipOutputStream zip, String name, String text) throws IOException {
        zip.putNextEntry(new ZipEntry(name));
        zip.write(text.getBytes(StandardCharsets.UTF_8));
        zip.closeEntry();
    }

    @Test
    void anEnvironmentIsBuiltOnceAndSeenAtOnePlace() throws Exception {
        needsPython();
        Files.writeString(directory.resolve("train.py"), "print('hi')");
        recipe("""
                name: train
                base: host
                python: {requirements: ["%s"]}
                files: [{source: %s, target: /app/train.py}]
                env: {EPOCHS: 3}
                command: [python, /app/train.py]
                """.formatted(wheel(), directory.resolve("train.py")));
        List<String> notes = new ArrayList<>();
        try (ImageStore images = ImageStore.open(home)) {
            assertThat(images.find("train")).isEmpty();
            Image image = images.pull("train", List.of(), notes::add);
            assertThat(notes).anyMatch(note -> note.startsWith("making the environment"));
            assertThat(image.config().command()).containsExactly("python", "/app/train.py");
            assertThat(image.config().environment())
                    .contains("EPOCHS=3", "VIRTUAL_ENV=/opt/lava/train")
                    .anyMatch(variable -> variable.startsWith("PATH=/opt/lava/train/bin:"));
            List<Image.Overlaid> laid = ((Image.HostTree) image.source()).laidOver();
            Path environment = laid.stream()
                    .filter(over -> over.target().equals("/opt/lava/train"))
                    .findFirst()
                    .orElseThrow()
                    .source();
            assertThat(environment.resolve("bin/tiny")).content().startsWith("#!/opt/lava/train/bin/python");
            assertThat(laid.getLast().target()).isEqualTo("/app/train.py");
            assertThat(laid.getLast().source()).hasContent("print('hi')");
            assertThat(image.size()).isGreaterThan(0);
            notes.clear();
            assertThat(images.pull("train", List.of(), notes::add)).isEqualTo(image);
            assertThat(images.pull("train:2", List.of(), notes::add).id()).isEqualTo(image.id());
            assertThat(notes).isEmpty();
            try (var files = Files.walk(environment)) {
                assertThat(files.filter(file -> file.getFileName().toString().matches("tiny\\..*\\.pyc")))
                        .hasSize(1);
            }
        }
    }

    @Test
    void aRecipeThatFailsSaysWhereItsLogIs() throws Exception {
        needsPython();
        recipe("name: train\npython: {requirements: [\"/does/not/exist-1.0-py3-none-any.whl\"]}");
        try (ImageStore images = ImageStore.open(home)) {
            assertThatThrownBy(() -> images.pull("train", List.of(), _ -> {}))
                    .isInstanceOf(ImageException.class)
                    .hasMessageContaining("see " + home.resolve("recipes/train.log"))
                    .hasMessageContaining("exist-1.0");
            assertThat(images.find("train")).isEmpty();
            assertThat(home.resolve("images/unpacking")).isEmptyDirectory();
        }
        assertThat(home.resolve("recipes/train.log")).content().contains("pip");
    }

    @Test
    void filesAloneNeedNoPython() throws Exception {
        Path data = Files.createDirectories(directory.resolve("data/sub"));
        Files.writeString(data.resolve("x"), "1");
        recipe("name: train\nfiles: [{source: " + directory.resolve("data") + ", target: /data}]");
        try (ImageStore images = ImageStore.open(home)) {
            Image image = images.pull("train", List.of(), _ -> {});
            Image.Overlaid over = ((Image.HostTree) image.source()).laidOver().getFirst();
            assertThat(over.target()).isEqualTo("/data");
            assertThat(over.source().resolve("sub/x")).hasContent("1");
            recipe("name: train\nfiles: [{source: " + directory.resolve("data") + ", target: /other}]");
            assertThat(images.find("train")).as("the recipe has changed").isEmpty();
            assertThat(images.pull("train", List.of(), _ -> {}).id()).isNotEqualTo(image.id());
        }
    }

    @Test
    void aRecipeAddsToAnother() throws Exception {
        Files.writeString(directory.resolve("x"), "1");
        String file = "{source: " + directory.resolve("x") + ", target: /";
        Files.writeString(
                home.resolve("recipes/base.yaml"),
                "name: base\nfiles: [" + file + "x}]\nenv: {A: 1, B: 1}\ncommand: [sleep]\nworkingDir: /tmp");
        recipe("name: train\nbase: base\nfiles: [" + file + "y}]\nenv: {B: 2}\nentrypoint: [run]");
        try (ImageStore images = ImageStore.open(home)) {
            Image image = images.pull("train", List.of(), _ -> {});
            assertThat(((Image.HostTree) image.source()).laidOver())
                    .extracting(Image.Overlaid::target)
                    .containsExactly("/x", "/y");
            assertThat(image.config().environment()).containsExactly("PATH=" + HostDefaults.PATH, "A=1", "B=2");
            assertThat(image.config().entrypoint()).containsExactly("run");
            assertThat(image.config().command()).isEmpty();
            assertThat(image.config().directory()).isEqualTo("/tmp");
            assertThat(images.find("train")).isPresent();
            Files.writeString(home.resolve("recipes/base.yaml"), "name: base\nfiles: [" + file + "x}]\nenv: {A: 3}");
            assertThat(images.find("train")).as("its base has changed").isEmpty();
            assertThat(images.pull("train", List.of(), _ -> {}).config().environment())
                    .contains("A=3", "B=2");
        }
    }

    @Test
    void aRecipeThatBuildsUponItselfIsTold() throws Exception {
        Files.writeString(home.resolve("recipes/base.yaml"), "name: base\nbase: train");
        recipe("name: train\nbase: base");
        try (ImageStore images = ImageStore.open(home)) {
            assertThatThrownBy(() -> images.pull("train", List.of(), _ -> {}))
                    .isInstanceOf(ImageException.class)
                    .hasMessageContaining("recipe train builds upon itself");
        }
    }

    @Test
    void manyWhoWantItAtOnceGetOne() throws Exception {
        Files.writeString(directory.resolve("x"), "1");
        recipe("name: train\nfiles: [{source: " + directory.resolve("x") + ", target: /x}]");
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
                ImageStore one = ImageStore.open(home);
                ImageStore other = ImageStore.open(home)) {
            List<Future<Image>> all = IntStream.range(0, 8)
                    .mapToObj(i ->
                            threads.submit(() -> (i % 2 == 0 ? one : other).pull("train:" + i, List.of(), _ -> {})))
                    .toList();
            Set<String> ids = new HashSet<>();
            for (Future<Image> future : all) {
                ids.add(future.get().id());
            }
            assertThat(ids).hasSize(1);
        }
        try (Stream<Path> trees = Files.list(home.resolve("images/trees"))) {
            assertThat(trees).hasSize(1);
        }
    }

    @Test
    void anUnknownVersionOfPythonIsTold() throws Exception {
        recipe("name: train\npython: {version: \"3.1\"}");
        try (ImageStore images = ImageStore.open(home)) {
            assertThatThrownBy(() -> images.pull("train", List.of(), _ -> {}))
                    .hasMessageContaining("this machine has no Python 3.1");
        }
    }

    private static void program(Path place) throws IOException {
        Files.createFile(place, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-xr-x")));
    }

    @Test
    void programsTheMachineLacksAreInstalledWhereThatIsAllowed() throws Exception {
        Path place = Files.createDirectories(directory.resolve("bin"));
        Path policy = directory.resolve("policy");
        program(place.resolve("ssh"));
        Map<String, String> wanted = Map.of("ssh", "openssh-client", "mpirun", "openmpi-bin");
        assertThatThrownBy(() -> new Programs(place.toString(), false, policy).ensure(wanted, _ -> {}))
                .isInstanceOf(ImageException.class)
                .hasMessageEndingWith("sudo apt-get install openmpi-bin");

        List<List<String>> commands = new ArrayList<>();
        Programs installing = new Programs(place.toString(), true, policy);
        assertThatThrownBy(() -> installing.ensure(wanted, command -> commands.add(List.of(command))))
                .as("what was installed does not have it")
                .hasMessageEndingWith("sudo apt-get install openmpi-bin");
        assertThat(commands.getLast())
                .contains("install")
                .endsWith("openmpi-bin")
                .doesNotContain("openssh-client");

        installing.ensure(wanted, command -> {
            assertThat(policy).as("services do not start").isExecutable();
            if (List.of(command).contains("install")) {
                program(place.resolve("mpirun"));
            }
        });
        assertThat(policy).doesNotExist();
        installing.ensure(
                wanted, command -> assertThat(command).as("nothing lacks").isEmpty());
    }

    @Test
    void whoCannotFetchPackagesIsToldSoAndNotThatThereAreNone() {
        Path log = Path.of("six.log");
        List<String> lines = List.of(
                "$ pip install six",
                "WARNING: Retrying: NewConnectionError: Failed to establish a new connection: Connection refused",
                "ERROR: No matching distribution found for six");
        assertThat(RecipeBuilder.problem(lines, log))
                .hasMessageContaining("no packages could be fetched: WARNING: Retrying")
                .hasMessageContaining("PIP_INDEX_URL");
        assertThat(RecipeBuilder.problem(List.of("ERROR: No matching distribution found for six", "bye"), log))
                .hasMessage("the recipe could not be carried out, see six.log:"
                        + " ERROR: No matching distribution found for six");
        assertThat(RecipeBuilder.problem(List.of(), log)).hasMessageContaining("it said nothing");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "name: ../x | 'name' must be",
                "base: a/b, name: a | 'base' is host or the name of a recipe",
                "base: b, name: a, python: {} | 'python' is the environment of b already",
                "name: a, pyhton: {} | 'pyhton' means nothing here",
                "name: a, files: [{source: x}] | 'files' are",
                "name: a, files: [{source: x, target: /a/../b}] | 'files' are",
                "name: a, files: [{source: /does/not/exist, target: /b}] | there is no file",
                "name: a, python: [x] | 'python' is a map",
                "name: a, programs: [x] | 'programs' is a map",
                "name: a, programs: {x: \"y; z\"} | 'programs' is a map",
                "name: a, programs: {../x: y} | 'programs' is a map",
            })
    void mistakesAreNamed(String yaml, String message) throws IOException {
        recipe("{" + yaml + "}");
        assertThatThrownBy(() -> Recipe.read(home.resolve("recipes/train.yaml")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("train.yaml")
                .hasMessageContaining(message);
    }
}
