package lavaflow.network;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * The name servers this machine asks itself. Answers are kept for a short while; a server that does not answer is left
 * alone for a moment, so that not everybody waits for it. Safe for concurrent use; asking blocks.
 */
final class Upstream {
    /** With a server that does not answer: others are waited for less long than anybody who asks waits for us. */
    static final Duration PATIENCE = Duration.ofMillis(1_500);

    private static final Duration LEFT_ALONE = Duration.ofSeconds(3);
    private static final Duration LONGEST_KEPT = Duration.ofSeconds(30);
    private static final int MOST_KEPT = 1_000;
    private static final int LARGEST_KEPT = 1_500;
    private static final int MOST_AT_ONCE = 200;
    private static final int LARGEST_PACKET = 4096;

    private record Kept(ByteBuffer message, long untilNanos) {}

    /** One question, however its letters are written. */
    private record Question(String name, int type, int netClass, boolean extended) {}

    private final Supplier<List<InetSocketAddress>> servers;
    private final LongSupplier nanoTime;
    private final int patienceMillis;
    private final SecureRandom random = new SecureRandom();
    private final Semaphore turns = new Semaphore(MOST_AT_ONCE);
    private final Map<InetSocketAddress, Long> leftAloneUntil = new HashMap<>();
    private final Map<Question, Kept> kept = new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Question, Kept> eldest) {
            return size() > MOST_KEPT;
        }
    };

    Upstream(Supplier<List<InetSocketAddress>> servers, LongSupplier nanoTime, Duration patience) {
        this.servers = servers;
        this.nanoTime = nanoTime;
        this.patienceMillis = Math.toIntExact(patience.toMillis());
    }

    boolean isThere() {
        return !servers.get().isEmpty();
    }

    /** The answer to a question as it was written, fit to be sent to who asked; empty where nobody answers. */
    Optional<ByteBuffer> ask(DnsQuery query, ByteBuffer written, boolean stream) {
        Question question = new Question(query.name(), query.type(), query.netClass(), query.extended());
        Optional<ByteBuffer> known = known(question, query);
        if (known.isPresent() || !turns.tryAcquire()) {
            return known;
        }
        try {
            for (InetSocketAddress server : servers.get()) {
                if (isLeftAlone(server)) {
                    continue;
                }
                try {
                    ByteBuffer answer = stream ? askStream(server, query, written) : askPacket(server, query, written);
                    keep(question, answer);
                    return Optional.of(fit(answer, query));
                } catch (IOException | DnsFormatException e) {
                    leaveAlone(server);
                }
            }
            return Optional.empty();
        } finally {
            turns.release();
        }
    }

    private synchronized boolean isLeftAlone(InetSocketAddress server) {
        Long until = leftAloneUntil.get(server);
        return until != null && until - nanoTime.getAsLong() > 0;
    }

    private synchronized void leaveAlone(InetSocketAddress server) {
        leftAloneUntil.put(server, nanoTime.getAsLong() + LEFT_ALONE.toNanos());
    }

    private synchronized Optional<ByteBuffer> known(Question question, DnsQuery query) {
        Kept found = kept.get(question);
        if (found == null || found.untilNanos() - nanoTime.getAsLong() <= 0) {
            return Optional.empty();
        }
        return Optional.of(fit(copy(found.message()), query));
    }

    private void keep(Question question, ByteBuffer answer) throws DnsFormatException {
        int code = answer.get(3) & 15;
        boolean cut = (answer.get(2) & 2) != 0;
        boolean useful = code == DnsAnswer.NO_ERROR || code == DnsAnswer.NO_SUCH_NAME;
        long seconds = Math.min(DnsReader.leastTtl(answer), LONGEST_KEPT.toSeconds());
        if (!cut && useful && seconds > 0 && answer.remaining() <= LARGEST_KEPT) {
            ByteBuffer message = copy(answer);
            synchronized (this) {
                kept.put(
                        question,
                        new Kept(
                                message,
                                nanoTime.getAsLong()
                                        + Duration.ofSeconds(seconds).toNanos()));
            }
        }
    }

    private static ByteBuffer copy(ByteBuffer message) {
        return ByteBuffer.allocate(message.remaining()).put(message.duplicate()).flip();
    }

    /** With the number and the letters of who asks. */
    private static ByteBuffer fit(ByteBuffer answer, DnsQuery query) {
        answer.putShort(0, (short) query.id());
        answer.put(DnsQuery.HEADER, query.written(), 0, query.written().remaining());
        return answer;
    }

    private ByteBuffer askPacket(InetSocketAddress server, DnsQuery query, ByteBuffer written)
            throws IOException, DnsFormatException {
        byte[] sent = withNumber(written);
        // A port of its own for each question: who wants to forge an answer has to guess it.
        try (DatagramSocket socket = new DatagramSocket()) {
            socket.connect(server);
            socket.setSoTimeout(patienceMillis);
            socket.send(new DatagramPacket(sent, sent.length));
            for (int i = 0; i < 8; i++) {
                DatagramPacket packet = new DatagramPacket(new byte[LARGEST_PACKET], LARGEST_PACKET);
                socket.receive(packet);
                ByteBuffer answer = ByteBuffer.wrap(packet.getData(), 0, packet.getLength());
                if (isAnswer(answer, sent, query)) {
                    return answer;
                }
            }
            throw new DnsFormatException("no answer among others");
        }
    }

    private ByteBuffer askStream(InetSocketAddress server, DnsQuery query, ByteBuffer written)
            throws IOException, DnsFormatException {
        byte[] sent = withNumber(written);
        try (Socket socket = new Socket()) {
            socket.setSoTimeout(patienceMillis);
            socket.connect(server, patienceMillis);
            DataOutputStream out = new DataOutputStream(socket.getOutputStream());
            byte[] framed = ByteBuffer.allocate(sent.length + 2)
                    .putShort((short) sent.length)
                    .put(sent)
                    .array();
            out.write(framed);
            DataInputStream in = new DataInputStream(socket.getInputStream());
            ByteBuffer answer = ByteBuffer.wrap(in.readNBytes(in.readUnsignedShort()));
            if (!isAnswer(answer, sent, query)) {
                throw new DnsFormatException("an answer to something else");
            }
            return answer;
        }
    }

    private byte[] withNumber(ByteBuffer written) {
        byte[] sent = new byte[written.remaining()];
        written.duplicate().get(sent);
        ByteBuffer.wrap(sent).putShort((short) random.nextInt());
        return sent;
    }

    private static boolean isAnswer(ByteBuffer answer, byte[] sent, DnsQuery query) throws DnsFormatException {
        int end = DnsQuery.HEADER + query.written().remaining();
        if (answer.remaining() < end
                || answer.getShort(0) != ByteBuffer.wrap(sent).getShort(0)
                || answer.get(2) >= 0
                || answer.getShort(4) != 1) {
            return false;
        }
        ByteBuffer question = answer.slice();
        question.position(DnsQuery.HEADER);
        return DnsReader.name(question).equals(query.name())
                && question.position() + 4 == end
                && (question.getShort() & 0xffff) == query.type();
    }

    /** Addresses of a name outside; empty where there are none or nobody knows. */
    List<DnsRecord> resolve(String name, int type) {
        ByteBuffer written = DnsWriter.question(name, type);
        try {
            DnsQuery query = DnsQuery.parse(written);
            Optional<ByteBuffer> answer = ask(query, written, false);
            return answer.isEmpty() ? List.of() : DnsReader.answers(answer.get());
        } catch (DnsFormatException e) {
            return List.of();
        }
    }
}
