package lavaflow.nodeserver;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.List;

/** A command whose client speaks over the channels of a WebSocket. */
final class CommandOverWebSocket {
    static final List<String> PROTOCOLS = List.of(
            "v5.channel.k8s.io",
            "v4.channel.k8s.io",
            "v4.base64.channel.k8s.io",
            "channel.k8s.io",
            "base64.channel.k8s.io");

    private static final int STDIN = 0;
    private static final int STDOUT = 1;
    private static final int STDERR = 2;
    private static final int ERROR = 3;
    private static final int RESIZE = 4;

    private final String protocol;
    private final NodeView.StreamRequest wishes;
    private volatile Runnable leave = () -> {};
    private volatile boolean left;

    /** @param protocol empty where the client asked for none: the oldest, then */
    CommandOverWebSocket(String protocol, NodeView.StreamRequest wishes) {
        this.protocol = protocol;
        this.wishes = wishes;
    }

    void hold(InputStream in, OutputStream out, RemoteCommand command) throws IOException {
        WebSocket socket = new WebSocket(in, out);
        ChannelSocket channels = new ChannelSocket(socket, protocol.contains("base64"), protocol.startsWith("v5"));
        CommandStreams streams = streams(channels);
        // Tells the client that everything stands, before the command has said anything.
        int lowest = wishes.stdout() ? STDOUT : wishes.stderr() ? STDERR : ERROR;
        channels.output(lowest).write(new byte[0]);
        Thread reader = Thread.ofVirtual().name("websocket").start(() -> {
            try {
                channels.run();
            } catch (IOException e) {
                // The client is gone, or speaks something else.
            } finally {
                left = true;
                leave.run();
            }
        });
        try {
            command.run(streams, action -> {
                leave = action;
                if (left) {
                    action.run();
                }
            });
            channels.close();
        } finally {
            Drain.end(in, out, reader);
        }
    }

    private CommandStreams streams(ChannelSocket channels) {
        return new CommandStreams(
                wishes.stdin() ? channels.input(STDIN) : null,
                wishes.stdout() ? channels.output(STDOUT) : null,
                wishes.stderr() ? channels.output(STDERR) : null,
                wishes.tty() ? channels.input(RESIZE) : null,
                channels.output(ERROR),
                protocol.startsWith("v"));
    }
}
