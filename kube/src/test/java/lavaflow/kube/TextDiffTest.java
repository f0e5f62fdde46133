package lavaflow.kube;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class TextDiffTest {
    @Test
    void showsTheChangedLineAndThreeAroundIt() {
        String before = "{'a':{'b':[1,2]},'c':null,'d':{},'e':[],'f':'x','g':1,'h':2}".replace('\'', '"');
        assertThat(TextDiff.ofJson(Json.parse(before), Json.parse(before.replace("\"x\"", "\"y\""))))
                .isEqualTo("""
                        @@ -8,7 +8,7 @@
                          "c": null,
                          "d": {},
                          "e": [],
                        - "f": "x",
                        + "f": "y",
                          "g": 1,
                          "h": 2
                         }
                        """);
    }

    @Test
    void isEmptyWhereNothingChanged() {
        assertThat(TextDiff.of("a\nb", "a\nb")).isEmpty();
    }

    @Test
    void groupsDistantChangesIntoHunks() {
        assertThat(TextDiff.of("a\n1\n2\n3\n4\n5\n6\n7\n8\nb", "A\n1\n2\n3\n4\n5\n6\n7\n8\nB"))
                .isEqualTo("""
                        @@ -1,4 +1,4 @@
                        -a
                        +A
                         1
                         2
                         3
                        @@ -7,4 +7,4 @@
                         6
                         7
                         8
                        -b
                        +B
                        """);
    }

    @Test
    void joinsCloseChanges() {
        assertThat(TextDiff.of("a\n1\n2\nb", "A\n1\n2\nB")).isEqualTo("""
                        @@ -1,4 +1,4 @@
                        -a
                        +A
                         1
                         2
                        -b
                        +B
                        """);
    }

    @Test
    void matchesTheLongestBlockFirst() {
        assertThat(TextDiff.of("host: {\n path\n}\nglusterfs\nnfs: null", "host: null\nglusterfs\nnfs: {\n path\n}"))
                .isEqualTo("""
                        @@ -1,5 +1,5 @@
                        -host: {
                        +host: null
                        +glusterfs
                        +nfs: {
                          path
                         }
                        -glusterfs
                        -nfs: null
                        """);
    }

    @Test
    void countsSingleAndMissingLines() {
        assertThat(TextDiff.of("a", "b")).isEqualTo("@@ -1 +1 @@\n-a\n+b\n");
        assertThat(TextDiff.of("a\nb", "a")).isEqualTo("@@ -1,2 +1 @@\n a\n-b\n");
    }
}
