package lavaflow.linux;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class UserNamespaceTest {
    @Test
    void theMachinesOwnHasAllUsers() {
        UserNamespace machine = UserNamespace.parse(
                "         0          0 4294967295\n", "         0          0 4294967295\n", "allow\n");

        assertThat(machine.isInitial()).isTrue();
        assertThat(machine.hasUser(4_294_967_294L)).isTrue();
        assertThat(machine.groupsChange()).isTrue();
        assertThat(machine.lastGroup()).isEqualTo(Integer.MAX_VALUE);
    }

    @Test
    void anotherHasTheRangesThatItWasGiven() {
        UserNamespace own = UserNamespace.parse("0 1001 1\n1 100000 65536\n", "0 1002 1\n", "deny\n");

        assertThat(own.isInitial()).isFalse();
        assertThat(own.owner()).isEqualTo(1001);
        assertThat(own.userCount()).isEqualTo(65_537);
        assertThat(own.hasUser(65_536)).isTrue();
        assertThat(own.hasUser(65_537)).isFalse();
        assertThat(own.hasGroup(0)).isTrue();
        assertThat(own.hasGroup(1)).isFalse();
        assertThat(own.groupsChange()).isFalse();
        assertThat(own.lastGroup()).isZero();
    }

    @Test
    void groupsAreCountedUpToTheFirstThatIsMissing() {
        UserNamespace own = UserNamespace.parse("0 0 1", "1 100000 65536\n0 1001 1\n70000 300000 10", "allow");

        assertThat(own.lastGroup()).isEqualTo(65_536);
    }
}
