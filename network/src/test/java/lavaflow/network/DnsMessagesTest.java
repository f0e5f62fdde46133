package lavaflow.network;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** What is said between a name server and its clients. */
class DnsMessagesTest {
    private static ByteBuffer question(String name, int type, String extension) {
        StringBuilder hex = new StringBuilder("1234" + "0100" + "0001" + "0000" + "0000");
        hex.append(extension.isEmpty() ? "0000" : "0001");
        for (String label : name.split("\\.", -1)) {
            hex.append(String.format("%02x", label.length()))
                    .append(HexFormat.of().formatHex(label.getBytes(StandardCharsets.UTF_8)));
        }
        hex.append("00").append(String.format("%04x", type)).append("0001").append(extension);
        return bytes(hex.toString());
    }

    private static ByteBuffer bytes(String hex) {
        return ByteBuffer.wrap(HexFormat.of().parseHex(hex));
    }

    private static DnsAnswer many(int count) {
        List<DnsRecord> records = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            records.add(new DnsRecord.Address("web.shop", 5, "10.0.0." + i, false));
        }
        return new DnsAnswer(DnsAnswer.NO_ERROR, true, records, List.of(), List.of());
    }

    @Test
    void lettersAreComparedWithoutCaseAndRepeatedAsTheyWere() throws DnsFormatException {
        DnsQuery query = DnsQuery.parse(question("WeB.Shop", DnsRecord.A, ""));
        assertThat(query.name()).isEqualTo("web.shop");
        ByteBuffer answer = DnsWriter.write(query, many(1), 512);
        byte[] repeated = new byte[10];
        answer.get(12, repeated);
        assertThat(new String(repeated, 1, 3, StandardCharsets.UTF_8)).isEqualTo("WeB");
    }

    @Test
    void whatIsWrittenCanBeRead() throws DnsFormatException {
        DnsQuery query = DnsQuery.parse(question("web.shop", DnsRecord.A, ""));
        DnsRecord alias = new DnsRecord.Pointer("web.shop", DnsRecord.CNAME, 5, "other.shop");
        DnsRecord address = new DnsRecord.Address("other.shop", 7, "10.0.0.1", false);
        ByteBuffer answer =
                DnsWriter.write(query, new DnsAnswer(0, true, List.of(alias, address), List.of(), List.of()), 512);
        assertThat(DnsReader.answers(answer)).containsExactly(alias, address);
        assertThat(DnsReader.leastTtl(answer)).isEqualTo(5);
    }

    @Test
    void anAnswerThatDoesNotFitIsCutAndSaysSo() throws DnsFormatException {
        DnsQuery query = DnsQuery.parse(question("web.shop", DnsRecord.A, ""));
        ByteBuffer answer = DnsWriter.write(query, many(100), query.room());
        assertThat(answer.remaining()).isLessThanOrEqualTo(512);
        assertThat(answer.get(2) & 2).isEqualTo(2);
        assertThat(DnsReader.answers(answer)).hasSizeBetween(20, 40);
        assertThat(DnsReader.answers(DnsWriter.write(query, many(100), 65_535))).hasSize(100);
    }

    @Test
    void aClientThatExtendsItsRoomGetsMore() throws DnsFormatException {
        DnsQuery query =
                DnsQuery.parse(question("web.shop", DnsRecord.A, "00" + "0029" + "1000" + "00000000" + "0000"));
        assertThat(query.room()).isEqualTo(4096);
        ByteBuffer answer = DnsWriter.write(query, many(100), query.room());
        assertThat(answer.get(2) & 2).isZero();
        assertThat(answer.getShort(10)).as("additional records").isEqualTo((short) 1);
    }

    @Test
    void pointersThatDoNotLeadBackAreNoNames() {
        String header = "123401000001000000000000";
        for (String name : List.of("c00c", "c00e", "c0ff", "40", "03616263", "3f")) {
            assertThatExceptionOfType(DnsFormatException.class)
                    .as(name)
                    .isThrownBy(() -> DnsQuery.parse(bytes(header + name)));
        }
    }

    @Test
    void namesAreBounded() {
        String label = "3f" + "61".repeat(63);
        assertThatExceptionOfType(DnsFormatException.class)
                .isThrownBy(() -> DnsQuery.parse(bytes("123401000001000000000000" + label.repeat(5) + "0000010001")));
    }

    @Test
    void answersAndCrowdsOfQuestionsAreNoQuestions() {
        assertThatExceptionOfType(DnsFormatException.class)
                .isThrownBy(() -> DnsQuery.parse(bytes("123481000001000000000000" + "0000010001")));
        assertThatExceptionOfType(DnsFormatException.class)
                .isThrownBy(() -> DnsQuery.parse(bytes("123401000002000000000000" + "0000010001" + "0000010001")));
    }
}
