package lavaflow.sandbox;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** Who wants to hear of the ends of containers. */
final class ExitListeners {
    private final List<Consumer<ContainerExit>> listeners = new CopyOnWriteArrayList<>();

    void add(Consumer<ContainerExit> listener) {
        listeners.add(listener);
    }

    /** Tells how a container ended, if it did. */
    void tell(ContainerState container) {
        ContainerExit exit = container.exit();
        if (exit != null) {
            listeners.forEach(listener -> listener.accept(exit));
        }
    }
}
