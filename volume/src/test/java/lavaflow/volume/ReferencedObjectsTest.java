package lavaflow.volume;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;

import lavaflow.controller.KubeApi;
import lavaflow.controller.TestingKubeApi;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ReferencedObjectsTest {
    private final TestingKubeApi api = new TestingKubeApi().serve(Contents.CONFIG_MAPS, "ConfigMap");
    private final List<String> told = new ArrayList<>();

    /** Lets objects be read, and nobody follow them. */
    private KubeApi unfollowed() {
        return (KubeApi) Proxy.newProxyInstance(
                KubeApi.class.getClassLoader(), new Class<?>[] {KubeApi.class}, (_, method, arguments) -> {
                    if (method.getName().equals("list")) {
                        throw ApiException.internal("not now");
                    }
                    try {
                        return method.invoke(api, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    @Test
    void aChangeThatIsSeenWhenAnotherPodComesIsToldToThoseWhoWereThere() {
        ObjectNode map = TestingNode.named("settings");
        map.putObject("data").put("key", "value");
        api.create(Contents.CONFIG_MAPS, "team", map);
        try (ReferencedObjects objects = new ReferencedObjects(unfollowed(), told::add)) {
            objects.find("a", Contents.CONFIG_MAPS, "team", "settings");
            objects.find("b", Contents.CONFIG_MAPS, "team", "settings");
            assertThat(told).isEmpty();
            api.edit(Contents.CONFIG_MAPS, "team", "settings", object -> {
                Json.ensureObject(object, "data").put("key", "changed");
                return object;
            });

            objects.find("c", Contents.CONFIG_MAPS, "team", "settings");

            assertThat(told).containsExactly("a", "b");
        }
    }
}
