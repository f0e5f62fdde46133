package lavaflow.simulation;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

import lavaflow.controller.KubeApi;

/** Counts what is asked of an API, by verb and kind. Watches are a stream, and count once. */
final class CountedApi {
    private static final Set<String> REQUESTS = Set.of(
            "find", "findScale", "read", "list", "watch", "create", "update", "patch", "apply", "post", "delete");

    private final Map<String, Integer> counts = new TreeMap<>();
    private final KubeApi api;

    CountedApi(KubeApi real) {
        this.api = wrapped((_, method, arguments) -> {
            if (REQUESTS.contains(method.getName())) {
                counts.merge(method.getName() + " " + arguments[0], 1, Integer::sum);
            }
            return invoke(real, method, arguments);
        });
    }

    /** For those who tell events on threads of their own, which would make runs differ. */
    static KubeApi withoutEvents(KubeApi real) {
        return wrapped((_, method, arguments) -> {
            boolean event = method.getName().equals("create")
                    && ((KubeApi.Kind) arguments[0]).resource().equals("events");
            return event ? arguments[2] : invoke(real, method, arguments);
        });
    }

    private static KubeApi wrapped(InvocationHandler handler) {
        return (KubeApi)
                Proxy.newProxyInstance(CountedApi.class.getClassLoader(), new Class<?>[] {KubeApi.class}, handler);
    }

    private static Object invoke(KubeApi real, Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(real, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    KubeApi api() {
        return api;
    }

    /** What was asked since the last call. */
    Map<String, Integer> take() {
        Map<String, Integer> taken = new TreeMap<>(counts);
        counts.clear();
        return taken;
    }
}
