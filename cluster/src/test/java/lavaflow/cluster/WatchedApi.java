package lavaflow.cluster;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;

import lavaflow.controller.KubeApi;
import lavaflow.controller.TestingKubeApi;
import lavaflow.kube.ApiException;

import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * The API as a controller under test sees it: shows each creation and deletion of a pod before it happens, and fails now and
 * then, before a write or after it took effect.
 */
final class WatchedApi {
    private static final Set<String> WRITES = Set.of("create", "update", "patch", "delete");

    private final TestingKubeApi api;
    private final Random random;
    private final Consumer<ObjectNode> created;
    private final Consumer<String> deleted;
    private boolean calm;

    /**
     * @param created gets the pod that is about to be made
     * @param deleted gets the name of the one that is about to go
     */
    WatchedApi(TestingKubeApi api, Random random, Consumer<ObjectNode> created, Consumer<String> deleted) {
        this.api = api;
        this.random = random;
        this.created = created;
        this.deleted = deleted;
    }

    /** No more failures. */
    void calmDown() {
        calm = true;
    }

    KubeApi api() {
        return (KubeApi) Proxy.newProxyInstance(
                WatchedApi.class.getClassLoader(), new Class<?>[] {KubeApi.class}, (_, method, arguments) -> {
                    boolean write = WRITES.contains(method.getName());
                    if (write && TestingCluster.PODS.equals(arguments[0])) {
                        show(method.getName(), arguments);
                    }
                    int fault = write && !calm ? random.nextInt(12) : 2;
                    if (fault == 0) {
                        throw ApiException.of(409, "Conflict", "it was changed");
                    }
                    try {
                        Object answer = method.invoke(api, arguments);
                        if (fault == 1) {
                            throw ApiException.of(504, "Timeout", "done, but too late to say so");
                        }
                        return answer;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private void show(String verb, Object[] arguments) {
        if (verb.equals("create")) {
            created.accept((ObjectNode) arguments[2]);
        } else if (verb.equals("delete")) {
            deleted.accept((String) arguments[2]);
        }
    }
}
