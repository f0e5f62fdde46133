package lavaflow.cel;

import lavaflow.kube.GoQuote;

import org.jspecify.annotations.Nullable;

/** Reads and prints addresses. Errors are those of Go's netip. */
final class IpText {
    private final String text;

    private IpText(String text) {
        this.text = text;
    }

    static NetworkValues.Ip parse(String text) {
        IpText reader = new IpText(text);
        for (int i = 0; i < text.length(); i++) {
            switch (text.charAt(i)) {
                case '.' -> {
                    return new NetworkValues.Ip(reader.v4(text), "");
                }
                case ':' -> {
                    return reader.v6();
                }
                case '%' -> throw reader.failure("missing IPv6 address", "");
                default -> {}
            }
        }
        throw reader.failure("unable to parse IP", "");
    }

    private CelException failure(String message, String at) {
        return new CelException("ParseAddr(" + GoQuote.quote(text) + "): " + message
                + (at.isEmpty() ? "" : " (at " + GoQuote.quote(at) + ")"));
    }

    private byte[] v4(String part) {
        byte[] bytes = new byte[4];
        int field = 0;
        int value = 0;
        int digits = 0;
        for (int i = 0; i < part.length(); i++) {
            char c = part.charAt(i);
            if (c >= '0' && c <= '9') {
                if (digits == 1 && value == 0) {
                    throw failure("IPv4 field has octet with leading zero", "");
                }
                value = value * 10 + c - '0';
                digits++;
                if (value > 255) {
                    throw failure("IPv4 field has value >255", "");
                }
            } else if (c == '.') {
                if (i == 0 || i == part.length() - 1 || part.charAt(i - 1) == '.') {
                    throw failure("IPv4 field must have at least one digit", part.substring(i));
                }
                if (field == 3) {
                    throw failure("IPv4 address too long", "");
                }
                bytes[field++] = (byte) value;
                value = 0;
                digits = 0;
            } else {
                throw failure("unexpected character", part.substring(i));
            }
        }
        if (field < 3) {
            throw failure("IPv4 address too short", "");
        }
        bytes[3] = (byte) value;
        return bytes;
    }

    private NetworkValues.Ip v6() {
        String rest = text;
        String zone = "";
        int percent = rest.indexOf('%');
        if (percent >= 0) {
            zone = rest.substring(percent + 1);
            rest = rest.substring(0, percent);
            if (zone.isEmpty()) {
                throw failure("zone must be a non-empty string", "");
            }
        }
        byte[] bytes = new byte[16];
        int ellipsis = -1;
        if (rest.startsWith("::")) {
            ellipsis = 0;
            rest = rest.substring(2);
            if (rest.isEmpty()) {
                return new NetworkValues.Ip(bytes, zone);
            }
        }
        int at = 0;
        while (at < 16) {
            int digits = 0;
            int value = 0;
            while (digits < rest.length()
                    && Character.digit(rest.charAt(digits), 16) >= 0
                    && rest.charAt(digits) < 0x80) {
                if (digits > 3) {
                    throw failure("each group must have 4 or less digits", rest);
                }
                value = value * 16 + Character.digit(rest.charAt(digits), 16);
                digits++;
            }
            if (digits == 0) {
                throw failure("each colon-separated field must have at least one digit", rest);
            }
            if (digits < rest.length() && rest.charAt(digits) == '.') {
                at = embeddedV4(bytes, at, ellipsis, rest);
                rest = "";
                break;
            }
            bytes[at] = (byte) (value >> 8);
            bytes[at + 1] = (byte) value;
            at += 2;
            rest = rest.substring(digits);
            if (rest.isEmpty()) {
                break;
            }
            if (rest.charAt(0) != ':') {
                throw failure("unexpected character, want colon", rest);
            }
            if (rest.length() == 1) {
                throw failure("colon must be followed by more characters", rest);
            }
            rest = rest.substring(1);
            if (rest.charAt(0) == ':') {
                if (ellipsis >= 0) {
                    throw failure("multiple :: in address", rest);
                }
                ellipsis = at;
                rest = rest.substring(1);
                if (rest.isEmpty()) {
                    break;
                }
            }
        }
        if (!rest.isEmpty()) {
            throw failure("trailing garbage after address", rest);
        }
        return new NetworkValues.Ip(expanded(bytes, at, ellipsis), zone);
    }

