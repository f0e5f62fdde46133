package lavaflow.fairness;

import java.util.Collection;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;

/** Prints what flow control counted. */
final class FlowMetrics {
    private static final String PREFIX = "apiserver_flowcontrol_";

    private final StringBuilder out = new StringBuilder(8 * 1024);
    private final Collection<FlowCounters> flows;
    private final Collection<PriorityLevel> levels;

    private FlowMetrics(Collection<FlowCounters> flows, Collection<PriorityLevel> levels) {
        this.flows = flows;
        this.levels = levels;
    }

    static String text(Collection<FlowCounters> flows, Collection<PriorityLevel> levels) {
        return new FlowMetrics(flows, levels).print();
    }

    private String print() {
        flow("dispatched_requests_total", "counter", each -> each.dispatched.sum());
        type("rejected_requests_total", "counter");
        for (FlowCounters each : flows) {
            each.rejected.forEach((reason, count) -> {
                if (count.sum() > 0) {
                    line("rejected_requests_total", each.labels() + ",reason=\"" + reason.text() + "\"", count.sum());
                }
            });
        }
        flow("current_inqueue_requests", "gauge", each -> each.waiting.get());
        flow("current_inqueue_seats", "gauge", each -> each.waitingSeats.get());
        flow("current_executing_requests", "gauge", each -> each.executing.get());
        flow("current_executing_seats", "gauge", each -> each.executingSeats.get());
        type("request_wait_duration_seconds", "histogram");
        for (FlowCounters each : flows) {
            each.waits.print(out, PREFIX + "request_wait_duration_seconds", each.labels() + ",execute=\"true\"");
        }
        type("request_execution_seconds", "histogram");
        for (FlowCounters each : flows) {
            each.executions.print(out, PREFIX + "request_execution_seconds", each.labels() + ",type=\"regular\"");
        }
        level("nominal_limit_seats", each -> each.limits().nominal());
        level("lower_limit_seats", each -> each.limits().lower());
        level("upper_limit_seats", each -> each.limits().upper());
        level("current_limit_seats", PriorityLevel::limit);
        level("demand_seats_high_watermark", each -> each.demand().highest());
        level("demand_seats_average", each -> each.demand().average());
        level("demand_seats_stdev", each -> each.demand().deviation());
        level("demand_seats_smoothed", each -> each.demand().smoothed());
        return out.toString();
    }

    private void type(String name, String type) {
        out.append("# TYPE ")
                .append(PREFIX)
                .append(name)
                .append(' ')
                .append(type)
                .append('\n');
    }

    private void flow(String name, String type, ToLongFunction<FlowCounters> value) {
        type(name, type);
        flows.forEach(each -> line(name, each.labels(), value.applyAsLong(each)));
    }

    private void level(String name, ToDoubleFunction<PriorityLevel> value) {
        type(name, "gauge");
        for (PriorityLevel each : levels) {
            double seats = value.applyAsDouble(each);
            String labels = "priority_level=\"" + each.settings().name() + "\"";
            out.append(PREFIX).append(name).append('{').append(labels).append("} ");
            if (seats == Math.rint(seats)) {
                out.append((long) seats);
            } else {
                out.append(seats);
            }
            out.append('\n');
        }
    }

    private void line(String name, String labels, long value) {
        out.append(PREFIX)
                .append(name)
                .append('{')
                .append(labels)
                .append("} ")
                .append(value)
                .append('\n');
    }
}
