package lavaflow;

import java.util.List;
import java.util.Set;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ControllerSelectionTest {
    private static List<String> selected(String text) {
        return List.of("a", "b", "odd").stream()
                .filter(ControllerSelection.parse(text).wanted(name -> !name.equals("odd")))
                .toList();
    }

    @Test
    void selectsAsUpstreamDoes() {
        assertThat(selected("*")).containsExactly("a", "b");
        assertThat(selected("*,-a")).containsExactly("b");
        assertThat(selected("*,odd")).containsExactly("a", "b", "odd");
        assertThat(selected("b")).containsExactly("b");
        assertThat(selected("-a")).isEmpty();
        assertThat(selected("a,-a")).containsExactly("a");
        assertThat(selected(" * , -b ")).containsExactly("a");
    }

    @Test
    void namesWhatNobodyHas() {
        assertThat(ControllerSelection.parse("*,-x,a,y").unknown(Set.of("a", "b")))
                .containsExactly("y", "x");
    }
}
