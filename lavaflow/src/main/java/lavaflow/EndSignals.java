package lavaflow;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ctrl-C and SIGTERM: the first asks for an orderly end, the second for a quick one, and the third is not asked back. Java
 * itself hears only the first.
 */
final class EndSignals {
    private static final Logger LOG = LoggerFactory.getLogger(EndSignals.class);
    private static final int INTERRUPTED = 130;

    private final Runnable first;
    private final Runnable second;
    private final Runnable third;
    private final AtomicInteger heard = new AtomicInteger();
    /** Who handled a signal until now. */
    private final Map<Object, Object> before = new LinkedHashMap<>();

    EndSignals(Runnable first, Runnable second, Runnable third) {
        this.first = first;
        this.second = second;
        this.third = third;
    }

    /** From now on; where signals cannot be had, Java's own way is left. */
    static void listen(Runnable first, Runnable second) {
        new EndSignals(first, second, () -> Runtime.getRuntime().halt(INTERRUPTED)).install();
    }

    /** The same until it is closed; from then on signals mean what they meant before. */
    static Listening during(Runnable first, Runnable second) {
        EndSignals signals =
                new EndSignals(first, second, () -> Runtime.getRuntime().halt(INTERRUPTED));
        signals.install();
        return signals::restore;
    }

    /** Signals are heard until it is closed. */
    @FunctionalInterface
    interface Listening extends AutoCloseable {
        @Override
        void close();
    }

    private void restore() {
        before.forEach((signal, handler) -> {
            try {
                Class<?> type = Class.forName("sun.misc.SignalHandler");
                Object replaced = signal.getClass()
                        .getMethod("handle", signal.getClass(), type)
                        .invoke(null, signal, handler);
                LOG.trace("signal {} is not handled by {} any more", signal, replaced);
            } catch (ReflectiveOperationException | RuntimeException e) {
                LOG.debug("signals stay as they are", e);
            }
        });
    }

    /**
     * By reflection: Java has no other door to signals, and its compiler warns of this one in a way that cannot be answered.
     */
    @SuppressWarnings("ReferenceEquality") // a handler is nobody but itself
    private void install() {
        try {
            Class<?> signal = Class.forName("sun.misc.Signal");
            Class<?> handler = Class.forName("sun.misc.SignalHandler");
            InvocationHandler heard = (proxy, method, arguments) -> switch (method.getName()) {
                case "handle" -> {
                    next();
                    yield null;
                }
                case "equals" -> proxy == arguments[0];
                case "hashCode" -> System.identityHashCode(proxy);
                default -> "the end of lava";
            };
            Object listener = Proxy.newProxyInstance(handler.getClassLoader(), new Class<?>[] {handler}, heard);
            for (String name : List.of("INT", "TERM")) {
                Object wanted = signal.getConstructor(String.class).newInstance(name);
                before.put(wanted, signal.getMethod("handle", signal, handler).invoke(null, wanted, listener));
            }
        } catch (ReflectiveOperationException | RuntimeException e) {
            LOG.debug("signals are left to Java", e);
        }
    }

    void next() {
        switch (heard.incrementAndGet()) {
            case 1 -> first.run();
            case 2 -> second.run();
            default -> third.run();
        }
    }
}
