package lavaflow.image;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class ImageTableTest {
    @TempDir
    Path home;

    private Origin originOf(String image, String table) throws Exception {
        Files.writeString(home.resolve("images.yaml"), table);
        return new ImageTable(home.resolve("images.yaml"))
                .ruleFor(Reference.parse(image))
                .origin();
    }

    @Test
    void withoutAFileTheMachineIsHostAndTheRestComesFromItsRegistry() throws Exception {
        ImageTable table = new ImageTable(home.resolve("images.yaml"));
        assertThat(table.ruleFor(Reference.parse("host")).origin()).isInstanceOf(Origin.Host.class);
        assertThat(table.ruleFor(Reference.parse("lavaflow/host:1")).origin()).isInstanceOf(Origin.Host.class);
        assertThat(table.ruleFor(Reference.parse("gcr.io/a/b")).origin())
                .isEqualTo(new Origin.Registry(null, false, null));
    }

    @Test
    void kubectlForLaunchersIsThisMachinesOwnIfItHasOne() throws Exception {
        boolean has = KubectlDelivery.isPossible();
        for (String name : KubectlDelivery.NAMES) {
            Origin origin = originOf(name + ":latest", "");
            assertThat(origin).isInstanceOf(has ? Origin.Host.class : Origin.Registry.class);
            assertThat(originOf(name, "- {image: '*', registry: 127.0.0.1:5000}"))
                    .isInstanceOf(Origin.Registry.class);
            assertThat(originOf(name + "@" + Digest.of(new byte[0]), "")).isInstanceOf(Origin.Registry.class);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "gcr.io/*, gcr.io/a/b:1, true",
        "gcr.io/*, docker.io/gcr.io/a, false",
        "busybox, docker.io/library/busybox:1.36, true",
        "busybox:1.36, busybox:1.36, true",
        "docker.io/busybox, busybox, true",
        "docker.io/busybox:1.36, docker.io/busybox:1.36, true",
        "docker.io/busybox, team/busybox, false",
        "busybox:1.36, busybox:1.35, false",
        "docker.io/library/busybox:*, busybox, true",
        "kubeflow/*:v1*, kubeflow/mnist:v1.2, true",
        "kubeflow/*:v1*, kubeflow/mnist:v2, false",
        "*, anything/at:all, true",
        "*/mnist, kubeflow/mnist, true",
        "*a*a*a*a*a*b, aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa, false",
    })
    void patternsMatchNamesAsPeopleWriteThem(String pattern, String image, boolean matches) throws Exception {
        assertThat(new NamePattern(pattern).matches(Reference.parse(image))).isEqualTo(matches);
    }

    @Test
    void theFirstRuleThatFitsDecides() throws Exception {
        String table = """
                - {image: "gcr.io/special", host: true}
                - {image: "gcr.io/*", registry: "127.0.0.1:5000/gcr", plainHttp: true, caFile: ca.pem}
                """;
        assertThat(originOf("gcr.io/special:1", table)).isInstanceOf(Origin.Host.class);
        assertThat(originOf("gcr.io/other", table))
                .isEqualTo(new Origin.Registry("127.0.0.1:5000/gcr", true, home.resolve("ca.pem")));
    }

    @Test
    void hostMaySayHowToRun() throws Exception {
        Origin origin = originOf("train:1", """
                images:
                - image: train
                  host: {command: [python3, "-V"], env: {COUNT: 3}, user: 1000, workingDir: /tmp}
                """);
        ImageConfig config = ((Origin.Host) origin).config();
        assertThat(config.command()).containsExactly("python3", "-V");
        assertThat(config.environment()).containsExactly("PATH=" + HostDefaults.PATH, "COUNT=3");
        assertThat(config.user()).isEqualTo("1000");
        assertThat(config.directory()).isEqualTo("/tmp");
    }

    @Test
    void pathsStartAtTheTable() throws Exception {
        assertThat(originOf("a", "- {image: a, archive: a.tar}")).isEqualTo(new Origin.Archive(home.resolve("a.tar")));
        assertThat(originOf("a", "- {image: a, layout: /x}")).isEqualTo(new Origin.Layout(Path.of("/x")));
        assertThat(originOf("a", "- {image: a, recipe: torch}")).isEqualTo(new Origin.FromRecipe("torch"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "- {host: true} | rule 1: 'image' is missing",
                "- {image: a, registry: 'https://m.example/x'} | rule 1 (a): 'registry' is HOST/PATH without https://",
                "- {image: a, registry: 'http://m.example'} | rule 1 (a): 'registry' is HOST/PATH without http://; plainHttp",
                "- {image: a, registry: 'foo bar'} | rule 1 (a): 'registry' is HOST/PATH, not 'foo bar'",
                "- {image: 'a b', host: {}} | rule 1 (a b): no name has spaces in it",
                "- {image: a} | rule 1 (a): exactly one of registry, archive",
                "- {image: a, host: true, layout: x} | exactly one of",
                "- {image: a, archive: x, command: [a]} | 'command' means nothing here",
                "- {image: a, host: true, comand: [a]} | 'comand' means nothing here",
                "- {image: a, host: true, command: a} | 'command' is a list",
                "image: a | a list of rules is expected",
                "- [ | yaml",
            })
    void mistakesAreNamed(String table, String message) {
        assertThatThrownBy(() -> originOf("a", table))
                .isInstanceOf(ImageException.class)
                .hasMessageContaining("the image table " + home.resolve("images.yaml") + " is wrong")
                .hasMessageContaining(message);
    }

    @Test
    void aChangedFileHoldsAtOnce() throws IOException, ImageException {
        Path file = home.resolve("images.yaml");
        ImageTable table = new ImageTable(file);
        Reference name = Reference.parse("a");
        assertThat(table.ruleFor(name).isBuiltin()).isTrue();
        Files.writeString(file, "- {image: a, host: true}");
        assertThat(table.ruleFor(name).origin()).isInstanceOf(Origin.Host.class);
        Files.delete(file);
        assertThat(table.ruleFor(name).isBuiltin()).isTrue();
    }
}
