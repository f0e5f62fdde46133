package lavaflow.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.LongPredicate;

/** Tells to which of many open files something happened. One thread waits for all of them; any may add files meanwhile. */
final class EventQueue implements AutoCloseable {
    static final int TO_READ = 0x001;
    static final int TO_WRITE = 0x004;
    /** Tells once, until the file is asked for again. */
    static final int ONCE = 1 << 30;

    private static final int ADD = 1;
    private static final int DELETE = 2;
    private static final int CHANGE = 3;
    private static final int CLOSE_ON_EXEC = 0x80000;
    private static final int AT_ONCE = 64;
    /** The kernel packs its events only here. */
    private static final int EVENT_SIZE = System.getProperty("os.arch", "").equals("amd64") ? 12 : 16;

    private final OpenFile file;

    EventQueue() throws SystemException {
        file = new OpenFile((int) CLibrary.call("epoll", SystemCall.EPOLL_CREATE1, CLOSE_ON_EXEC));
    }

    /** @param key what is told when something happens; the number of a file may be another's by then */
    void add(OpenFile watched, int wanted, long key) throws SystemException {
        control(ADD, watched, wanted, key);
    }

    /** Asks for a file again that was added before. */
    void change(OpenFile watched, int wanted, long key) throws SystemException {
        control(CHANGE, watched, wanted, key);
    }

    /**
     * Tells no more of a file. Closing it is not enough: children that are being made have copies of it until they become
     * other programs.
     */
    void remove(OpenFile watched) throws SystemException {
        control(DELETE, watched, 0, 0);
    }

    private void control(int operation, OpenFile watched, int wanted, long key) throws SystemException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment event = arena.allocate(16, 8);
            event.set(ValueLayout.JAVA_INT, 0, wanted);
            event.set(ValueLayout.JAVA_LONG_UNALIGNED, EVENT_SIZE - 8L, key);
            CLibrary.call("epoll", SystemCall.EPOLL_CTL, file.number(), operation, watched.number(), event.address());
        }
    }

    /** Hands on the key of each file to which something happens, until told not to go on. */
    void run(LongPredicate goesOn) throws SystemException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment happened = arena.allocate((long) EVENT_SIZE * AT_ONCE, 8);
            while (true) {
                long count = await(happened);
                for (int i = 0; i < count; i++) {
                    long key = happened.get(ValueLayout.JAVA_LONG_UNALIGNED, (long) i * EVENT_SIZE + EVENT_SIZE - 8);
                    if (!goesOn.test(key)) {
                        return;
                    }
                }
            }
        }
    }

    private long await(MemorySegment happened) throws SystemException {
        try {
            return CLibrary.call("epoll", SystemCall.EPOLL_PWAIT, file.number(), happened.address(), AT_ONCE, -1, 0, 8);
        } catch (SystemException e) {
            if (e.is(ErrorCode.EINTR)) {
                return 0;
            }
            throw e;
        }
    }

    @Override
    public void close() {
        file.close();
    }
}
