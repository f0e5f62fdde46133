package lavaflow.apiserver;

import java.io.IOException;
import java.util.function.BinaryOperator;

import lavaflow.kinds.ScaleView;
import lavaflow.kube.ApiException;
import lavaflow.kube.FieldErrors;
import lavaflow.kube.Json;
import lavaflow.kube.KindInfo;
import lavaflow.store.StoredObject;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** What lies below an object: its status, its scale, its binding to a node, its eviction. */
final class Subresources {
    private final Reads reads;
    private final Writes writes;
    private final Patches patches;
    private final FieldOwnership ownership;
    private final Bindings bindings;
    private final Evictions evictions;
    private final Reviews reviews;
    private final TokenRequests tokenRequests;
    private final Admission admission;
    private final NodeConnections nodes;

    Subresources(
            Reads reads,
            Writes writes,
            Patches patches,
            FieldOwnership ownership,
            Bindings bindings,
            Evictions evictions,
            Reviews reviews,
            TokenRequests tokenRequests,
            Admission admission,
            NodeConnections nodes) {
        this.reads = reads;
        this.writes = writes;
        this.patches = patches;
        this.ownership = ownership;
        this.bindings = bindings;
        this.evictions = evictions;
        this.reviews = reviews;
        this.tokenRequests = tokenRequests;
        this.admission = admission;
        this.nodes = nodes;
    }

    void serve(Exchange exchange, Call call, KindInfo.Subresource sub, Answer answer) throws IOException {
        if (sub.name().equals("log")) {
            log(exchange, call, answer);
            return;
        }
        boolean whole = sub.struct().equals(call.resource().info().struct());
        if (whole) {
            wholeObject(exchange, call, answer);
            return;
        }
        switch (sub.name()) {
            case "scale" -> scale(exchange, call, sub, answer);
            case "binding" -> {
                ObjectNode binding = ObjectDecoder.request(call, exchange, ObjectDecoder.Expected.of(sub));
                answer.warnings(call);
                bind(call, binding);
                answer.status(201, success());
            }
            case "eviction" -> {
                ObjectNode eviction = ObjectDecoder.request(call, exchange, ObjectDecoder.Expected.of(sub));
                evict(call, eviction);
                answer.status(201, success());
            }
            case "token" -> tokenRequests.serve(exchange, call, sub, answer);
            case "exec", "attach", "portforward", "proxy" -> node(exchange, call, sub);
            default ->
                throw ApiException.of(
                        501, "", "the server does not serve " + call.resource().name() + "/" + sub.name() + " yet");
        }
    }

    private void bind(Call call, ObjectNode binding) {
        ownership.updateBinding(call, ResourceHandler.inPlace(call, binding));
        admit(call, binding);
        bindings.bind(call, call.name(), binding);
    }

    private void evict(Call call, ObjectNode eviction) {
        admit(call, eviction);
        evictions.evict(call, eviction);
    }

    /** What components of this process ask of an object. */
    ObjectNode post(Call call, ObjectNode body) {
        KindInfo.Subresource sub = call.resource().info().subresource(call.subresource());
        if (sub == null) {
            throw ApiException.noSuchPath();
        }
        ObjectNode typed = ObjectDecoder.typed(call, body, ObjectDecoder.Expected.of(sub));
        return switch (sub.name()) {
            case "binding" -> {
                bind(call, typed);
                yield success();
            }
            case "eviction" -> {
                evict(call, typed);
                yield success();
            }
            case "token" -> tokenRequests.issue(call, typed);
            default -> throw ResourceHandler.methodNotAllowed();
        };
    }

    /** Subresources that read and write the object itself: status, finalize, approval, resize. */
    private void wholeObject(Exchange exchange, Call call, Answer answer) throws IOException {
        switch (call.verb()) {
            case "get" ->
                answer.stored(200, reads.get(call.resource(), call.namespace(), call.name(), exchange.query()));
            case "update" -> {
                ObjectNode object =
                        ObjectDecoder.request(call, exchange, call.resource().info());
                ResourceHandler.checkNamespace(call, object);
                ResourceHandler.checkName(call, object);
                Writes.Written written =
                        writes.update(call, false, false, _ -> ResourceHandler.inPlace(call, object.deepCopy()));
                answer.warnings(call);
                answer.object(200, written.object());
            }
            case "patch" -> {
                Writes.Written written = patches.patch(call, exchange);
                answer.warnings(call);
                answer.object(200, written.object());
            }
            default -> throw ResourceHandler.methodNotAllowed();
        }
    }

    private void scale(Exchange exchange, Call call, KindInfo.Subresource sub, Answer answer) throws IOException {
        Resource resource = call.resource();
        if (call.verb().equals("get")) {
            StoredObject stored = reads.get(resource, call.namespace(), call.name(), exchange.query());
            answer.scale(200, FieldOwnership.scaleOf(resource, resource.read(stored)));
            return;
        }
        ObjectNode written = writeScale(call, scaleChange(exchange, call, sub));
        answer.warnings(call);
        answer.scale(200, FieldOwnership.scaleOf(resource, written));
    }

    /** Replaces the Scale of an object for components of this process. */
    ObjectNode updateScale(Call call, ObjectNode scale) {
        KindInfo.Subresource sub = call.resource().info().subresource("scale");
        if (sub == null) {
            throw ApiException.noSuchPath();
        }
        ObjectNode typed = ObjectDecoder.typed(call, scale, ObjectDecoder.Expected.of(sub));
        ObjectNode written = writeScale(call, (_, current) -> {
            ObjectNode next = typed.deepCopy();
            ownership.updateScale(call, current, next);
            return next;
        });
        return FieldOwnership.scaleOf(call.resource(), written);
    }

