package lavaflow.remote;

import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.URI;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class ProxiesTest {
    private static Proxy proxy(String server, @Nullable String own, Map<String, String> environment) {
        ServerAccess access = new ServerAccess(server, null, null, false, own, null, Credentials.none(), List.of());
        List<Proxy> chosen = Proxies.of(access, environment).select(URI.create(server));
        assertThat(chosen).hasSize(1);
        return chosen.getFirst();
    }

    private static Proxy at(String host, int port) {
        return new Proxy(Proxy.Type.HTTP, InetSocketAddress.createUnresolved(host, port));
    }

    @Test
    void theKubeconfigCountsMoreThanTheEnvironment() {
        Map<String, String> environment = Map.of("HTTPS_PROXY", "http://e:1", "http_proxy", "plain:2");

        assertThat(proxy("https://h", "http://k", environment)).isEqualTo(at("k", 80));
        assertThat(proxy("https://h", null, environment)).isEqualTo(at("e", 1));
        assertThat(proxy("http://h", null, environment)).isEqualTo(at("plain", 2));
        assertThat(proxy("https://h", null, Map.of())).isEqualTo(Proxy.NO_PROXY);
    }

    @ParameterizedTest
    @CsvSource({
        "h.example, true",
        "a.example.org, false",
        "example.org, false",
        "notexample.org, true",
        "10.1.2.3, false",
        "10.2.2.3, true",
        "127.0.0.1, false",
        "localhost, false"
    })
    void someServersAreLeftOut(String host, boolean asked) {
        Map<String, String> environment = Map.of("HTTPS_PROXY", "http://e:1", "NO_PROXY", "example.org, 10.1.0.0/16");

        assertThat(proxy("https://" + host, null, environment)).isEqualTo(asked ? at("e", 1) : Proxy.NO_PROXY);
    }

    @Test
    void whatCannotBeAProxyIsRefusedWithoutItsPassword() {
        assertThatThrownBy(() -> proxy("https://h", "socks5://p:1", Map.of())).hasMessageContaining("must be http://");
        assertThatThrownBy(() -> proxy("https://h", "http://me:secret@p:1", Map.of()))
                .hasMessageContaining("without a password")
                .hasMessageNotContaining("secret");
    }
}
