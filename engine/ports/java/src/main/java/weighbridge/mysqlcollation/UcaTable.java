package weighbridge.mysqlcollation;

/** A table of weights of the Unicode Collation Algorithm. */
final class UcaTable {
    final boolean isTailoring;
    final UcaLevel[] levels;
    final Contractions contractions;

    UcaTable(Input in, UcaTable parent) {
        isTailoring = parent != null;
        int count = in.word();
        int[] lengths = new int[count];
        for (int i = 0; i < count; i++) {
            lengths[i] = in.word() << 16 | in.word();
        }
        levels = new UcaLevel[count];
        for (int i = 0; i < count; i++) {
            Input part = in.part(2 * lengths[i]);
            levels[i] = new UcaLevel(part, parent == null || i >= parent.levels.length ? null : parent.levels[i]);
            part.requireEnd("a level");
        }
        contractions = Contractions.read(in, parent == null ? null : parent.contractions, count);
        in.requireEnd("a list of contractions");
        for (UcaLevel level : levels) {
            level.setShort(contractions);
        }
    }
}
