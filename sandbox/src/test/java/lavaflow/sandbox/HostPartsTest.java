package lavaflow.sandbox;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import lavaflow.linux.Mounts;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** How the machine's files are divided where an overlay cannot have all of them. */
class HostPartsTest {
    @TempDir
    Path temporary;

    private Mounts.Entry mounted(Path host, String target) {
        return new Mounts.Entry(Path.of("/"), host.resolve(target), "rw", "", "ext4", "/dev/x", "rw");
    }

    @Test
    void whatHasNoMountsInItIsAPartAndWhatHasIsDivided() throws IOException {
        Path host = temporary.resolve("host");
        for (String directory :
                List.of("usr/bin", "var/lib/data", "var/cache", "home/anna", "proc", "mnt/disk", "srv")) {
            Files.createDirectories(host.resolve(directory));
        }
        Files.createSymbolicLink(host.resolve("bin"), Path.of("usr/bin"));
        Files.writeString(host.resolve("var/note"), "note");
        Files.writeString(host.resolve("top"), "not copied");
        Path layer = Files.createDirectories(temporary.resolve("layer"));
        Files.createDirectories(layer.resolve("srv")); // as the layer that hides files has it

        List<Path> parts = HostParts.prepare(
                host, layer, List.of(mounted(host, "proc"), mounted(host, "var/lib/data"), mounted(host, "mnt/disk")));

        assertThat(parts).containsExactly(Path.of("srv"), Path.of("usr"), Path.of("var/cache"));
        assertThat(layer.resolve("bin")).isSymbolicLink();
        assertThat(layer.resolve("var/lib/data")).isEmptyDirectory();
        assertThat(layer.resolve("var/note")).hasContent("note");
        assertThat(layer.resolve("home")).isEmptyDirectory();
        assertThat(layer.resolve("proc")).isEmptyDirectory();
        assertThat(layer.resolve("top")).doesNotExist();
    }

    @Test
    void whatTheNodeItselfHasMountedDividesNothing() throws IOException {
        Path host = temporary.resolve("host");
        Files.createDirectories(host.resolve("etc/ssl"));
        Path layer = Files.createDirectories(temporary.resolve("layer"));
        Mounts.Entry names = new Mounts.Entry(
                Path.of("/home/anna/.lava/node/lavaflow-resolv.conf"),
                host.resolve("etc/resolv.conf"),
                "rw",
                "",
                "ext4",
                "/dev/x",
                "rw");

        assertThat(HostParts.prepare(host, layer, List.of(names))).containsExactly(Path.of("etc"));
        assertThat(HostParts.prepare(host, layer, List.of(mounted(host, "etc/resolv.conf"))))
                .containsExactly(Path.of("etc/ssl"));
    }
}
