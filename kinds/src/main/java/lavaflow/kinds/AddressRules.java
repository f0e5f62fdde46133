package lavaflow.kinds;

import java.util.Collection;
import java.util.List;

import lavaflow.kube.Cidr;
import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.IpAddress;

/** What upstream says of addresses and ranges that are wrong or oddly written. */
final class AddressRules {
    private AddressRules() {}

    /** An address in a field that once took odd forms: those that are there already may stay. */
    static boolean legacyIp(FieldPath path, String value, Collection<String> known, FieldErrors errors) {
        return known.contains(value) || parsedIp(path, value, errors) != null;
    }

    private static @org.jspecify.annotations.Nullable IpAddress parsedIp(
            FieldPath path, String value, FieldErrors errors) {
        IpAddress ip = IpAddress.parse(value);
        if (ip == null) {
            errors.invalid(path, value, "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)");
        } else if (ip.leadingZeros()) {
            errors.invalid(path, value, "must not have leading 0s");
            return null;
        } else if (ip.mapped()) {
            errors.invalid(path, value, "must not be an IPv4-mapped IPv6 address");
            return null;
        }
        return ip;
    }

    /** An address in its one canonical form. */
    static boolean canonicalIp(FieldPath path, String value, FieldErrors errors) {
        IpAddress ip = parsedIp(path, value, errors);
        if (ip != null && !ip.toString().equals(value)) {
            errors.invalid(path, value, "must be in canonical form (" + FieldErrors.quoted(ip.toString()) + ")");
            return false;
        }
        return ip != null;
    }

    /** A range in a field that once took odd forms: those that are there already may stay. */
    static boolean legacyCidr(FieldPath path, String value, Collection<String> known, FieldErrors errors) {
        return known.contains(value) || parsedCidr(path, value, errors) != null;
    }

    private static @org.jspecify.annotations.Nullable Cidr parsedCidr(
            FieldPath path, String value, FieldErrors errors) {
        Cidr cidr = Cidr.parse(value);
        if (cidr == null) {
            errors.invalid(path, value, "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)");
            return null;
        }
        String wrong = cidr.leadingZeros()
                ? "must not have leading 0s in IP or prefix length"
                : cidr.address().mapped()
                        ? "must not have an IPv4-mapped IPv6 address"
                        : cidr.masked() ? "" : "must not have bits set beyond the prefix length";
        if (!wrong.isEmpty()) {
            errors.invalid(path, value, wrong);
            return null;
        }
        return cidr;
    }

    /** A range in its one canonical form. */
    static boolean canonicalCidr(FieldPath path, String value, FieldErrors errors) {
        Cidr cidr = parsedCidr(path, value, errors);
        if (cidr != null && !cidr.toString().equals(value)) {
            errors.invalid(path, value, "must be in canonical form (" + FieldErrors.quoted(cidr.toString()) + ")");
            return false;
        }
        return cidr != null;
    }

    /** An address that traffic can be sent to from elsewhere. */
    static void endpointIp(FieldPath path, String value, FieldErrors errors) {
        IpAddress ip = IpAddress.parse(value);
        if (ip == null) {
            errors.invalid(path, value, "must be a valid IP address");
            return;
        }
        if (ip.unspecified()) {
            errors.invalid(path, value, "may not be unspecified (" + value + ")");
        }
        if (ip.loopback()) {
            errors.invalid(path, value, "may not be in the loopback range (127.0.0.0/8, ::1/128)");
        }
        if (ip.linkLocal()) {
            errors.invalid(path, value, "may not be in the link-local range (169.254.0.0/16, fe80::/10)");
        }
        if (ip.linkLocalMulticast()) {
            errors.invalid(path, value, "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)");
        }
    }

    /** Warns of an address in an old form. */
    static void warnOfIp(FieldPath path, String value, List<String> warnings) {
        IpAddress ip = IpAddress.parse(value);
        if (ip == null) {
            return;
        }
        String quoted = FieldErrors.quoted(value);
        String canonical = FieldErrors.quoted(ip.toString());
        if (ip.leadingZeros() || ip.mapped()) {
            warnings.add(path + ": non-standard IP address " + quoted + " is invalid: use " + canonical);
        } else if (!ip.is4() && !ip.toString().equals(value)) {
            warnings.add(
                    path + ": IPv6 address " + quoted + " should be in RFC 5952 canonical format (" + canonical + ")");
        }
    }

    /** Warns of a range in an old form. */
    static void warnOfCidr(FieldPath path, String value, List<String> warnings) {
        Cidr cidr = Cidr.parse(value);
        if (cidr == null) {
            return;
        }
        int before = warnings.size();
        String quoted = FieldErrors.quoted(value);
        String canonical = FieldErrors.quoted(cidr.toString());
        if (!cidr.masked()) {
            String single = cidr.address() + "/" + (cidr.address().is4() ? 32 : 128);
            warnings.add(path + ": CIDR value " + quoted + " is ambiguous in this context (should be " + canonical
                    + " or " + FieldErrors.quoted(single) + "?)");
        }
        if (cidr.leadingZeros() || cidr.address().mapped()) {
            warnings.add(path + ": non-standard CIDR value " + quoted + " is invalid: use " + canonical);
        }
        if (warnings.size() == before
                && !cidr.address().is4()
                && !cidr.toString().equals(value)) {
            warnings.add(path + ": IPv6 CIDR value " + quoted + " should be in RFC 5952 canonical format (" + canonical
                    + ")");
        }
    }
}
