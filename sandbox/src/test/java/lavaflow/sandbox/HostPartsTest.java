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

        List<HostParts.Part> parts = HostParts.prepare(
                host,
                layer,
                List.of(),
                List.of(mounted(host, "proc"), mounted(host, "var/lib/data"), mounted(host, "mnt/disk")));

        assertThat(parts).containsExactly(overlaid("usr"), overlaid("srv"), overlaid("var/cache"));
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

        assertThat(HostParts.prepare(host, layer, List.of(), List.of(names))).containsExactly(overlaid("etc"));
        assertThat(HostParts.prepare(host, layer, List.of(), List.of(mounted(host, "etc/resolv.conf"))))
                .containsExactly(overlaid("etc/ssl"));
    }

    /** As on machines whose modules, drivers or libraries are mounted: nothing beside them is missing. */
    @Test
    void aDirectoryOfProgramsThatWouldBeManyPiecesIsBoundWhole() throws IOException {
        Path host = temporary.resolve("host");
        for (int i = 0; i < 100; i++) {
            Files.createDirectories(host.resolve("usr/lib/package" + i));
        }
        Files.createDirectories(host.resolve("usr/lib/modules"));
        Files.createDirectories(host.resolve("usr/share"));
        Files.createDirectories(host.resolve("usr/libexec/small"));
        Files.createDirectories(host.resolve("usr/libexec/disk"));
        Files.createDirectories(host.resolve("usr/bin"));
        Files.write(host.resolve("usr/bin/large"), new byte[300 << 10]);
        Files.createFile(host.resolve("usr/bin/tool"));
        List<Mounts.Entry> mounts = List.of(
                mounted(host, "usr/lib/modules"), mounted(host, "usr/bin/tool"), mounted(host, "usr/libexec/disk"));

        Path layer = Files.createDirectories(temporary.resolve("layer"));
        assertThat(HostParts.prepare(host, layer, List.of(), mounts))
                .containsExactly(
                        new HostParts.Part(Path.of("usr/bin"), true),
                        new HostParts.Part(Path.of("usr/lib"), true),
                        overlaid("usr/libexec/small"),
                        overlaid("usr/share"));
        assertThat(layer.resolve("usr/lib")).isEmptyDirectory();
    }

    /** Engines mount files in /etc, which has more directories than there may be parts. */
    @Test
    void smallDirectoriesBesideAMountedFileAreCopied() throws IOException {
        Path host = temporary.resolve("host");
        for (int i = 0; i < 100; i++) {
            Path directory = Files.createDirectories(host.resolve("etc/package" + i + "/conf.d"));
            Files.writeString(directory.resolve("settings"), "settings " + i);
        }
        Files.createSymbolicLink(host.resolve("etc/package1/link"), Path.of("conf.d/settings"));
        Path large = Files.createDirectories(host.resolve("etc/ssl/certs"));
        for (int i = 0; i < 150; i++) {
            Files.createFile(large.resolve("certificate" + i));
        }
        Files.createFile(host.resolve("etc/hosts"));
        Files.createDirectories(host.resolve("usr/bin"));
        Path layer = temporary.resolve("layer");
        Files.createDirectories(layer.resolve("etc/package2"));
        Files.writeString(layer.resolve("etc/package2/conf.d"), "hidden");

        assertThat(HostParts.prepare(host, layer, List.of(), List.of(mounted(host, "etc/hosts"))))
                .containsExactly(overlaid("usr"), overlaid("etc/ssl"));

        assertThat(layer.resolve("etc/package99/conf.d/settings")).hasContent("settings 99");
        assertThat(layer.resolve("etc/package1/link")).isSymbolicLink();
        assertThat(layer.resolve("etc/package2/conf.d")).hasContent("hidden");
    }

    @Test
    void whatIsHiddenStaysSoEvenAmongPrograms() throws IOException {
        Path host = temporary.resolve("host");
        for (int i = 0; i < 20; i++) {
            Files.write(
                    Files.createDirectories(host.resolve("usr/local/package" + i))
                            .resolve("large"),
                    new byte[300 << 10]);
            Files.write(
                    Files.createDirectories(host.resolve("srv/directory" + i)).resolve("large"), new byte[300 << 10]);
        }
        Path layer = Files.createDirectories(temporary.resolve("layer"));

        assertThat(HostParts.prepare(
                        host,
                        layer,
                        List.of(host.resolve("usr/local/package3/data")),
                        List.of(mounted(host, "usr/local/package0"), mounted(host, "srv/directory0"))))
                .hasSize(38)
                .noneMatch(HostParts.Part::bound);
    }

    private static HostParts.Part overlaid(String directory) {
        return new HostParts.Part(Path.of(directory), false);
    }
}
