package lavaflow.audit;

import java.time.InstantSource;
import java.util.Map;
import java.util.TreeMap;

import lavaflow.kube.GoTime;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * What is collected about one request while it is served. Several threads may add to it; {@link #NONE} takes everything and
 * keeps nothing, so that callers need not ask whether a request is audited.
 *
 * <p>Trees handed in are not changed, and must not be changed by the caller afterwards.
 */
public final class AuditRecord {
    /** The record of requests that are not audited. */
    public static final AuditRecord NONE = new AuditRecord();

    private static final int MAX_USER_AGENT = 1024;

    private final @Nullable AuditedRequest request;
    private final Level level;
    private final AuditPolicy.@Nullable Decision decision;
    private final @Nullable AuditSink sink;
    private final @Nullable InstantSource clock;
    private final Map<String, String> annotations = new TreeMap<>();
    private final ObjectNode reference = Json.object();
    private @Nullable Asker impersonated;
    private @Nullable ObjectNode status;
    private @Nullable JsonNode requestObject;
    private @Nullable JsonNode responseObject;
    private boolean started;
    private boolean over;

    private AuditRecord() {
        this.request = null;
        this.level = Level.NONE;
        this.decision = null;
        this.sink = null;
        this.clock = null;
    }

    AuditRecord(AuditedRequest request, AuditPolicy.Decision decision, AuditSink sink, InstantSource clock) {
        this.request = request;
        this.level = decision.level();
        this.decision = decision;
        this.sink = sink;
        this.clock = clock;
        AuditedRequest.Target target = request.target();
        if (target.isResource()) {
            putText(reference, "resource", target.resource());
            putText(reference, "namespace", target.namespace());
            putText(reference, "name", target.name());
            putText(reference, "apiGroup", target.group());
            putText(reference, "apiVersion", target.version());
            putText(reference, "subresource", target.subresource());
        }
    }

    private static void putText(ObjectNode node, String field, String value) {
        if (!value.isEmpty()) {
            node.put(field, value);
        }
    }

    /** False for {@link #NONE}. */
    public boolean isKept() {
        return level != Level.NONE;
    }

    /** Whether the body of the request belongs into the event. */
    public boolean wantsRequest() {
        return level.covers(Level.REQUEST);
    }

    /** Whether the body of the answer belongs into the event. */
    public boolean wantsResponse() {
        return level.covers(Level.REQUEST_RESPONSE);
    }

    /** Adds a remark; the first one under a key stays. */
    public synchronized void annotate(String key, String value) {
        if (isKept()) {
            annotations.putIfAbsent(key, value);
        }
    }

    /** Notes whose place the asker takes. */
    public synchronized void impersonates(Asker asker) {
        if (isKept()) {
            impersonated = asker;
        }
    }

    /** Notes the decoded object of a create or update; its name completes what the path says. */
    public synchronized void requestObject(ObjectNode object) {
        if (!isKept()) {
            return;
        }
        complete("namespace", Json.textAt(object, "metadata", "namespace"));
        complete("name", Json.textAt(object, "metadata", "name"));
        complete("uid", Json.textAt(object, "metadata", "uid"));
        complete("resourceVersion", Json.textAt(object, "metadata", "resourceVersion"));
        if (wantsRequest()) {
            requestObject = slim(object.deepCopy());
        }
    }

    private void complete(String field, String value) {
        if (!reference.has(field)) {
            putText(reference, field, value);
        }
    }

    /** Notes a patch as it came. */
    public synchronized void requestPatch(JsonNode patch) {
        if (wantsRequest()) {
            requestObject = patch;
        }
    }

    /** Notes the object of the answer; a Status also tells what became of the request. */
    public synchronized void response(ObjectNode object) {
        if (!isKept()) {
            return;
        }
        if (Json.textAt(object, "kind").equals("Status")) {
            ObjectNode copy = object.deepCopy();
            copy.remove("kind");
            copy.remove("apiVersion");
            status = copy;
        }
        if (wantsResponse()) {
            responseObject = slim(object.deepCopy());
        }
    }

    private ObjectNode slim(ObjectNode object) {
        if (decision != null && decision.omitManagedFields()) {
            withoutManagedFields(object);
            for (JsonNode item : Json.listAt(object, "items")) {
                withoutManagedFields(item);
            }
            for (JsonNode row : Json.listAt(object, "rows")) {
                withoutManagedFields(Json.at(row, "object"));
            }
        }
        return object;
    }

    private static void withoutManagedFields(@Nullable JsonNode object) {
        ObjectNode metadata = Json.objectAt(object, "metadata");
        if (metadata != null) {
            metadata.remove("managedFields");
        }
    }

    /** Notes the code of the answer; where requests stay open this is an event of its own. */
    public synchronized void answered(int code, boolean longRunning) {
        if (!isKept() || started) {
            return;
        }
        started = true;
        statusCode(code);
        if (longRunning) {
            write(Stage.RESPONSE_STARTED);
        }
    }

    private ObjectNode statusCode(int code) {
        ObjectNode told = status;
        if (told == null) {
            told = Json.object();
            told.putObject("metadata");
            status = told;
        }
        return told.put("code", code);
    }

    /** The request came in; false where it must be refused because this could not be written down. */
    public synchronized boolean received() {
        return write(Stage.REQUEST_RECEIVED);
    }

    /** Nobody knows who asks: one event that says so, in the place of all others. */
    public synchronized void refused(ObjectNode failure) {
        if (isKept()) {
            status = failure.deepCopy();
            status.remove("kind");
            status.remove("apiVersion");
            write(Stage.RESPONSE_STARTED);
        }
    }

    /** The request is over. */
    public synchronized void complete(boolean longRunning) {
        if (!isKept() || over) {
            return;
        }
        over = true;
        if (status == null) {
            statusCode(200).put("status", "Success").put("message", "Connection closed early");
            if (longRunning) {
                write(Stage.RESPONSE_STARTED);
            }
        }
        write(Stage.RESPONSE_COMPLETE);
    }

    /** The server failed in a way it did not foresee. */
    public synchronized void panicked(String what) {
        if (!isKept()) {
            return;
        }
        over = true;
        status = null;
        statusCode(500)
                .put("status", "Failure")
                .put("reason", "InternalError")
                .put("message", "APIServer panic'd: " + what);
        write(Stage.PANIC);
    }

    private boolean write(Stage stage) {
        if (request == null || decision == null || sink == null || clock == null || decision.omits(stage)) {
            return true;
        }
        return sink.accept(Json.bytes(event(request, stage, clock)));
    }

    private ObjectNode event(AuditedRequest asked, Stage stage, InstantSource time) {
        ObjectNode event = Json.object();
        event.put("kind", "Event").put("apiVersion", "audit.k8s.io/v1");
        event.put("level", level.text());
        event.put("auditID", asked.id());
        event.put("stage", stage.text());
        event.put("requestURI", asked.uri());
        event.put("verb", asked.verb());
        event.set("user", asked.asker().json());
        if (impersonated != null) {
            event.set("impersonatedUser", impersonated.json());
        }
        if (!asked.sourceAddresses().isEmpty()) {
            asked.sourceAddresses().forEach(event.putArray("sourceIPs")::add);
        }
        putText(event, "userAgent", shortened(asked.userAgent()));
        if (!reference.isEmpty()) {
            event.set("objectRef", reference);
        }
        if (status != null) {
            event.set("responseStatus", status);
        }
        if (requestObject != null) {
            event.set("requestObject", requestObject);
        }
        if (responseObject != null) {
            event.set("responseObject", responseObject);
        }
        event.put("requestReceivedTimestamp", GoTime.micros(asked.received()));
        event.put("stageTimestamp", GoTime.micros(stage == Stage.REQUEST_RECEIVED ? asked.received() : time.instant()));
        if (!annotations.isEmpty()) {
            annotations.forEach(event.putObject("annotations")::put);
        }
        return event;
    }

    private static String shortened(String userAgent) {
        return userAgent.length() > MAX_USER_AGENT
                ? userAgent.substring(0, MAX_USER_AGENT) + "...TRUNCATED"
                : userAgent;
    }
}
