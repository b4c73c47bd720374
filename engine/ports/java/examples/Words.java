import java.util.Arrays;
import weighbridge.mysqlcollation.Collation;
import weighbridge.mysqlcollation.Flavour;

/** Sorts its arguments like ORDER BY, and prints which of them a unique key would reject. */
public final class Words {
    public static void main(String[] words) throws Exception {
        java.io.PrintStream out = new java.io.PrintStream(System.out, true, "UTF-8");
        Collation collation = Collation.of(Flavour.MYSQL, "utf8mb4_0900_ai_ci");
        Arrays.sort(words, collation);
        for (int i = 0; i < words.length; i++) {
            boolean isTaken = i > 0 && collation.compare(words[i - 1], words[i]) == 0;
            out.print(words[i] + (isTaken ? " (equals " + words[i - 1] + ")\n" : "\n"));
        }
    }
}
