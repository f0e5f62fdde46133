package lavaflow.sandbox;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Users as images write them, looked up in files that an image may have made up. */
@Timeout(60)
class UsersTest {
    @TempDir
    Path root;

    @BeforeEach
    void files() throws IOException {
        Files.createDirectories(root.resolve("etc"));
        write(
                "passwd",
                "root:x:0:0::/root:/bin/sh\nbroken\nweb:x:33:34::/var/www:/bin/false\n5:x:55:56::/five:/bin/sh\n");
        write("group", "root:x:0:\nweb:x:34:\ndocs:x:100:web,other\nten:x:10:\n");
    }

    private void write(String name, String text) throws IOException {
        Files.writeString(root.resolve("etc").resolve(name), text);
    }

    private Users find(String written, Long... extra) throws SandboxException {
        return Users.find(root, written, List.of(extra));
    }

    @Test
    void nothingMeansRoot() throws Exception {
        assertThat(find("")).isEqualTo(new Users(0, 0, List.of(0L), "/root"));
    }

    @Test
    void aNameBringsGroupAndHome() throws Exception {
        assertThat(find("web", 7L)).isEqualTo(new Users(33, 34, List.of(34L, 100L, 7L), "/var/www"));
    }

    @Test
    void groupsOfTheRootsFilesCanBeLeftOut() throws Exception {
        assertThat(Users.find(root, "web", List.of(7L), true))
                .isEqualTo(new Users(33, 34, List.of(34L, 7L), "/var/www"));
    }

    @Test
    void aNumberBringsTheSameWhereItIsKnown() throws Exception {
        assertThat(find("33")).isEqualTo(find("web"));
        assertThat(find("34")).isEqualTo(new Users(34, 0, List.of(0L), "/"));
    }

    @Test
    void aNameThatLooksLikeANumberIsAName() throws Exception {
        assertThat(find("5").user()).isEqualTo(55);
    }

    @Test
    void aGroupMayBeGivenByNameOrNumber() throws Exception {
        assertThat(find("web:ten").group()).isEqualTo(10);
        assertThat(find("1000:2000")).isEqualTo(new Users(1000, 2000, List.of(2000L), "/"));
        assertThatThrownBy(() -> find("0:none"))
                .hasMessage("unable to find group none: no matching entries in group file");
    }

    @Test
    void linksThatLeadOutOfTheRootLeadNowhere() throws Exception {
        Path outside = Files.createTempFile("lavaflow", "passwd");
        Files.writeString(outside, "evil:x:0:0::/:/bin/sh\n");
        Files.delete(root.resolve("etc/passwd"));
        for (String target : List.of(outside.toString(), "../../../../../../../../" + outside)) {
            Files.deleteIfExists(root.resolve("etc/passwd"));
            Files.createSymbolicLink(root.resolve("etc/passwd"), Path.of(target));
            assertThatThrownBy(() -> find("evil")).isInstanceOf(SandboxException.class);
        }
        Files.delete(outside);
    }

    @Test
    void linksInsideTheRootAreFollowed() throws Exception {
        Files.move(root.resolve("etc/passwd"), root.resolve("users"));
        Files.createSymbolicLink(root.resolve("etc/passwd"), Path.of("/users"));

        assertThat(find("web").user()).isEqualTo(33);
    }

    @Test
    void devicesAndPipesAreNotRead() throws Exception {
        Files.delete(root.resolve("etc/passwd"));
        new ProcessBuilder("mkfifo", root.resolve("etc/passwd").toString())
                .start()
                .waitFor();
        assertThat(find("33").home()).isEqualTo("/");

        Files.delete(root.resolve("etc/passwd"));
        Files.createSymbolicLink(root.resolve("etc/passwd"), Path.of("passwd"));
        assertThat(find("33").home()).isEqualTo("/");
    }

    @Test
    void aRootWithoutFilesKnowsOnlyNumbers() throws Exception {
        Files.delete(root.resolve("etc/passwd"));
        Files.delete(root.resolve("etc/group"));

        assertThat(find("12:13")).isEqualTo(new Users(12, 13, List.of(13L), "/"));
        assertThatThrownBy(() -> find("web")).isInstanceOf(SandboxException.class);
        assertThatThrownBy(() -> find("99999999999")).isInstanceOf(SandboxException.class);
    }
}
