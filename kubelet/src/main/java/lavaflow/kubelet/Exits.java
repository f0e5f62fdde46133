package lavaflow.kubelet;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import lavaflow.kube.Json;
import lavaflow.sandbox.ContainerExit;

/** Tells pods of the ends of their containers, with what those said last. */
final class Exits {
    private record Owner(PodLife life, PodView.Container container, int number) {}

    private final PodFiles files;
    private final Map<String, Owner> owners = new ConcurrentHashMap<>();

    Exits(PodFiles files) {
        this.files = files;
    }

    /** Whose container it is that may end from now on. */
    void expect(String id, PodLife life, PodView.Container container, int number) {
        owners.put(id, new Owner(life, container, number));
    }

    /** Called on the runtime's thread, which must not wait. */
    void ended(ContainerExit exit) {
        Owner owner = owners.remove(exit.container());
        if (owner != null) {
            Thread.ofVirtual()
                    .name("exit " + exit.container())
                    .start(() -> owner.life().exited(exit, owner.container().name(), message(owner, exit)));
        }
    }

    private String message(Owner owner, ContainerExit exit) {
        return message(owner.life().pod(), owner.container(), owner.number(), exit);
    }

    String message(PodView pod, PodView.Container container, int number, ContainerExit exit) {
        return LastWords.of(
                files.lastWords(pod.uid(), container.name(), exit.container()),
                files.log(pod, container.name(), number),
                Json.textAt(container.spec(), "terminationMessagePolicy").equals("FallbackToLogsOnError"),
                exit.code());
    }
}
