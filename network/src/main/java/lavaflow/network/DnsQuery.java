package lavaflow.network;

import java.nio.ByteBuffer;

/**
 * A question.
 *
 * @param name in lower case, without the last dot
 * @param written the question as it was written, which the answer repeats
 * @param room how large an answer may be that comes in one packet
 * @param extended whether the client speaks EDNS
 * @param version which version of it
 */
record DnsQuery(
        int id,
        int opcode,
        boolean recursion,
        String name,
        int type,
        int netClass,
        ByteBuffer written,
        int room,
        boolean extended,
        int version) {
    static final int HEADER = 12;
    static final int PLAIN_ROOM = 512;
    private static final int MOST_ROOM = 4096;

    /**
     * Reads a question.
     *
     * @throws DnsFormatException where it is none; who sent it gets no answer, or one that says so
     */
    static DnsQuery parse(ByteBuffer packet) throws DnsFormatException {
        if (packet.remaining() < HEADER) {
            throw new DnsFormatException("too short");
        }
        ByteBuffer bytes = packet.slice();
        int flags = bytes.getShort(2) & 0xffff;
        if ((flags & 0x8000) != 0) {
            throw new DnsFormatException("an answer");
        }
        if (bytes.getShort(4) != 1) {
            throw new DnsFormatException("not one question");
        }
        bytes.position(HEADER);
        String name = DnsReader.name(bytes);
        DnsReader.need(bytes, 4);
        int type = bytes.getShort() & 0xffff;
        int netClass = bytes.getShort() & 0xffff;
        ByteBuffer written = bytes.slice(HEADER, bytes.position() - HEADER);
        int others = (bytes.getShort(6) & 0xffff) + (bytes.getShort(8) & 0xffff);
        int additional = bytes.getShort(10) & 0xffff;
        int room = PLAIN_ROOM;
        boolean extended = false;
        int version = 0;
        for (int i = 0; i < others + additional; i++) {
            DnsReader.Header record = DnsReader.header(bytes);
            if (record.type() == DnsRecord.OPT && i >= others) {
                if (extended) {
                    throw new DnsFormatException("two OPT records");
                }
                extended = true;
                room = Math.clamp(record.netClass(), PLAIN_ROOM, MOST_ROOM);
                version = (record.ttl() >> 16) & 0xff;
            }
            bytes.position(bytes.position() + record.length());
        }
        return new DnsQuery(
                bytes.getShort(0) & 0xffff,
                (flags >> 11) & 15,
                (flags & 0x100) != 0,
                name,
                type,
                netClass,
                written,
                room,
                extended,
                version);
    }
}