    private int embeddedV4(byte[] bytes, int at, int ellipsis, String rest) {
        if (ellipsis < 0 && at != 12) {
            throw failure("embedded IPv4 address must replace the final 2 fields of the address", rest);
        }
        if (at + 4 > 16) {
            throw failure("too many hex fields to fit an embedded IPv4 at the end of the address", rest);
        }
        System.arraycopy(v4(rest), 0, bytes, at, 4);
        return at + 4;
    }

    private byte[] expanded(byte[] bytes, int at, int ellipsis) {
        if (at == 16) {
            if (ellipsis >= 0) {
                throw failure("the :: must expand to at least one field of zeros", "");
            }
            return bytes;
        }
        if (ellipsis < 0) {
            throw failure("address string too short", "");
        }
        byte[] all = new byte[16];
        System.arraycopy(bytes, 0, all, 0, ellipsis);
        System.arraycopy(bytes, ellipsis, all, 16 - (at - ellipsis), at - ellipsis);
        return all;
    }

    static NetworkValues.Network parseNetwork(String text) {
        String what = "netip.ParsePrefix(" + GoQuote.quote(text) + "): ";
        int slash = text.lastIndexOf('/');
        if (slash < 0) {
            throw new CelException(what + "no '/'");
        }
        NetworkValues.Ip address;
        try {
            address = parse(text.substring(0, slash));
        } catch (CelException wrong) {
            throw new CelException(what + wrong.text());
        }
        if (!address.zone().isEmpty()) {
            throw new CelException(what + "IPv6 zones cannot be present in a prefix");
        }
        String bits = text.substring(slash + 1);
        if (bits.length() > 1 && (bits.charAt(0) < '1' || bits.charAt(0) > '9')) {
            throw new CelException(what + "bad bits after slash: " + GoQuote.quote(bits));
        }
        Integer count = decimal(bits);
        if (count == null) {
            throw new CelException(what + "bad bits after slash: " + GoQuote.quote(bits));
        }
        if (count > address.bytes().length * 8) {
            throw new CelException(what + "prefix length out of range");
        }
        return new NetworkValues.Network(address, count);
    }

    private static @Nullable Integer decimal(String digits) {
        if (digits.isEmpty() || digits.length() > 9) {
            return null;
        }
        for (int i = 0; i < digits.length(); i++) {
            if (digits.charAt(i) < '0' || digits.charAt(i) > '9') {
                return null;
            }
        }
        return Integer.valueOf(digits);
    }

    /** RFC 5952's form: the first longest run of zero groups is left out. */
    static String print(byte[] bytes) {
        int bestStart = -1;
        int bestLength = 1;
        for (int i = 0; i < 8; ) {
            int j = i;
            while (j < 8 && bytes[j * 2] == 0 && bytes[j * 2 + 1] == 0) {
                j++;
            }
            if (j - i > bestLength) {
                bestStart = i;
                bestLength = j - i;
            }
            i = j + 1;
        }
        if (bestStart == 0 && bestLength == 5 && bytes[10] == -1 && bytes[11] == -1) {
            return "::ffff:%d.%d.%d.%d".formatted(bytes[12] & 255, bytes[13] & 255, bytes[14] & 255, bytes[15] & 255);
        }
        StringBuilder out = new StringBuilder();
        for (int i = 0; i < 8; i++) {
            if (i == bestStart) {
                out.append("::");
                i += bestLength - 1;
                continue;
            }
            if (!out.isEmpty() && out.charAt(out.length() - 1) != ':') {
                out.append(':');
            }
            out.append(Integer.toHexString(((bytes[i * 2] & 255) << 8) | (bytes[i * 2 + 1] & 255)));
        }
        return out.toString();
    }
}
