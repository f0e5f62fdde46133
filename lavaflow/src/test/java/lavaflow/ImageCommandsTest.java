package lavaflow;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

import lavaflow.image.ImageStore;
import lavaflow.kube.Json;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

class ImageCommandsTest {
    @TempDir
    Path directory;

    private record Said(int code, String text) {}

    private Said lava(String... words) {
        StringWriter text = new StringWriter();
        List<String> all = new ArrayList<>(List.of(words));
        all.add("--data-dir");
        all.add(directory.resolve("home").toString());
        int code = Lava.run(all, new PrintWriter(text));
        return new Said(code, text.toString());
    }

    private static Said plain(String... words) {
        StringWriter text = new StringWriter();
        int code = Lava.run(List.of(words), new PrintWriter(text));
        return new Said(code, text.toString());
    }

    @Test
    void rulesAreAddedShownAndRemoved() {
        assertThat(lava("image", "add", "gcr.io/*", "--registry", "mirror.example/gcr")
                        .code())
                .isZero();
        assertThat(lava("image", "add", "team/*", "--host", "--command", "sleep 1d", "--env", "A=b,C=d")
                        .code())
                .isZero();
        Said table = lava("image", "ls", "--table");
        assertThat(table.text().lines().map(line -> line.replaceAll(" +", " ")))
                .startsWith(
                        "IMAGE FROM RULE",
                        "team/* host table",
                        "gcr.io/* registry mirror.example/gcr table",
                        "host host built in");
        try (ImageStore images = ImageStore.open(directory.resolve("home"))) {
            var config = images.find("team/x").orElseThrow().config();
            assertThat(config.command()).containsExactly("sleep", "1d");
            assertThat(config.environment()).contains("A=b", "C=d");
        }
        assertThat(lava("image", "rm", "team/*", "--rule").code()).isZero();
        assertThat(lava("image", "rm", "team/*", "--rule").code()).isEqualTo(Lava.FAILED);
        assertThat(lava("image", "ls", "--table", "-o", "name").text()).startsWith("gcr.io/*\nhost\n");
    }

    @Test
    void wrongRulesAreRefused() {
        assertThat(lava("image", "add", "x").code()).isEqualTo(Lava.USAGE);
        assertThat(lava("image", "add", "x", "--host", "--layout", "y").code()).isEqualTo(Lava.USAGE);
        assertThat(lava("image", "add", "x", "--registry", "y", "--command", "z")
                        .code())
                .isEqualTo(Lava.FAILED);
        assertThat(lava("image", "add", "x", "--host", "--env", "=").code()).isEqualTo(Lava.USAGE);
        assertThat(directory.resolve("home/images.yaml")).doesNotExist();
    }

    @Test
    void aRecipeIsBuiltShownAndRemoved() throws Exception {
        Files.writeString(directory.resolve("train.py"), "print(1)");
        Path recipe = Files.writeString(
                directory.resolve("recipe.yaml"), "name: train\nfiles: [{source: train.py, target: /app/train.py}]\n");
        assertThat(lava("image", "ls").text()).startsWith("No images yet");
        assertThat(lava("image", "ls", "-o", "yaml").text()).isEqualTo("[]\n");
        assertThat(lava("image", "build", recipe.toString()).text()).contains("pods use it as: image: train");
        assertThat(lava("image", "build", "train").code())
                .as("by its name from now on")
                .isZero();
        assertThat(lava("image", "ls").text())
                .contains("NAME", "docker.io/library/train:latest", "recipe train")
                .containsPattern("[0-9]+[a-z]+ ago");
        var json = Json.parse(lava("image", "ls", "-o", "json").text()).at("/images/0");
        assertThat(Json.textAt(json.at("/names/0"), "from")).isEqualTo("recipe train");
        assertThat(lava("image", "ls", "-o", "yaml").text()).startsWith("- id: \"sha256:");
        assertThat(lava("image", "ls", "-o", "wide").text()).contains("DIGESTS", Json.textAt(json, "id"));
        assertThat(lava("image", "ls", "-o", "xml").code()).isEqualTo(Lava.USAGE);
        assertThat(lava("image", "rm", "nothing").code()).isEqualTo(Lava.FAILED);
        assertThat(lava("image", "rm", "train").code()).isZero();
        assertThat(lava("image", "ls", "-o", "name").text()).isEmpty();
        assertThat(lava("image", "build", "missing").code()).isEqualTo(Lava.FAILED);
    }

    @Test
    void whatCannotBeImportedIsTold() throws Exception {
        Path file = Files.writeString(directory.resolve("x.tar"), "nothing");
        assertThat(lava("image", "import", file.toString()).code()).isEqualTo(Lava.FAILED);
        assertThat(lava("image", "import", "/does/not/exist").code()).isEqualTo(Lava.FAILED);
    }

    @Test
    void commandsOfTwoWordsHaveHelpAndCompletion() {
        assertThat(plain("help").text()).contains("  image ls      Show images");
        assertThat(plain("help", "image").text()).contains("image add").doesNotContain("backup");
        assertThat(plain("image", "--help").text()).contains("image rm");
        assertThat(plain("help", "image", "add").text()).contains("Usage: lava image add PATTERN", "--plain-http");
        assertThat(plain("image", "add", "--help").text()).contains("Usage: lava image add PATTERN");
        assertThat(plain("image").code()).isEqualTo(Lava.USAGE);
        assertThat(plain("image", "frobnicate").code()).isEqualTo(Lava.USAGE);
        assertThat(plain("completion", "bash").text())
                .contains("compgen -W \"ls add build import rm\"", "\"image add\"*)");
        assertThat(plain("completion", "fish").text())
                .contains("'__fish_seen_subcommand_from image; and __fish_seen_subcommand_from add' -l registry");
    }

    @Test
    void progressIsOneLineWhereSomebodyWatches() {
        StringWriter text = new StringWriter();
        AtomicLong clock = new AtomicLong();
        try (ProgressBar bar = new ProgressBar(new PrintWriter(text), true, () -> 100, clock::get)) {
            bar.note("unpacking");
            bar.amount(500_000, 2_000_000);
            assertThat(text.toString()).isEqualTo("\r\u001b[K  unpacking");
            clock.addAndGet(1_000_000_000);
            bar.amount(1_000_000, 2_000_000);
            assertThat(text.toString()).endsWith("████████████░░░░░░░░░░░░  50% 1.0 MB of 2.0 MB  unpacking");
        }
        assertThat(text.toString()).endsWith("\r\u001b[K").doesNotContain("\n");
        StringWriter none = new StringWriter();
        try (ProgressBar bar = new ProgressBar(new PrintWriter(none), false, () -> 100, clock::get)) {
            bar.note("unpacking");
        }
        assertThat(none.toString()).isEmpty();
    }

    @Test
    void sizesAreForPeople() {
        assertThat(List.of(Sizes.of(0), Sizes.of(999), Sizes.of(1500), Sizes.of(999_999), Sizes.of(123_456_789L)))
                .containsExactly("0 B", "999 B", "1.5 kB", "1.0 MB", "123 MB");
    }
}
