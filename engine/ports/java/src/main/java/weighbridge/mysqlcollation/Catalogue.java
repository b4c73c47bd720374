package weighbridge.mysqlcollation;

import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The first section of the data file: tables, character sets and collations. */
final class Catalogue {
    /** Reads the file when a collation is first looked up. */
    private static final class Holder {
        private static final Catalogue INSTANCE = new Catalogue(DataFile.ofResource());
    }

    /** A character set. */
    static final class Charset {
        final String name;
        final int minBytes;
        final int maxBytes;
        final int decoding;
        final int[] sections;
        final byte[] roles;

        private Charset(Input in) {
            name = in.text();
            minBytes = in.unsignedByte();
            maxBytes = in.unsignedByte();
            decoding = in.unsignedByte();
            sections = new int[] {in.word(), in.word()};
            boolean hasRoles = decoding == Encoding.DOUBLE_BYTE || decoding == Encoding.GB18030;
            roles = hasRoles ? in.bytes(256) : null;
        }
    }

    final DataFile file;
    private final int[] parents;
    private final UcaTable[] tables;
    private int operationsSection;
    private Operations operations;
    private final Map<Flavour, Map<String, Collation>> byName = new EnumMap<>(Flavour.class);
    private final Map<Flavour, Map<Integer, Collation>> byId = new EnumMap<>(Flavour.class);
    private final Map<Flavour, List<Collation>> all = new EnumMap<>(Flavour.class);

    static Catalogue instance() {
        return Holder.INSTANCE;
    }

    Catalogue(DataFile file) {
        this.file = file;
        Input in = file.section(0);
        int count = in.word();
        parents = new int[count + 1];
        tables = new UcaTable[count + 1];
        for (int i = 1; i <= count; i++) {
            if (in.text().equals("operations")) {
                operationsSection = i;
            }
            parents[i] = in.word();
        }
        Charset[] charsets = new Charset[in.unsignedByte()];
        for (int i = 0; i < charsets.length; i++) {
            charsets[i] = new Charset(in);
        }
        for (Flavour flavour : Flavour.values()) {
            byName.put(flavour, new HashMap<>());
            byId.put(flavour, new HashMap<>());
            all.put(flavour, new ArrayList<>());
        }
        int collations = in.word();
        for (int index = 0; index < collations; index++) {
            Collation collation = new Collation(this, index, in, charsets);
            byName.get(collation.flavour()).put(collation.name(), collation);
            byId.get(collation.flavour()).put(collation.id(), collation);
            all.get(collation.flavour()).add(collation);
        }
        in.requireEnd("the catalogue");
    }

    Collation byName(Flavour flavour, String name) {
        return byName.get(flavour).get(name);
    }

    Collation byId(Flavour flavour, int id) {
        return byId.get(flavour).get(id);
    }

    List<Collation> all(Flavour flavour) {
        return Collections.unmodifiableList(all.get(flavour));
    }

    /** Returns the table of a section, and reads it at the first call. */
    synchronized UcaTable table(int section) {
        if (tables[section] == null) {
            UcaTable parent = parents[section] == 0 ? null : table(parents[section]);
            tables[section] = new UcaTable(file.section(section), parent);
        }
        return tables[section];
    }

    /** Returns the tables of LOCATE, UPPER and LOWER, and reads them at the first call. */
    synchronized Operations operations() {
        if (operations == null) {
            operations = new Operations(file.section(operationsSection), all.values().stream().mapToInt(List::size).sum());
        }
        return operations;
    }
}
