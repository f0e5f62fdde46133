package lavaflow.apiserver;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.zip.GZIPOutputStream;

import lavaflow.kube.ApiException;
import lavaflow.kube.FieldErrors;
import lavaflow.kube.Json;
import lavaflow.store.StoredObject;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Writes what a request came to, in the form the client negotiated. Used by one thread. */
final class Answer {
    /** Smaller answers are not worth the time of compressing them; upstream's threshold. */
    private static final int GZIP_THRESHOLD = 128 * 1024;

    private static final int MAX_WARNING_BYTES = 4 * 1024;

    private final Exchange exchange;
    private final Resource resource;
    private final Instant now;
    private @Nullable Call call;
    private Negotiation.Choice choice = new Negotiation.Choice(Negotiation.JSON, Negotiation.Form.OBJECT, "");

    Answer(Exchange exchange, Resource resource, Instant now) {
        this.exchange = exchange;
        this.resource = resource;
        this.now = now;
    }

    /** Settles on a representation, or refuses with 406, before anything is done. */
    Negotiation.Choice negotiate(boolean list) {
        boolean tables = resource.info().allows("get");
        try {
            choice = Negotiation.choose(exchange.header("Accept"), tables, list);
        } catch (ApiException e) {
            throw wrongForm(list) ? misfit(list) : e;
        }
        return choice;
    }

    /** Metadata of one object was asked of a list, or the other way round. */
    private boolean wrongForm(boolean list) {
        String accept = exchange.header("Accept");
        return accept != null
                && accept.contains("g=meta.k8s.io")
                && Negotiation.parse(accept).stream()
                        .allMatch(each -> (list ? "PartialObjectMetadata" : "PartialObjectMetadataList")
                                .equals(each.parameters().get("as")));
    }

    private ApiException misfit(boolean list) {
        String group = resource.group().isEmpty() || resource.group().equals("events.k8s.io")
                ? "core"
                : resource.group().split("\\.", 2)[0];
        String type = "(*" + group + "."
                + (list ? resource.info().listKind() : resource.info().kind()) + ")";
        return ApiException.of(
                406,
                "NotAcceptable",
                list
                        ? "you requested PartialObjectMetadata, but the requested object is a list " + type
                        : "you requested PartialObjectMetadataList, but the requested object is not a list " + type);
    }

    /** As {@link #negotiate}, for events. */
    Negotiation.Choice negotiateStream() {
        choice = Negotiation.chooseStream(
                exchange.header("Accept"), resource.info().allows("get"));
        return choice;
    }

    void warn(String warning) {
        warn(exchange, warning);
    }

    static void warn(Exchange exchange, String warning) {
        exchange.addHeader("Warning", "299 - " + FieldErrors.quoted(warning));
    }

    /** A call that this is the answer to: its warnings are told also where it is refused. */
    void answers(Call begun) {
        call = begun;
    }

    /** Refusals carry what the client was to be warned of until then. */
    ApiException refused(ApiException refusal) {
        return call == null ? refusal : refusal.warnings(call.warnings());
    }

    void warnings(Call call) {
        warnings(exchange, call.warnings());
    }

    private static void warnings(Exchange exchange, List<String> warnings) {
        int total = 0;
        for (String warning : warnings) {
            String text = FieldErrors.quoted(warning);
            total += text.length();
            if (total > MAX_WARNING_BYTES) {
                return;
            }
            exchange.addHeader("Warning", "299 - " + text);
        }
    }

    void stored(int code, StoredObject stored) throws IOException {
        boolean asStored = choice.form() == Negotiation.Form.OBJECT
                && !choice.yaml()
                && !pretty()
                && !exchange.audit().wantsResponse();
        if (asStored) {
            exchange.send(code, Negotiation.JSON, Rendering.withNewline(resource.bytes(stored)));
        } else {
            object(code, resource.read(stored));
        }
    }

    void object(int code, ObjectNode object) throws IOException {
        ObjectNode rendered = Rendering.object(resource, object, choice, include(), now);
        exchange.audit().response(rendered);
        exchange.send(code, choice.contentType(), Rendering.bytes(rendered, choice, pretty()));
    }

    void scale(int code, ObjectNode scale) throws IOException {
        ObjectNode rendered = Rendering.scale(scale, choice, include(), now);
        exchange.audit().response(rendered);
        exchange.send(code, choice.contentType(), Rendering.bytes(rendered, choice, pretty()));
    }

    /** Success without anything to show. */
    void nothing() throws IOException {
        exchange.send(204, "", new byte[0]);
    }

    /** A Status or another kind that is never shown as a table. */
    void status(int code, ObjectNode status) throws IOException {
        exchange.audit().response(status);
        exchange.send(code, choice.contentType(), Rendering.bytes(status, choice, pretty()));
    }

    private Rendering.IncludeObject include() {
        return Rendering.IncludeObject.parse(exchange.query().first("includeObject"));
    }

    private boolean pretty() {
        return pretty(exchange);
    }

    static boolean pretty(Exchange exchange) {
        if (exchange.query().has("pretty")) {
            return exchange.query().flag("pretty");
        }
        String accept = exchange.header("Accept");
        if (accept != null && accept.contains("pretty=1")) {
            return true;
        }
        String agent = exchange.header("User-Agent");
        return agent != null
                && (agent.startsWith("curl") || agent.startsWith("Wget") || agent.startsWith("Mozilla/5.0"));
    }

