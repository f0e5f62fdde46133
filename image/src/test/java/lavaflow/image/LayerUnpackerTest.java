package lavaflow.image;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import lavaflow.linux.FileCalls;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

class LayerUnpackerTest {
    @TempDir
    Path directory;

    private final List<Path> layers = new ArrayList<>();
    private int next;

    @BeforeAll
    static void needsRoot() throws IOException {
        assumeTrue(Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0), "owners and devices need root");
    }

    private Path unpack(TestingTar archive) throws IOException {
        return unpack(archive, LayerLimits.USUAL);
    }

    private Path unpack(TestingTar archive, LayerLimits limits) throws IOException {
        Path root = directory.resolve("layer" + next++);
        LayerTree tree = new LayerTree(root, layers, true);
        tree.makeRoot();
        new LayerUnpacker(tree, limits).unpack(new ByteArrayInputStream(archive.bytes()));
        layers.add(root);
        return root;
    }

    private static FileCalls.Status status(Path file) throws IOException {
        return FileCalls.find(LayerView.name(file)).orElseThrow();
    }

    private void assertRefused(TestingTar archive, String why) throws IOException {
        Files.writeString(directory.resolve("outside"), "untouched");
        assertThatThrownBy(() -> unpack(archive))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(why);
        assertNothingOutside();
    }

    private void assertNothingOutside() throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            assertThat(files.map(file -> file.getFileName().toString()))
                    .allMatch(name -> name.startsWith("layer") || name.equals("outside"));
        }
        if (Files.exists(directory.resolve("outside"))) {
            assertThat(directory.resolve("outside")).hasContent("untouched");
        }
    }

    @Test
    void everythingIsKeptAsItWas() throws IOException {
        Path root = unpack(new TestingTar()
                .directory("bin")
                .owner(1000, 100)
                .mode(04755)
                .extended("SCHILY.xattr.user.note", "hi")
                .file("bin/su", "program")
                .link("bin/sh", "/bin/su")
                .hardLink("bin/again", "bin/su")
                .device("null", '3', 1, 3)
                .device("pipe", '6', 0, 0));
        FileCalls.Status su = status(root.resolve("bin/su"));
        assertThat(su.mode()).isEqualTo(FileCalls.REGULAR | 04755);
        assertThat(su.uid()).isEqualTo(1000);
        assertThat(su.gid()).isEqualTo(100);
        assertThat(su.seconds()).isEqualTo(1_700_000_000L);
        assertThat(su.links()).isEqualTo(2);
        assertThat(FileCalls.hasAttribute(LayerView.name(root.resolve("bin/su")), "user.note"))
                .isTrue();
        assertThat(Files.readSymbolicLink(root.resolve("bin/sh"))).hasToString("/bin/su");
        assertThat(status(root.resolve("bin/sh")).uid()).isEqualTo(1000);
        FileCalls.Status device = status(root.resolve("null"));
        assertThat(device.mode() & FileCalls.FORMAT).isEqualTo(FileCalls.CHARACTER_DEVICE);
        assertThat(device.major()).isEqualTo(1);
        assertThat(device.minor()).isEqualTo(3);
        assertThat(status(root.resolve("pipe")).mode() & FileCalls.FORMAT).isEqualTo(FileCalls.PIPE);
        assertThat(status(root.resolve("bin")).seconds()).isEqualTo(1_700_000_000L);
    }

    @Test
    void capabilitiesOfProgramsAreKept() throws IOException {
        String capability = new String(
                new byte[] {1, 0, 0, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, StandardCharsets.ISO_8859_1);
        Path root = unpack(new TestingTar()
                .owner(3, 3)
                .extended("SCHILY.xattr.security.capability", capability)
                .file("ping", "x"));
        assertThat(FileCalls.hasAttribute(LayerView.name(root.resolve("ping")), "security.capability"))
                .isTrue();
    }

    @Test
    void namesAreBytes() throws IOException {
        String odd =
                new String("Főtanúsítvány\n".getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1) + "\u00ff";
        Path root = unpack(new TestingTar().file(odd, "x"));
        assertThat(FileCalls.find(LayerView.name(root) + "/" + odd)).isPresent();
    }

    @Test
    void deletionsBecomeWhatOverlayKnows() throws IOException {
        unpack(new TestingTar()
                .directory("etc")
                .file("etc/old", "1")
                .file("etc/kept", "2")
                .directory("var")
                .file("var/a", ""));
        Path upper = unpack(new TestingTar()
                .file("etc/.wh.old", "")
                .file("var/.wh..wh..opq", "")
                .file("var/b", ""));
        assertThat(status(upper.resolve("etc/old")).isWhiteout()).isTrue();
        assertThat(FileCalls.hasAttribute(LayerView.name(upper.resolve("var")), "trusted.overlay.opaque"))
                .isTrue();
        LayerView view =
                new LayerView(layers.reversed().stream().map(LayerView::name).toList());
        assertThat(view.find("etc/old")).isEmpty();
        assertThat(view.find("etc/kept")).isPresent();
        assertThat(view.find("var/a")).isEmpty();
        assertThat(view.find("var/b")).isPresent();
    }

    @Test
    void aDirectoryThatReplacesADeletedOneStartsEmpty() throws IOException {
        unpack(new TestingTar().directory("d").file("d/old", ""));
        Path upper = unpack(new TestingTar().file(".wh.d", "").directory("d").file("d/new", ""));
        assertThat(LayerView.isOpaque(LayerView.name(upper.resolve("d")))).isTrue();
        Path third = unpack(new TestingTar().directory("d").file("d/x", "").file(".wh.d", ""));
        assertThat(LayerView.isOpaque(LayerView.name(third.resolve("d")))).isTrue();
        assertThat(third.resolve("d/x")).exists();
    }

    @Test
    void deletionsInTheLowestLayerMeanNothing() throws IOException {
        Path root = unpack(new TestingTar().file(".wh.x", "").directory("d").file("d/.wh..wh..opq", ""));
        assertThat(root.resolve("x")).doesNotExist();
        assertThat(LayerView.isOpaque(LayerView.name(root.resolve("d")))).isFalse();
    }

    @Test
    void directoriesThatAreOnlyImpliedLookAsBelow() throws IOException {
        TestingTar lower = new TestingTar();
        lower.owner(5, 6).mode(01777).entry("tmp/", '5', "", new byte[0]);
        unpack(lower);
        Path upper = unpack(new TestingTar().file("tmp/a/b", "x"));
        assertThat(status(upper.resolve("tmp")).mode()).isEqualTo(FileCalls.DIRECTORY | 01777);
        assertThat(status(upper.resolve("tmp")).uid()).isEqualTo(5);
        assertThat(status(upper.resolve("tmp/a")).mode()).isEqualTo(FileCalls.DIRECTORY | 0755);
    }

    @Test
    void linksOnTheWayAreFollowedInsideTheImage() throws IOException {
        unpack(new TestingTar()
                .directory("usr")
                .directory("usr/lib")
                .link("lib", "usr/lib")
                .link("out", "/../../etc"));
        Path upper = unpack(new TestingTar().file("lib/a.so", "x").file("out/passwd", "y"));
        assertThat(upper.resolve("usr/lib/a.so")).hasContent("x");
        assertThat(Files.exists(upper.resolve("lib"), LinkOption.NOFOLLOW_LINKS))
                .isFalse();
        assertThat(upper.resolve("etc/passwd")).hasContent("y");
        assertNothingOutside();
    }

    @Test
    void namesThatLeadOutAreRefused() throws IOException {
        assertRefused(new TestingTar().file("../outside", "bad"), "leads out");
        assertRefused(new TestingTar().file("a/../../outside", "bad"), "leads out");
        assertRefused(new TestingTar().hardLink("a", "../outside"), "leads out");
        assertRefused(new TestingTar().file(".wh...", ""), "deletes nothing");
    }

    @Test
    void absoluteNamesStartAtTheImage() throws IOException {
        Path root = unpack(new TestingTar().file("/etc/x", "1"));
        assertThat(root.resolve("etc/x")).hasContent("1");
    }

    @Test
    void linksToTheOutsideLeadNowhere() throws IOException {
        Path target = directory.resolve("outside");
        Files.writeString(target, "untouched");
        Path root = unpack(new TestingTar()
                .link("up", directory.toString())
                .file("up/outside", "bad")
                .link("file", target.toString())
                .file("file", "replaced")
                .link("dir", "..")
                .file("dir/outside", "bad"));
        assertNothingOutside();
        assertThat(root.resolve("file")).hasContent("replaced");
        assertThat(Files.isSymbolicLink(root.resolve("file"))).isFalse();
        assertThat(root.resolve("outside")).hasContent("bad");
    }

    @Test
    void hardLinksToLinksDoNotReachTheirTarget() throws IOException {
        Path target = directory.resolve("outside");
        Files.writeString(target, "untouched");
        Path root = unpack(new TestingTar()
                .link("s", target.toString())
                .hardLink("h", "s")
                .mode(0777)
                .file("h", "bad"));
        assertNothingOutside();
        assertThat(root.resolve("h")).hasContent("bad");
        assertThat(status(target).mode() & 0777).isNotEqualTo(0777);
    }

    @Test
    void hardLinksToWhatIsNotThereAreRefused() throws IOException {
        assertRefused(new TestingTar().hardLink("a", "nothing"), "which the image does not have");
        assertRefused(new TestingTar().hardLink("a", "/etc/passwd"), "which the image does not have");
        assertRefused(new TestingTar().directory("d").hardLink("a", "d"), "hard link to a directory");
    }

    @Test
    void hardLinksToLowerLayersBringTheFileUp() throws IOException {
        Path lower = unpack(new TestingTar().owner(9, 9).mode(0600).file("a", "text"));
        Path upper = unpack(new TestingTar().hardLink("b", "a"));
        assertThat(upper.resolve("b")).hasContent("text");
        assertThat(status(upper.resolve("a")).links()).isEqualTo(2);
        assertThat(status(upper.resolve("b")).uid()).isEqualTo(9);
        assertThat(status(lower.resolve("a")).links()).isEqualTo(1);
    }

    @Test
    void linksInACircleAreRefused() throws IOException {
        assertRefused(new TestingTar().link("a", "b").link("b", "a").file("a/c", ""), "leads nowhere");
    }

    @Test
    void filesAreNoDirectories() throws IOException {
        assertRefused(new TestingTar().file("a", "").file("a/b", ""), "is used as a directory");
    }

    @Test
    void overlaysOwnAttributesCannotBeForged() throws IOException {
        Path root = unpack(new TestingTar()
                .extended("SCHILY.xattr.trusted.overlay.redirect", "/etc", "SCHILY.xattr.user.overlay.opaque", "y")
                .directory("d"));
        assertThat(FileCalls.hasAttribute(LayerView.name(root.resolve("d")), "trusted.overlay.redirect"))
                .isFalse();
        assertThat(FileCalls.hasAttribute(LayerView.name(root.resolve("d")), "user.overlay.opaque"))
                .isFalse();
    }

    @Test
    void anEntryReplacesAnEarlierOneOfItsName() throws IOException {
        Path root = unpack(new TestingTar()
                .directory("a")
                .directory("a/b")
                .file("a/b/c", "")
                .file("a", "file now")
                .file("x", "1")
                .directory("x")
                .file("x/y", "2"));
        assertThat(root.resolve("a")).hasContent("file now");
        assertThat(root.resolve("x/y")).hasContent("2");
    }

    @Test
    void whatIsTooMuchIsRefused() throws IOException {
        LayerLimits small = new LayerLimits(1 << 20, 3, 10, 1 << 16, 0);
        assertThatThrownBy(() -> unpack(
                        new TestingTar()
                                .file("a", "")
                                .file("b", "")
                                .file("c", "")
                                .file("d", ""),
                        small))
                .hasMessageContaining("more than 3 entries");
        TestingTar deep = new TestingTar();
        deep.extended("path", "d/".repeat(3000) + "x").file("x", "");
        assertThatThrownBy(() -> unpack(deep)).hasMessageContaining("too deep a path");
        TestingTar winding = new TestingTar();
        for (int i = 0; i < 30; i++) {
            winding.link("l" + i, "/" + "d/".repeat(20) + "l" + (i + 1));
        }
        assertThatThrownBy(() -> unpack(winding.file("l0/" + "x/".repeat(40) + "y", "")
                        .extended("path", "e/".repeat(300))
                        .file("z", "")))
                .hasMessageContaining("too deep a path");
        TestingTar wide = new TestingTar();
        wide.extended("path", "x".repeat(256)).file("x", "");
        assertThatThrownBy(() -> unpack(wide)).hasMessageContaining("too long a name");
    }

    @Test
    void aDeviceThatLooksLikeADeletionIsOne() throws IOException {
        unpack(new TestingTar().file("a", "1"));
        Path upper = unpack(
                new TestingTar().device("a", '3', 0, 0).device("b", '3', 0, 0).file("b", "2"));
        assertThat(status(upper.resolve("a")).isWhiteout()).isTrue();
        assertThat(upper.resolve("b")).hasContent("2");
    }

    @Test
    void withoutRightsOwnersAndDevicesAreLeftOut() throws IOException {
        Path root = directory.resolve("layer" + next++);
        LayerTree tree = new LayerTree(root, List.of(), false);
        tree.makeRoot();
        new LayerUnpacker(tree, LayerLimits.USUAL)
                .unpack(new ByteArrayInputStream(new TestingTar()
                        .owner(1000, 1000)
                        .extended("SCHILY.xattr.security.capability", "x")
                        .file("a", "1")
                        .bytes()));
        assertThat(status(root.resolve("a")).uid()).isZero();
        LayerTree above = new LayerTree(directory.resolve("layer" + next++), List.of(root), false);
        above.makeRoot();
        new LayerUnpacker(above, LayerLimits.USUAL)
                .unpack(new ByteArrayInputStream(new TestingTar()
                        .directory("d")
                        .file("d/.wh..wh..opq", "")
                        .bytes()));
        assertThat(FileCalls.hasAttribute(above.absolute("d"), "user.overlay.opaque"))
                .isTrue();
    }

    @Test
    void impossibleOwnersAreRefused() throws IOException {
        assertRefused(new TestingTar().extended("uid", "-1").file("a", ""), "an owner that cannot be");
    }
}
