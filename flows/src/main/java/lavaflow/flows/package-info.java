/**
 * Volcano's ways to make Jobs of templates: flows of Jobs that wait for each other, and Jobs by the clock. What to do is a function of what
 * is ({@link lavaflow.flows.FlowPlan}, {@link lavaflow.flows.CronPlan}); controllers do it. {@link lavaflow.flows.FlowControllers} is where it
 * begins. No state but what the API holds; one reconcile at a time for each object.
 */
@NullMarked
package lavaflow.flows;

import org.jspecify.annotations.NullMarked;
