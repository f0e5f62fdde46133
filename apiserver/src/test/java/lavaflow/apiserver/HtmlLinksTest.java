package lavaflow.apiserver;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class HtmlLinksTest {
    private static String rewrite(String page) {
        return HtmlLinks.rewrite(page, link -> link.startsWith("/") ? "/p" + link : link);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
            <a href="/x">/x</a>                      | <a href="/p/x">/x</a>
            <A HREF='/x' class=a>                    | <A HREF='/p/x' class=a>
            <a href=/x>                              | <a href=/p/x>
            <a href = "/x">                          | <a href = "/p/x">
            <a href="/x?a=1&amp;b=2">                | <a href="/p/x?a=1&amp;b=2">
            <a href="x">                             | <a href="x">
            <a title="/x">                           | <a title="/x">
            <b href="/x">                            | <b href="/x">
            <img src="/x" longdesc="/y"/>            | <img src="/p/x" longdesc="/p/y"/>
            <!-- <a href="/x"> --><a href="/x">      | <!-- <a href="/x"> --><a href="/p/x">
            <script src="/x">a="<a href='/x'>"</script><a href="/y"> | <script src="/p/x">a="<a href='/x'>"</script><a href="/p/y">
            a < b <a href="/x                        | a < b <a href="/p/x
            <a href                                  | <a href
            <                                        | <
            <form action="/x"><input formaction="/y" disabled> | <form action="/p/x"><input formaction="/p/y" disabled>
            """)
    void linksOfKnownElementsAreChangedAndNothingElse(String page, String changed) {
        assertThat(rewrite(page)).isEqualTo(changed);
    }

    @Test
    void aPackedPageIsPackedAgain() throws IOException {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (GZIPOutputStream packing = new GZIPOutputStream(packed)) {
            packing.write("<a href=/x>é".getBytes(StandardCharsets.UTF_8));
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (RewrittenPage page = new RewrittenPage(out, true, link -> "/p" + link)) {
            page.write(packed.toByteArray());
        }
        byte[] plain = new GZIPInputStream(new ByteArrayInputStream(out.toByteArray())).readAllBytes();
        assertThat(new String(plain, StandardCharsets.UTF_8)).isEqualTo("<a href=/p/x>é");
    }

    @Test
    void whatIsTooLongOrNotPackedAtAllIsPassedOn() throws IOException {
        byte[] large = "<a href=/x>".repeat(500_000).getBytes(StandardCharsets.US_ASCII);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (RewrittenPage page = new RewrittenPage(out, false, link -> "/p" + link)) {
            page.write(large, 0, 1000);
            page.write(large, 1000, large.length - 1000);
        }
        assertThat(out.toByteArray()).isEqualTo(large);

        ByteArrayOutputStream other = new ByteArrayOutputStream();
        try (RewrittenPage page = new RewrittenPage(other, true, link -> "/p" + link)) {
            page.write("no gzip".getBytes(StandardCharsets.US_ASCII));
        }
        assertThat(other.toString(StandardCharsets.US_ASCII)).isEqualTo("no gzip");
    }
}
