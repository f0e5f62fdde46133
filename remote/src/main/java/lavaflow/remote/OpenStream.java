package lavaflow.remote;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicBoolean;

import lavaflow.kube.ApiException;

import org.jspecify.annotations.Nullable;

/** An answer under way. Java's client hands over a chunk only after it was asked for one. */
final class OpenStream implements Streams.Stream, Flow.Subscriber<List<ByteBuffer>> {
    private static final int OK = 200;
    private static final int REFUSAL_BYTES = 1 << 20;

    private final Streams.Listener listener;
    private final Runnable left;
    private final ByteArrayOutputStream refusal = new ByteArrayOutputStream();
    private final AtomicBoolean over = new AtomicBoolean();
    private volatile int code;
    private volatile boolean cancelled;
    private volatile Flow.@Nullable Subscription body;

    /**
     * @param left called once, when nothing more comes
     */
    OpenStream(Streams.Listener listener, Runnable left) {
        this.listener = listener;
        this.left = left;
    }

    void begin(int answered, Flow.Publisher<List<ByteBuffer>> publisher) {
        code = answered;
        if (answered == OK) {
            listener.opened();
        }
        publisher.subscribe(this);
    }

    void end(@Nullable ApiException why) {
        if (!over.getAndSet(true)) {
            left.run();
            listener.ended(why);
        }
    }

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
        body = subscription;
        if (cancelled) {
            cancel();
        } else {
            subscription.request(1);
        }
    }

    @Override
    public void onNext(List<ByteBuffer> chunk) {
        byte[] bytes = new byte[chunk.stream().mapToInt(ByteBuffer::remaining).sum()];
        int at = 0;
        for (ByteBuffer part : chunk) {
            int length = part.remaining();
            part.get(bytes, at, length);
            at += length;
        }
        boolean more = true;
        if (code == OK) {
            more = listener.bytes(bytes);
        } else if (refusal.size() < REFUSAL_BYTES) {
            refusal.writeBytes(bytes);
        }
        if (more) {
            more();
        }
    }

    @Override
    public void onError(Throwable broken) {
        // Servers that stop and connections that are cut: not worth a line, the next request tells what is wrong.
        end(
                code == OK
                        ? ApiException.of(503, "ServiceUnavailable", "the watch was cut off")
                        : Connection.refusal(code, refusal.toByteArray()));
    }

    @Override
    public void onComplete() {
        end(code == OK ? null : Connection.refusal(code, refusal.toByteArray()));
    }

    @Override
    public void more() {
        Flow.Subscription opened = body;
        if (opened != null) {
            opened.request(1);
        }
    }

    @Override
    public void cancel() {
        cancelled = true;
        Flow.Subscription opened = body;
        if (opened != null) {
            opened.cancel();
            // Nothing more is told of what was cancelled, not even its end.
            end(null);
        }
    }
}
