package lavaflow.linux;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

@Timeout(120)
class HandedSocketTest {
    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "127.0.0.2", "::1"})
    void whatWasOpenedByNumberIsServedAsAChannel(String host) throws IOException {
        InetAddress address = InetAddress.ofLiteral(host);
        assumeTrue(isThere(address), "the machine has no " + host);
        OpenFile socket = HandedSocket.listen(new InetSocketAddress(address, 0));
        int port = HandedSocket.port(socket);
        try (ServerSocketChannel server = HandedSocket.adopt(socket.number());
                SocketChannel client = SocketChannel.open(new InetSocketAddress(address, port));
                SocketChannel accepted = server.accept()) {
            assertThat(((InetSocketAddress) accepted.getLocalAddress()).getPort())
                    .isEqualTo(port);
            accepted.write(ByteBuffer.wrap("hello".getBytes(StandardCharsets.US_ASCII)));
            accepted.shutdownOutput();
            ByteBuffer said = ByteBuffer.allocate(16);
            while (client.read(said) >= 0) {
                // until the end
            }
            assertThat(new String(said.array(), 0, said.position(), StandardCharsets.US_ASCII))
                    .isEqualTo("hello");
        }
        assertThatThrownBy(() ->
                        SocketChannel.open(new InetSocketAddress(address, port)).close())
                .as("closed with its channel")
                .isInstanceOf(IOException.class);
    }

    private static boolean isThere(InetAddress address) {
        try (ServerSocketChannel channel = ServerSocketChannel.open()) {
            channel.bind(new InetSocketAddress(address, 0));
            return true;
        } catch (IOException | UnsupportedOperationException e) {
            return false;
        }
    }

    @Test
    void aPlaceThatSomebodyHasIsRefused() throws IOException {
        try (ServerSocketChannel taken = ServerSocketChannel.open()) {
            taken.bind(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0));
            InetSocketAddress there = (InetSocketAddress) taken.getLocalAddress();

            assertThatThrownBy(() -> HandedSocket.listen(there))
                    .isInstanceOf(BindException.class)
                    .hasMessageContaining(":" + there.getPort());
        }
    }
}
