/**
 * The Common Expression Language as Kubernetes speaks it: validation rules of custom resources, admission policies, match
 * conditions.
 *
 * <p>Entry: {@link lavaflow.cel.CelEnvironment}. Declare variables (by {@link lavaflow.cel.CelType} or, with sizes and
 * formats, by {@link lavaflow.cel.DeclaredType}), {@code compile} a text to a {@link lavaflow.cel.CelCompilation}: either
 * upstream's error text or a {@link lavaflow.cel.CelProgram}, which tells its result type and its estimated cost and is
 * evaluated with {@link lavaflow.cel.Bindings} under a {@link lavaflow.cel.CelBudget} to a {@link lavaflow.cel.CelResult}.
 * JSON trees are bound as they are and viewed lazily by the declared type of their variable.
 *
 * <pre>{@code
 * DeclaredType self = DeclaredType.ofSchema(schema, false).named("self");
 * CelEnvironment environment = CelEnvironment.kubernetes().variable("self", self).build();
 * switch (environment.compile("self.replicas <= self.max")) {
 *     case CelCompilation.Failed failed -> report("compilation failed: " + failed.text());
 *     case CelCompilation.Compiled compiled -> {
 *         CelProgram program = compiled.program();
 *         program.resultType();                 // CelType.BOOL
 *         program.estimatedCost().max();        // compare with CelLimits.STATIC_RULE_COST
 *         CelResult result = program.evaluate(Bindings.of("self", json), new CelBudget(CelLimits.RUNTIME_PER_CALL));
 *     }
 * }
 * }</pre>
 *
 * <p>Why an engine of our own: the library that exists for Java weighs 8 MB with Guava, protobuf and ANTLR, takes 0.8 s
 * for its first compilation, and has neither the cost model that Kubernetes' limits are written in nor any of Kubernetes'
 * function libraries; its error texts are not those that users of Kubernetes see.
 *
 * <p>State: none. Threading: environments, programs and types are immutable and shared freely; a budget belongs to one
 * evaluation at a time. No input makes this module recurse, loop or allocate without bound: sources are limited in size
 * and depth, evaluation by its budget, regular expressions run in linear time.
 */
@NullMarked
package lavaflow.cel;

import org.jspecify.annotations.NullMarked;
