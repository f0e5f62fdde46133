package lavaflow.controller;

import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;

import lavaflow.kube.ApiException;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** An API that a process uses until it dies: at one of its changes, before or after that took effect. */
public final class CrashingKubeApi implements KubeApi {
    /** What happens at the chosen change. */
    public enum Mishap {
        DIES_BEFORE,
        DIES_AFTER,
        /** The process lives on, but learns only that something went wrong. */
        ANSWER_LOST
    }

    private final KubeApi api;
    private final Mishap mishap;
    private int changesLeft;
    private boolean dead;
    private boolean happened;

    /** @param changesBefore how many changes go well before the chosen one; negative for one that never dies */
    public CrashingKubeApi(KubeApi api, Mishap mishap, int changesBefore) {
        this.api = api;
        this.mishap = mishap;
        this.changesLeft = changesBefore;
    }

    public boolean isDead() {
        return dead;
    }

    public boolean hasHappened() {
        return happened;
    }

    private <T> T change(Supplier<T> change) {
        dieIfDead();
        if (changesLeft-- != 0) {
            return change.get();
        }
        happened = true;
        if (mishap == Mishap.DIES_BEFORE) {
            dead = true;
            dieIfDead();
        }
        T unheard = change.get();
        dead = mishap == Mishap.DIES_AFTER;
        dieIfDead();
        throw ApiException.conflict("", "requests", "this one", "the answer was lost: " + unheard);
    }

    private void dieIfDead() {
        if (dead) {
            // A conflict, because those are not worth a line in the log.
            throw ApiException.conflict("", "requests", "this one", "the process is dead");
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
        dieIfDead();
        return api.find(kind, namespace, name);
    }

    @Override
    public long list(Kind kind, String namespace, View view, Consumer<ObjectNode> each) {
        dieIfDead();
        return api.list(kind, namespace, view, each);
    }

    @Override
    public ObjectNode create(Kind kind, String namespace, ObjectNode object) {
        return change(() -> api.create(kind, namespace, object));
    }

    @Override
    public ObjectNode update(Kind kind, String subresource, ObjectNode object) {
        return change(() -> api.update(kind, subresource, object));
    }

    @Override
    public ObjectNode patch(
            Kind kind, String namespace, String name, String subresource, Merge merge, ObjectNode patch) {
        return change(() -> api.patch(kind, namespace, name, subresource, merge, patch));
    }

    @Override
    public ObjectNode apply(Kind kind, String subresource, String manager, ObjectNode configuration) {
        return change(() -> api.apply(kind, subresource, manager, configuration));
    }

    @Override
    public ObjectNode read(String path) {
        dieIfDead();
        return api.read(path);
    }

    @Override
    public Optional<ObjectNode> findScale(Kind kind, String namespace, String name) {
        dieIfDead();
        return api.findScale(kind, namespace, name);
    }

    @Override
    public ObjectNode post(Kind kind, String namespace, String name, String subresource, ObjectNode body) {
        return change(() -> api.post(kind, namespace, name, subresource, body));
    }

    @Override
    public boolean delete(Kind kind, String namespace, String name, Deletion deletion) {
        return change(() -> api.delete(kind, namespace, name, deletion));
    }

    @Override
    public Watch watch(Kind kind, long afterRevision, View view) {
        return api.watch(kind, afterRevision, view);
    }
}
