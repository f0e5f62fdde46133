/**
 * Rules of Kubernetes' own kinds: defaults, preparation, validation, immutability, selectable fields, table columns.
 *
 * <p>A kind is data (the generated types and table of kinds in {@code kube}) plus, where needed, a small class that
 * implements {@link lavaflow.kinds.KindRules}, registered in {@link lavaflow.kinds.BuiltinKinds}. State: none.
 * Threading: everything is shared. Pure: time, random names and addresses come in as values.
 */
@NullMarked
package lavaflow.kinds;

import org.jspecify.annotations.NullMarked;
