package weighbridge.bench;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.ibm.icu.text.RuleBasedCollator;
import com.ibm.icu.util.ULocale;
import java.text.CollationKey;
import java.text.Collator;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;
import weighbridge.mysqlcollation.Collation;
import weighbridge.mysqlcollation.Flavour;

/**
 * Comparisons and keys at the primary level: {@code utf8mb4_0900_ai_ci}, ICU4J and {@code
 * java.text.Collator} with primary strength; and {@code String.compareTo}. The pairs are equal at the
 * primary level or differ at the end, {@code first-differs} at the beginning.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(3)
public class Strings {
    private static final String ASCII = "the quick brown fox jumps over the lazy dog, and the dog does not mind at all because it sleeps in the warm sun";

    @Param({"ascii", "ascii-case", "first-differs", "german", "russian", "chinese", "japanese"})
    public String pair;

    private Collation collation;
    private RuleBasedCollator icu;
    private Collator java;
    private String one;
    private String other;
    private byte[] oneBytes;
    private byte[] otherBytes;

    @Setup
    public void setUp() {
        collation = Collation.of(Flavour.MYSQL, "utf8mb4_0900_ai_ci");
        icu = (RuleBasedCollator) com.ibm.icu.text.Collator.getInstance(ULocale.ROOT).freeze();
        icu = (RuleBasedCollator) icu.cloneAsThawed();
        icu.setStrength(com.ibm.icu.text.Collator.PRIMARY);
        icu.freeze();
        java = Collator.getInstance(Locale.ROOT);
        java.setStrength(Collator.PRIMARY);
        setPair();
        oneBytes = one.getBytes(UTF_8);
        otherBytes = other.getBytes(UTF_8);
    }

    private void setPair() {
        switch (pair) {
            case "ascii":
                one = ASCII;
                other = ASCII.substring(0, ASCII.length() - 1) + "o";
                break;
            case "ascii-case":
                one = ASCII;
                other = ASCII.toUpperCase(Locale.ROOT);
                break;
            case "first-differs":
                one = ASCII;
                other = "z" + ASCII;
                break;
            case "german":
                one = "Größere Füße führen über grüne Flüsse und ölige Äcker in die Straße nach Köln";
                other = "GRÖSSERE FÜSSE FÜHREN ÜBER GRÜNE FLÜSSE UND ÖLIGE ÄCKER IN DIE STRASSE NACH KÖLM";
                break;
            case "russian":
                one = "съешь ещё этих мягких французских булок, да выпей же чаю";
                other = "СЪЕШЬ ЕЩЁ ЭТИХ МЯГКИХ ФРАНЦУЗСКИХ БУЛОК, ДА ВЫПЕЙ ЖЕ ЧАЮ";
                break;
            case "chinese":
                one = "天地玄黃宇宙洪荒日月盈昃辰宿列張寒來暑往秋收冬藏";
                other = "天地玄黃宇宙洪荒日月盈昃辰宿列張寒來暑往秋收冬蔵";
                break;
            default:
                one = "いろはにほへとちりぬるをわかよたれそつねならむ";
                other = "いろはにほへとちりぬるをわかよたれそつねならん";
        }
    }

    @Benchmark
    public int compareBytes() {
        return collation.compare(oneBytes, otherBytes);
    }

    @Benchmark
    public int compareStrings() {
        return collation.compare(one, other);
    }

    @Benchmark
    public int compareIcu4j() {
        return icu.compare(one, other);
    }

    @Benchmark
    public int compareJavaText() {
        return java.compare(one, other);
    }

    @Benchmark
    public int compareTo() {
        return one.compareTo(other);
    }

    @Benchmark
    public byte[] key() {
        return collation.sortKey(oneBytes);
    }

    @Benchmark
    public com.ibm.icu.text.CollationKey keyIcu4j() {
        return icu.getCollationKey(one);
    }

    @Benchmark
    public CollationKey keyJavaText() {
        return java.getCollationKey(one);
    }
}
