package weighbridge.mysqlcollation;

/** WEIGHT_STRING, byte for byte. */
final class WeightStrings {
    private static final int QUATERNARY = 3;

    private WeightStrings() {}

    static void append(Collation collation, byte[] text, Bytes out) {
        Weights weights = collation.weights();
        switch (collation.kind) {
            case Level.BYTES:
            case Level.BYTE_TABLE:
                for (byte b : text) {
                    out.add(weights.bytes[b & 0xFF]);
                }
                break;
            case Level.EXPANSIONS:
                byte[] expansions = weights.levels[0].expansions;
                for (byte b : text) {
                    out.add(expansions[2 * (b & 0xFF)]);
                    if (expansions[2 * (b & 0xFF) + 1] != 0) {
                        out.add(expansions[2 * (b & 0xFF) + 1]);
                    }
                }
                break;
            case Level.CHARACTERS:
            case Level.GB18030:
                characters(weights.levels[0], text, out);
                break;
            case Level.UCA:
                uca(collation, weights, text, out);
                break;
            case Level.NUMBERS:
            case Level.SIMPLE:
            case Level.FOLDING:
                single(weights.levels[0], text, collation.parameter, out);
                break;
            default:
                weights.text.weightString(text, 0, text.length, collation.flavour(), out);
        }
    }

    private static void characters(Level level, byte[] text, Bytes out) {
        for (int at = 0; at < text.length; ) {
            int length = level.encoding.length(text, at, text.length);
            if (level.kind == Level.GB18030) {
                long weight = level.gb18030.reported(text, at, length);
                for (int shift = 24; shift >= 0; shift -= 8) {
                    if (shift == 0 || weight >> shift != 0) {
                        out.add((int) (weight >> shift));
                    }
                }
            } else if (length == 1) {
                out.add(level.characters.singles[text[at] & 0xFF]);
            } else if (length == 2) {
                out.addWord(level.characters.reportedWeight(text[at] & 0xFF, text[at + 1] & 0xFF));
            } else {
                out.add(text, at, at + length);
            }
            at += length;
        }
    }

    /** Appends one weight for each code point, up to the first ill-formed byte. */
    private static void single(Level level, byte[] text, int width, Bytes out) {
        for (int at = 0; at < text.length; ) {
            int decoded = level.encoding.decode(text, at, text.length);
            if (Encoding.length(decoded) == 0) {
                return;
            }
            int weight = Encoding.codePoint(decoded);
            if (level.kind == Level.SIMPLE) {
                weight = level.simple.weight(weight);
            } else if (level.kind == Level.FOLDING) {
                weight = level.folding.weight(weight);
            }
            if (width == 3) {
                out.add(weight >> 16);
            }
            out.addWord(weight);
            at += Encoding.length(decoded);
        }
    }

    private static void uca(Collation collation, Weights weights, byte[] text, Bytes out) {
        WrappedMark mark = collation.wrappedMark(weights, text, 0, text.length);
        Cursor cursor = new Cursor();
        for (Level level : weights.levels) {
            int start = out.length;
            if (level.index > 0 && collation.hasRule(Collation.IS_SEPARATED)) {
                out.addWord(0);
            }
            boolean isZero = true;
            cursor.set(level, text, 0, 0, text.length, mark);
            for (int weight = cursor.weight(); weight >= 0; weight = cursor.weight()) {
                int reported = weight == 1 && level.index >= collation.oneIsZeroFrom ? 0 : weight;
                isZero &= reported == 0;
                out.addWord(reported);
            }
            if (level.index == QUATERNARY && isZero) {
                out.length = start;
            }
        }
    }
}
