package lavaflow.cel;

/** Errors many functions share. */
final class Errors {
    private Errors() {}

    static CelException noSuchOverload() {
        return new CelException("no such overload");
    }

    static CelException noSuchOverload(String function) {
        return new CelException("no such overload: " + function);
    }

    /** No overload of a function takes these arguments. */
    static CelException noSuchOverload(String function, Object... args) {
        StringBuilder types = new StringBuilder();
        for (Object arg : args) {
            types.append(types.isEmpty() ? "" : ", ").append(Types.name(arg));
        }
        return noSuchOverload(function + "(" + types + ")");
    }

    static CelException conversion(Object value, CelType to) {
        return new CelException("type conversion error from '" + Types.name(value) + "' to '" + to.typeName() + "'");
    }

    static CelException range(long index) {
        return new CelException("index out of range: " + index);
    }
}
