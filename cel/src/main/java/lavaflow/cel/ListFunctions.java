package lavaflow.cel;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Functions on lists: Kubernetes' own, those of sets, and those of the language's extension. */
final class ListFunctions {
    private static final Set<String> ORDERED =
            Set.of("int", "uint", "double", "bool", "duration", "timestamp", "string", "bytes");
    private static final int LONGEST_RANGE = 10_000_000;

    private ListFunctions() {}

    static void register(Implementations all) {
        for (String type : ORDERED) {
            all.overload("list_" + type + "_is_sorted_bool", args -> isSorted((CelList) args[0]));
            all.overload("list_" + type + "_max_" + type, args -> extreme((CelList) args[0], "max", 1));
            all.overload("list_" + type + "_min_" + type, args -> extreme((CelList) args[0], "min", -1));
            String name = switch (type) {
                case "duration" -> "google.protobuf.Duration";
                case "timestamp" -> "google.protobuf.Timestamp";
                default -> type;
            };
            all.overload("list_" + name + "_sort", args -> sorted((CelList) args[0], (CelList) args[0]));
            all.overload(
                    "list_" + name + "_sortByAssociatedKeys", args -> sorted((CelList) args[0], (CelList) args[1]));
        }
        all.overload("list_int_sum_int", args -> sum((CelList) args[0], 0L));
        all.overload("list_uint_sum_uint", args -> sum((CelList) args[0], new UnsignedLong(0)));
        all.overload("list_double_sum_double", args -> sum((CelList) args[0], 0.0));
        all.overload("list_duration_sum_duration", args -> sum((CelList) args[0], Duration.ZERO));
        all.countedOverload("list_a_index_of_int", (args, work) -> indexOf((CelList) args[0], args[1], work));
        all.countedOverload("list_a_last_index_of_int", (args, work) -> lastIndexOf((CelList) args[0], args[1], work));
        all.countedOverload(
                "list_sets_contains_list", (args, work) -> containsAll((CelList) args[0], (CelList) args[1], work));
        all.countedOverload(
                "list_sets_equivalent_list",
                (args, work) -> containsAll((CelList) args[0], (CelList) args[1], work)
                        && containsAll((CelList) args[1], (CelList) args[0], work));
        all.countedOverload(
                "list_sets_intersects_list", (args, work) -> intersects((CelList) args[0], (CelList) args[1], work));
        all.countedOverload("list_distinct", (args, work) -> distinct((CelList) args[0], work));
        all.overload("list_first", args -> element((CelList) args[0], 0));
        all.overload("list_last", args -> element((CelList) args[0], ((CelList) args[0]).size() - 1));
        all.overload("list_flatten", args -> flatten((CelList) args[0], 1));
        all.overload("list_flatten_int", args -> flatten((CelList) args[0], (Long) args[1]));
        all.overload("lists_range", args -> range((Long) args[0]));
        all.overload(
                "list_reverse",
                args -> new Lists.Values(Lists.elements((CelList) args[0]).reversed()));
        all.overload("list_slice", args -> slice((CelList) args[0], (Long) args[1], (Long) args[2]));
    }

    private static boolean isSorted(CelList list) {
        for (int i = 1; i < list.size(); i++) {
            if (Equality.compare(list.get(i - 1), list.get(i)) > 0) {
                return false;
            }
        }
        return true;
    }

    private static Object extreme(CelList list, String function, int sign) {
        if (list.size() == 0) {
            throw new CelException(function + " called on empty list");
        }
        Object best = list.get(0);
        for (int i = 1; i < list.size(); i++) {
            Object next = list.get(i);
            if (Equality.compare(next, best) * sign > 0) {
                best = next;
            }
        }
        return best;
    }

    private static Object sum(CelList list, Object zero) {
        Object sum = zero;
        for (int i = 0; i < list.size(); i++) {
            sum = Arithmetic.add(sum, list.get(i));
        }
        return sum;
    }

