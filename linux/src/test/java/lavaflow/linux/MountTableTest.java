package lavaflow.linux;

import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** The kernel's table of mounts. */
class MountTableTest {
    private static final List<Path> EVERYWHERE = List.of(Path.of("/"));

    @Test
    void onlyLinesAtOrBelowAPlaceAreTold() {
        String table = """
                1 0 0:1 / / rw - ext4 /dev/vda rw
                2 1 0:2 / /opt rw - ext4 /dev/vdb rw
                3 2 0:3 / /opt/a\\040b rw - tmpfs tmpfs rw
                4 1 0:4 / /optional rw - tmpfs tmpfs rw
                5 2 0:5 / /opt/a\\040b rw - tmpfs tmpfs rw
                """;

        assertThat(Mounts.parse(table, List.of(Path.of("/opt"), Path.of("/usr"))))
                .extracting(Mounts.Entry::target)
                .containsExactly(Path.of("/opt"), Path.of("/opt/a b"), Path.of("/opt/a b"));
        assertThat(Mounts.parse(table, List.of(Path.of("/opt/a b")))).hasSize(2);
        assertThat(Mounts.parse(table, EVERYWHERE)).hasSize(5);
    }

    @Test
    void aLineHasPlaceTypeAndOptions() {
        String line =
                "36 35 98:0 /mnt1 /mnt/a\\040b rw,noatime shared:1 master:2 - ext3 /dev/root rw,errors=continue\n";

        assertThat(Mounts.parse(line, EVERYWHERE))
                .containsExactly(new Mounts.Entry(
                        Path.of("/mnt1"),
                        Path.of("/mnt/a b"),
                        "rw,noatime",
                        "shared:1 master:2",
                        "ext3",
                        "/dev/root",
                        "rw,errors=continue"));
    }

    @Test
    void aLineMayHaveNoOptionalFieldsAndBrokenOnesAreLeftOut() {
        assertThat(Mounts.parse("22 27 0:21 / /proc rw - proc proc rw\nnonsense\n", EVERYWHERE))
                .extracting(Mounts.Entry::target)
                .containsExactly(Path.of("/proc"));
    }

    @Test
    void theRootIsMounted() throws Exception {
        assertThat(Mounts.isMounted(Path.of("/proc"))).isTrue();
        assertThat(Mounts.isMounted(Path.of("/proc/self"))).isFalse();
        assertThat(Mounts.isMounted(Path.of("/no/such/place"))).isFalse();
        assertThat(Mounts.isMounted(Path.of("/proc/version/no/directory"))).isFalse();
    }
}
