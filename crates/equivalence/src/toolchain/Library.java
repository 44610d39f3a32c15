import java.io.IOException;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.lang.module.ModuleReference;
import java.lang.reflect.Modifier;
import java.net.URI;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The classes of Java's library by their simple names. */
final class Library {
    /** Where several packages have a class of a name, the one that programs mean most often. */
    private static final List<String> FIRST = List.of("java.util", "java.io", "java.net", "java.sql", "java.lang.reflect",
        "java.text", "java.awt", "java.awt.event", "javax.swing", "org.w3c.dom", "org.xml.sax", "javax.xml.parsers",
        "java.security", "java.util.concurrent", "java.nio", "java.nio.channels");

    private final Map<String, List<String>> classes = new HashMap<>();

    Library() {
        FileSystem image = FileSystems.getFileSystem(URI.create("jrt:/"));
        for (ModuleReference module : ModuleFinder.ofSystem().findAll()) {
            String name = module.descriptor().name();
            if (!name.startsWith("java.")) {
                continue;
            }
            for (ModuleDescriptor.Exports exported : module.descriptor().exports()) {
                // Programs rarely mean these, and they have names that many libraries use.
                boolean isRare = exported.source().matches("java\\.net\\.http|java\\.lang\\.(module|constant|foreign).*");
                if (!exported.isQualified() && !isRare) {
                    add(image.getPath("modules", name, exported.source().replace('.', '/')), exported.source());
                }
            }
        }
        Comparator<String> order = Comparator.comparingInt(one -> {
            int rank = FIRST.indexOf(one.substring(0, one.lastIndexOf('.')));
            return rank < 0 ? FIRST.size() : rank;
        });
        classes.values().forEach(all -> all.sort(order.thenComparing(Comparator.naturalOrder())));
    }

    private void add(Path folder, String place) {
        if (!Files.isDirectory(folder)) {
            return;
        }
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, "*.class")) {
            for (Path file : files) {
                String name = file.getFileName().toString().replaceAll("\\.class$", "");
                if (!name.contains("$") && !name.contains("-")) {
                    classes.computeIfAbsent(name, key -> new ArrayList<>()).add(place + "." + name);
                }
            }
        } catch (IOException error) {
            throw new IllegalStateException(error);
        }
    }

    /** The whole name of the public class that a simple name means most often, or null. */
    String find(String name) {
        for (String whole : classes.getOrDefault(name, List.of())) {
            try {
                if (Modifier.isPublic(Class.forName(whole, false, ClassLoader.getPlatformClassLoader()).getModifiers())) {
                    return whole;
                }
            } catch (ClassNotFoundException | LinkageError absent) {
                continue;
            }
        }
        return null;
    }
}
