package lavaflow.kube;

import org.jspecify.annotations.Nullable;

/**
 * A range of addresses: {@code 10.0.0.0/8}.
 *
 * @param address as written, which may have bits behind the prefix
 * @param prefix how many leading bits all addresses share
 * @param leadingZeros whether it was written with zeros that some read as octal
 */
public record Cidr(IpAddress address, int prefix, boolean leadingZeros) {
    /** Reads a range; null where it is none. Leading zeros are read as decimal. */
    public static @Nullable Cidr parse(String text) {
        int slash = text.indexOf('/');
        if (slash < 0) {
            return null;
        }
        IpAddress address = IpAddress.parse(text.substring(0, slash));
        String bits = text.substring(slash + 1);
        if (address == null) {
            return null;
        }
        int prefix = IpAddress.decimal(bits, address.is4() && !address.mapped() ? 32 : 128);
        if (prefix < 0) {
            return null;
        }
        boolean zeros = bits.length() > 1 && bits.charAt(0) == '0';
        return new Cidr(address, prefix, zeros || address.leadingZeros());
    }

    /** The first address of the range. */
    public IpAddress network() {
        return address.masked(prefix);
    }

    /** Whether the address is the range's first one. */
    public boolean masked() {
        return address.equals(network());
    }

    public boolean contains(IpAddress other) {
        return other.is4() == address.is4() && other.masked(prefix).equals(network());
    }

    @Override
    public String toString() {
        return network() + "/" + prefix;
    }
}
