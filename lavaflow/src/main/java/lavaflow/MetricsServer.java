package lavaflow;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Executors;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;

/** A small port of roles that serve nothing else: how they are, and what they measure. Unencrypted, so best on loopback. */
final class MetricsServer implements AutoCloseable {
    private final HttpServer server;

    MetricsServer(InetSocketAddress listen, Supplier<String> metrics, BooleanSupplier healthy) throws IOException {
        server = HttpServer.create(listen, 0);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext("/metrics", exchange -> answer(exchange, "/metrics", 200, metrics.get()));
        for (String path : new String[] {"/healthz", "/livez", "/readyz"}) {
            server.createContext(path, exchange -> {
                boolean well = healthy.getAsBoolean();
                answer(exchange, path, well ? 200 : 500, well ? "ok" : "not ready");
            });
        }
        server.start();
    }

    int port() {
        return server.getAddress().getPort();
    }

    private static void answer(HttpExchange exchange, String path, int code, String text) throws IOException {
        try (exchange) {
            boolean there = exchange.getRequestURI().getPath().equals(path);
            byte[] bytes = (there ? text : "404 page not found\n").getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("Content-Type", "text/plain; version=0.0.4; charset=utf-8");
            exchange.sendResponseHeaders(there ? code : 404, bytes.length);
            exchange.getResponseBody().write(bytes);
        }
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
