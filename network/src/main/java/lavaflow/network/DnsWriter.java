package lavaflow.network;

import java.net.InetAddress;
import java.nio.BufferOverflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Writes answers; names that were written before are pointed at. */
final class DnsWriter {
    private static final int EDNS_BYTES = 11;
    private static final int OUR_ROOM = 1232;

    private final ByteBuffer bytes;
    private final Map<String, Integer> places = new HashMap<>();

    private DnsWriter(int room) {
        bytes = ByteBuffer.allocate(room);
    }

    /** The answer as it fits into the given room; where it does not, as much as does, marked as cut. */
    static ByteBuffer write(DnsQuery query, DnsAnswer answer, int room) {
        DnsWriter writer = new DnsWriter(room - (query.extended() ? EDNS_BYTES : 0));
        ByteBuffer message = writer.message(query, answer);
        if (!query.extended()) {
            return message;
        }
        ByteBuffer extended = ByteBuffer.allocate(message.remaining() + EDNS_BYTES)
                .put(message)
                .put((byte) 0)
                .putShort((short) DnsRecord.OPT)
                .putShort((short) OUR_ROOM)
                .put((byte) (answer.code() >> 4))
                .put((byte) 0)
                .putShort((short) 0)
                .putShort((short) 0)
                .flip();
        return extended.putShort(10, (short) (extended.getShort(10) + 1));
    }

    /** A question to another server. */
    static ByteBuffer question(String name, int type) {
        DnsWriter writer = new DnsWriter(DnsQuery.PLAIN_ROOM);
        writer.bytes.putShort((short) 0).putShort((short) 0x100).putShort((short) 1);
        writer.bytes.putShort((short) 0).putShort((short) 0).putShort((short) 0);
        writer.name(name);
        writer.bytes.putShort((short) type).putShort((short) 1);
        return writer.bytes.flip();
    }

    private ByteBuffer message(DnsQuery query, DnsAnswer answer) {
        int flags = 0x8000 | (query.opcode() << 11) | 0x80 | (answer.code() & 15);
        flags |= query.recursion() ? 0x100 : 0;
        flags |= answer.authoritative() ? 0x400 : 0;
        bytes.putShort((short) query.id()).putShort((short) flags).putShort((short) 1);
        bytes.putShort((short) 0).putShort((short) 0).putShort((short) 0);
        bytes.put(query.written().duplicate());
        places.put(query.name(), DnsQuery.HEADER);
        boolean whole = section(6, answer.answers());
        whole = whole && section(8, answer.authority());
        if (whole) {
            // What was not asked for may be left out without a word.
            section(10, answer.additional());
        } else {
            bytes.putShort(2, (short) (flags | 0x200));
        }
        return bytes.flip();
    }

    /** False where not everything fits. */
    private boolean section(int countAt, List<DnsRecord> records) {
        int count = 0;
        for (DnsRecord record : records) {
            int start = bytes.position();
            try {
                record(record);
            } catch (BufferOverflowException e) {
                bytes.position(start);
                places.values().removeIf(place -> place >= start);
                break;
            }
            count++;
        }
        bytes.putShort(countAt, (short) count);
        return count == records.size();
    }

    private void record(DnsRecord record) {
        name(record.name());
        bytes.putShort((short) record.type()).putShort((short) 1).putInt(record.ttl());
        int lengthAt = bytes.position();
        bytes.putShort((short) 0);
        switch (record) {
            case DnsRecord.Address address ->
                bytes.put(InetAddress.ofLiteral(address.address()).getAddress());
            case DnsRecord.Pointer pointer -> name(pointer.target());
            case DnsRecord.Service service -> {
                bytes.putShort((short) 0).putShort((short) service.weight()).putShort((short) service.port());
                name(service.target());
            }
            case DnsRecord.Text text -> {
                byte[] letters = text.text().getBytes(StandardCharsets.UTF_8);
                bytes.put((byte) letters.length).put(letters);
            }
            case DnsRecord.Authority authority -> {
                name(authority.server());
                name(authority.mailbox());
                // Nobody copies this zone, so its number and the times between copies mean nothing.
                bytes.putInt(1).putInt(7200).putInt(1800).putInt(86400);
                bytes.putInt(authority.ttl());
            }
        }
        bytes.putShort(lengthAt, (short) (bytes.position() - lengthAt - 2));
    }

    private void name(String name) {
        String rest = name;
        while (!rest.isEmpty()) {
            Integer place = places.get(rest);
            if (place != null) {
                bytes.putShort((short) (0xc000 | place));
                return;
            }
            if (bytes.position() < 0x3fff) {
                places.put(rest, bytes.position());
            }
            int dot = rest.indexOf('.');
            String label = dot < 0 ? rest : rest.substring(0, dot);
            byte[] letters = label.replace('\u0001', '.').getBytes(StandardCharsets.ISO_8859_1);
            bytes.put((byte) letters.length).put(letters);
            rest = dot < 0 ? "" : rest.substring(dot + 1);
        }
        bytes.put((byte) 0);
    }
}
