package lavaflow.apiserver;

import lavaflow.store.StoredObject;

import org.jspecify.annotations.Nullable;

/**
 * A stored custom object as one version shows it; kept with the stored object, so that what was found out about it once
 * need not be found out for every list and every watcher.
 *
 * <p>Views refer to versions by a token only: a view that nobody asks for any more must not keep an old schema alive.
 */
final class CustomView {
    private final Object token;
    private final byte[] bytes;
    private final @Nullable CustomView next;
    private volatile Filter.@Nullable Head head;

    private CustomView(Object token, byte[] bytes, @Nullable CustomView next) {
        this.token = token;
        this.bytes = bytes;
        this.next = next;
    }

    static @Nullable CustomView find(StoredObject stored, Object token) {
        for (CustomView view = first(stored); view != null; view = view.next) {
            if (view.token.equals(token)) {
                return view;
            }
        }
        return null;
    }

    /** Remembers how a version shows an object. Racing callers lose at most what can be found out again. */
    static CustomView keep(StoredObject stored, Object token, byte[] bytes, CustomKind kind) {
        CustomView current = null;
        for (CustomView view = first(stored); view != null; view = view.next) {
            if (kind.knows(view.token) && !view.token.equals(token)) {
                current = new CustomView(view.token, view.bytes, current);
            }
        }
        CustomView kept = new CustomView(token, bytes, current);
        stored.attachment(kept);
        return kept;
    }

    private static @Nullable CustomView first(StoredObject stored) {
        return stored.attachment() instanceof CustomView view ? view : null;
    }

    byte[] bytes() {
        return bytes;
    }

    Filter.@Nullable Head head() {
        return head;
    }

    void head(Filter.Head value) {
        head = value;
    }
}
