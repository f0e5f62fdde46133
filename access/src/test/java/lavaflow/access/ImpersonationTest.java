package lavaflow.access;

import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ImpersonationTest {
    private static final User EVE = new User("eve", List.of(User.AUTHENTICATED));
    private static final Attributes LIST = Attributes.ofResource("list", "", "v1", "pods", "", "", "");

    private static Impersonation allowing(String... granted) {
        return new Impersonation((_, attributes) ->
                List.of(granted).contains(attributes.verb() + " " + attributes.resource() + " " + attributes.name())
                        ? Authorizer.ALLOW
                        : Authorizer.NO_OPINION);
    }

    @Test
    void nobodyMayByThemselves() {
        assertThat(allowing().decide(EVE, new User("bob", List.of()), LIST))
                .isInstanceOfSatisfying(
                        Impersonation.Refused.class,
                        refused -> assertThat(refused.attributes().verb()).isEqualTo("impersonate-on:user-info:list"));
    }

    @Test
    void theOldWayNeedsEveryPart() {
        Impersonation users = allowing("impersonate users bob");
        assertThat(users.decide(EVE, new User("bob", List.of()), LIST)).isInstanceOf(Impersonation.Granted.class);
        assertThat(users.decide(EVE, new User("bob", List.of(User.MASTERS)), LIST))
                .isInstanceOf(Impersonation.Refused.class);
        assertThat(users.decide(EVE, new User("bob", "1", List.of(), Map.of()), LIST))
                .isInstanceOf(Impersonation.Refused.class);
        assertThat(users.decide(EVE, new User("bob", "", List.of(), Map.of("a", List.of("b"))), LIST))
                .isInstanceOf(Impersonation.Refused.class);
    }

    @Test
    void theNarrowWayNeverMakesMasters() {
        Impersonation all = new Impersonation(
                (_, attributes) -> attributes.verb().equals("impersonate") ? Authorizer.NO_OPINION : Authorizer.ALLOW);
        assertThat(all.decide(EVE, new User("bob", List.of("dev")), LIST)).isInstanceOf(Impersonation.Granted.class);
        assertThat(all.decide(EVE, new User("bob", List.of(User.MASTERS)), LIST))
                .isInstanceOfSatisfying(
                        Impersonation.Refused.class,
                        refused -> assertThat(refused.reason())
                                .isEqualTo("impersonating the system:masters group is not allowed"));
    }

    @Test
    void groupsOfServiceAccountsAreKnown() {
        Impersonation accounts = allowing("impersonate serviceaccounts b");
        assertThat(accounts.decide(EVE, new User("system:serviceaccount:a:b", List.of()), LIST))
                .isInstanceOfSatisfying(
                        Impersonation.Granted.class,
                        granted -> assertThat(granted.user().groups())
                                .containsExactly(
                                        "system:serviceaccounts", "system:serviceaccounts:a", User.AUTHENTICATED));
    }

    @Test
    void onlyNamesThatAnAccountCanHaveAreAccounts() {
        assertThat(ServiceAccounts.account("system:serviceaccount:default:bob"))
                .isEqualTo(new ServiceAccounts.Account("default", "bob"));
        assertThat(List.of("DEFAULT:bob", "default:Bob", "default:a:b", "default:", ":bob", "default", "a.b:bob"))
                .allSatisfy(rest -> assertThat(ServiceAccounts.account("system:serviceaccount:" + rest))
                        .isNull());
    }
}
