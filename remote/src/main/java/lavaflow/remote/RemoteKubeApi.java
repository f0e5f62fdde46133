package lavaflow.remote;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import java.util.function.Function;

import lavaflow.controller.KubeApi;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * The API of any server, over HTTP. Reads as one user, the one of the kubeconfig; writes as the same, or as service accounts.
 */
public final class RemoteKubeApi implements KubeApi, AutoCloseable {
    /** As client-go: what a server can put together without effort and a client can hold. */
    static final int PAGE = 500;

    private static final String JSON = "application/json";
    private static final String METADATA = "application/json;as=%s;g=meta.k8s.io;v=v1," + JSON;

    /** Sends what changes something. */
    private interface Writer {
        ObjectNode write(Kind kind, String method, String path, String contentType, ObjectNode body);
    }

    private final Connection connection;
    private final Discovery discovery;
    private final Writer writer;
    /** Null for those who only borrow the connection. */
    private final @Nullable AccountCredentials accounts;

    /** Connects to a server, which must answer: what it serves is asked at once. */
    public RemoteKubeApi(Settings settings) {
        this.connection = new Connection(settings);
        this.writer = (_, method, path, contentType, body) -> connection.write(method, path, contentType, body);
        this.accounts = new AccountCredentials(connection, () -> Connection.ofNobody(settings), System::nanoTime);
        try {
            this.discovery = new Discovery(connection);
        } catch (RuntimeException e) {
            connection.close();
            throw e;
        }
    }

    private RemoteKubeApi(Connection connection, Discovery discovery, Writer writer) {
        this.connection = connection;
        this.discovery = discovery;
        this.writer = writer;
        this.accounts = null;
    }

    /**
     * The same API, in which changes are made by service accounts of kube-system. They are made if they are missing, and ask for
     * their tokens when they first need them. It ends with the one it was made from.
     *
     * @param account the name of the one who changes objects of a kind
     */
    public KubeApi writingAs(Function<Kind, String> account) {
        AccountCredentials credentials = accounts;
        if (credentials == null) {
            throw new IllegalStateException("only the one that connected can tell others apart");
        }
        return new RemoteKubeApi(
                connection,
                discovery,
                (kind, method, path, contentType, body) ->
                        credentials.write(account.apply(kind), method, path, contentType, body));
    }

    /**
     * Reads the kubeconfig again, because its user's credentials have changed. Requests and watches that begin from now on use the
     * new ones; those under way go on.
     */
    public void renewCredentials() {
        connection.renew();
    }

    /** The address of the server that is meant, which is not asked. */
    public static String server(Settings settings) {
        return Connection.server(settings);
    }

    /** The namespace that the chosen context is about; empty where it does not say. */
    public static String namespace(Settings settings) {
        return Surroundings.ofProcess().namespace(settings);
    }

    /** The server's address. */
    public String server() {
        return connection.server();
    }

    /** The certificates that vouch for the server, PEM; null where those of the system do. */
    public @Nullable String certificateAuthority() {
        return connection.certificateAuthority();
    }

    @Override
    public List<Kind> kinds() {
        return discovery.known().all();
    }

    @Override
    public void onKindsChange(Runnable listener) {
        discovery.onChange(listener, this);
    }

    @Override
    public Optional<Kind> findKind(String apiVersion, String kindName) {
        return discovery.known().find(apiVersion, kindName);
    }

    @Override
    public Optional<ObjectNode> find(Kind kind, String namespace, String name) {
        return find(kind, namespace, name, "");
    }

    @Override
    public ObjectNode read(String path) {
        return Connection.object(connection.get(path, JSON).body());
    }

    /** What the server answers to a path line by line, such as the log of a container. */
    public TextStream text(String path) {
        return TextStream.of(connection, path);
    }

    @Override
    public Optional<ObjectNode> findScale(Kind kind, String namespace, String name) {
        return find(kind, namespace, name, "scale");
    }

    private Optional<ObjectNode> find(Kind kind, String namespace, String name, String subresource) {
        try {
            return Optional.of(Connection.object(connection
                    .get(path(kind, namespace, name, subresource), JSON)
                    .body()));
        } catch (ApiException e) {
            // A kind that is not there is another matter than an object.
            if (e.code() == 404 && Json.textAt(e.status(), "details", "name").equals(name)) {
                return Optional.empty();
            }
            throw e;
        }
    }

    /**
     * In pages. Where the server forgets the moment of the first page before the last one is asked for, this fails with 410
     * and the caller begins anew: what it heard so far belongs to no moment at all.
     */
    @Override
    public long list(Kind kind, String namespace, View view, Consumer<ObjectNode> each) {
        return list(kind, new Scope(namespace, ""), view, each);
    }

