package lavaflow.e2e;

import java.util.List;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class DifferencesTest {
    private static JsonNode json(String text) {
        return Json.parse(text.replace('\'', '"'));
    }

    private static List<String> paths(String ours, String theirs) {
        return Differences.between(json(ours), json(theirs)).stream()
                .map(Differences.Difference::path)
                .toList();
    }

    @Test
    void ignoresTheOrderOfKeys() {
        assertThat(paths("{'a':1,'b':2}", "{'b':2,'a':1}")).isEmpty();
    }

    @Test
    void tellsAbsentNullAndEmptyApart() {
        assertThat(paths("{}", "{'a':null}")).containsExactly("a");
        assertThat(paths("{'a':{}}", "{'a':null}")).containsExactly("a");
        assertThat(paths("{'a':[]}", "{}")).containsExactly("a");
    }

    @Test
    void pairsItemsByName() {
        assertThat(paths(
                        "{'items':[{'name':'b','v':1},{'name':'c','v':1}]}",
                        "{'items':[{'name':'a','v':1},{'name':'b','v':2},{'name':'c','v':1}]}"))
                .containsExactly("items[b].v", "items[a]");
    }

    @Test
    void seesTheOrderOfItems() {
        assertThat(paths("[{'name':'a'},{'name':'b'}]", "[{'name':'b'},{'name':'a'}]"))
                .containsExactly(" (order)");
        assertThat(paths("['a','b']", "['b','a']")).containsExactly("[0]", "[1]");
    }

    @Test
    void leavesOutWhatIsIgnored() {
        JsonNode tree = json("{'body':{'items':[{'t':1,'k':2},{'t':3}],'x/y':1}}");

        Differences.blank(tree, "/body/items/*/t");
        Differences.blank(tree, "/body/x~1y");

        assertThat(tree).isEqualTo(json("{'body':{'items':[{'k':2},{}]}}"));
    }
}
