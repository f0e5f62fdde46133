/**
 * Schemas of custom kinds: what the OpenAPI schema of a CustomResourceDefinition means for the objects of its kind.
 *
 * <p>A schema is parsed once into a {@link lavaflow.schema.StructuralSchema}; pruning, defaults, validation, columns, types for
 * server-side apply and OpenAPI follow from it. State: none. Threading: everything is immutable and shared. Pure.
 */
@NullMarked
package lavaflow.schema;

import org.jspecify.annotations.NullMarked;
