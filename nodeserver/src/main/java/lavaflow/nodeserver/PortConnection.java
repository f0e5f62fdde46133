package lavaflow.nodeserver;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.nio.channels.SocketChannel;

/** A connection to a port of a pod, and a client: copies both ways until both have ended. */
final class PortConnection implements AutoCloseable {
    private static final int BUFFER = 32 << 10;

    private final ByteChannel pod;

    PortConnection(ByteChannel pod) {
        this.pod = pod;
    }

    /** Returns when the pod has said everything. */
    void hold(InputStream fromClient, OutputStream toClient) throws IOException {
        Thread upstream = Thread.ofVirtual().name("port-forward to pod").start(() -> toPod(fromClient));
        try {
            ByteBuffer buffer = ByteBuffer.allocate(BUFFER);
            while (pod.read(buffer) >= 0) {
                toClient.write(buffer.array(), 0, buffer.position());
                buffer.clear();
            }
        } finally {
            // What the client says from now on is for nobody.
            fromClient.close();
            pod.close();
            join(upstream);
        }
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** A client that ends may still want to hear the answer. */
    private void toPod(InputStream fromClient) {
        byte[] buffer = new byte[BUFFER];
        try {
            for (int read = fromClient.read(buffer); read >= 0; read = fromClient.read(buffer)) {
                ByteBuffer bytes = ByteBuffer.wrap(buffer, 0, read);
                while (bytes.hasRemaining()) {
                    pod.write(bytes);
                }
            }
            if (pod instanceof SocketChannel socket) {
                socket.shutdownOutput();
            }
        } catch (IOException e) {
            close();
        }
    }

    @Override
    public void close() {
        try {
            pod.close();
        } catch (IOException e) {
            // Nothing is lost with it.
        }
    }
}
