package lavaflow.network;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Reads messages of DNS from anybody: every length is checked, pointers only lead back. */
final class DnsReader {
    private static final int LONGEST_NAME = 255;

    /** What every record begins with; the position is at its contents. */
    record Header(String name, int type, int netClass, int ttl, int length) {}

    private DnsReader() {}

    static void need(ByteBuffer bytes, int count) throws DnsFormatException {
        if (bytes.remaining() < count) {
            throw new DnsFormatException("too short");
        }
    }

    /** Reads a name, in lower case and without the last dot; the root is empty. */
    static String name(ByteBuffer bytes) throws DnsFormatException {
        StringBuilder name = new StringBuilder();
        int length = 1;
        int end = -1;
        int before = bytes.position();
        while (true) {
            need(bytes, 1);
            int size = bytes.get() & 0xff;
            if (size == 0) {
                break;
            }
            if ((size & 0xc0) == 0xc0) {
                need(bytes, 1);
                int target = ((size & 0x3f) << 8) | (bytes.get() & 0xff);
                end = end < 0 ? bytes.position() : end;
                if (target >= before) {
                    throw new DnsFormatException("a pointer that does not lead back");
                }
                before = target;
                bytes.position(target);
                continue;
            }
            length += size + 1;
            if ((size & 0xc0) != 0 || length > LONGEST_NAME) {
                throw new DnsFormatException("a name that is too long");
            }
            need(bytes, size);
            label(bytes, size, name);
        }
        if (end >= 0) {
            bytes.position(end);
        }
        return name.toString().toLowerCase(Locale.ROOT);
    }

    /** A dot within a label is no end of it. */
    private static void label(ByteBuffer bytes, int size, StringBuilder name) {
        if (!name.isEmpty()) {
            name.append('.');
        }
        for (int i = 0; i < size; i++) {
            char letter = (char) (bytes.get() & 0xff);
            name.append(letter == '.' ? '\u0001' : letter);
        }
    }

    static Header header(ByteBuffer bytes) throws DnsFormatException {
        String name = name(bytes);
        need(bytes, 10);
        int type = bytes.getShort() & 0xffff;
        int netClass = bytes.getShort() & 0xffff;
        int ttl = bytes.getInt();
        int length = bytes.getShort() & 0xffff;
        need(bytes, length);
        return new Header(name, type, netClass, ttl, length);
    }

    /** The addresses and aliases among the answers of a message. */
    static List<DnsRecord> answers(ByteBuffer packet) throws DnsFormatException {
        ByteBuffer bytes = packet.slice();
        need(bytes, DnsQuery.HEADER);
        int questions = bytes.getShort(4) & 0xffff;
        int answers = bytes.getShort(6) & 0xffff;
        bytes.position(DnsQuery.HEADER);
        for (int i = 0; i < questions; i++) {
            name(bytes);
            need(bytes, 4);
            bytes.position(bytes.position() + 4);
        }
        List<DnsRecord> records = new ArrayList<>();
        for (int i = 0; i < answers; i++) {
            Header header = header(bytes);
            int next = bytes.position() + header.length();
            switch (header.type()) {
                case DnsRecord.A, DnsRecord.AAAA -> records.add(address(header, bytes));
                case DnsRecord.CNAME ->
                    records.add(new DnsRecord.Pointer(header.name(), DnsRecord.CNAME, header.ttl(), name(bytes)));
                default -> {
                    // Nobody asked for others.
                }
            }
            bytes.position(next);
        }
        return records;
    }

    private static DnsRecord address(Header header, ByteBuffer bytes) throws DnsFormatException {
        byte[] address = new byte[header.length()];
        bytes.get(address);
        boolean six = header.type() == DnsRecord.AAAA;
        if (address.length != (six ? 16 : 4)) {
            throw new DnsFormatException("an address of " + address.length + " bytes");
        }
        try {
            return new DnsRecord.Address(
                    header.name(),
                    header.ttl(),
                    InetAddress.getByAddress(address).getHostAddress(),
                    six);
        } catch (UnknownHostException e) {
            throw new DnsFormatException("no address");
        }
    }

    /** The least time any record of a message may be kept; 0 where there is none. */
    static int leastTtl(ByteBuffer packet) throws DnsFormatException {
        ByteBuffer bytes = packet.slice();
        need(bytes, DnsQuery.HEADER);
        int questions = bytes.getShort(4) & 0xffff;
        int records = (bytes.getShort(6) & 0xffff) + (bytes.getShort(8) & 0xffff) + (bytes.getShort(10) & 0xffff);
        bytes.position(DnsQuery.HEADER);
        for (int i = 0; i < questions; i++) {
            name(bytes);
            need(bytes, 4);
            bytes.position(bytes.position() + 4);
        }
        int least = Integer.MAX_VALUE;
        for (int i = 0; i < records; i++) {
            Header header = header(bytes);
            if (header.type() != DnsRecord.OPT) {
                least = Math.min(least, Math.max(0, header.ttl()));
            }
            bytes.position(bytes.position() + header.length());
        }
        return least == Integer.MAX_VALUE ? 0 : least;
    }
}