    @Override
    public long list(Kind kind, Scope scope, View view, Consumer<ObjectNode> each) {
        String from = path(kind, scope.namespace(), "", "") + "?limit=" + PAGE + selected(scope);
        Page page = new Page(kind, view, each);
        String next = "";
        do {
            String path = next.isEmpty() ? from : from + "&continue=" + URLEncoder.encode(next, StandardCharsets.UTF_8);
            byte[] body = connection
                    .get(path, accept(view, "PartialObjectMetadataList"))
                    .body();
            try {
                next = page.read(body);
            } catch (IOException e) {
                throw ApiException.internal("the list of " + kind + " does not parse: " + e.getMessage());
            }
        } while (!next.isEmpty());
        return page.revision;
    }

    private static String selected(Scope scope) {
        return scope.fields().isEmpty()
                ? ""
                : "&fieldSelector=" + URLEncoder.encode(scope.fields(), StandardCharsets.UTF_8);
    }

    private static String accept(View view, String form) {
        return switch (view) {
            case WHOLE -> JSON;
            case METADATA -> METADATA.formatted(form);
        };
    }

    /** Reads pages of one list and shows their items, of which only one at a time is a tree. */
    private final class Page {
        private final Kind kind;
        private final View view;
        private final Consumer<ObjectNode> each;
        private long revision;

        Page(Kind kind, View view, Consumer<ObjectNode> each) {
            this.kind = kind;
            this.view = view;
            this.each = each;
        }

        /** Returns where the next page begins; empty after the last one. */
        String read(byte[] body) throws IOException {
            String next = "";
            try (JsonParser parser = Json.streaming().createParser(new ByteArrayInputStream(body))) {
                parser.nextToken();
                for (String field = parser.nextFieldName(); field != null; field = parser.nextFieldName()) {
                    JsonToken value = parser.nextToken();
                    if (field.equals("metadata")) {
                        ObjectNode metadata = (ObjectNode) Json.value(parser);
                        revision = revision(Json.textAt(metadata, "resourceVersion"));
                        next = Json.textAt(metadata, "continue");
                    } else if (field.equals("items") && value == JsonToken.START_ARRAY) {
                        while (parser.nextToken() != JsonToken.END_ARRAY) {
                            each.accept(shown((ObjectNode) Json.value(parser), kind, view));
                        }
                    } else {
                        parser.skipChildren();
                    }
                }
            }
            return next;
        }
    }

    /** Revisions are opaque by contract and numbers everywhere; since 1.35 the contract says numbers, too. */
    static long revision(String text) {
        try {
            return text.isEmpty() ? 0 : Long.parseLong(text);
        } catch (NumberFormatException _) {
            throw ApiException.internal("the server's revision is no number: " + text);
        }
    }

    /** Items of lists do not say what they are, and metadata alone says it is that. */
    private ObjectNode shown(ObjectNode object, Kind kind, View view) {
        if (view == View.WHOLE && object.has("kind")) {
            return object;
        }
        ObjectNode shown = Json.object();
        shown.put("kind", kindName(kind)).put("apiVersion", apiVersion(kind));
        if (view == View.WHOLE) {
            shown.setAll(object);
            return shown;
        }
        ObjectNode metadata = Json.ensureObject(object, "metadata");
        metadata.remove("managedFields");
        shown.set("metadata", metadata);
        return shown;
    }

    private String kindName(Kind kind) {
        String name = discovery.known().nameOf(kind);
        return name == null ? "" : name;
    }

    private static String apiVersion(Kind kind) {
        return kind.group().isEmpty() ? kind.version() : kind.group() + "/" + kind.version();
    }

    @Override
    public ObjectNode create(Kind kind, String namespace, ObjectNode object) {
        return writer.write(kind, "POST", path(kind, namespace, "", ""), JSON, typed(kind, object));
    }

    /** Asks whether an object would be taken exactly as it is written, fields nobody knows refused; nothing is made. */
    public void rehearse(Kind kind, String namespace, ObjectNode object) {
        String query = "?dryRun=All&fieldValidation=Strict";
        writer.write(kind, "POST", path(kind, namespace, "", "") + query, JSON, typed(kind, object));
    }

    /** Callers may leave out what the place says already. */
    private ObjectNode typed(Kind kind, ObjectNode object) {
        if (object.has("kind") && object.has("apiVersion")) {
            return object;
        }
        ObjectNode typed = Json.object().put("kind", kindName(kind)).put("apiVersion", apiVersion(kind));
        typed.setAll(object);
        return typed;
    }

