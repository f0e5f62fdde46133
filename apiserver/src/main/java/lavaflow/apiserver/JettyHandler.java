package lavaflow.apiserver;

import java.nio.ByteBuffer;
import java.util.function.Consumer;

import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.handler.ErrorHandler;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

/** Hands each request to a handler that knows nothing of Jetty. */
final class JettyHandler extends Handler.Abstract {
    private final Consumer<Exchange> target;

    JettyHandler(Consumer<Exchange> target) {
        this.target = target;
    }

    /**
     * Jetty calls from a thread of its small pool when the request was already there after the handshake or the last answer, and from a
     * virtual thread otherwise. A handful of watches would hold the whole pool, so each request gets a virtual thread.
     */
    @Override
    public boolean handle(Request request, Response response, Callback callback) {
        if (isMalformed(request)) {
            Response.writeError(request, response, callback, 400, "headers of a connection in a request over HTTP/2");
            return true;
        }
        JettyExchange exchange = new JettyExchange(request, response, callback);
        if (Thread.currentThread().isVirtual()) {
            serve(exchange);
        } else {
            Thread.ofVirtual().name("http-request").start(() -> serve(exchange));
        }
        return true;
    }

    private void serve(JettyExchange exchange) {
        try {
            target.accept(exchange);
            exchange.finish();
        } catch (Throwable failure) {
            exchange.fail(failure);
        }
    }

    /** HTTP/2 has no headers about a connection; who passes such a request on over HTTP/1.1 would be led astray by them. */
    private static boolean isMalformed(Request request) {
        if (request.getConnectionMetaData().getHttpVersion() != HttpVersion.HTTP_2) {
            return false;
        }
        HttpFields headers = request.getHeaders();
        String trailers = headers.get(HttpHeader.TE);
        return headers.contains(HttpHeader.TRANSFER_ENCODING)
                || headers.contains(HttpHeader.CONNECTION)
                || headers.contains(HttpHeader.UPGRADE)
                || headers.contains(HttpHeader.KEEP_ALIVE)
                || headers.contains(HttpHeader.PROXY_CONNECTION)
                || (trailers != null && !trailers.equals("trailers"));
    }

    /** Answers what never reached a handler (broken request lines, too large headers) with a Status too. */
    static final class StatusErrors extends ErrorHandler {
        @Override
        public boolean handle(Request request, Response response, Callback callback) {
            int code = response.getStatus() >= 400 ? response.getStatus() : 400;
            byte[] body = status(code, request.getAttribute(ERROR_MESSAGE));
            response.getHeaders().put(HttpHeader.CONTENT_TYPE, "application/json");
            response.setStatus(code);
            response.write(true, ByteBuffer.wrap(body), callback);
            return true;
        }

        private static byte[] status(int code, @Nullable Object message) {
            String reason = switch (code) {
                case 404 -> "NotFound";
                case 405 -> "MethodNotAllowed";
                case 413 -> "RequestEntityTooLarge";
                case 408, 504 -> "Timeout";
                case 503 -> "ServiceUnavailable";
                default -> code >= 500 ? "InternalError" : "BadRequest";
            };
            String text = message == null ? "the request could not be read" : String.valueOf(message);
            return Json.bytes(ApiException.of(code, reason, text).status());
        }
    }
}
