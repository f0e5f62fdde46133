package lavaflow.apiserver;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import lavaflow.access.User;

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
    private final List<String> warnings = new ArrayList<>();

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

    public List<String> warnings() {
        return warnings;
    }
}
