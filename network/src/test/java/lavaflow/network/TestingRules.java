package lavaflow.network;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import lavaflow.controller.Followers;
import lavaflow.controller.TestingKubeApi;

import org.jspecify.annotations.Nullable;

import static org.awaitility.Awaitility.await;

/** A machine of the test's own with pods on it, and the rules that follow the objects of an API. */
final class TestingRules implements AutoCloseable {
    static final String NODE = "here";

    final TestingKubeApi api = TestingCluster.api();
    final TestingMachine machine = TestingMachine.boot();
    final BridgeNetwork network = machine.opened(machine.network());
    private final Map<String, Path> places = new HashMap<>();
    private final Map<String, String> addresses = new HashMap<>();
    private Followers followers;
    private ServiceRules rules;

    TestingRules(EndpointChoice.@Nullable Target apiServer) throws IOException {
        start(apiServer);
    }

    private void start(EndpointChoice.@Nullable Target apiServer) throws IOException {
        Followers made = new Followers(api);
        followers = made;
        rules = machine.in(() -> {
            ServiceRules started = new ServiceRules(new ClusterView(made), network, NODE, apiServer, null);
            made.pump();
            started.start();
            return started;
        });
    }

    /** Stops as a process does; what the kernel has stays. */
    void stop() {
        rules.close();
    }

    void startAgain() throws IOException {
        start(null);
        settle();
    }

    /** Gives a pod its place. */
    Path pod(String name) throws IOException {
        PodNetwork.Attachment attachment = machine.in(() -> network.attach(name, List.of()));
        places.put(name, attachment.namespace());
        addresses.put(name, attachment.addresses().getFirst().getHostAddress());
        return attachment.namespace();
    }

    Path place(String pod) {
        return places.get(pod);
    }

    String address(String pod) {
        return addresses.get(pod);
    }

    /** Waits until the kernel has what the API says. */
    void settle() {
        followers.pump();
        await().atMost(Duration.ofMinutes(1)).until(rules::isComplete);
    }

    @Override
    public void close() throws IOException {
        rules.close();
        machine.in(() -> {
            network.dismantle();
            return true;
        });
        machine.close();
    }
}
