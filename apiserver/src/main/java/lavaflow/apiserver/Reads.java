package lavaflow.apiserver;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

import lavaflow.kube.ApiException;
import lavaflow.kube.ContinueToken;
import lavaflow.kube.MalformedException;
import lavaflow.store.CompactedException;
import lavaflow.store.Snapshot;
import lavaflow.store.Store;
import lavaflow.store.StoredObject;

import org.jspecify.annotations.Nullable;

/** Gets and lists objects at a revision. */
final class Reads {
    /** How long a reader waits for a revision that is not there yet before it is told to come back. */
    private static final Duration FUTURE_WAIT = Duration.ofSeconds(3);

    /**
     * A page of a list.
     *
     * @param next where the next page begins; empty on the last one
     * @param remaining how many objects follow this page; null where that is not known cheaply
     */
    record Page(
            List<StoredObject> items,
            long revision,
            String next,
            @Nullable Long remaining) {}

    private final Store store;

    Reads(Store store) {
        this.store = store;
    }

    StoredObject get(Resource resource, String namespace, String name, Query query) {
        String version = query.first("resourceVersion");
        if (!version.isEmpty() && !version.equals("0")) {
            awaitRevision(ListOptions.revision(version));
        }
        StoredObject stored = store.get(resource.bucket(), resource.key(namespace, name));
        if (stored == null) {
            throw resource.notFound(name);
        }
        return stored;
    }

    /** Waits until the store has reached a revision a client already saw. */
    void awaitRevision(@Nullable Long revision) {
        if (revision == null || revision <= store.revision() || reached(revision)) {
            return;
        }
        throw ApiException.of(
                        504,
                        "Timeout",
                        "Timeout: Too large resource version: " + revision + ", current: " + store.revision())
                .cause("ResourceVersionTooLarge", "Too large resource version", "")
                .retryAfter(1);
    }

    private boolean reached(long revision) {
        try {
            return store.awaitRevision(revision, FUTURE_WAIT);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw ApiException.of(503, "ServiceUnavailable", "the server is shutting down");
        }
    }

    /** The range of keys a namespace has in a bucket; everything for the empty namespace. */
    record Range(String from, @Nullable String to) {
        static Range of(Resource resource, String namespace) {
            if (!resource.namespaced() || namespace.isEmpty()) {
                return new Range("", null);
            }
            return new Range(namespace + "/", namespace + "0");
        }
    }

    Page list(Resource resource, String namespace, ListOptions options) {
        Filter filter = new Filter(resource, options.labels(), options.fields());
        Range range = Range.of(resource, namespace);
        if (!options.continueToken().isEmpty()) {
            return next(resource, range, filter, options);
        }
        Snapshot snapshot = snapshot(options);
        return page(snapshot, resource, range, range.from(), filter, options.limit());
    }

    private Snapshot snapshot(ListOptions options) {
        Long revision = options.resourceVersion();
        if (revision == null || revision == 0) {
            return store.snapshot();
        }
        boolean exact = options.match().equals("Exact") || (options.match().isEmpty() && options.limit() > 0);
        awaitRevision(revision);
        if (!exact) {
            return store.snapshot();
        }
        try {
            return store.snapshot(revision);
        } catch (CompactedException e) {
            throw ApiException.expired("The resourceVersion for the provided list is too old.");
        }
    }

    private Page next(Resource resource, Range range, Filter filter, ListOptions options) {
        if (options.resourceVersion() != null && options.resourceVersion() != 0) {
            throw ApiException.badRequest("specifying resource version is not allowed when using continue");
        }
        ContinueToken token;
        try {
            token = ContinueToken.decode(options.continueToken());
        } catch (MalformedException e) {
            throw ApiException.badRequest("invalid continue token: " + e.getMessage());
        }
        String start = range.from() + token.start();
        if (token.revision() < 0) {
            return page(store.snapshot(), resource, range, start, filter, options.limit());
        }
        try {
            return page(store.snapshot(token.revision()), resource, range, start, filter, options.limit());
        } catch (CompactedException e) {
            throw expiredToken(token);
        }
    }

    private static ApiException expiredToken(ContinueToken token) {
        ApiException expired = ApiException.expired(
                "The provided continue parameter is too old to display a consistent list result. You can start a new"
                        + " list without the continue parameter, or use the continue token in this response to"
                        + " retrieve the remainder of the results. Continuing with the provided token results in an"
                        + " inconsistent list - objects that were created, modified, or deleted between the time the"
                        + " first chunk was returned and now may show up in the list.");
        lavaflow.kube.Json.ensureObject(expired.status(), "metadata")
                .put("continue", new ContinueToken(-1, token.start()).encode());
        return expired;
    }

    private static Page page(
            Snapshot snapshot, Resource resource, Range range, String start, Filter filter, long limit) {
        List<StoredObject> items = new ArrayList<>();
        Iterator<StoredObject> all =
                snapshot.scan(resource.bucket(), start, range.to()).iterator();
        while (all.hasNext()) {
            StoredObject stored = all.next();
            if (!filter.matches(stored)) {
                continue;
            }
            if (limit > 0 && items.size() == limit) {
                String last = items.getLast().key().substring(range.from().length()) + "\0";
                Long remaining =
                        filter.matchesAll() ? snapshot.count(resource.bucket(), stored.key(), range.to()) : null;
                return new Page(
                        items, snapshot.revision(), new ContinueToken(snapshot.revision(), last).encode(), remaining);
            }
            items.add(stored);
        }
        return new Page(items, snapshot.revision(), "", null);
    }
}
