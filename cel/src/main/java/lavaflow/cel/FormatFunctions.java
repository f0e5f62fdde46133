package lavaflow.cel;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

import lavaflow.kube.Names;

/** Kubernetes' named formats. */
final class FormatFunctions {
    private static final Map<String, NamedFormat> FORMATS = new LinkedHashMap<>();

    static {
        add("dns1123Label", 30, text -> Names.LABEL.check(text, false));
        add("dns1123Subdomain", 60, text -> Names.SUBDOMAIN.check(text, false));
        add("dns1035Label", 30, text -> Names.DNS1035.check(text, false));
        add("qualifiedName", 60, Names::qualifiedName);
        add("dns1123LabelPrefix", 30, text -> Names.LABEL.check(text, true));
        add("dns1123SubdomainPrefix", 60, text -> Names.SUBDOMAIN.check(text, true));
        add("dns1035LabelPrefix", 30, text -> Names.DNS1035.check(text, true));
        add("labelValue", 40, Names::labelValue);
        add("uri", 1103, FormatFunctions::uri);
        add("uuid", 71, text -> problem(StringFormats.isUuid(text), "does not match the UUID format"));
        add("byte", 84, text -> problem(StringFormats.isBase64(text), "invalid base64"));
        add("date", 71, text -> problem(StringFormats.isDate(text), "invalid date"));
        add("datetime", 71, text -> problem(StringFormats.isDateTime(text), "invalid datetime"));
    }

    private FormatFunctions() {}

    /** A format: its check lists what is wrong. {@code regexSize} prices it. */
    record NamedFormat(String name, int regexSize, Function<String, List<String>> check) implements TypedValue {
        @Override
        public CelType type() {
            return CelType.NAMED_FORMAT;
        }
    }

    private static void add(String name, int regexSize, Function<String, List<String>> check) {
        FORMATS.put(name, new NamedFormat(name, regexSize, check));
    }

    private static List<String> problem(boolean fine, String otherwise) {
        return fine ? List.of() : List.of(otherwise);
    }

    private static List<String> uri(String text) {
        try {
            GoUrl.parseRequest(text);
            return List.of();
        } catch (CelException wrong) {
            return List.of(wrong.text());
        }
    }

    static void register(Implementations all) {
        FORMATS.forEach((name, format) -> all.overload("format." + name, args -> format));
        all.overload("format-named", args -> {
            NamedFormat format = FORMATS.get((String) args[0]);
            return format == null ? CelOptional.NONE : CelOptional.of(format);
        });
        all.overload("format-validate", args -> {
            List<String> problems = ((NamedFormat) args[0]).check().apply((String) args[1]);
            return problems.isEmpty() ? CelOptional.NONE : CelOptional.of(Lists.of(problems));
        });
    }
}
