package lavaflow.nodeserver;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;

/** Several streams over one WebSocket: the first byte of a message says which. */
final class ChannelSocket {
    private static final int CLOSED = 255;

    private final WebSocket socket;
    private final boolean base64;
    private final boolean closable;
    private final Map<Integer, ByteQueue> inputs = new LinkedHashMap<>();

    /**
     * @param base64 whether messages are text
     * @param closable whether the client may end one stream and go on with the others (version 5)
     */
    ChannelSocket(WebSocket socket, boolean base64, boolean closable) {
        this.socket = socket;
        this.base64 = base64;
        this.closable = closable;
    }

    /** A stream from the client; what it says on others is ignored. Call before {@link #run}. */
    ByteQueue input(int channel) {
        return inputs.computeIfAbsent(channel, _ -> new ByteQueue());
    }

    OutputStream output(int channel) {
        return new OutputStream() {
            @Override
            public void write(int one) throws IOException {
                write(new byte[] {(byte) one}, 0, 1);
            }

            @Override
            public void write(byte[] bytes, int offset, int length) throws IOException {
                send(channel, bytes, offset, length);
            }
        };
    }

    private void send(int channel, byte[] bytes, int offset, int length) throws IOException {
        if (base64) {
            byte[] data = Base64.getEncoder().encode(Arrays.copyOfRange(bytes, offset, offset + length));
            byte[] message = new byte[data.length + 1];
            message[0] = (byte) ('0' + channel);
            System.arraycopy(data, 0, message, 1, data.length);
            socket.text(message);
        } else {
            byte[] message = new byte[length + 1];
            message[0] = (byte) channel;
            System.arraycopy(bytes, offset, message, 1, length);
            socket.binary(message, 0, message.length);
        }
    }

    /** Reads until the client leaves; every stream from it is over then. */
    void run() throws IOException {
        try {
            for (byte[] message = socket.receive(); message != null; message = socket.receive()) {
                if (message.length > 0) {
                    received(message);
                }
            }
        } finally {
            inputs.values().forEach(ByteQueue::end);
        }
    }

    private void received(byte[] message) throws IOException {
        int channel = message[0] & 0xff;
        if (closable && channel == CLOSED) {
            ByteQueue ended = message.length > 1 ? inputs.get(message[1] & 0xff) : null;
            if (ended != null) {
                ended.end();
            }
            return;
        }
        ByteQueue input = inputs.get(base64 ? channel - '0' : channel);
        if (input != null) {
            input.put(base64 ? decoded(message) : Arrays.copyOfRange(message, 1, message.length));
        }
    }

    private static byte[] decoded(byte[] message) throws IOException {
        try {
            return Base64.getDecoder().decode(Arrays.copyOfRange(message, 1, message.length));
        } catch (IllegalArgumentException e) {
            throw new IOException("not base64", e);
        }
    }

    void close() throws IOException {
        socket.close();
    }
}
