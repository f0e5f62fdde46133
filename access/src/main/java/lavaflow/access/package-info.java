/**
 * Access: who asks, and what they may.
 *
 * <p>Pure decisions over values: an {@link lavaflow.access.Authenticator} turns what a client showed into a {@link
 * lavaflow.access.User}, an {@link lavaflow.access.Authorizer} decides about {@link lavaflow.access.Attributes}. Nothing
 * here knows HTTP; the API server asks. State: views of roles and bindings that follow the store.
 */
@NullMarked
package lavaflow.access;

import org.jspecify.annotations.NullMarked;
