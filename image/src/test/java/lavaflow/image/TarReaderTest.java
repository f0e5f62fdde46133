package lavaflow.image;

import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class TarReaderTest {
    private static List<TarEntry> entries(byte[] archive) throws IOException {
        TarReader reader = new TarReader(new ByteArrayInputStream(archive));
        List<TarEntry> entries = new ArrayList<>();
        for (TarEntry entry = reader.next(); entry != null; entry = reader.next()) {
            entries.add(entry);
        }
        return entries;
    }

    @Test
    void entriesComeWithTheirData() throws IOException {
        TarReader reader = new TarReader(new ByteArrayInputStream(new TestingTar()
                .owner(7, 8)
                .mode(04755)
                .file("a", "hello")
                .file("b", "")
                .bytes()));
        TarEntry first = reader.next();
        assertThat(first.name()).isEqualTo("a");
        assertThat(first.mode()).isEqualTo(04755);
        assertThat(first.uid()).isEqualTo(7);
        assertThat(first.gid()).isEqualTo(8);
        assertThat(first.seconds()).isEqualTo(1_700_000_000L);
        byte[] data = new byte[10];
        assertThat(reader.read(data, 0, 10)).isEqualTo(5);
        assertThat(new String(data, 0, 5, StandardCharsets.UTF_8)).isEqualTo("hello");
        assertThat(reader.read(data, 0, 10)).isEqualTo(-1);
        assertThat(reader.next().name()).isEqualTo("b");
        assertThat(reader.next()).isNull();
        assertThat(reader.next()).isNull();
    }

    @Test
    void extendedHeadersReplaceWhatDoesNotFit() throws IOException {
        String name = "d/" + "x".repeat(300);
        TarEntry entry = entries(new TestingTar()
                        .extended(
                                "path",
                                name,
                                "mtime",
                                "1700000000.25",
                                "uid",
                                "3000000000",
                                "SCHILY.xattr.user.a",
                                "b=c")
                        .file("short", "1")
                        .bytes())
                .getFirst();
        assertThat(entry.name()).isEqualTo(name);
        assertThat(entry.nanos()).isEqualTo(250_000_000);
        assertThat(entry.uid()).isEqualTo(3_000_000_000L);
        assertThat(entry.attributes()).containsOnlyKeys("user.a");
        assertThat(entry.attributes().get("user.a")).asString().isEqualTo("b=c");
    }

    @Test
    void timesBeforeTheEpochKeepTheirFraction() throws IOException {
        TarEntry entry = entries(new TestingTar()
                        .extended("mtime", "-1.25")
                        .file("a", "")
                        .bytes())
                .getFirst();
        assertThat(entry.seconds()).isEqualTo(-2);
        assertThat(entry.nanos()).isEqualTo(750_000_000);
    }

    @Test
    void longNamesOfGnuAreRead() throws IOException {
        String name = "y".repeat(500);
        String target = "z".repeat(400);
        TarEntry entry = entries(new TestingTar()
                        .entry("././@LongLink", 'L', "", (name + "\0").getBytes(StandardCharsets.US_ASCII))
                        .entry("././@LongLink", 'K', "", (target + "\0").getBytes(StandardCharsets.US_ASCII))
                        .link("short", "short")
                        .bytes())
                .getFirst();
        assertThat(entry.name()).isEqualTo(name);
        assertThat(entry.target()).isEqualTo(target);
    }

    @Test
    void prefixesOfPosixNamesAreJoined() throws IOException {
        byte[] header = new TestingTar().header("file", '0', "", 0, 0, 0);
        byte[] prefix = "some/where".getBytes(StandardCharsets.US_ASCII);
        System.arraycopy(prefix, 0, header, 345, prefix.length);
        TestingTar.sum(header);
        assertThat(entries(new TestingTar().raw(header).bytes()).getFirst().name())
                .isEqualTo("some/where/file");
    }

    @Test
    void largeNumbersAreBinary() throws IOException {
        byte[] header = new TestingTar().header("big", '5', "", 0, 0, 0);
        Arrays.fill(header, 108, 116, (byte) 0);
        header[108] = (byte) 0x80;
        header[112] = (byte) 0x80;
        TestingTar.sum(header);
        assertThat(entries(new TestingTar().raw(header).bytes()).getFirst().uid())
                .isEqualTo(1L << 31);
    }

    @Test
    void anArchiveMayEndWithoutBlocksOfZeros() throws IOException {
        byte[] bytes = new TestingTar().file("a", "1").bytes();
        assertThat(entries(Arrays.copyOf(bytes, bytes.length - 1024))).hasSize(1);
    }

    @Test
    void whatIsCutOffIsRefused() {
        byte[] bytes = new TestingTar().file("a", "1").bytes();
        assertThatThrownBy(() -> entries(Arrays.copyOf(bytes, 513))).isInstanceOf(EOFException.class);
        assertThatThrownBy(() -> entries(Arrays.copyOf(bytes, 100))).isInstanceOf(EOFException.class);
    }

    @Test
    void whatIsNoTarIsRefused() {
        assertThatThrownBy(() -> entries("x".repeat(1024).getBytes(StandardCharsets.US_ASCII)))
                .isInstanceOf(BadLayerException.class);
    }

    @Test
    void sparseFilesAreRefused() {
        assertThatThrownBy(() -> entries(
                        new TestingTar().entry("a", 'S', "", new byte[0]).bytes()))
                .hasMessageContaining("sparse");
        assertThatThrownBy(() -> entries(new TestingTar()
                        .extended("GNU.sparse.major", "1")
                        .file("a", "")
                        .bytes()))
                .hasMessageContaining("sparse");
    }

    @Test
    void hugeHeadersAreRefusedBeforeTheyAreRead() {
        byte[] header = new TestingTar().header("x", 'x', "", 1L << 32, 0, 0);
        assertThatThrownBy(() -> entries(header))
                .isInstanceOfSatisfying(
                        BadLayerException.class,
                        refused -> assertThat(refused.kind()).isEqualTo(ImageException.Kind.TOO_LARGE));
    }

    @Test
    void zeroBytesInNamesAreRefused() {
        assertThatThrownBy(() -> entries(
                        new TestingTar().extended("path", "a\0b").file("a", "").bytes()))
                .hasMessageContaining("zero byte");
    }

    @Test
    void malformedExtendedHeadersAreRefused() {
        for (String records :
                List.of("5 a", "x a=b\n", "99 a=b\n", "7 a=b\n", "4 a\n", "0 a=b\n", "3 \n", "99999999999 a=b\n")) {
            assertThatThrownBy(() -> entries(new TestingTar()
                            .entry("x", 'x', "", records.getBytes(StandardCharsets.US_ASCII))
                            .bytes()))
                    .as(records)
                    .isInstanceOf(BadLayerException.class);
        }
    }
}
