package lavaflow.apiserver;

import java.io.EOFException;
import java.io.IOException;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

import lavaflow.access.User;
import lavaflow.fairness.Admission;
import lavaflow.fairness.FlowControl;
import lavaflow.fairness.FlowRequest;
import lavaflow.store.Store;

/** Lets a request wait for its turn, or sends it away with 429. */
final class FlowFilter {
    private static final Set<String> STREAMED = Set.of("attach", "exec", "proxy", "log", "portforward");
    /** A list takes a seat for so many objects. */
    private static final int OBJECTS_PER_SEAT = 100;

    private static final int MAX_SEATS = 10;

    private final FlowControl control;
    private final Store store;
    private final ResourceTable table;

    FlowFilter(FlowControl control, Store store, ResourceTable table) {
        this.control = control;
        this.store = store;
        this.table = table;
    }

    /** Requests that stay open as long as somebody watches or types. */
    static boolean isLongRunning(RequestInfo info) {
        return info.resourceRequest() && (info.verb().equals("watch") || STREAMED.contains(info.subresource()));
    }

    /** False where the request was refused, and told so. Streams that are no watches are not counted at all. */
    boolean admit(ServedExchange exchange, RequestInfo info, User user) throws IOException {
        boolean watch = info.verb().equals("watch");
        if (isLongRunning(info) && !watch) {
            return true;
        }
        FlowRequest request = new FlowRequest(
                user.name(),
                user.groups(),
                info.resourceRequest(),
                info.verb(),
                info.group(),
                info.resource(),
                info.subresource(),
                info.namespace(),
                info.path(),
                seats(info, exchange.query()));
        Admission admission = control.admit(request, new WaitingClient(exchange));
        exchange.setHeader("X-Kubernetes-Pf-Flowschema-Uid", admission.schemaUid());
        exchange.setHeader("X-Kubernetes-Pf-Prioritylevel-Uid", admission.levelUid());
        return switch (admission) {
            case Admission.Admitted admitted -> {
                exchange.hold(admitted.ticket());
                yield true;
            }
            case Admission.Refused refused -> {
                if (refused.reason() == Admission.Reason.CANCELLED) {
                    throw new EOFException("the client left while it waited for its turn");
                }
                exchange.setHeader("Retry-After", "1");
                exchange.setHeader("X-Content-Type-Options", "nosniff");
                Endpoints.plain(exchange, 429, "Too many requests, please try again later.\n");
                yield false;
            }
        };
    }

    /** Whether a client that waits is still there; asked by the thread that waits for it, which is woken when the client resets its stream. */
    private static final class WaitingClient implements BooleanSupplier {
        private final Exchange exchange;
        private boolean listening;
        private volatile boolean left;

        WaitingClient(Exchange exchange) {
            this.exchange = exchange;
        }

        @Override
        public boolean getAsBoolean() {
            if (!listening) {
                listening = true;
                Thread waiting = Thread.currentThread();
                exchange.onAbort(() -> {
                    left = true;
                    LockSupport.unpark(waiting);
                });
            }
            try {
                exchange.requireClient();
            } catch (IOException e) {
                left = true;
            }
            return left;
        }
    }

    /** How much a request reads: lists, and watches that begin with everything there is. */
    private int seats(RequestInfo info, Query query) {
        boolean list = info.verb().equals("list");
        boolean watch = info.verb().equals("watch");
        if (!info.resourceRequest() || !(list || watch)) {
            return 1;
        }
        String from = query.first("resourceVersion");
        boolean fromStart = from.isEmpty() || from.equals("0") || query.flag("sendInitialEvents");
        if (watch && !fromStart) {
            return 1;
        }
        Resource resource = table.find(info.group(), info.version(), info.resource());
        long objects = resource == null ? 0 : store.objects(resource.bucket());
        String limit = query.first("limit");
        if (list && !limit.isEmpty() && limit.length() < 10 && limit.chars().allMatch(Character::isDigit)) {
            long most = Long.parseLong(limit);
            objects = most > 0 ? Math.min(objects, most) : objects;
        }
        return Math.clamp((objects + OBJECTS_PER_SEAT - 1) / OBJECTS_PER_SEAT, 1, MAX_SEATS);
    }
}