    void list(Reads.Page page) throws IOException {
        boolean asStored = choice.form() == Negotiation.Form.OBJECT
                && !choice.yaml()
                && resource.bridge() == null
                && !pretty()
                && !exchange.audit().wantsResponse();
        if (asStored) {
            streamList(page);
            return;
        }
        sendList(resource.read(page.items()), page);
    }

    void objects(List<ObjectNode> objects, long revision) throws IOException {
        sendList(objects, new Reads.Page(List.of(), revision, "", null));
    }

    private void sendList(List<ObjectNode> objects, Reads.Page page) throws IOException {
        ObjectNode list = switch (choice.form()) {
            case TABLE -> Rendering.table(resource, objects, choice.version(), include(), now, true);
            case METADATA, METADATA_LIST -> metadataList(objects);
            case OBJECT -> objectList(objects);
        };
        ObjectNode metadata = Json.ensureObject(list, "metadata");
        if (watchable()) {
            metadata.put("resourceVersion", Long.toString(page.revision()));
        }
        // Lists of custom objects say so where there is no next page.
        if (!page.next().isEmpty() || (resource.custom() != null && choice.form() == Negotiation.Form.OBJECT)) {
            metadata.put("continue", page.next());
        }
        if (page.remaining() != null) {
            metadata.put("remainingItemCount", page.remaining());
        }
        exchange.audit().response(list);
        byte[] bytes = Rendering.bytes(list, choice, pretty());
        try (OutputStream out = open(bytes.length)) {
            out.write(bytes);
        }
    }

    /** A list that cannot be watched has no revision to watch from. */
    private boolean watchable() {
        return resource.info().allows("watch");
    }

    private ObjectNode metadataList(List<ObjectNode> objects) {
        ObjectNode list = Json.object();
        list.put("kind", "PartialObjectMetadataList").put("apiVersion", "meta.k8s.io/" + choice.version());
        list.putObject("metadata");
        ArrayNode items = list.putArray("items");
        for (ObjectNode object : objects) {
            items.add(Rendering.partial(object, choice.version()));
        }
        return list;
    }

    private ObjectNode objectList(List<ObjectNode> objects) {
        ObjectNode list = Json.object();
        list.put("kind", resource.info().listKind())
                .put("apiVersion", resource.info().apiVersion());
        list.putObject("metadata");
        ArrayNode items = list.putArray("items");
        for (ObjectNode object : objects) {
            // Typed lists of upstream carry the type once, on the list.
            if (resource.custom() == null) {
                object.remove("kind");
                object.remove("apiVersion");
            }
            items.add(object);
        }
        return list;
    }

    /** Copies stored bytes between brackets and commas: no parsing, no tree, constant memory. */
    private void streamList(Reads.Page page) throws IOException {
        String head = "{\"kind\":\"" + resource.info().listKind() + "\",\"apiVersion\":\""
                + resource.info().apiVersion() + "\",\"metadata\":{"
                + (watchable() ? "\"resourceVersion\":\"" + page.revision() + "\"" : "")
                + (page.next().isEmpty() && resource.custom() == null ? "" : ",\"continue\":\"" + page.next() + "\"")
                + (page.remaining() == null ? "" : ",\"remainingItemCount\":" + page.remaining()) + "},\"items\":[";
        CustomVersion custom = resource.custom();
        if (custom != null) {
            custom.prepare(page.items());
        }
        // Items of custom lists keep their type: all but the brace, which is written below.
        int skip = custom != null
                ? 1
                : StoredForm.typePrefixLength(
                        resource.info().apiVersion(), resource.info().kind());
        long size = head.length() + 3L;
        for (StoredObject stored : page.items()) {
            size += stored.bytes().length - skip + 2;
        }
        try (OutputStream out = open(size)) {
            out.write(head.getBytes(StandardCharsets.UTF_8));
            boolean first = true;
            for (StoredObject stored : page.items()) {
                out.write(first ? '{' : ',');
                if (!first) {
                    out.write('{');
                }
                first = false;
                byte[] bytes = resource.bytes(stored);
                out.write(bytes, skip, bytes.length - skip);
            }
            out.write("]}\n".getBytes(StandardCharsets.UTF_8));
        }
    }

    private OutputStream open(long size) throws IOException {
        String encodings = exchange.header("Accept-Encoding");
        if (size > GZIP_THRESHOLD && encodings != null && encodings.contains("gzip")) {
            exchange.setHeader("Content-Encoding", "gzip");
            exchange.setHeader("Vary", "Accept-Encoding");
            return new BufferedOutputStream(new FastGzip(exchange.stream(200, choice.contentType())), 64 * 1024);
        }
        return new BufferedOutputStream(exchange.stream(200, choice.contentType()), 64 * 1024);
    }

    /** The fastest level: clients are near, cores are few. */
    private static final class FastGzip extends GZIPOutputStream {
        FastGzip(OutputStream out) throws IOException {
            super(out, 64 * 1024);
            def.setLevel(1);
        }
    }

    static void failure(Exchange exchange, ApiException failure) throws IOException {
        warnings(exchange, failure.warnings());
        ObjectNode status = failure.status();
        long retry = Json.longAt(status, 0, "details", "retryAfterSeconds");
        if (retry > 0) {
            exchange.setHeader("Retry-After", Long.toString(retry));
        }
        exchange.audit().response(status);
        Negotiation.Choice choice = Negotiation.plain(exchange.header("Accept"));
        boolean pretty = choice.isFallback() || pretty(exchange);
        exchange.send(failure.code(), choice.contentType(), Rendering.bytes(status, choice, pretty));
    }
}
