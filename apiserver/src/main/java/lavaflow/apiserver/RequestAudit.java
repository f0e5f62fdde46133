package lavaflow.apiserver;

import java.time.Instant;
import java.util.List;
import java.util.Map;

import lavaflow.access.User;
import lavaflow.audit.Asker;
import lavaflow.audit.AuditRecord;
import lavaflow.audit.AuditedRequest;
import lavaflow.audit.Auditor;
import lavaflow.audit.SourceAddresses;
import lavaflow.kube.ApiException;

/** Describes requests to the audit log. */
final class RequestAudit {
    private static final Asker NOBODY = new Asker("", "", List.of(), Map.of());

    private final Auditor auditor;

    RequestAudit(Auditor auditor) {
        this.auditor = auditor;
    }

    /** Opens the record of a request and writes that it came. */
    AuditRecord open(Exchange exchange, RequestInfo info, User user, String id, Instant received) {
        AuditRecord record = auditor.open(() -> request(exchange, info, asker(user), id, received));
        if (!record.received()) {
            throw ApiException.internal("failed to store audit event");
        }
        return record;
    }

    /** Writes down a request of somebody who could not say who they are. */
    void unauthenticated(Exchange exchange, RequestInfo info, String id, Instant received, ApiException refusal) {
        AuditRecord record = auditor.open(() -> request(exchange, info, NOBODY, id, received));
        record.refused(refusal.status());
    }

    static Asker asker(User user) {
        return new Asker(user.name(), user.uid(), user.groups(), user.extra());
    }

    private static AuditedRequest request(
            Exchange exchange, RequestInfo info, Asker asker, String id, Instant received) {
        String query = exchange.rawQuery();
        String agent = exchange.header("User-Agent");
        AuditedRequest.Target target = info.resourceRequest()
                ? new AuditedRequest.Target(
                        true,
                        info.group(),
                        info.version(),
                        info.resource(),
                        info.subresource(),
                        info.namespace(),
                        info.name())
                : AuditedRequest.Target.NONE;
        return new AuditedRequest(
                id,
                received,
                info.verb(),
                query.isEmpty() ? exchange.rawPath() : exchange.rawPath() + "?" + query,
                info.path(),
                asker,
                SourceAddresses.of(
                        exchange.header("X-Forwarded-For"), exchange.header("X-Real-Ip"), exchange.remoteAddress()),
                agent == null ? "" : agent,
                target);
    }
}
