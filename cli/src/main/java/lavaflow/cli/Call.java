package lavaflow.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import lavaflow.controller.KubeApi;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** One run of a command: its flags, its surroundings, and the cluster as soon as it is asked. */
final class Call implements AutoCloseable {
    private final Flags flags;
    private final Surroundings surroundings;
    private Surroundings.@Nullable Connected connected;

    Call(Flags flags, Surroundings surroundings) {
        this.flags = flags;
        this.surroundings = surroundings;
    }

    Flags flags() {
        return flags;
    }

    Surroundings surroundings() {
        return surroundings;
    }

    PrintWriter out() {
        return surroundings.out();
    }

    void line(String text) {
        out().print(text + "\n");
    }

    /** The value of a flag that a command cannot do without. */
    String mandatory(String flag, String otherwise) {
        String value = flags.text(flag);
        if (value.isEmpty()) {
            throw new Verb.Refusal(otherwise);
        }
        return value;
    }

    KubeApi api() throws IOException {
        Surroundings.Connected now = connected;
        if (now == null) {
            now = surroundings.cluster().connect(flags.text("kubeconfig"), flags.text("master"));
            connected = now;
        }
        return now.api();
    }

    List<ObjectNode> list(KubeApi.Kind kind, String namespace) throws IOException {
        try {
            return new ArrayList<>(
                    api().list(kind, namespace, KubeApi.View.WHOLE).items());
        } catch (ApiException e) {
            throw unserved(e, "get", kind);
        }
    }

    ObjectNode get(KubeApi.Kind kind, String namespace, String name) throws IOException {
        try {
            Optional<ObjectNode> found = api().find(kind, namespace, name);
            return found.orElseThrow(() -> notFound(kind, name));
        } catch (ApiException e) {
            throw unserved(e, "get", kind);
        }
    }

    ObjectNode create(KubeApi.Kind kind, String namespace, ObjectNode object) throws IOException {
        try {
            return api().create(kind, namespace, object);
        } catch (ApiException e) {
            throw unserved(e, "post", kind);
        }
    }

    void delete(KubeApi.Kind kind, String namespace, String name) throws IOException {
        if (!api().delete(kind, namespace, name, KubeApi.Deletion.PLAIN)) {
            throw notFound(kind, name);
        }
    }

    private static Verb.Refusal notFound(KubeApi.Kind kind, String name) {
        return new Verb.Refusal(kind + " \"" + name + "\" not found");
    }

    /** Of a kind that is not served a server says no more than 404; upstream's client makes this of it. */
    private static RuntimeException unserved(ApiException e, String verb, KubeApi.Kind kind) {
        boolean ofObject = !Json.textAt(e.status(), "details", "name").isEmpty();
        return e.code() != 404 || ofObject
                ? e
                : new Verb.Refusal("the server could not find the requested resource (" + verb + " " + kind + ")");
    }

    @Override
    public void close() {
        if (connected != null) {
            connected.close();
        }
    }
}
