package lavaflow.scheduler;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;

import lavaflow.kube.Json;
import lavaflow.plugins.Extender;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class HttpExtenderTest {
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private final HttpExtender extender = new HttpExtender();
    private final CountDownLatch ended = new CountDownLatch(1);
    private HttpServer server;

    @BeforeEach
    void serve() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext(
                "/echo",
                exchange -> answer(exchange, 200, exchange.getRequestBody().readAllBytes()));
        server.createContext("/broken", exchange -> answer(exchange, 200, bytes("no {json")));
        server.createContext("/nothing", exchange -> answer(exchange, 200, bytes("")));
        server.createContext("/fails", exchange -> answer(exchange, 500, bytes("{}")));
        server.createContext("/endless", exchange -> answer(exchange, 200, new byte[11 * 1024 * 1024]));
        server.createContext("/slow", exchange -> {
            exchange.sendResponseHeaders(200, 2);
            exchange.getResponseBody().flush();
            try {
                ended.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            exchange.close();
        });
        server.start();
    }

    @AfterEach
    void stop() {
        ended.countDown();
        server.stop(0);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static void answer(HttpExchange exchange, int code, byte[] body) throws IOException {
        try (exchange) {
            exchange.sendResponseHeaders(code, body.length == 0 ? -1 : body.length);
            exchange.getResponseBody().write(body);
        }
    }

    private String url(String path) {
        return "http://" + server.getAddress().getHostString() + ":"
                + server.getAddress().getPort() + path;
    }

    @Test
    void aQuestionIsPostedAndTheAnswerRead() throws Exception {
        assertThat(extender.ask(url("/echo"), Json.object().put("task", "one"), PATIENCE))
                .isEqualTo(Json.object().put("task", "one"));
        assertThat(extender.ask(url("/nothing"), Json.object(), PATIENCE)).isEqualTo(Json.object());
    }

    @Test
    void whatCannotBeReadIsNoAnswer() {
        for (String path : new String[] {"/broken", "/fails", "/endless", "/missing"}) {
            assertThatThrownBy(() -> extender.ask(url(path), Json.object(), PATIENCE))
                    .as(path)
                    .isInstanceOf(Extender.UnansweredException.class)
                    .hasMessageContaining("extender at URL " + url(path));
        }
        assertThatThrownBy(() -> extender.ask(url("/fails"), Json.object(), PATIENCE))
                .hasMessageEndingWith("code 500");
    }

    @Test
    void nobodyThereIsNoAnswer() throws IOException {
        // Bound and not listening: nobody else can come to be there.
        try (Socket taken = new Socket()) {
            taken.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            String url = "http://127.0.0.1:" + taken.getLocalPort() + "/echo";
            assertThatThrownBy(() -> extender.ask(url, Json.object(), PATIENCE))
                    .isInstanceOf(Extender.UnansweredException.class);
        }
        assertThatThrownBy(() -> extender.ask("no url", Json.object(), PATIENCE))
                .isInstanceOf(Extender.UnansweredException.class);
    }

    @Test
    void anAnswerThatDoesNotEndIsNotWaitedFor() {
        assertThatThrownBy(() -> extender.ask(url("/slow"), Json.object(), Duration.ofMillis(200)))
                .isInstanceOf(Extender.UnansweredException.class)
                .hasMessageEndingWith("no answer within 200 ms");
    }
}
