package lavaflow.simulation;

import java.util.ArrayList;
import java.util.List;

import lavaflow.controller.KubeApi;

/** What processes are about to ask of the API, for those who judge that and not only what comes of it. */
final class Requests {
    /** Hears of something that is done by asking, not by writing: a binding, an eviction. */
    interface Listener {
        void posted(String process, KubeApi.Kind kind, String subresource, String namespace, String name);
    }

    private final List<Listener> listeners = new ArrayList<>();

    void listen(Listener listener) {
        listeners.add(listener);
    }

    void posted(String process, KubeApi.Kind kind, String subresource, String namespace, String name) {
        listeners.forEach(each -> each.posted(process, kind, subresource, namespace, name));
    }
}
