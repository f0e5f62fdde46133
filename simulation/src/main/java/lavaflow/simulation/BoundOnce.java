package lavaflow.simulation;

import lavaflow.controller.KubeApi;

/** No pod that has a node is given one again, whatever became of the answer when it got its node. */
final class BoundOnce implements Invariant, Requests.Listener {
    private final KubeApi api;

    /** @param api tells what is true */
    BoundOnce(KubeApi api) {
        this.api = api;
    }

    @Override
    public void posted(String process, KubeApi.Kind kind, String subresource, String namespace, String name) {
        if (subresource.equals("binding")) {
            api.find(kind, namespace, name).filter(GangView::isBound).ifPresent(pod -> {
                throw new AssertionError(process + " gives " + namespace + "/" + name + " a node again");
            });
        }
    }
}
