package lavaflow.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;

/** The system calls that networks are made with. Loaded when the first of them is made. */
@SuppressWarnings("restricted")
final class NetworkCalls {
    private static final Linker LINKER = Linker.nativeLinker();
    private static final MemoryLayout STATE = Linker.Option.captureStateLayout();
    private static final VarHandle ERRNO = STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;

    private static final MethodHandle SOCKET = function("socket", FunctionDescriptor.of(INT, INT, INT, INT));
    private static final MethodHandle SEND =
            function("send", FunctionDescriptor.of(LONG, INT, ValueLayout.ADDRESS, LONG, INT));
    private static final MethodHandle RECEIVE =
            function("recv", FunctionDescriptor.of(LONG, INT, ValueLayout.ADDRESS, LONG, INT));
    private static final MethodHandle CLOSE = function("close", FunctionDescriptor.of(INT, INT));
    private static final MethodHandle OPEN = function("open", FunctionDescriptor.of(INT, ValueLayout.ADDRESS, INT));
    private static final MethodHandle SETNS = function("setns", FunctionDescriptor.of(INT, INT, INT));
    private static final MethodHandle UNSHARE = function("unshare", FunctionDescriptor.of(INT, INT));
    private static final MethodHandle MOUNT = function(
            "mount",
            FunctionDescriptor.of(
                    INT, ValueLayout.ADDRESS, ValueLayout.ADDRESS, ValueLayout.ADDRESS, LONG, ValueLayout.ADDRESS));
    private static final MethodHandle UNMOUNT =
            function("umount2", FunctionDescriptor.of(INT, ValueLayout.ADDRESS, INT));
    private static final MethodHandle MEANING = LINKER.downcallHandle(
            LINKER.defaultLookup().findOrThrow("strerror"), FunctionDescriptor.of(ValueLayout.ADDRESS, INT));

    private NetworkCalls() {}

    private static MethodHandle function(String name, FunctionDescriptor signature) {
        return LINKER.downcallHandle(
                LINKER.defaultLookup().findOrThrow(name), signature, Linker.Option.captureCallState("errno"));
    }

    /** A call whose negative result is a failure. */
    @FunctionalInterface
    private interface Call {
        long in(Arena arena, MemorySegment state) throws Throwable;
    }

    private static long made(String what, Call call) throws KernelException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(STATE);
            long result = call.in(arena, state);
            if (result < 0) {
                throw failure(what, (int) ERRNO.get(state, 0L));
            }
            return result;
        } catch (KernelException | RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(what, e);
        }
    }

    static KernelException failure(String what, int errno) {
        try {
            MemorySegment text = (MemorySegment) MEANING.invokeExact(errno);
            return new KernelException(what, errno, text.reinterpret(200).getString(0));
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    static int socket(int domain, int type, int protocol) throws KernelException {
        return (int) made("socket", (_, state) -> (int) SOCKET.invokeExact(state, domain, type, protocol));
    }

    static void send(int socket, MemorySegment bytes) throws KernelException {
        made("send", (_, state) -> (long) SEND.invokeExact(state, socket, bytes, bytes.byteSize(), 0));
    }

    static int receive(int socket, MemorySegment room) throws KernelException {
        return (int) made("recv", (_, state) -> (long) RECEIVE.invokeExact(state, socket, room, room.byteSize(), 0));
    }

    static void close(int descriptor) throws KernelException {
        made("close", (_, state) -> (int) CLOSE.invokeExact(state, descriptor));
    }

    static int open(String path, int flags) throws KernelException {
        return (int)
                made("open " + path, (arena, state) -> (int) OPEN.invokeExact(state, arena.allocateFrom(path), flags));
    }

    static void enterNamespace(int descriptor, int kind) throws KernelException {
        made("setns", (_, state) -> (int) SETNS.invokeExact(state, descriptor, kind));
    }

    static void unshare(int kinds) throws KernelException {
        made("unshare", (_, state) -> (int) UNSHARE.invokeExact(state, kinds));
    }

    static void bind(String source, String target) throws KernelException {
        long bind = 0x1000;
        made("mount " + target, (arena, state) -> (int) MOUNT.invokeExact(
                state,
                arena.allocateFrom(source),
                arena.allocateFrom(target),
                arena.allocateFrom("none"),
                bind,
                MemorySegment.NULL));
    }

    static void unmountLazily(String target) throws KernelException {
        int detach = 2;
        int noFollow = 8;
        made("umount " + target, (arena, state) ->
                (int) UNMOUNT.invokeExact(state, arena.allocateFrom(target), detach | noFollow));
    }
}
