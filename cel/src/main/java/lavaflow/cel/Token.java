package lavaflow.cel;

/** A word of the source, and the space and comments before it. */
record Token(Kind kind, int offset, String text, String before) {
    /** Kinds, in the order in which errors list what was expected. */
    enum Kind {
        END("<EOF>"),
        EQUALS("'=='"),
        NOT_EQUALS("'!='"),
        IN("'in'"),
        LESS("'<'"),
        LESS_EQUALS("'<='"),
        GREATER_EQUALS("'>='"),
        GREATER("'>'"),
        AND("'&&'"),
        OR("'||'"),
        LEFT_BRACKET("'['"),
        RIGHT_BRACKET("']'"),
        LEFT_BRACE("'{'"),
        RIGHT_BRACE("'}'"),
        LEFT_PAREN("'('"),
        RIGHT_PAREN("')'"),
        DOT("'.'"),
        COMMA("','"),
        MINUS("'-'"),
        NOT("'!'"),
        QUESTION("'?'"),
        COLON("':'"),
        PLUS("'+'"),
        STAR("'*'"),
        SLASH("'/'"),
        PERCENT("'%'"),
        TRUE("'true'"),
        FALSE("'false'"),
        NULL("'null'"),
        FLOAT("NUM_FLOAT"),
        INT("NUM_INT"),
        UINT("NUM_UINT"),
        STRING("STRING"),
        BYTES("BYTES"),
        IDENTIFIER("IDENTIFIER"),
        ESCAPED_IDENTIFIER("ESC_IDENTIFIER");

        final String display;

        Kind(String display) {
            this.display = display;
        }

        /** Sets of kinds are bit masks in the order above. */
        @SuppressWarnings("EnumOrdinal")
        long mask() {
            return 1L << ordinal();
        }
    }

    /** The text as errors quote it. */
    String quoted() {
        return "'" + escaped(kind == Kind.END ? "<EOF>" : text) + "'";
    }

    static String escaped(String text) {
        return text.replace("\n", "\\n").replace("\r", "\\r").replace("\t", "\\t");
    }
}
