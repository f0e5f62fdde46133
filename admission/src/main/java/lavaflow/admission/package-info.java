/**
 * Admission from outside the program: webhooks that change or judge what is written, and policies written in CEL.
 *
 * <p>State: none but what is compiled from configuration objects, remade when those change. Every call runs on the thread of
 * its request; validating webhooks of one request are asked on threads of their own. Entry class:
 * {@link lavaflow.admission.OutsideAdmission}.
 */
@NullMarked
package lavaflow.admission;

import org.jspecify.annotations.NullMarked;
