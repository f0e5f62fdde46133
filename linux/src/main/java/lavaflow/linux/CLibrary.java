package lavaflow.linux;

import java.lang.foreign.AddressLayout;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

/**
 * The C library. Nearly everything goes through its {@code syscall} function, because linking a function costs milliseconds
 * at start and this way there is one.
 */
@SuppressWarnings("restricted")
final class CLibrary {
    private static final Linker LINKER = Linker.nativeLinker();
    private static final StructLayout STATE = Linker.Option.captureStateLayout();
    private static final VarHandle ERRNO = STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));
    private static final MethodHandle SYSCALL = LINKER.downcallHandle(
            LINKER.defaultLookup().find("syscall").orElseThrow(),
            FunctionDescriptor.of(
                    JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG),
            Linker.Option.firstVariadicArg(1),
            Linker.Option.captureCallState("errno"));

    private CLibrary() {}

    /** A function that returns an int; with its error number in the segment that comes first. */
    static MethodHandle function(String name, MemoryLayout... arguments) {
        MemorySegment symbol = LINKER.defaultLookup()
                .find(name)
                .orElseThrow(() -> new UnsupportedOperationException("the C library has no " + name));
        return LINKER.downcallHandle(symbol, FunctionDescriptor.of(JAVA_INT, arguments));
    }

    static boolean has(String name) {
        return LINKER.defaultLookup().find(name).isPresent();
    }

    /** Makes a system call; missing arguments are zero. */
    static long call(String what, SystemCall call, long... arguments) throws SystemException {
        long result = attempt(call, arguments);
        if (result < 0) {
            throw new SystemException(what, (int) -result);
        }
        return result;
    }

    /** The result, or the negative number of the error where errors are nothing unusual. */
    static long attempt(SystemCall call, long... arguments) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(STATE);
            long[] a = java.util.Arrays.copyOf(arguments, 6);
            long result = (long) SYSCALL.invokeExact(state, (long) call.number(), a[0], a[1], a[2], a[3], a[4], a[5]);
            return result == -1 ? -(int) ERRNO.get(state, 0L) : result;
        } catch (Throwable e) {
            throw new IllegalStateException(call.name(), e);
        }
    }

    static MemorySegment string(Arena arena, String value) {
        return arena.allocateFrom(value);
    }

    /** An array of strings that ends with a null. */
    static MemorySegment strings(Arena arena, Iterable<String> values, int count) {
        MemorySegment array = arena.allocate(ADDRESS, count + 1L);
        int i = 0;
        for (String value : values) {
            array.setAtIndex(ADDRESS, i++, arena.allocateFrom(value));
        }
        array.setAtIndex(ADDRESS, i, MemorySegment.NULL);
        return array;
    }

    static String describe(int code) {
        AddressLayout text =
                ADDRESS.withTargetLayout(MemoryLayout.sequenceLayout(1024, java.lang.foreign.ValueLayout.JAVA_BYTE));
        try {
            MethodHandle strerror = LINKER.downcallHandle(
                    LINKER.defaultLookup().find("strerror").orElseThrow(), FunctionDescriptor.of(text, JAVA_INT));
            String said = ((MemorySegment) strerror.invokeExact(code)).getString(0);
            return said.isEmpty() ? said : Character.toLowerCase(said.charAt(0)) + said.substring(1);
        } catch (Throwable e) {
            return "error " + code;
        }
    }
}
