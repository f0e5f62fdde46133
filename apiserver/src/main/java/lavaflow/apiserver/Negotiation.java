package lavaflow.apiserver;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import lavaflow.kube.ApiException;

import org.jspecify.annotations.Nullable;

/** Reads Accept headers as upstream does: media types with q-values, wildcards, and the parameters as, g and v. */
final class Negotiation {
    static final String JSON = "application/json";
    static final String YAML = "application/yaml";
    static final String PROTOBUF = "application/vnd.kubernetes.protobuf";

    /** What an answer should look like. */
    enum Form {
        OBJECT,
        TABLE,
        METADATA,
        METADATA_LIST
    }

    /**
     * The chosen representation.
     *
     * @param version version of the transformed kind, v1 or v1beta1
     */
    record Choice(String mediaType, Form form, String version) {
        String contentType() {
            return mediaType;
        }

        /** Whether it is nothing the client asked for. */
        boolean isFallback() {
            return version.equals("fallback");
        }

        boolean yaml() {
            return mediaType.equals(YAML);
        }
    }

    record Accept(String type, Map<String, String> parameters, double quality) {}

    /** What a client gets that accepts nothing we have: JSON, indented, because a person will look at it. */
    private static final Choice FALLBACK = new Choice(JSON, Form.OBJECT, "fallback");

    private Negotiation() {}

    /** The representation for documents that have one form only, errors among them. */
    static Choice plain(@Nullable String header) {
        if (header == null || header.isBlank()) {
            return new Choice(JSON, Form.OBJECT, "");
        }
        for (Accept accept : parse(header)) {
            Choice choice = accept.parameters().containsKey("as") ? null : choice(accept, false, false);
            if (choice != null) {
                return choice;
            }
            // Not enough to be served an object, but enough to say in what form to refuse it.
            if (accept.type().equals("application/*")) {
                return new Choice(JSON, Form.OBJECT, "");
            }
        }
        return FALLBACK;
    }

    /** The representation for a resource; {@code tables} says whether it can be shown as a table. */
    static Choice choose(@Nullable String header, boolean tables, boolean list) {
        if (header == null || header.isBlank()) {
            return new Choice(JSON, Form.OBJECT, "");
        }
        for (Accept accept : parse(header)) {
            Choice choice = choice(accept, tables, list);
            if (choice != null) {
                return choice;
            }
        }
        throw onlyTransforms(header) ? notAcceptable() : unavailable(list);
    }

    /** The representation of events, which never come as YAML. Metadata is asked for by the name of object or list. */
    static Choice chooseStream(@Nullable String header, boolean tables) {
        if (header == null || header.isBlank()) {
            return new Choice(JSON, Form.OBJECT, "");
        }
        for (Accept accept : parse(header)) {
            for (boolean list : new boolean[] {false, true}) {
                Choice choice = choice(accept, tables, list);
                if (choice != null && !choice.yaml()) {
                    return choice;
                }
            }
        }
        if (!onlyTransforms(header)) {
            throw unavailable(true);
        }
        throw ApiException.of(
                406,
                "NotAcceptable",
                "only the following media types are accepted: application/json;stream=watch,"
                        + " application/vnd.kubernetes.protobuf;stream=watch");
    }

    /** A known media type asked for in a form that does not exist. */
    private static boolean onlyTransforms(String header) {
        return parse(header).stream()
                .anyMatch(accept -> List.of(JSON, YAML, PROTOBUF).contains(accept.type())
                        || accept.type().equals("*/*"));
    }

    static ApiException notAcceptable() {
        return ApiException.of(
                406,
                "NotAcceptable",
                "only the following media types are accepted: application/json, application/yaml,"
                        + " application/vnd.kubernetes.protobuf");
    }

    /** What upstream's router says before the resource is asked. */
    private static ApiException unavailable(boolean list) {
        String streams = ", application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch";
        ApiException refusal = ApiException.of(
                406,
                "NotAcceptable",
                "406: Not Acceptable\n\nAvailable representations: application/json, application/yaml,"
                        + " application/vnd.kubernetes.protobuf" + (list ? streams : ""));
        return refusal.withEmptyDetails();
    }

    private static @Nullable Choice choice(Accept accept, boolean tables, boolean list) {
        String media = switch (accept.type()) {
            case JSON, "*/*" -> JSON;
            case YAML -> YAML;
            default -> null;
        };
        if (media == null) {
            return null;
        }
        String as = accept.parameters().getOrDefault("as", "");
        if (as.isEmpty()) {
            return new Choice(media, Form.OBJECT, "");
        }
        String version = accept.parameters().getOrDefault("v", "");
        boolean meta = accept.parameters().getOrDefault("g", "").equals("meta.k8s.io")
                && (version.equals("v1") || version.equals("v1beta1"));
        if (!meta) {
            return null;
        }
        return switch (as) {
            case "Table" -> tables ? new Choice(media, Form.TABLE, version) : null;
            case "PartialObjectMetadata" -> list ? null : new Choice(media, Form.METADATA, version);
            case "PartialObjectMetadataList" -> list ? new Choice(media, Form.METADATA_LIST, version) : null;
            default -> null;
        };
    }

    /** The alternatives, best first. */
    static List<Accept> parse(String header) {
        List<Accept> accepts = new ArrayList<>();
        for (String part : header.split(",", -1)) {
            String[] pieces = part.trim().split(";", -1);
            Map<String, String> parameters = new LinkedHashMap<>();
            double quality = 1;
            for (int i = 1; i < pieces.length; i++) {
                int equals = pieces[i].indexOf('=');
                if (equals < 0) {
                    continue;
                }
                String name = pieces[i].substring(0, equals).trim().toLowerCase(Locale.ROOT);
                String value = pieces[i].substring(equals + 1).trim();
                if (name.equals("q")) {
                    quality = quality(value);
                } else {
                    parameters.put(name, value);
                }
            }
            accepts.add(new Accept(pieces[0].trim(), parameters, quality));
        }
        accepts.sort(Comparator.comparingDouble(Accept::quality).reversed());
        return accepts;
    }

    private static double quality(String text) {
        try {
            return Double.parseDouble(text);
        } catch (NumberFormatException e) {
            return 1;
        }
    }

    /** The media type of a Content-Type header, without parameters. */
    static String mediaType(@Nullable String header) {
        if (header == null) {
            return "";
        }
        int semicolon = header.indexOf(';');
        return (semicolon < 0 ? header : header.substring(0, semicolon)).trim().toLowerCase(Locale.ROOT);
    }
}
