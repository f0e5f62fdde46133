package lavaflow.nodeserver;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.ProtocolException;
import java.nio.charset.StandardCharsets;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class WebSocketTest {
    private final ByteArrayOutputStream sent = new ByteArrayOutputStream();

    /** A frame as clients mask it. */
    private static byte[] frame(int first, String payload) {
        byte[] bytes = payload.getBytes(StandardCharsets.UTF_8);
        ByteArrayOutputStream frame = new ByteArrayOutputStream();
        frame.write(first);
        if (bytes.length < 126) {
            frame.write(0x80 | bytes.length);
        } else {
            frame.write(0x80 | 126);
            frame.write(bytes.length >> 8);
            frame.write(bytes.length);
        }
        byte[] mask = {1, 2, 3, 4};
        frame.writeBytes(mask);
        for (int i = 0; i < bytes.length; i++) {
            frame.write(bytes[i] ^ mask[i % 4]);
        }
        return frame.toByteArray();
    }

    private WebSocket receiving(byte[]... frames) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] frame : frames) {
            all.writeBytes(frame);
        }
        return new WebSocket(new ByteArrayInputStream(all.toByteArray()), sent);
    }

    @Test
    void theHandshakeIsThatOfTheStandard() {
        assertThat(WebSocket.accept("dGhlIHNhbXBsZSBub25jZQ==")).isEqualTo("s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
    }

    @Test
    void messagesAreUnmasked() throws IOException {
        assertThat(receiving(frame(0x82, "hello")).receive()).asString().isEqualTo("hello");
        String longer = "x".repeat(70_000 / 2);
        assertThat(receiving(frame(0x81, longer)).receive()).asString().isEqualTo(longer);
    }

    @Test
    void piecesAreOneMessageAlsoWithAPingBetweenThem() throws IOException {
        WebSocket socket = receiving(frame(0x02, "hel"), frame(0x89, "?"), frame(0x80, "lo"));

        assertThat(socket.receive()).asString().isEqualTo("hello");
        assertThat(sent.toByteArray()).containsExactly(0x8a, 1, '?');
    }

    @Test
    void goodbyeIsAnswered() throws IOException {
        WebSocket socket = receiving(frame(0x88, ""));

        assertThat(socket.receive()).isNull();
        assertThat(sent.toByteArray()).containsExactly(0x88, 2, 1000 >> 8, 1000 & 0xff);
        assertThatThrownBy(() -> socket.text(new byte[0])).isInstanceOf(IOException.class);
    }

    @Test
    void whatIsTooLongOrNoFrameIsRefused() {
        byte[] huge = {(byte) 0x82, (byte) 0xff, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0};
        assertThatThrownBy(() -> receiving(huge).receive()).isInstanceOf(ProtocolException.class);
        byte[] negative = {(byte) 0x82, (byte) 0xff, -1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0};
        assertThatThrownBy(() -> receiving(negative).receive()).isInstanceOf(ProtocolException.class);
        byte[] unmasked = {(byte) 0x82, 1, 'x'};
        assertThatThrownBy(() -> receiving(unmasked).receive()).isInstanceOf(ProtocolException.class);
        assertThatThrownBy(() -> receiving(frame(0x80, "middle")).receive()).isInstanceOf(ProtocolException.class);
        assertThatThrownBy(() -> receiving(frame(0x09, "")).receive()).isInstanceOf(ProtocolException.class);
        assertThatThrownBy(() -> receiving(frame(0xc2, "")).receive()).isInstanceOf(ProtocolException.class);
    }

    @Test
    void manyPiecesMayNotBeMoreThanOneMessage() {
        byte[][] frames = new byte[70][];
        frames[0] = frame(0x02, "");
        for (int i = 1; i < frames.length; i++) {
            frames[i] = frame(0x00, "x".repeat(65_000));
        }

        assertThatThrownBy(() -> receiving(frames).receive()).hasMessageContaining("a message of more than");
    }

    @Test
    void channelsAreToldApartByTheFirstByte() throws IOException {
        ChannelSocket channels =
                new ChannelSocket(receiving(frame(0x82, "\0in"), frame(0x82, "\7?"), frame(0x82, "\0!")), false, true);
        ByteQueue stdin = channels.input(0);
        channels.run();

        assertThat(stdin.readAllBytes()).asString().isEqualTo("in!");
        channels.output(1).write("out".getBytes(StandardCharsets.UTF_8));
        assertThat(sent.toByteArray()).containsExactly(0x82, 4, 1, 'o', 'u', 't');
    }

    @Test
    void channelsMayBeTextOfBase64() throws IOException {
        ChannelSocket channels = new ChannelSocket(receiving(frame(0x81, "0aW4=")), true, false);
        ByteQueue stdin = channels.input(0);
        channels.run();

        assertThat(stdin.readAllBytes()).asString().isEqualTo("in");
        channels.output(1).write("out".getBytes(StandardCharsets.UTF_8));
        assertThat(sent.toByteArray()).containsExactly(0x81, 5, '1', 'b', '3', 'V', '0');
    }
}