    private ObjectNode writeScale(Call call, BinaryOperator<ObjectNode> change) {
        return writes.update(call, false, true, new Writes.Transformation() {
                    @Override
                    public ObjectNode apply(@Nullable ObjectNode live) {
                        ObjectNode object = required(call, live);
                        ObjectNode current = ownership.scale(call, object);
                        ObjectNode next = change.apply(object, current);
                        admission.mutate(call, Admission.Operation.UPDATE, next, current);
                        return scaled(call, object, next);
                    }

                    @Override
                    public boolean isAdmitted() {
                        return true;
                    }

                    @Override
                    public ObjectNode admissionView(ObjectNode stored) {
                        ObjectNode scale = ownership.scale(call, stored);
                        Metadata.of(scale).remove("managedFields");
                        CustomScale.hideUnset(scale);
                        return scale;
                    }
                })
                .object();
    }

    /** What the request makes of a Scale, owners included. */
    private BinaryOperator<ObjectNode> scaleChange(Exchange exchange, Call call, KindInfo.Subresource sub)
            throws IOException {
        ObjectDecoder.Expected expected = ObjectDecoder.Expected.of(sub);
        if (call.verb().equals("update")) {
            ObjectNode scale = ObjectDecoder.request(call, exchange, expected);
            ResourceHandler.checkNamespace(call, scale);
            ResourceHandler.checkName(call, scale);
            return (_, current) -> {
                ObjectNode next = scale.deepCopy();
                ownership.updateScale(call, current, next);
                return next;
            };
        }
        byte[] body = BodyReader.bytes(exchange);
        if (Patches.isApply(exchange)) {
            ObjectNode configuration = Patches.configuration(call, body);
            return (_, current) ->
                    ObjectDecoder.typed(call, ownership.applyScale(call, current, configuration.deepCopy()), expected);
        }
        String media = Negotiation.mediaType(exchange.header("Content-Type"));
        BodyPatch patch = new BodyPatch(call, media, body, expected);
        return (object, current) -> {
            ObjectNode next = patch.apply(FieldOwnership.scaleToChange(call.resource(), object));
            ownership.updateScale(call, current, next);
            return next;
        };
    }

    private static ObjectNode required(Call call, @Nullable ObjectNode live) {
        if (live == null) {
            throw call.resource().notFound(call.name());
        }
        return live;
    }

    private ObjectNode scaled(Call call, ObjectNode object, ObjectNode scale) {
        FieldErrors errors = new FieldErrors();
        if (call.resource().custom() == null) {
            ScaleView.validate(scale, errors);
        }
        if (!errors.isEmpty()) {
            throw ApiException.invalid("autoscaling", "Scale", call.name(), errors.list());
        }
        FieldOwnership.applyScale(call.resource(), scale, object);
        ownership.adoptScale(call, scale, object);
        String version = Metadata.resourceVersion(scale);
        if (!version.isEmpty()) {
            Metadata.of(object).put("resourceVersion", version);
        }
        String uid = Metadata.uid(scale);
        if (!uid.isEmpty()) {
            Metadata.of(object).put("uid", uid);
        }
        return object;
    }

    private static ObjectNode success() {
        ObjectNode status = Json.object();
        status.put("kind", "Status").put("apiVersion", "v1").putObject("metadata");
        status.put("status", "Success").put("code", 201);
        return status;
    }

    private void log(Exchange exchange, Call call, Answer answer) throws IOException {
        LogOptions options = LogOptions.parse(call.name(), exchange.query());
        ObjectNode pod = StoredForm.decode(reads.get(call.resource(), call.namespace(), call.name(), Query.empty()));
        nodes.log(exchange, pod, options, answer);
    }

    /** Admission of what is created below an object, or answered and never stored. */
    private void admit(Call call, ObjectNode object) {
        ResourceHandler.inPlace(call, object);
        admission.mutate(call, Admission.Operation.CREATE, object, null);
        admission.validate(call, Admission.Operation.CREATE, object, null);
    }

    /** What only a node, or a program on it, can answer. */
    private void node(Exchange exchange, Call call, KindInfo.Subresource sub) throws IOException {
        ObjectNode options = ConnectOptions.of(sub, call.rest(), exchange.query());
        admission.mutate(call, Admission.Operation.CONNECT, options, null);
        admission.validate(call, Admission.Operation.CONNECT, options, null);
        if (sub.name().equals("proxy")) {
            nodes.proxy(exchange, call);
            return;
        }
        nodes.requireCreation(call.user(), call.info(), exchange.query());
        ObjectNode pod = StoredForm.decode(reads.get(call.resource(), call.namespace(), call.name(), Query.empty()));
        nodes.stream(exchange, pod, sub, options);
    }

    /** Kinds that are asked and answered, never stored. */
    ObjectNode review(Call call, ObjectNode object) {
        // Nobody will ask for its owners, but webhooks are shown them.
        ownership.update(call, null, ResourceHandler.inPlace(call, object));
        admit(call, object);
        if (call.resource().name().equals("bindings")) {
            bindings.bind(call, Metadata.name(object), object);
            return success();
        }
        return reviews.answer(call, object, ownership);
    }
}
