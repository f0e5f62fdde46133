package lavaflow.image;

import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

/** A body as a stream that gives up when nothing comes for a while; the client's own would wait for ever. */
final class GuardedBody extends InputStream implements HttpResponse.BodySubscriber<InputStream> {
    private final long patienceMillis;
    /** At most one batch and the end: more is asked for when one was read. */
    private final BlockingQueue<Event> events = new LinkedBlockingQueue<>();

    private final Queue<ByteBuffer> buffers = new ArrayDeque<>();
    private volatile Flow.@Nullable Subscription subscription;
    private boolean ended;

    private record Event(List<ByteBuffer> buffers, @Nullable Throwable failure) {}

    GuardedBody(Duration patience) {
        this.patienceMillis = patience.toMillis();
    }

    @Override
    public CompletionStage<InputStream> getBody() {
        return CompletableFuture.completedStage(this);
    }

    @Override
    public void onSubscribe(Flow.Subscription given) {
        subscription = given;
        given.request(1);
    }

    @Override
    public void onNext(List<ByteBuffer> batch) {
        events.add(new Event(batch, null));
    }

    @Override
    public void onError(Throwable failure) {
        events.add(new Event(List.of(), failure));
    }

    @Override
    public void onComplete() {
        events.add(new Event(List.of(), null));
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] bytes, int from, int count) throws IOException {
        ByteBuffer buffer = count == 0 ? ByteBuffer.allocate(0) : filled();
        if (buffer == null) {
            return -1;
        }
        int read = Math.min(count, buffer.remaining());
        buffer.get(bytes, from, read);
        return read;
    }

    private @Nullable ByteBuffer filled() throws IOException {
        while (true) {
            ByteBuffer first = buffers.peek();
            if (first != null && first.hasRemaining()) {
                return first;
            }
            if (first != null) {
                buffers.remove();
                if (buffers.isEmpty() && subscription != null) {
                    subscription.request(1);
                }
                continue;
            }
            if (ended) {
                return null;
            }
            Event event = next();
            if (event.failure() != null) {
                throw new IOException("the connection broke: " + event.failure().getMessage(), event.failure());
            }
            if (event.buffers().isEmpty()) {
                ended = true;
            }
            buffers.addAll(event.buffers());
        }
    }

    private Event next() throws IOException {
        try {
            Event event = events.poll(patienceMillis, TimeUnit.MILLISECONDS);
            if (event == null) {
                close();
                throw new IOException("nothing came for " + patienceMillis / 1000 + " s");
            }
            return event;
        } catch (InterruptedException e) {
            close();
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    @Override
    public void close() {
        ended = true;
        buffers.clear();
        Flow.Subscription given = subscription;
        if (given != null) {
            given.cancel();
        }
    }
}
