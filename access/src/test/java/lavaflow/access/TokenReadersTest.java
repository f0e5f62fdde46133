package lavaflow.access;

import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class TokenReadersTest {
    private static final List<String> AUDIENCES = List.of("api");

    @Test
    void aTokenFileHasUsersAndGroups() {
        TokenFile file = TokenFile.parse("secret,carol,7,\"dev,ops\"\nother,dan,8\n\n");
        assertThat(file.authenticate("secret", AUDIENCES))
                .isEqualTo(new TokenAuthenticator.Good(
                        new User("carol", "7", List.of("dev", "ops", User.AUTHENTICATED), Map.of()), AUDIENCES));
        assertThat(file.authenticate("other", AUDIENCES)).isInstanceOf(TokenAuthenticator.Good.class);
        assertThat(file.authenticate("secre", AUDIENCES)).isInstanceOf(TokenAuthenticator.NotMine.class);
        assertThat(file.authenticate("", AUDIENCES)).isInstanceOf(TokenAuthenticator.NotMine.class);
    }

    @Test
    void aShortLineIsRefused() {
        assertThatThrownBy(() -> TokenFile.parse("secret,carol"))
                .hasMessage("line 1 must have at least 3 columns (token, user name, user uid), found 2");
    }

    @Test
    void onlyTheFirstHeaderCountsAndOnlyBearers() {
        BearerTokens tokens = new BearerTokens(List.of(TokenFile.parse("t,carol,7")), AUDIENCES);
        assertThat(tokens.authenticate(new Presented(List.of(), List.of("Bearer t"))))
                .isInstanceOf(Authenticator.Authenticated.class);
        assertThat(tokens.authenticate(new Presented(List.of(), List.of("bearer t"))))
                .isInstanceOf(Authenticator.Authenticated.class);
        assertThat(tokens.authenticate(new Presented(List.of(), List.of("Bearer x", "Bearer t"))))
                .isInstanceOf(Authenticator.Refused.class);
        assertThat(tokens.authenticate(new Presented(List.of(), List.of("Basic t"))))
                .isInstanceOf(Authenticator.Absent.class);
        assertThat(tokens.authenticate(new Presented(List.of(), List.of("Bearer  t"))))
                .isInstanceOf(Authenticator.Absent.class);
    }

    @Test
    void credentialsDoNotPrintThemselves() {
        assertThat(new Presented(List.of(), List.of("Bearer secret")).toString())
                .doesNotContain("secret");
    }

    @Test
    void whatIsNoTokenIsNotTakenForOne() {
        for (String text : List.of("", ".", "..", "a.b", "a.b.c.d", "e30=.e30=.x", "e30.e30.!", "bnVsbA.bnVsbA.AA")) {
            assertThat(Jwt.parse(text)).as(text).isNull();
        }
        assertThat(Jwt.parse("x".repeat(100_000))).isNull();
    }
}
