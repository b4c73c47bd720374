package weighbridge.mysqlcollation;

import java.util.ArrayList;
import java.util.List;

/** The tables of a collation. */
final class Weights {
    final Encoding encoding;
    /** The levels at which the collation compares; empty if bytes or whole texts have weights. */
    final Level[] levels;
    /** The weights of bytes, or null. */
    final byte[] bytes;
    /** The weights of whole texts, or null. */
    final TextTable text;
    final UcaTable uca;

    Weights(Catalogue catalogue, Collation collation) {
        encoding = new Encoding(catalogue.file, collation.charset, collation.flavour());
        int kind = collation.kind;
        if (kind == Level.UCA) {
            uca = catalogue.table(collation.table);
            levels = ucaLevels(collation);
            bytes = null;
            text = null;
            return;
        }
        uca = null;
        Input in = collation.table == 0 ? new Input(new byte[0], 0, 0) : catalogue.file.section(collation.table);
        bytes = kind == Level.BYTES ? Collation.IDENTITY : kind == Level.BYTE_TABLE ? in.bytes(256) : null;
        boolean isText = kind >= Level.CZECH_WORDS && kind <= Level.THAI;
        text = isText ? new TextTable(in, kind, collation.parameter) : null;
        if (bytes != null || text != null) {
            levels = new Level[0];
            return;
        }
        Level level = new Level(kind, 0, encoding);
        switch (kind) {
            case Level.EXPANSIONS:
                level.expansions = in.bytes(512);
                break;
            case Level.CHARACTERS:
                level.characters = new CharacterTables.Characters(in, collation.parameter);
                break;
            case Level.GB18030:
                level.gb18030 = new CharacterTables.Gb18030(in);
                break;
            case Level.SIMPLE:
                level.simple = new SingleTables.Simple(in);
                break;
            case Level.FOLDING:
                level.folding = new SingleTables.Folding(in);
                break;
            case Level.NUMBERS:
                break;
            default:
                throw DataFile.damaged("it has an unknown kind of weights");
        }
        levels = new Level[] {level.finish(collation.pads(0))};
    }

    private Level[] ucaLevels(Collation collation) {
        List<Level> all = new ArrayList<>();
        for (int index = 0; index < uca.levels.length; index++) {
            if (collation.hasLevel(index)) {
                Level level = new Level(Level.UCA, index, encoding);
                level.uca = uca.levels[index];
                level.contractions = uca.contractions;
                level.endsAtErrors = collation.hasRule(Collation.ENDS_AT_ERRORS);
                all.add(level.finish(collation.pads(index)));
            }
        }
        return all.toArray(new Level[0]);
    }
}
