/**
 * The audit log: a policy file says how much of which requests is written down, one JSON line an event, in upstream's form.
 *
 * <p>State: an {@link lavaflow.audit.AuditRecord} belongs to one request; {@link lavaflow.audit.AuditFile} owns the file and one
 * thread that writes it. Entry class: {@link lavaflow.audit.Auditor}.
 */
@NullMarked
package lavaflow.audit;

import org.jspecify.annotations.NullMarked;
