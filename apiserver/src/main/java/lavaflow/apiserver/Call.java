package lavaflow.apiserver;

import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import lavaflow.access.User;
import lavaflow.audit.AuditRecord;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * One request as the pipeline sees it: who wants what, with which options. Collects the warnings the answer carries.
 * Used by one thread.
 */
public final class Call {
    /** What to do about fields a kind does not have, or that occur twice. */
    public enum FieldValidation {
        IGNORE,
        WARN,
        STRICT
    }

    private final User user;
    private final Resource resource;
    private final RequestInfo info;
    private final Instant now;
    private final boolean dryRun;
    private final boolean force;
    private final String fieldManager;
    private final String userAgent;
    private final FieldValidation fieldValidation;
    private final WriteOptions options;
    private final List<String> warnings = new ArrayList<>();
    private final Map<String, String> annotations = new LinkedHashMap<>();
    private @Nullable DeleteOptions deletion;
    private boolean admitted;
    private AuditRecord audit = AuditRecord.NONE;

    public Call(User user, Resource resource, RequestInfo info, WriteOptions options, Instant now) {
        this.user = user;
        this.resource = resource;
        this.info = info;
        this.now = now;
        this.dryRun = options.dryRun();
        this.force = options.force();
        this.fieldManager = options.fieldManager();
        this.userAgent = options.userAgent();
        this.fieldValidation = options.fieldValidation();
        this.options = options;
    }

    private Call(Call other, RequestInfo info) {
        this.user = other.user;
        this.resource = other.resource;
        this.info = info;
        this.now = other.now;
        this.dryRun = other.dryRun;
        this.force = other.force;
        this.fieldManager = other.fieldManager;
        this.userAgent = other.userAgent;
        this.fieldValidation = other.fieldValidation;
        this.options = other.options;
        this.admitted = other.admitted;
        this.audit = other.audit;
    }

    /** The same call, for what the server does of itself to serve it: admission has been asked about the call already. */
    Call afterAdmission() {
        Call inner = new Call(this, info);
        inner.admitted = true;
        return inner;
    }

    boolean isAdmitted() {
        return admitted;
    }

    /** The same call to another part of the object. */
    Call forSubresource(String subresource) {
        return new Call(
                this,
                new RequestInfo(
                        true,
                        info.path(),
                        info.verb(),
                        info.group(),
                        info.version(),
                        info.namespace(),
                        info.resource(),
                        info.name(),
                        subresource,
                        ""));
    }

    RequestInfo info() {
        return info;
    }

    public User user() {
        return user;
    }

    public Resource resource() {
        return resource;
    }

    public String verb() {
        return info.verb();
    }

    public String namespace() {
        return info.namespace();
    }

    /** The name in the path, empty for collections. */
    public String name() {
        return info.name();
    }

    public String subresource() {
        return info.subresource();
    }

    /** What follows the subresource in the path. */
    String rest() {
        return info.rest();
    }

    public Instant now() {
        return now;
    }

    public boolean dryRun() {
        return dryRun;
    }

    public boolean force() {
        return force;
    }

    /** The manager as the client named it, empty where it did not. */
    public String givenFieldManager() {
        return fieldManager;
    }

    /** The manager that owns what this call writes: as named, else from the user agent. */
    public String fieldManager() {
        if (!fieldManager.isEmpty()) {
            return fieldManager;
        }
        int slash = userAgent.indexOf('/');
        String prefix = slash < 0 ? userAgent : userAgent.substring(0, slash);
        StringBuilder printable = new StringBuilder();
        prefix.codePoints()
                .filter(c -> !Character.isISOControl(c) && Character.isDefined(c))
                .limit(128)
                .forEach(printable::appendCodePoint);
        return printable.toString();
    }

    public FieldValidation fieldValidation() {
        return fieldValidation;
    }

    public void warn(String warning) {
        if (!warnings.contains(warning)) {
            warnings.add(warning);
        }
    }

    /** Notes something for the audit log; what was noted first under a key stays. */
    public void annotate(String key, String value) {
        annotations.putIfAbsent(key, value);
        audit.annotate(key, value);
    }

    /** What the audit log should have beside the request itself. */
    public Map<String, String> annotations() {
        return annotations;
    }

    /** Notes how an object is going to be deleted. */
    void deleting(DeleteOptions how) {
        deletion = how;
    }

    /** The request's options as admission shows them; null where the operation has none. */
    public @Nullable ObjectNode optionsDocument(Admission.Operation operation) {
        return switch (operation) {
            case CREATE -> options.document("CreateOptions");
            case UPDATE -> options.document("UpdateOptions");
            case DELETE -> deletion == null ? DeleteOptions.NONE.document() : deletion.document();
            case CONNECT -> null;
        };
    }

    /** Whether nothing may come of it, whichever options say so. */
    public boolean isTrial() {
        return dryRun || (deletion != null && deletion.dryRun());
    }

    /** Where remarks about this call are written down. */
    public AuditRecord audit() {
        return audit;
    }

    void audited(AuditRecord record) {
        audit = record;
    }

    public List<String> warnings() {
        return warnings;
    }
}
