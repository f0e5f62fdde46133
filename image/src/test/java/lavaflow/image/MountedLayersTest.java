package lavaflow.image;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

class MountedLayersTest {
    @TempDir
    private Path directory;

    private static MountedLayers mounted(String... lowestLast) {
        return MountedLayers.of("22 1 8:1 / / rw - ext4 /dev/sda rw\n"
                + "684 280 0:168 / /data/root rw,relatime shared:1 - overlay overlay rw,lowerdir="
                + String.join(":", lowestLast) + ",upperdir=/data/u,workdir=/data/w,volatile\n");
    }

    @Test
    void aLayerOfAMountIsInUse() {
        MountedLayers mounted = mounted("/images/b/tree", "/images/a/tree");
        assertThat(mounted.uses(Path.of("/images/a"))).isTrue();
        assertThat(mounted.uses(Path.of("/images/c"))).isFalse();
    }

    @Test
    void layersGoByShortNamesToo() throws Exception {
        Path layer = Files.createDirectories(directory.resolve("layer/tree"));
        Path link = Files.createSymbolicLink(directory.resolve("l"), layer);
        assertThat(mounted("/images/b/tree", link.toString()).uses(directory.resolve("layer")))
                .isTrue();
    }

    @Test
    void anImageIsWhatIsMountedAsAWhole() {
        MountedLayers mounted = mounted("/images/b/tree", "/images/a/tree");
        assertThat(mounted.hasOverlayOf(List.of(Path.of("/images/a"), Path.of("/images/b"))))
                .isTrue();
        assertThat(mounted.hasOverlayOf(List.of(Path.of("/images/b"), Path.of("/images/a"))))
                .isFalse();
        assertThat(mounted.hasOverlayOf(List.of(Path.of("/images/a")))).isFalse();
        assertThat(mounted.hasOverlayOf(List.of())).isFalse();
    }

    @Test
    void oddNamesAreReadAsTheyAre() {
        MountedLayers mounted = mounted("/images/a\\134:b\\040c/tree");
        assertThat(mounted.hasOverlayOf(List.of(Path.of("/images/a:b c")))).isTrue();
    }
}
