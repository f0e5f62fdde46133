package lavaflow.apiserver;

import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;

/** Changes where a page leads to, and leaves every other byte as it is. */
final class HtmlLinks {
    /** What of which elements is a link. */
    private static final Map<String, Set<String>> LINKS = Map.ofEntries(
            Map.entry("a", Set.of("href")),
            Map.entry("applet", Set.of("codebase")),
            Map.entry("area", Set.of("href")),
            Map.entry("audio", Set.of("src")),
            Map.entry("base", Set.of("href")),
            Map.entry("blockquote", Set.of("cite")),
            Map.entry("body", Set.of("background")),
            Map.entry("button", Set.of("formaction")),
            Map.entry("command", Set.of("icon")),
            Map.entry("del", Set.of("cite")),
            Map.entry("embed", Set.of("src")),
            Map.entry("form", Set.of("action")),
            Map.entry("frame", Set.of("longdesc", "src")),
            Map.entry("head", Set.of("profile")),
            Map.entry("html", Set.of("manifest")),
            Map.entry("iframe", Set.of("longdesc", "src")),
            Map.entry("img", Set.of("longdesc", "src", "usemap")),
            Map.entry("input", Set.of("src", "usemap", "formaction")),
            Map.entry("ins", Set.of("cite")),
            Map.entry("link", Set.of("href")),
            Map.entry("object", Set.of("classid", "codebase", "data", "usemap")),
            Map.entry("q", Set.of("cite")),
            Map.entry("script", Set.of("src")),
            Map.entry("source", Set.of("src")),
            Map.entry("video", Set.of("poster", "src")));

    /** Elements in which nothing is an element. */
    private static final Set<String> RAW = Set.of("script", "style", "textarea", "title", "noscript", "xmp", "iframe");

    private final String page;
    private final UnaryOperator<String> change;
    private final StringBuilder changed;
    private int at;
    private int copied;

    private HtmlLinks(String page, UnaryOperator<String> change) {
        this.page = page;
        this.change = change;
        this.changed = new StringBuilder(page.length() + 256);
    }

    static String rewrite(String page, UnaryOperator<String> change) {
        return new HtmlLinks(page, change).rewrite();
    }

    private String rewrite() {
        for (int tag = page.indexOf('<', at); tag >= 0; tag = page.indexOf('<', at)) {
            at = tag + 1;
            if (page.startsWith("!--", at)) {
                int end = page.indexOf("-->", at);
                at = end < 0 ? page.length() : end + 3;
            } else if (at < page.length() && Character.isLetter(page.charAt(at))) {
                element();
            }
        }
        return changed.append(page, copied, page.length()).toString();
    }

    private void element() {
        String name = word();
        Set<String> links = LINKS.getOrDefault(name, Set.of());
        while (at < page.length() && page.charAt(at) != '>') {
            if (isName(page.charAt(at))) {
                attribute(links);
            } else {
                at++;
            }
        }
        if (RAW.contains(name)) {
            skipTo("</" + name);
        }
    }

    private void skipTo(String end) {
        while (at < page.length() && !page.regionMatches(true, at, end, 0, end.length())) {
            int next = page.indexOf('<', at + 1);
            at = next < 0 ? page.length() : next;
        }
    }

    private static boolean isName(char c) {
        return c > ' ' && c != '>' && c != '/' && c != '=' && c != '"' && c != '\'' && c != '<';
    }

    private String word() {
        int begin = at;
        while (at < page.length() && isName(page.charAt(at))) {
            at++;
        }
        return page.substring(begin, at).toLowerCase(Locale.ROOT);
    }

    private void spaces() {
        while (at < page.length() && page.charAt(at) <= ' ') {
            at++;
        }
    }

    private void attribute(Set<String> links) {
        String name = word();
        int before = at;
        spaces();
        if (at >= page.length() || page.charAt(at) != '=') {
            at = before;
            return;
        }
        at++;
        spaces();
        char quote = at < page.length() ? page.charAt(at) : ' ';
        int begin;
        int end;
        if (quote == '"' || quote == '\'') {
            begin = at + 1;
            int closing = page.indexOf(quote, begin);
            end = closing < 0 ? page.length() : closing;
            at = Math.min(end + 1, page.length());
        } else {
            begin = at;
            while (at < page.length() && page.charAt(at) > ' ' && page.charAt(at) != '>') {
                at++;
            }
            end = at;
        }
        if (links.contains(name)) {
            link(begin, end);
        }
    }

    private void link(int begin, int end) {
        String old = page.substring(begin, end);
        String leads = change.apply(old.replace("&amp;", "&"));
        if (!leads.equals(old.replace("&amp;", "&"))) {
            changed.append(page, copied, begin).append(leads.replace("&", "&amp;"));
            copied = end;
        }
    }
}
