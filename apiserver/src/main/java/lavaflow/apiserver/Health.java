package lavaflow.apiserver;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;

/** {@code /healthz}, {@code /livez} and {@code /readyz} with their named checks. */
public final class Health {
    private final Map<String, BooleanSupplier> live = new LinkedHashMap<>();
    private final Map<String, BooleanSupplier> ready = new LinkedHashMap<>();

    public Health() {
        live.put("ping", () -> true);
        ready.put("ping", () -> true);
    }

    /** Adds a check that must hold before clients should come; not thread-safe, call before serving. */
    public void readyWhen(String name, BooleanSupplier check) {
        ready.put(name, check);
    }

    /** Adds a check that must hold at all times. */
    public void aliveWhile(String name, BooleanSupplier check) {
        live.put(name, check);
        ready.put(name, check);
    }

    public boolean isReady() {
        return ready.values().stream().allMatch(BooleanSupplier::getAsBoolean);
    }

    void handle(Exchange exchange, List<String> parts) throws IOException {
        String endpoint = parts.getFirst();
        Map<String, BooleanSupplier> checks = endpoint.equals("readyz") ? ready : live;
        if (parts.size() == 2 && checks.containsKey(parts.get(1))) {
            checks = Map.of(parts.get(1), checks.get(parts.get(1)));
        } else if (parts.size() > 1) {
            throw new PathNotServed();
        }
        List<String> excluded = exchange.query().all("exclude");
        StringBuilder details = new StringBuilder();
        boolean passed = true;
        for (var check : checks.entrySet()) {
            if (excluded.contains(check.getKey())) {
                details.append("[+]").append(check.getKey()).append(" excluded: ok\n");
                continue;
            }
            boolean holds = check.getValue().getAsBoolean();
            passed &= holds;
            details.append(holds ? "[+]" : "[-]").append(check.getKey());
            details.append(holds ? " ok\n" : " failed: reason withheld\n");
        }
        if (parts.size() == 1) {
            exchange.setHeader("X-Content-Type-Options", "nosniff");
        }
        if (!passed) {
            Endpoints.plain(exchange, 500, details + endpoint + " check failed\n");
        } else if (exchange.query().has("verbose")) {
            Endpoints.plain(exchange, 200, details + endpoint + " check passed\n");
        } else {
            Endpoints.plain(exchange, 200, "ok");
        }
    }
}
