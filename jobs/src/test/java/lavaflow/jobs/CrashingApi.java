package lavaflow.jobs;

import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;

import lavaflow.controller.KubeApi;
import lavaflow.controller.TestingKubeApi;
import lavaflow.kube.ApiException;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** The API as one process sees it, which ends at a write that is chosen, before the server heard of it or after. */
final class CrashingApi implements KubeApi {
    private final TestingKubeApi api;
    private final int fatal;
    private final boolean heard;
    private int writes;
    private boolean dead;

    /**
     * @param fatal the how-manieth write is the last; none if zero
     * @param heard whether the server still hears of it
     */
    CrashingApi(TestingKubeApi api, int fatal, boolean heard) {
        this.api = api;
        this.fatal = fatal;
        this.heard = heard;
    }

    boolean isDead() {
        return dead;
    }

    private <T> T write(Supplier<T> request) {
        if (dead) {
            throw crash();
        }
        if (++writes != fatal) {
            return request.get();
        }
        dead = true;
        T unheard = heard ? request.get() : null;
        throw crash().reworded("the process has ended before it heard of " + unheard);
    }

    /** Nothing of the process goes on, so it does not matter what it makes of this; it makes little noise about it. */
    private static ApiException crash() {
        return ApiException.of(503, "ServiceUnavailable", "the process has ended");
    }

    private void alive() {
        if (dead) {
            throw crash();
        }
    }

    @Override
    public List<Kind> kinds() {
        return api.kinds();
    }

    @Override
    public void onKindsChange(Runnable listener) {
        api.onKindsChange(listener);
    }

    @Override
    public Optional<Kind> findKind(String apiVersion, String kindName) {
        return api.findKind(apiVersion, kindName);
    }

    @Override
    public Optional<ObjectNode> find(Kind kind, String namespace, String name) {
        alive();
        return api.find(kind, namespace, name);
    }

    @Override
    public ObjectNode read(String path) {
        return api.read(path);
    }

    @Override
    public Optional<ObjectNode> findScale(Kind kind, String namespace, String name) {
        return api.findScale(kind, namespace, name);
    }

    @Override
    public long list(Kind kind, String namespace, View view, Consumer<ObjectNode> each) {
        return api.list(kind, namespace, view, each);
    }

    @Override
    public ObjectNode create(Kind kind, String namespace, ObjectNode object) {
        return write(() -> api.create(kind, namespace, object));
    }

    @Override
    public ObjectNode update(Kind kind, String subresource, ObjectNode object) {
        return write(() -> api.update(kind, subresource, object));
    }

    @Override
    public ObjectNode patch(
            Kind kind, String namespace, String name, String subresource, Merge merge, ObjectNode patch) {
        return write(() -> api.patch(kind, namespace, name, subresource, merge, patch));
    }

    @Override
    public ObjectNode apply(Kind kind, String subresource, String manager, ObjectNode configuration) {
        return write(() -> api.apply(kind, subresource, manager, configuration));
    }

    @Override
    public ObjectNode post(Kind kind, String namespace, String name, String subresource, ObjectNode body) {
        return write(() -> api.post(kind, namespace, name, subresource, body));
    }

    @Override
    public boolean delete(Kind kind, String namespace, String name, Deletion deletion) {
        return write(() -> api.delete(kind, namespace, name, deletion));
    }

    @Override
    public Watch watch(Kind kind, long afterRevision, View view) {
        return api.watch(kind, afterRevision, view);
    }
}
