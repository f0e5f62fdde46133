package lavaflow.linux;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.function.Consumer;

/** A new terminal: a program gets one side, we have the other. */
public final class Terminal implements AutoCloseable {
    private static final int LOCK = 0x40045431;
    private static final long NUMBER = 0x80045430L;
    private static final int SIZE = 0x5413;

    private final OpenFile master;
    private final String name;

    private Terminal(OpenFile master, String name) {
        this.master = master;
        this.name = name;
    }

    public static Terminal open() throws IOException {
        OpenFile master = OpenFile.readWriteTerminal(Path.of("/dev/ptmx"));
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment word = arena.allocate(8, 8);
            CLibrary.call("unlock terminal", SystemCall.IOCTL, master.number(), LOCK, word.address());
            CLibrary.call("number of terminal", SystemCall.IOCTL, master.number(), NUMBER, word.address());
            return new Terminal(master, "/dev/pts/" + word.get(ValueLayout.JAVA_INT, 0));
        } catch (IOException | RuntimeException e) {
            master.close();
            throw e;
        }
    }

    /** How many columns the terminal has that a file descriptor is open on; zero where it does not say. */
    public static int columns(int descriptor) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment size = arena.allocate(8, 8);
            CLibrary.call("size of terminal", SystemCall.IOCTL, descriptor, SIZE, size.address());
            return Short.toUnsignedInt(size.get(ValueLayout.JAVA_SHORT, 2));
        }
    }

    /** The name of the program's side. */
    public String name() {
        return name;
    }

    /** Starts to read what the program writes; this terminal then belongs to what is returned. */
    public Duplex intoDuplex(Consumer<byte[]> received, Runnable ended) throws IOException {
        Duplex duplex = new Duplex(master, name, received, ended);
        duplex.begin();
        return duplex;
    }

    /** Only for a terminal that nothing was started on. */
    @Override
    public void close() {
        master.close();
    }
}
