package lavaflow.network;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

import org.jspecify.annotations.Nullable;

/** Answers one question: from the cluster's names, or from upstream. */
final class DnsResponder {
    private static final int LARGEST = 65_535;
    private static final int INTERNET = 1;

    /** A question that was read, and the answer if it needs nobody else. */
    record Reading(@Nullable DnsQuery query, Optional<ByteBuffer> answer) {}

    private final ClusterNames names;
    private final Upstream upstream;
    private final BooleanSupplier ready;
    private final AtomicInteger turn = new AtomicInteger();

    /** @param ready whether everything is known that exists: before that, nothing can be said not to */
    DnsResponder(ClusterNames names, Upstream upstream, BooleanSupplier ready) {
        this.names = names;
        this.upstream = upstream;
        this.ready = ready;
    }

    /** Answers at once what can be; a reading without a query and an answer deserves none. */
    Reading read(ByteBuffer packet, boolean stream) {
        DnsQuery query;
        try {
            query = DnsQuery.parse(packet);
        } catch (DnsFormatException e) {
            return new Reading(null, complaint(packet));
        }
        int code = refusal(query);
        if (code != DnsAnswer.NO_ERROR) {
            return new Reading(query, Optional.of(write(query, DnsAnswer.failure(code), stream)));
        }
        if (names.isIn(query.name()) && !ready.getAsBoolean()) {
            DnsAnswer wait = DnsAnswer.failure(DnsAnswer.SERVER_FAILURE);
            return new Reading(query, Optional.of(write(query, wait, stream)));
        }
        Optional<DnsAnswer> known = names.answer(query.name(), query.type());
        if (known.isPresent() && outside(query, known.get()) == null) {
            return new Reading(query, Optional.of(write(query, turned(known.get()), stream)));
        }
        if (known.isEmpty() && !upstream.isThere()) {
            // Nobody could know it. Programs wait long for servers that are silent.
            DnsAnswer nobody = DnsAnswer.failure(DnsAnswer.NO_SUCH_NAME);
            return new Reading(query, Optional.of(write(query, nobody, stream)));
        }
        return new Reading(query, Optional.empty());
    }

    private static int refusal(DnsQuery query) {
        if (query.opcode() != 0) {
            return DnsAnswer.NOT_IMPLEMENTED;
        }
        if (query.version() > 0) {
            return DnsAnswer.BAD_VERSION;
        }
        return query.netClass() == INTERNET ? DnsAnswer.NO_ERROR : DnsAnswer.REFUSED;
    }

    /** What can be said to a packet that makes no sense but has a number; answers are never answered. */
    private static Optional<ByteBuffer> complaint(ByteBuffer packet) {
        if (packet.remaining() < DnsQuery.HEADER || packet.get(packet.position() + 2) < 0) {
            return Optional.empty();
        }
        ByteBuffer header = ByteBuffer.allocate(DnsQuery.HEADER);
        header.putShort(packet.getShort(packet.position()));
        header.putShort((short) (0x8000 | DnsAnswer.FORMAT_ERROR));
        return Optional.of(header.rewind());
    }

    /** Asks others what {@link #read} left open. */
    ByteBuffer ask(DnsQuery query, ByteBuffer packet, boolean stream) {
        Optional<DnsAnswer> known = names.answer(query.name(), query.type());
        if (known.isPresent()) {
            return write(query, completed(query, known.get()), stream);
        }
        Optional<ByteBuffer> answer = upstream.ask(query, packet, stream);
        if (answer.isEmpty()) {
            return write(query, DnsAnswer.failure(DnsAnswer.SERVER_FAILURE), stream);
        }
        return stream || answer.get().remaining() <= query.room() ? answer.get() : cut(query);
    }

    /** Asks the client to come again with a stream. */
    private static ByteBuffer cut(DnsQuery query) {
        ByteBuffer empty = write(query, DnsAnswer.failure(DnsAnswer.NO_ERROR), false);
        return empty.put(2, (byte) (empty.get(2) | 2));
    }

    /** The name outside that an answer ends with, where its addresses were asked for. */
    private @Nullable String outside(DnsQuery query, DnsAnswer answer) {
        boolean addresses = query.type() == DnsRecord.A || query.type() == DnsRecord.AAAA;
        if (addresses
                && !answer.answers().isEmpty()
                && answer.answers().getLast() instanceof DnsRecord.Pointer alias
                && alias.type() == DnsRecord.CNAME
                && !names.isIn(alias.target())
                && upstream.isThere()) {
            return alias.target();
        }
        return null;
    }

    /** Clients do not follow aliases themselves. */
    private DnsAnswer completed(DnsQuery query, DnsAnswer answer) {
        String target = outside(query, answer);
        if (target == null) {
            return answer;
        }
        List<DnsRecord> answers = new ArrayList<>(answer.answers());
        answers.addAll(upstream.resolve(target, query.type()));
        return new DnsAnswer(answer.code(), answer.authoritative(), answers, List.of(), List.of());
    }

    /** Most clients take the first address: each gets another one. */
    private DnsAnswer turned(DnsAnswer answer) {
        if (answer.answers().size() < 2 || answer.answers().getFirst().type() == DnsRecord.CNAME) {
            return answer;
        }
        List<DnsRecord> answers = new ArrayList<>(answer.answers());
        Collections.rotate(answers, turn.getAndIncrement() & 0xffff);
        return new DnsAnswer(answer.code(), answer.authoritative(), answers, answer.authority(), answer.additional());
    }

    private static ByteBuffer write(DnsQuery query, DnsAnswer answer, boolean stream) {
        return DnsWriter.write(query, answer, stream ? LARGEST : query.room());
    }
}
