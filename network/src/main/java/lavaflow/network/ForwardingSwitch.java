package lavaflow.network;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import lavaflow.linux.Links;

/** Lets the machine pass packets on, and puts that back when the last of its clusters goes. */
final class ForwardingSwitch {
    private static final Path SWITCH = Path.of("/proc/sys/net/ipv4/ip_forward");

    /** There if it was off. */
    private final Path note;

    ForwardingSwitch(Path directory) {
        this.note = directory.resolve("ip_forward-was-off");
    }

    void on() throws IOException {
        if (Files.readString(SWITCH).trim().equals("0")) {
            if (!Files.exists(note)) {
                Files.createFile(note);
            }
            Files.writeString(SWITCH, "1");
        }
    }

    void off(Links links) throws IOException {
        boolean needed = links.all().stream().anyMatch(link -> link.name().startsWith(NetworkSettings.BRIDGES));
        if (!needed && Files.deleteIfExists(note)) {
            Files.writeString(SWITCH, "0");
        }
    }
}
