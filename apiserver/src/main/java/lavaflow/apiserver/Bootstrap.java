package lavaflow.apiserver;

import java.util.List;

import lavaflow.access.User;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** The objects every cluster has from its first moment, made where they are missing. */
public final class Bootstrap {
    /** The server itself, as the author of what every cluster begins with. */
    static final User SYSTEM = new User("system:apiserver", List.of(User.MASTERS));

    private final LocalApi api;
    private final String serverAddress;
    private final int serverPort;

    public Bootstrap(LocalApi api, String serverAddress, int serverPort) {
        this.api = api;
        this.serverAddress = serverAddress;
        this.serverPort = serverPort;
    }

    /** Makes what is missing; what is there is left as it is, except for the address of this server. */
    public void run() {
        for (String name : List.of("default", "kube-system", "kube-public", "kube-node-lease")) {
            ensure("", "v1", "namespaces", "", named(name));
        }
        new RoleBootstrap(api, SYSTEM).run();
        priorityClasses();
        serviceCidr();
        ensure("", "v1", "services", "default", kubernetesService());
        endpoints();
        storageClass();
    }

    private static ObjectNode named(String name) {
        ObjectNode object = Json.object();
        object.putObject("metadata").put("name", name);
        return object;
    }

    private void ensure(String group, String version, String resource, String namespace, ObjectNode object) {
        LocalApi.Path path = new LocalApi.Path(group, version, resource);
        if (api.find(SYSTEM, path, namespace, Metadata.name(object)).isPresent()) {
            return;
        }
        try {
            api.create(SYSTEM, path, namespace, object);
        } catch (ApiException e) {
            if (!e.reason().equals("AlreadyExists")) {
                throw e;
            }
        }
    }

    private void priorityClasses() {
        ensure(
                "scheduling.k8s.io",
                "v1",
                "priorityclasses",
                "",
                priorityClass(
                        "system-cluster-critical",
                        2_000_000_000,
                        "Used for system critical pods that must run in the cluster, but can be moved to another node if necessary."));
        ensure(
                "scheduling.k8s.io",
                "v1",
                "priorityclasses",
                "",
                priorityClass(
                        "system-node-critical",
                        2_000_001_000,
                        "Used for system critical pods that must not be moved from their current node."));
    }

    private static ObjectNode priorityClass(String name, long value, String description) {
        return named(name).put("value", value).put("description", description);
    }

    private void serviceCidr() {
        LocalApi.Path path = new LocalApi.Path("networking.k8s.io", "v1", "servicecidrs");
        ObjectNode wanted = named("kubernetes");
        wanted.putObject("spec").putArray("cidrs").add("10.96.0.0/16");
        ensure(path.group(), path.version(), path.resource(), "", wanted);
        ObjectNode cidr = api.find(SYSTEM, path, "", "kubernetes").orElseThrow();
        if (Json.listAt(cidr, "status", "conditions").isEmpty()) {
            Json.ensureObject(cidr, "status")
                    .putArray("conditions")
                    .addObject()
                    .put("type", "Ready")
                    .put("status", "True")
                    .put("lastTransitionTime", Json.textAt(cidr, "metadata", "creationTimestamp"))
                    .put("reason", "")
                    .put("message", "Kubernetes default Service CIDR is ready");
            api.update(SYSTEM, path, "status", cidr);
        }
    }

    private ObjectNode kubernetesService() {
        ObjectNode service = named("kubernetes");
        Json.ensureObject(service, "metadata", "labels")
                .put("component", "apiserver")
                .put("provider", "kubernetes");
        ObjectNode spec = service.putObject("spec");
        spec.put("type", "ClusterIP").put("clusterIP", "10.96.0.1");
        spec.putArray("ports")
                .addObject()
                .put("name", "https")
                .put("protocol", "TCP")
                .put("port", 443)
                .put("targetPort", serverPort);
        return service;
    }

    /** Where the server listens now; it may have moved since the last start. Loopback cannot be an endpoint. */
    private void endpoints() {
        if (serverAddress.startsWith("127.") || serverAddress.equals("::1") || serverAddress.equals("localhost")) {
            return;
        }
        ObjectNode endpoints = named("kubernetes");
        // The slice is made here as well, not by the controller that mirrors what people wrote.
        Json.ensureObject(endpoints, "metadata", "labels").put("endpointslice.kubernetes.io/skip-mirror", "true");
        ObjectNode subset = endpoints.putArray("subsets").addObject();
        subset.putArray("addresses").addObject().put("ip", serverAddress);
        subset.putArray("ports").add(serverPort());
        move("", "endpoints", endpoints, List.of("subsets"));
        ObjectNode slice = named("kubernetes");
        Json.ensureObject(slice, "metadata", "labels").put("kubernetes.io/service-name", "kubernetes");
        slice.put("addressType", serverAddress.contains(":") ? "IPv6" : "IPv4");
        ObjectNode endpoint = slice.putArray("endpoints").addObject();
        endpoint.putArray("addresses").add(serverAddress);
        endpoint.putObject("conditions").put("ready", true);
        slice.putArray("ports").add(serverPort());
        move("discovery.k8s.io", "endpointslices", slice, List.of("endpoints", "ports"));
    }

    /** Makes an object of this server's address, or lets the one that is there name the new address. */
    private void move(String group, String resource, ObjectNode wanted, List<String> fields) {
        LocalApi.Path path = new LocalApi.Path(group, "v1", resource);
        ensure(group, "v1", resource, "default", wanted);
        ObjectNode there = api.find(SYSTEM, path, "default", "kubernetes").orElseThrow();
        boolean moved = false;
        for (String field : fields) {
            moved |= !wanted.path(field).equals(there.path(field));
            there.set(field, wanted.get(field));
        }
        if (moved) {
            api.update(SYSTEM, path, "", there);
        }
    }

    private ObjectNode serverPort() {
        return Json.object().put("name", "https").put("port", serverPort).put("protocol", "TCP");
    }

    private void storageClass() {
        ObjectNode storage = named("local-path");
        Json.ensureObject(storage, "metadata", "annotations")
                .put("storageclass.kubernetes.io/is-default-class", "true");
        storage.put("provisioner", "rancher.io/local-path");
        storage.put("reclaimPolicy", "Delete").put("volumeBindingMode", "WaitForFirstConsumer");
        ensure("storage.k8s.io", "v1", "storageclasses", "", storage);
    }
}