    private static Object indexOf(CelList list, Object value, Work work) {
        for (int i = 0; i < list.size(); i++) {
            if (Equality.equal(list.get(i), value, work)) {
                return (long) i;
            }
        }
        return -1L;
    }

    private static Object lastIndexOf(CelList list, Object value, Work work) {
        for (int i = list.size() - 1; i >= 0; i--) {
            if (Equality.equal(list.get(i), value, work)) {
                return (long) i;
            }
        }
        return -1L;
    }

    private static boolean containsAll(CelList list, CelList others, Work work) {
        for (int i = 0; i < others.size(); i++) {
            if (!Equality.contains(list, others.get(i), work)) {
                return false;
            }
        }
        return true;
    }

    private static Object intersects(CelList left, CelList right, Work work) {
        for (int i = 0; i < left.size(); i++) {
            if (Equality.contains(right, left.get(i), work)) {
                return true;
            }
        }
        return false;
    }

    private static Object distinct(CelList list, Work work) {
        List<Object> once = new ArrayList<>();
        for (int i = 0; i < list.size(); i++) {
            Object value = list.get(i);
            if (!Equality.contains(new Lists.Values(once), value, work)) {
                once.add(value);
            }
        }
        return new Lists.Values(once);
    }

    private static Object element(CelList list, int index) {
        return list.size() == 0 ? CelOptional.NONE : CelOptional.of(list.get(index));
    }

    private static Object flatten(CelList list, long depth) {
        if (depth < 0) {
            throw new CelException("level must be non-negative");
        }
        List<Object> flat = new ArrayList<>();
        flatten(list, depth, flat, new Work());
        return new Lists.Values(flat);
    }

    private static void flatten(CelList list, long depth, List<Object> flat, Work work) {
        for (int i = 0; i < list.size(); i++) {
            work.step();
            Object value = list.get(i);
            if (depth > 0 && value instanceof CelList inner) {
                flatten(inner, depth - 1, flat, work);
            } else {
                flat.add(value);
            }
        }
    }

    /** Numbers from zero, made when read: a huge range is paid for by the budget but must not fill the memory first. */
    private static Object range(long count) {
        int size = Math.clamp(count, 0, LONGEST_RANGE);
        return new CelList() {
            @Override
            public int size() {
                return size;
            }

            @Override
            public Object get(int index) {
                return (long) index;
            }
        };
    }

    private static Object slice(CelList list, long start, long end) {
        String what = "cannot slice(" + start + ", " + end + "), ";
        if (start < 0 || end < 0) {
            throw new CelException(what + "negative indexes not supported");
        }
        if (start > end) {
            throw new CelException(what + "start index must be less than or equal to end index");
        }
        if (list.size() < end) {
            throw new CelException(what + "list is length " + list.size());
        }
        return new Lists.Values(Lists.elements(list).subList((int) start, (int) end));
    }

    private static Object sorted(CelList list, CelList keys) {
        if (list.size() != keys.size()) {
            throw new CelException(
                    "@sortByAssociatedKeys() expected a list of the same size as the associated keys list, but got %d and %d elements respectively"
                            .formatted(list.size(), keys.size()));
        }
        if (list.size() == 0) {
            return list;
        }
        List<Object> sortKeys = Lists.elements(keys);
        Object first = sortKeys.getFirst();
        if (!Equality.isOrdered(first)) {
            throw new CelException("list elements must be comparable");
        }
        for (Object key : sortKeys) {
            if (!Types.of(key).equals(Types.of(first))) {
                throw new CelException("list elements must have the same type");
            }
        }
        List<Integer> order = new ArrayList<>();
        for (int i = 0; i < sortKeys.size(); i++) {
            order.add(i);
        }
        order.sort((a, b) -> Equality.compare(sortKeys.get(a), sortKeys.get(b)));
        return Lists.of(order.stream().map(list::get).toList());
    }
}
