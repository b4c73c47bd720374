import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;

/** Writes the first argument, a key store of the certificates in the other files, as far as they exist. */
final class TrustHost {
    public static void main(String[] arguments) throws IOException, GeneralSecurityException {
        KeyStore store = KeyStore.getInstance("JKS");
        store.load(null, null);
        int count = 0;
        for (int i = 1; i < arguments.length; i++) {
            if (!Files.exists(Path.of(arguments[i]))) {
                continue;
            }
            try (InputStream in = new FileInputStream(arguments[i])) {
                for (Certificate certificate : CertificateFactory.getInstance("X.509").generateCertificates(in)) {
                    store.setCertificateEntry("host-" + count++, certificate);
                }
            }
        }
        // Java reads certificates of this format without the password.
        try (OutputStream out = new FileOutputStream(arguments[0])) {
            store.store(out, "changeit".toCharArray());
        }
    }
}