    @Override
    public ObjectNode update(Kind kind, String subresource, ObjectNode object) {
        String namespace = Json.textAt(object, "metadata", "namespace");
        String name = Json.textAt(object, "metadata", "name");
        return writer.write(kind, "PUT", path(kind, namespace, name, subresource), JSON, typed(kind, object));
    }

    @Override
    public ObjectNode patch(
            Kind kind, String namespace, String name, String subresource, Merge merge, ObjectNode patch) {
        String type = switch (merge) {
            case PLAIN -> "application/merge-patch+json";
            case STRATEGIC -> "application/strategic-merge-patch+json";
        };
        return writer.write(kind, "PATCH", path(kind, namespace, name, subresource), type, patch);
    }

    @Override
    public ObjectNode apply(Kind kind, String subresource, String manager, ObjectNode configuration) {
        String namespace = Json.textAt(configuration, "metadata", "namespace");
        String name = Json.textAt(configuration, "metadata", "name");
        String query = "?force=true&fieldManager=" + URLEncoder.encode(manager, StandardCharsets.UTF_8);
        return writer.write(
                kind,
                "PATCH",
                path(kind, namespace, name, subresource) + query,
                "application/apply-patch+yaml",
                configuration);
    }

    @Override
    public ObjectNode post(Kind kind, String namespace, String name, String subresource, ObjectNode body) {
        return writer.write(kind, "POST", path(kind, namespace, name, subresource), JSON, body);
    }

    @Override
    public boolean delete(Kind kind, String namespace, String name, Deletion deletion) {
        ObjectNode options = Json.object().put("kind", "DeleteOptions").put("apiVersion", "v1");
        if (deletion.gracePeriodSeconds() != null) {
            options.put("gracePeriodSeconds", deletion.gracePeriodSeconds());
        }
        putIfThere(options, "propagationPolicy", deletion.propagationPolicy());
        if (deletion.uid() != null || deletion.resourceVersion() != null) {
            ObjectNode preconditions = options.putObject("preconditions");
            putIfThere(preconditions, "uid", deletion.uid());
            putIfThere(preconditions, "resourceVersion", deletion.resourceVersion());
        }
        try {
            writer.write(kind, "DELETE", path(kind, namespace, name, ""), JSON, options);
            return true;
        } catch (ApiException e) {
            if (e.code() == 404) {
                return false;
            }
            throw e;
        }
    }

    private static void putIfThere(ObjectNode object, String field, @Nullable String value) {
        if (value != null) {
            object.put(field, value);
        }
    }

    @Override
    public Watch watch(Kind kind, long afterRevision, View view) {
        return watch(kind, new Scope("", ""), afterRevision, view);
    }

    @Override
    public Watch watch(Kind kind, Scope scope, long afterRevision, View view) {
        String path = path(kind, scope.namespace(), "", "");
        RemoteWatch.Source source = new RemoteWatch.Source() {
            @Override
            public Streams.Stream open(long after, Streams.Listener listener) {
                // As client-go: not all watches of a server begin anew at the same time.
                long seconds = ThreadLocalRandom.current().nextLong(300, 600);
                String query = "?watch=true&allowWatchBookmarks=true&resourceVersion=" + after + "&timeoutSeconds="
                        + seconds + selected(scope);
                return connection.open(path + query, accept(view, "PartialObjectMetadata"), listener);
            }

            @Override
            public ObjectNode shown(ObjectNode object) {
                return RemoteKubeApi.this.shown(object, kind, view);
            }

            @Override
            public long currentRevision() {
                byte[] body = connection
                        .get(path + "?limit=1" + selected(scope), accept(View.METADATA, "PartialObjectMetadataList"))
                        .body();
                return revision(Json.textAt(Connection.object(body), "metadata", "resourceVersion"));
            }
        };
        return new RemoteWatch(source, afterRevision, System::nanoTime);
    }

    private static String path(Kind kind, String namespace, String name, String subresource) {
        StringBuilder path = new StringBuilder(kind.group().isEmpty() ? "/api/" : "/apis/" + kind.group() + "/");
        path.append(kind.version());
        if (kind.namespaced() && !namespace.isEmpty()) {
            path.append("/namespaces/").append(namespace);
        }
        path.append('/').append(kind.resource());
        if (!name.isEmpty()) {
            // The encoder is one for forms: a space becomes a plus, which a path takes literally.
            path.append('/')
                    .append(URLEncoder.encode(name, StandardCharsets.UTF_8).replace("+", "%20"));
        }
        if (!subresource.isEmpty()) {
            path.append('/').append(subresource);
        }
        return path.toString();
    }

    /** Ends all watches and requests. */
    @Override
    public void close() {
        if (accounts != null) {
            accounts.close();
            discovery.close();
            connection.close();
        }
    }
}
