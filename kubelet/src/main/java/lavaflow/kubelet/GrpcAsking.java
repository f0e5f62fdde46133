package lavaflow.kubelet;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/**
 * Asks grpc.health.v1.Health over plain HTTP/2. One request on a connection needs so little of the protocol that it is
 * written here: no header of the answer has to be read, because the answer's only message says all.
 */
final class GrpcAsking {
    private static final byte[] PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
    private static final int DATA = 0;
    private static final int HEADERS = 1;
    private static final int RST_STREAM = 3;
    private static final int SETTINGS = 4;
    private static final int PING = 6;
    private static final int GOAWAY = 7;
    private static final int END_STREAM = 1;
    private static final int ACKNOWLEDGED = 1;
    private static final int END_HEADERS = 4;
    private static final int PADDED = 8;
    private static final int LARGEST_FRAME = 1 << 20;
    private static final int SERVING = 1;

    private GrpcAsking() {}

    /** What is wrong; empty if the service is well. */
    static String check(String host, int port, String service, Duration patience) {
        String where = host.contains(":") ? "[" + host + "]:" + port : host + ":" + port;
        try (Socket socket = new Socket()) {
            int millis = (int) Math.max(1, patience.toMillis());
            socket.connect(new InetSocketAddress(host, port), millis);
            socket.setSoTimeout(millis);
            OutputStream out = socket.getOutputStream();
            out.write(request(where, service));
            out.flush();
            return answer(new DataInputStream(socket.getInputStream()), out);
        } catch (SocketTimeoutException e) {
            return "timeout: health rpc did not complete within " + lavaflow.kube.GoDuration.format(patience);
        } catch (IOException e) {
            return "timeout: failed to connect service \"" + where + "\" within "
                    + lavaflow.kube.GoDuration.format(patience) + ": " + e.getMessage();
        }
    }

    private static byte[] request(String authority, String service) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(PREFACE);
        frame(out, SETTINGS, 0, 0, new byte[0]);
        ByteArrayOutputStream headers = new ByteArrayOutputStream();
        header(headers, ":method", "POST");
        header(headers, ":scheme", "http");
        header(headers, ":path", "/grpc.health.v1.Health/Check");
        header(headers, ":authority", authority);
        header(headers, "content-type", "application/grpc");
        header(headers, "user-agent", "kube-probe/1.36");
        header(headers, "te", "trailers");
        frame(out, HEADERS, END_HEADERS, 1, headers.toByteArray());
        byte[] name = service.getBytes(StandardCharsets.UTF_8);
        ByteArrayOutputStream message = new ByteArrayOutputStream();
        if (name.length > 0) {
            message.write(0x0a);
            message.write(name.length);
            message.write(name);
        }
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        body.write(0);
        body.write(new byte[] {0, 0, (byte) (message.size() >>> 8), (byte) message.size()});
        message.writeTo(body);
        frame(out, DATA, END_STREAM, 1, body.toByteArray());
        return out.toByteArray();
    }

    /** A literal that nobody has to remember. */
    private static void header(ByteArrayOutputStream out, String name, String value) {
        out.write(0);
        text(out, name);
        text(out, value);
    }

    private static void text(ByteArrayOutputStream out, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
        if (bytes.length < 127) {
            out.write(bytes.length);
        } else {
            out.write(127);
            int rest = bytes.length - 127;
            while (rest >= 128) {
                out.write(rest % 128 + 128);
                rest /= 128;
            }
            out.write(rest);
        }
        out.writeBytes(bytes);
    }

    private static void frame(OutputStream out, int type, int flags, int stream, byte[] payload) throws IOException {
        out.write(new byte[] {
            (byte) (payload.length >>> 16),
            (byte) (payload.length >>> 8),
            (byte) payload.length,
            (byte) type,
            (byte) flags,
            0,
            0,
            0,
            (byte) stream
        });
        out.write(payload);
    }

    private static String answer(DataInputStream in, OutputStream out) throws IOException {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        while (true) {
            int length = (in.readUnsignedByte() << 16) | in.readUnsignedShort();
            int type = in.readUnsignedByte();
            int flags = in.readUnsignedByte();
            int stream = in.readInt() & 0x7fffffff;
            if (length > LARGEST_FRAME) {
                throw new IOException("a frame of " + length + " bytes");
            }
            byte[] payload = in.readNBytes(length);
            if (type == SETTINGS && (flags & ACKNOWLEDGED) == 0) {
                frame(out, SETTINGS, ACKNOWLEDGED, 0, new byte[0]);
            } else if (type == PING && (flags & ACKNOWLEDGED) == 0) {
                frame(out, PING, ACKNOWLEDGED, 0, payload);
            } else if (type == GOAWAY || (type == RST_STREAM && stream == 1)) {
                return "error: health rpc failed: the server closed the stream";
            } else if (type == DATA && stream == 1) {
                int from = (flags & PADDED) != 0 ? 1 : 0;
                int padding = from == 1 ? payload[0] & 255 : 0;
                body.write(payload, from, Math.max(0, payload.length - from - padding));
            }
            boolean last = stream == 1 && (type == DATA || type == HEADERS) && (flags & END_STREAM) != 0;
            if (last) {
                return verdict(body.toByteArray());
            }
        }
    }

    /** A message that says nothing of its status says 0, for unknown. */
    static String verdict(byte[] body) {
        if (body.length < 5) {
            return "error: this server does not implement the grpc health protocol (grpc.health.v1.Health)";
        }
        int status = body.length >= 7 && body[5] == 0x08 ? body[6] : 0;
        return status == SERVING ? "" : "service unhealthy (responded with \"" + word(status) + "\")";
    }

    private static String word(int status) {
        return switch (status) {
            case 0 -> "UNKNOWN";
            case 2 -> "NOT_SERVING";
            case 3 -> "SERVICE_UNKNOWN";
            default -> Integer.toString(status);
        };
    }
}
