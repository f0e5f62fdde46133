package lavaflow.network;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

/** What needs no rights: addresses of the loopback, and the ranges all addresses come from. */
class PlainNetworkTest {
    @TempDir
    private Path directory;

    private LoopbackNetwork open() throws IOException {
        return LoopbackNetwork.open(NetworkSettings.of(directory).in(directory.resolve("network")));
    }

    @Test
    void everyPodHasAnAddressOfTheLoopbackThatStaysOverARestart() throws IOException {
        LoopbackNetwork network = open();
        PodNetwork.Attachment a = network.attach("a", List.of());
        PodNetwork.Attachment b = network.attach("b", List.of());
        assertThat(a.namespace()).isNull();
        assertThat(a.addresses().getFirst().isLoopbackAddress()).isTrue();
        assertThat(b.addresses()).isNotEqualTo(a.addresses());
        network.close();

        LoopbackNetwork again = open();
        assertThat(again.attached()).containsOnlyKeys("a", "b");
        assertThat(again.attach("a", List.of())).isEqualTo(a);
        again.detach("a");
        assertThat(again.attached()).containsOnlyKeys("b");
        again.dismantle();
        assertThat(directory.resolve("network")).doesNotExist();
    }

    @Test
    void clustersAreToldApartByTheirDirectories() {
        assertThat(NetworkSettings.id(Path.of("/a"))).isEqualTo(NetworkSettings.id(Path.of("/b/../a")));
        assertThat(NetworkSettings.id(Path.of("/a"))).isNotEqualTo(NetworkSettings.id(Path.of("/b")));
    }

    @Test
    void namesOfInterfacesFitTheKernel() {
        NetworkSettings settings = NetworkSettings.of(directory);
        assertThat(settings.bridge()).hasSizeLessThan(16);
        assertThat(settings.port(0xffffff)).hasSizeLessThan(16);
    }

    @Test
    void aRangeKeepsItsFirstAndLastAddresses() throws IOException {
        AddressRange range = AddressRange.parse("10.0.0.0/29");
        AddressPool pool = new AddressPool(range, 0);
        for (int i = 2; i <= 6; i++) {
            assertThat(AddressRange.text(pool.take())).isEqualTo("10.0.0." + i);
        }
        assertThatIOException().isThrownBy(pool::take).withMessage("all 5 addresses of 10.0.0.0/29 are taken");
        pool.giveBack(range.pod(1));
        assertThat(AddressRange.text(pool.take())).isEqualTo("10.0.0.3");
        assertThat(pool.take(range.gateway())).isFalse();
    }

    @Test
    void rangesThatAreNoGoodForPodsAreNone() {
        for (String text : List.of("", "10.0.0.0", "10.0.0.0/31", "fd00::/64", "x/24")) {
            assertThat(AddressRange.parse(text)).as(text).isNull();
        }
        assertThat(new AddressRange(0, 8).overlaps(0x00ff0000, 16)).isTrue();
        assertThat(AddressRange.parse("10.1.0.0/16").overlaps(10 << 24, 8)).isTrue();
        assertThat(AddressRange.parse("10.1.0.0/16").overlaps((10 << 24) | (2 << 16), 16))
                .isFalse();
    }
}
